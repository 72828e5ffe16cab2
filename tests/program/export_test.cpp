// Programs made by export_program: they compute what the module computes, for all dynamic sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <taper/program/export.h>
#include <taper/program/onnx.h>
#include <taper/program/program.h>
#include <taper/program/trace_sizes.h>
#include <taper/taper.h>

#include "expect_error.h"
#include "program/export_models.h"

namespace torch::taper::testing {
namespace {

using program::Program;

std::vector<Tensor> tensors_of(const IValue& value) {
  if (value.isTensor()) return {value.toTensor()};
  std::vector<Tensor> all;
  const std::vector<IValue> parts =
      value.isTuple() ? value.toTupleRef().elements() : value.toList().vec();
  for (const IValue& part : parts)
    for (const Tensor& t : tensors_of(part)) all.push_back(t);
  return all;
}

/// Runs a program.
std::vector<Tensor> run(const Program& p, const std::vector<Tensor>& inputs) {
  ProgramModule net(p);
  std::vector<IValue> values(inputs.begin(), inputs.end());
  return tensors_of(net->run(values));
}

void expect_close(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].sizes(), want[i].sizes()) << "result " << i;
    EXPECT_TRUE(allclose(got[i], want[i], 1e-5, 1e-6)) << "result " << i;
  }
}

std::set<std::string> targets_of(const Program& p) {
  std::set<std::string> all;
  for (const program::Node& node : p.graph.nodes) all.insert(node.target);
  return all;
}

struct ExportProgram : ::testing::Test {
  void SetUp() override { manual_seed(1); }
};

// ---------------------------------------------------------------------- modules
TEST_F(ExportProgram, OfAnMlpHasTheNamesOfTheModule) {
  nn::Sequential net = make_mlp();
  net->eval();
  const Tensor x = rand({4, 6});
  const Program p = export_program(net, {x});
  EXPECT_EQ(p.weights.size(), 6u);
  EXPECT_TRUE(p.weights.at("0.weight").is_alias_of(net->parameters()[0]));
  EXPECT_EQ(p.graph.nodes[0].target, "torch.ops.aten.linear.default");
  EXPECT_EQ(p.graph.nodes.size(), 7u - 1);  // dropout returns its argument
  expect_close(run(p, {x}), {net->forward(x)});
  EXPECT_THROW(run(p, {rand({5, 6})}), Error);
}

TEST_F(ExportProgram, OfACnnTakesAllBatches) {
  Cnn net;
  net->eval();
  const Program p = export_program(net, {rand({2, 3, 20, 20})}, {{0, 0, "batch"}});
  for (const int64_t batch : {1, 2, 7}) {
    const Tensor x = rand({batch, 3, 20, 20});
    expect_close(run(p, {x}), {net->forward(x)});
  }
}

TEST_F(ExportProgram, OfAResNetMakesInPlaceOpsNewValues) {
  ResNet net;
  net->eval();
  const Program p = export_program(net, {rand({2, 3, 9, 11})},
                                   {{0, 0, "batch"}, {0, 2, "height"}, {0, 3, "width"}});
  for (const program::Node& node : p.graph.nodes)
    EXPECT_EQ(node.target.find("_."), std::string::npos) << node.target;
  const Tensor x = rand({3, 3, 14, 6});
  expect_close(run(p, {x}), {net->forward(x)});
}

TEST_F(ExportProgram, OfARecurrentLayerReturnsNestedResults) {
  Recurrent net;
  net->eval();
  const Program p = export_program(net, {rand({2, 3, 5})}, {{0, 0, "batch"}, {0, 1, "length"}});
  const Tensor x = rand({4, 6, 5});
  const auto [y, state] = net->forward(x);
  ProgramModule loaded(p);
  const IValue result = loaded->run({IValue(x)});
  ASSERT_TRUE(result.isTuple() && result.toTupleRef().elements().at(1).isTuple());
  expect_close(tensors_of(result), {y, std::get<0>(state), std::get<1>(state)});
}

TEST_F(ExportProgram, OfTransformersTakesAllLengths) {
  Encoder encoder;
  encoder->eval();
  const Program p =
      export_program(encoder, {randint(0, 20, {5, 2}, kLong)}, {{0, 0, "length"}, {0, 1, "batch"}});
  const Tensor tokens = randint(0, 20, {9, 3}, kLong);
  expect_close(run(p, {tokens}), {encoder->forward(tokens)});
  EXPECT_EQ(targets_of(p).count("torch.ops.aten.scaled_dot_product_attention.default"), 1u);

  Gpt gpt;
  gpt->eval();
  const Program q = export_program(gpt, {randint(0, 30, {2, 5}, kLong)},
                                   {{0, 0, "batch"}, {0, 1, "length", 1, 12}});
  const Tensor text = randint(0, 30, {3, 12}, kLong);
  expect_close(run(q, {text}), {gpt->forward(text)});
}

// ---------------------------------------------------------------------- state
TEST_F(ExportProgram, OfATrainingModuleKeepsItsBuffersAndChangesItsOwn) {
  nn::BatchNorm1d net(3);
  const Tensor x = rand({4, 3});
  const Tensor mean = net->running_mean.clone();
  const Program p = export_program(net, {x});
  EXPECT_TRUE(equal(net->running_mean, mean));
  EXPECT_EQ(net->num_batches_tracked.item<int64_t>(), 0);
  size_t mutations = 0;
  for (const auto& output : p.output_specs)
    mutations += output.kind == program::OutputSpec::Kind::kBufferMutation &&
                 output.target == "num_batches_tracked";
  EXPECT_EQ(mutations, 1u);
  ProgramModule loaded(p);
  nn::BatchNorm1d other(3);  // the program shares the buffers of `net`
  expect_close({loaded->forward(x)}, {other->forward(x)});
  EXPECT_EQ(loaded->named_buffers()["num_batches_tracked"].item<int64_t>(), 1);
  EXPECT_TRUE(allclose(net->running_mean, other->running_mean));
}

struct CounterImpl : nn::Module {
  CounterImpl() { sums = register_buffer("sums", zeros({2, 3})); }
  Tensor forward(const Tensor& x) {
    sums.select(0, 1).add_(x.sum(0));
    return sums * 2;
  }
  Tensor sums;
};
TAPER_MODULE(Counter);

TEST_F(ExportProgram, WritesToAViewOfABufferChangeTheBuffer) {
  Counter net;
  const Tensor x = ones({4, 3});
  const Program p = export_program(net, {x}, {{0, 0, "batch"}});
  EXPECT_TRUE(equal(net->sums, zeros({2, 3})));
  ProgramModule loaded(p);
  loaded->forward(x);
  const Tensor twice = loaded->forward(ones({2, 3}));
  Counter other;
  other->forward(x);
  expect_close({twice}, {other->forward(ones({2, 3}))});
  EXPECT_TRUE(equal(net->sums, other->sums));  // shared with the program
}

// ---------------------------------------------------------------------- writes
using Function = std::function<Tensor(const Tensor&)>;

/// Exports a function and compares it with a program of it.
void check_function(const Function& f, const Tensor& x, const Tensor& other,
                    const std::vector<DynamicSize>& dynamic = {}) {
  const Program p = export_program(f, {x.clone()}, dynamic);
  const Tensor want = f(other.clone());
  const std::vector<Tensor> got = run(p, {other.clone()});
  expect_close(got, {want});
}

TEST_F(ExportProgram, WritesToViewsAreSeenByAllViews) {
  const std::vector<Function> functions = {
      [](const Tensor& x) {  // a slice of a new tensor
        Tensor y = x * 2;
        y.narrow(1, 1, 2).add_(1);
        return y;
      },
      [](const Tensor& x) {  // a view made before the write
        Tensor y = x * 2, row = y.select(0, 1), all = y.view({-1});
        y.mul_(3);
        row.sub_(all.narrow(0, 0, 4));
        return all + row.sum();
      },
      [](const Tensor& x) {  // through transposed and reshaped views
        Tensor y = x.clone();
        y.t().select(0, 2).fill_(7);
        y.view({2, 2, 4}).transpose(0, 1).select(0, 0).zero_();
        y.permute({1, 0}).unsqueeze(0).slice(1, 0, 4, 3).neg_();
        return y;
      },
      [](const Tensor& x) {  // copies with another dtype and fewer dimensions
        Tensor y = zeros({4, 4});
        y.narrow(0, 0, 2).copy_(x.select(0, 0).to(kDouble));
        y.slice(0, 1, 4, 2).copy_(x.narrow(0, 2, 2));
        return y;
      },
      [](const Tensor& x) {  // an integer stays an integer
        Tensor n = ones({4}, kLong);
        n.add_(2).mul_(x.gt(0.5).sum(0));
        return n;
      },
      [](const Tensor& x) {  // a comparison in place stays a float
        return x.clone().gt_(0.5).masked_fill_(x.lt(0.2), 9);
      },
      [](const Tensor& x) {  // detached and contiguous tensors share the memory
        Tensor y = x + 1, same = y.detach(), also = y.contiguous();
        same.add_(1);
        return also * y;
      }};
  for (size_t i = 0; i < functions.size(); ++i) {
    SCOPED_TRACE(i);
    check_function(functions[i], rand({4, 4}), rand({4, 4}));
  }
}

TEST_F(ExportProgram, WritesToTheArgumentAreMutationsOfIt) {
  const Program p = export_program(
      [](const Tensor& x) {
        Tensor(x).select(0, 0).fill_(5);
        return x.sum();
      },
      {rand({2, 2})});
  EXPECT_EQ(p.output_specs[0].kind, program::OutputSpec::Kind::kUserInputMutation);
  EXPECT_EQ(p.output_specs[0].target, "x");
}

// ---------------------------------------------------------------------- sizes
TEST_F(ExportProgram, SizesFollowFromDynamicSizes) {
  const std::vector<DynamicSize> both = {{0, 0, "rows"}, {0, 1, "columns"}};
  const std::vector<Function> functions = {
      [](const Tensor& x) { return x.reshape({x.size(0) * x.size(1)}); },
      [](const Tensor& x) { return x.narrow(1, 0, x.size(1) / 2) * x.size(0); },
      [](const Tensor& x) {
        return cat({x, zeros({2 * x.size(0) + 3, x.size(1)})});
      },
      [](const Tensor& x) { return x / (x.size(0) * x.size(1)) + arange(x.size(1)); },
      [](const Tensor& x) {
        return full({x.size(0), x.size(0)}, x.size(0) + x.size(1));
      },
      [](const Tensor& x) {
        return x.expand({x.size(0) * x.size(0), x.size(0), x.size(1)}).sum(0);
      }};
  for (size_t i = 0; i < functions.size(); ++i) {
    SCOPED_TRACE(i);
    check_function(functions[i], rand({4, 6}), rand({9, 5}), both);
  }
}

TEST_F(ExportProgram, SizesMayNeedMultiplesOfTheExample) {
  check_function(
      [](const Tensor& x) {
        return x.view({x.size(0) / 4, 4}).sum(1);
      },
      rand({8}), rand({20}), {{0, 0, "length"}});
}

std::vector<int64_t> values_of(const std::vector<std::vector<int64_t>>& points,
                               int64_t (*f)(int64_t, int64_t)) {
  std::vector<int64_t> values;
  for (const auto& p : points) values.push_back(f(p[0], p[1]));
  return values;
}

TEST(FitSizes, FindsTheExpressionOrNone) {
  const std::vector<std::vector<int64_t>> points = {{4, 6}, {5, 6}, {6, 6},  {9, 6},
                                                    {4, 7}, {4, 8}, {4, 13}, {6, 8}};
  int64_t (*const found[])(int64_t, int64_t) = {
      [](int64_t, int64_t) -> int64_t { return 17; },
      [](int64_t a, int64_t) { return 3 * a - 5; },
      [](int64_t a, int64_t b) { return 2 * a + b + 1; },
      [](int64_t a, int64_t b) { return 12 * a * (b + 1); },
      [](int64_t a, int64_t b) { return a * a * b; },
      [](int64_t a, int64_t) { return a * a - a + 2; },
      [](int64_t a, int64_t) { return (a - 1) / 2 + 1; },
      [](int64_t a, int64_t b) { return a * 16 * ((b + 1) / 2); },
  };
  for (const auto& f : found) {
    const auto e = program::fit_sizes(points, values_of(points, f));
    ASSERT_TRUE(e);
    EXPECT_EQ(e->at({20, 31}), f(20, 31)) << e->text();
  }
  EXPECT_FALSE(
      program::fit_sizes(points, values_of(points, [](int64_t a, int64_t b) { return a ^ b; })));
  EXPECT_FALSE(program::fit_sizes(
      points, values_of(points, [](int64_t a, int64_t b) { return std::min(a, b); })));
}

// ---------------------------------------------------------------------- refusals
void expect_refusal(const std::string& text, const Function& f,
                    const std::vector<DynamicSize>& dynamic = {}) {
  expect_error(text, [&] { export_program(f, {rand({4, 6}) + 1}, dynamic); });
}

TEST_F(ExportProgram, RefusesWhatNoGraphSays) {
  expect_refusal("item() reads elements",
                 [](const Tensor& x) { return x.sum().item<float>() > 0 ? x : -x; });
  expect_refusal("equal() reads elements",
                 [](const Tensor& x) { return equal(x, x * 1) ? x : -x; });
  expect_refusal("expected ops without `out`", [](const Tensor& x) {
    Tensor y = empty({0});
    add_out(y, x, x);
    return y;
  });
  expect_refusal("expected random numbers in new tensors",
                 [](const Tensor& x) { return x.clone().uniform_(); });
  expect_refusal("expected tensors that keep their sizes",
                 [](const Tensor& x) { return x.clone().t_(); });
  expect_refusal("cannot write to a result of expand()", [](const Tensor& x) {
    Tensor y = x.select(1, 0).clone();
    y.unsqueeze(0).expand({3, 4}).select(0, 1).add_(1);
    return y;
  });
  const Tensor cache = zeros({4, 6});
  expect_refusal("is no buffer, parameter or argument",
                 [cache](const Tensor& x) { return Tensor(cache).add_(x); });
}

TEST_F(ExportProgram, RefusesCallsThatDependOnElements) {
  // Reads that no mode sees show in other calls.
  expect_refusal("'other' of op 0, mul, differs for other values",
                 [](const Tensor& x) { return x * x.data_ptr<float>()[0]; });
  expect_refusal("but constant 0 differs",
                 [](const Tensor& x) { return x * tensor(x.data_ptr<float>()[0]); });
  expect_refusal("op 0 is neg for the example", [](const Tensor& x) {
    static int calls = 0;
    return calls++ % 2 == 0 ? -x : x.abs();
  });
}

TEST_F(ExportProgram, RefusesSizesWithoutAnExpression) {
  const std::vector<DynamicSize> rows = {{0, 0, "rows"}};
  expect_refusal(
      "for argument 'size' of op 0, zeros: 4 for rows = 4; 5 for rows = 5",
      [](const Tensor& x) { return zeros({x.size(0) > 5 ? 17 + x.size(0) % 3 : x.size(0)}); },
      rows);
  expect_refusal(
      "only integers can follow from dynamic sizes",
      [](const Tensor& x) { return x / std::sqrt(static_cast<double>(x.size(0))); }, rows);
  expect_refusal(
      "a program makes the same ops in each call",
      [](const Tensor& x) { return x.size(0) > 5 ? x.abs() : -x; }, rows);
}

TEST_F(ExportProgram, WrongArgumentsThrow) {
  const auto f = [](const Tensor& x) { return x; };
  const Tensor x = rand({2, 3});
  expect_error<IndexError>("expected a dynamic size of an input below 1", [&] {
    export_program(f, {x}, {{1, 0, "n"}});
  });
  expect_error<IndexError>("input 0 has 2 dimensions", [&] {
    export_program(f, {x}, {{0, 2, "n"}});
  });
  expect_error<ValueError>("the sizes named 'n' are one", [&] {
    export_program(f, {x}, {{0, 0, "n"}, {0, 1, "n"}});
  });
  expect_error<ValueError>("within the limits of 'n'", [&] {
    export_program(f, {x}, {{0, 0, "n", 3}});
  });
  expect_error("allow only 2", [&] { export_program(f, {x}, {{0, 0, "n", 2, 2}}); });
  expect_error("as many tensors as example inputs", [&] { export_program(f, {x, x}); });
  expect_error("example input 0 is undefined", [&] { export_program(f, {Tensor()}); });
}

// ---------------------------------------------------------------------- files
TEST_F(ExportProgram, FilesGiveTheSameProgram) {
  Cnn net;
  net->eval();
  const std::string path = ::testing::TempDir() + "export_test.pt2";
  save_program(path, export_program(net, {rand({2, 3, 20, 20})}, {{0, 0, "batch"}}));
  ProgramModule loaded = load_program(path);
  const Tensor x = rand({3, 3, 20, 20});
  expect_close({loaded->forward(x)}, {net->forward(x)});
  EXPECT_EQ(loaded->named_parameters().size(), net->named_parameters().size());
  expect_error("cannot open",
               [&] { save_program("/nonexistent/folder/x.pt2", loaded->program()); });
}

TEST_F(ExportProgram, OnnxListsAllOpsWithoutTranslation) {
  const Program p = export_program(
      [](const Tensor& x) { return (x.lgamma() + x.lgamma()).erfinv().cumprod(0); }, {rand({3})});
  const std::string path = ::testing::TempDir() + "export_test.onnx";
  expect_error<NotImplementedError>("cumprod x 1, erfinv x 1, lgamma x 2",
                                    [&] { save_onnx(path, p); });
  expect_error<ValueError>("expected an opset from 18 to 22, got 9",
                           [&] { save_onnx(path, p, OnnxOptions().opset(9)); });
}

TEST_F(ExportProgram, OnnxRefusesTrainingMode) {
  nn::BatchNorm1d norm(3);
  const std::string path = ::testing::TempDir() + "export_test.onnx";
  const Program p = export_program(norm, {rand({4, 3})});
  expect_error("call eval()", [&] { save_onnx(path, p); });
  Counter counter;
  const Program q = export_program(counter, {ones({4, 3})});
  expect_error("the program changes 'sums'", [&] { save_onnx(path, q); });
}

}  // namespace
}  // namespace torch::taper::testing
