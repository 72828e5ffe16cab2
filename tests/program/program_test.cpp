// Programs that PyTorch wrote (make_files.py): values, gradients, training, errors.
#include <gtest/gtest.h>

#include <torch/library.h>

#include <thread>

#include <taper/nn/compile.h>
#include <taper/program/archive.h>

#include "expect_error.h"
#include "program/check.h"

namespace torch::taper {
namespace {

using namespace testing;

std::string file(const std::string& name) { return TAPER_PROGRAM_FILES "/" + name; }
ProgramModule load(const std::string& name) { return load_program(file(name + ".pt2")); }
program::Program data(const std::string& name) {
  return program::read_program(file(name + ".pt2"));
}
ProgramModule module_of(program::Program p) {
  return ProgramModule(std::make_shared<ProgramModuleImpl>(std::move(p)));
}

// ---------------------------------------------------------------------- PyTorch's results
class Programs : public ::testing::TestWithParam<const char*> {};

TEST_P(Programs, AgreeWithPyTorch) {
  const std::string name = GetParam();
  const std::string expected = name == "old" ? "convolutions" : name;
  const Differences d = check(file(name + ".pt2"), file(expected + ".pt"));
  EXPECT_LE(d.outputs, 1e-6);
  EXPECT_LE(d.buffers, 1e-6);
  EXPECT_TRUE(d.learns);
  EXPECT_LE(d.gradients, 1e-5);
  EXPECT_LE(d.sgd, 5e-6);
  EXPECT_LE(d.adamw, 5e-6);
}
INSTANTIATE_TEST_SUITE_P(Files, Programs,
                         ::testing::Values("perceptron", "convolutions", "convolutions_core",
                                           "convolutions_eval_core", "recurrent", "recurrent_core",
                                           "attention", "attention_core", "trees", "counter",
                                           "counter_core", "sizes", "branches", "modes", "old"),
                         [](const auto& info) { return std::string(info.param); });

// ---------------------------------------------------------------------- the module
TEST(Program, HasPythonsNames) {
  ProgramModule net = load("perceptron");
  EXPECT_EQ(net->named_parameters().keys(),
            (std::vector<std::string>{"layers.0.weight", "layers.0.bias", "layers.2.weight",
                                      "layers.2.bias"}));
  EXPECT_EQ(net->parameters().size(), 4u);
}

TEST(Program, TakesAndGivesCheckpoints) {
  ProgramModule a = load("perceptron"), b = load("perceptron");
  const Tensor x = rand({3, 6});
  {
    const NoGradGuard no_grad;
    for (Tensor p : a->parameters()) p.mul_(2);
  }
  EXPECT_FALSE(allclose(a(x), b(x)));
  b->load_state_dict(a->state_dict());
  EXPECT_TRUE(a(x).equal(b(x)));
  expect_error("Missing key", [&] { b->load_state_dict(StateDict()); });
}

TEST(Program, KeepsTiedWeightsTied) {
  ProgramModule net = load("attention");
  const auto tied = [](const ProgramModule& m) {
    EXPECT_FALSE(m->named_parameters().contains("head.weight"));
    const Tensor weight = m->named_parameters()["embedding.weight"];
    EXPECT_TRUE(weight.is_same(m->named_buffers()["head.weight"]));
    EXPECT_TRUE(m->state_dict().contains("head.weight"));
    return weight;
  };
  ProgramModule copy(std::dynamic_pointer_cast<ProgramModuleImpl>(net->clone()));
  EXPECT_FALSE(tied(net).is_same(tied(copy)));
}

TEST(Program, ClonesDeeply) {
  ProgramModule a = load("counter");
  ProgramModule b(std::dynamic_pointer_cast<ProgramModuleImpl>(a->clone()));
  const Tensor x = ones({2, 3});
  a(x);
  EXPECT_EQ(a->named_buffers()["calls"].item<int64_t>(), 1);
  EXPECT_EQ(b->named_buffers()["calls"].item<int64_t>(), 0);
  EXPECT_TRUE(b(x).equal(load("counter")(x)));
}

TEST(Program, SavesOnlyPersistentBuffers) {
  ProgramModule net = load("counter");
  EXPECT_EQ(net->state_dict().keys(), (std::vector<std::string>{"weight", "calls"}));
}

TEST(Program, ConvertsFloatingTensorsOnly) {
  ProgramModule net = load("attention");
  net->to(kDouble);
  EXPECT_EQ(net->parameters()[0].scalar_type(), kDouble);
  const Tensor ids = randint(11, {2, 6});
  const Tensor y = net(ids);
  EXPECT_EQ(y.scalar_type(), kDouble);
  EXPECT_TRUE(allclose(y.to(kFloat), load("attention")(ids), 1e-4, 1e-4));
  ProgramModule copy(std::dynamic_pointer_cast<ProgramModuleImpl>(net->clone()));
  EXPECT_TRUE(copy(ids).equal(y));
}

TEST(Program, KnowsTheModeOfTheExport) {
  ProgramModule training = load("convolutions"), evaluation = load("convolutions_eval_core");
  EXPECT_TRUE(training->is_training());
  training->train();
  expect_error("the export fixed the mode", [&] { training->eval(); });
  EXPECT_FALSE(evaluation->is_training());
  evaluation->eval();
  expect_error("in Python call model.train() before torch.export.export",
               [&] { evaluation->train(); });
  ProgramModule either = load("perceptron");
  either->eval();
  EXPECT_FALSE(either->is_training());
  either->train();
}

TEST(Program, CompilesAndCasts) {
  ProgramModule net = load("perceptron");
  const auto fast = compile(net);
  const Tensor x = rand({4, 6});
  for (int i = 0; i < 3; ++i) {
    net->zero_grad();
    const Tensor y = fast(x);
    y.sum().backward();
    const Tensor gradient = net->parameters()[0].grad().clone();
    net->zero_grad();
    const Tensor plain = net(x);
    plain.sum().backward();
    EXPECT_TRUE(y.equal(plain));
    EXPECT_TRUE(gradient.equal(net->parameters()[0].grad()));
  }
  EXPECT_EQ(fast.captures(), 1);
  EXPECT_EQ(fast.fallback_reason(), "");
  const autocast guard(kCPU);
  EXPECT_EQ(net(x).scalar_type(), kBFloat16);
}

TEST(Program, RunsInSeveralThreads) {
  ProgramModule net = load("attention");
  const Tensor ids = randint(11, {2, 6});
  const Tensor expected = net(ids);
  std::vector<std::thread> threads;
  std::atomic<int> equal{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 10; ++j) equal += net(ids).equal(expected);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(equal, 40);
}

// ---------------------------------------------------------------------- inputs
TEST(Program, ChecksSizes) {
  ProgramModule net = load("perceptron");
  EXPECT_EQ(net(rand({7, 6})).sizes(), IntArrayRef({7, 3}));
  expect_error("input 'x' (0): expected a size in dimension 0 of at most 64, got 65", [&] {
    net(rand({65, 6}));
  });
  expect_error("input 'x' (0): expected size 6 in dimension 1, got 5; the export fixed it", [&] {
    net(rand({4, 5}));
  });
  expect_error("expected 2 dimensions, got sizes [6]", [&] { net(rand({6})); });
  expect_error("expected a tensor, got a Int", [&] { net(3); });
  expect_error("expected 1 inputs, got 2", [&] { net(rand({4, 6}), rand({4, 6})); });
  ProgramModule sizes = load("sizes");
  expect_error("expected size 4 in dimension 0, as other sizes", [&] {
    sizes->run({rand({4, 4}), rand({5, 2})});
  });
}

TEST(Program, TakesTrees) {
  ProgramModule net = load("trees");
  const Expected e(file("trees.pt"));
  std::vector<IValue> inputs = e.inputs;
  const IValue result = net->run(inputs, e.named);
  EXPECT_EQ(result.toGenericDict().size(), 2u);
  EXPECT_TRUE(result.toGenericDict().at("parts").toList().get(1).isTuple());
  inputs.push_back(e.named.at("bias"));  // in order
  EXPECT_EQ(net->run(inputs).toGenericDict().size(), 2u);
  expect_error("forward() expects one tensor as output, got 4",
               [&] { net->forward(inputs[0], inputs[1], inputs[2], inputs[3]); });
  expect_error("input 0: expected 2 elements, got 1", [&] {
    net->run({ivalue::Tuple::create({rand({2, 3})}), inputs[1], inputs[2], inputs[3]});
  });
  expect_error("input 1: expected a key 'shift', got none", [&] {
    GenericDict wrong;
    wrong.insert("other", rand({3}));
    net->run({inputs[0], wrong, inputs[2], inputs[3]});
  });
  expect_error("expected 2, which the export fixed, got 3", [&] {
    net->run({inputs[0], inputs[1], int64_t{3}, inputs[3]});
  });
  expect_error("expected an input named 'bias', got none", [&] {
    net->run({inputs[0], inputs[1], inputs[2]}, {{"base", inputs[3]}});
  });
}

// ---------------------------------------------------------------------- ops
Tensor twice(const Tensor& x) { return x * 2; }
TORCH_LIBRARY(program_test, m) { m.def("twice(Tensor x) -> Tensor", twice); }

program::Node& node(program::Program& p, const std::string& target) {
  for (program::Node& n : p.graph.nodes)
    if (n.target.find(target) != std::string::npos) return n;
  throw Error("no node " + target);
}

TEST(Program, CallsOpsOfTheProgram) {
  program::Program p = data("perceptron");
  program::Node& relu = node(p, "relu");
  relu.target = "torch.ops.program_test.twice.default";
  relu.inputs[0].name = "x";
  ProgramModule own = module_of(std::move(p));
  const Tensor x = rand({4, 6});
  const auto w = own->named_parameters();
  const Tensor hidden = nn::functional::linear(x, w["layers.0.weight"], w["layers.0.bias"]) * 2;
  EXPECT_TRUE(
      allclose(own(x), nn::functional::linear(hidden, w["layers.2.weight"], w["layers.2.bias"])));
}

TEST(Program, ListsAllUnknownOps) {
  program::Program p = data("perceptron");
  for (program::Node& n : p.graph.nodes)
    n.target = n.target.find("linear") != std::string::npos ? "torch.ops.aten.lineal.default"
                                                            : "torch.ops.other.relu.half";
  const std::string message = message_of<NotImplementedError>([&] { module_of(p); });
  EXPECT_NE(
      message.find("Taper lacks 2 ops of it: aten::lineal (2 times), other::relu.half (1 time)"),
      std::string::npos)
      << message;
  p.graph.nodes[0].target = "torch.ops.higher_order.flex_attention";
  EXPECT_NE(message_of([&] { module_of(p); }).find("higher_order::flex_attention (1 time)"),
            std::string::npos);
}

TEST(Program, NamesTheNodeOfAnError) {
  ProgramModule net = load("attention");
  expect_error("in node embedding = torch.ops.aten.embedding.default", [&] {
    net(full({2, 6}, 11, kLong));
  });
}

TEST(Program, RefusesGraphsThatDoNotFit) {
  const auto refused = [](const std::string& text,
                          const std::function<void(program::Program&)>& spoil) {
    program::Program p = data("perceptron");
    spoil(p);
    expect_error(text, [&] { module_of(p); });
  };
  const auto input = [](program::Program& p) -> program::Argument& {
    return p.graph.nodes[1].inputs[0].arg;
  };
  refused("uses 'nothing' before it is made",
          [&](auto& p) { input(p).value = program::TensorArgument{"nothing"}; });
  refused("defines 'x' twice",
          [](auto& p) { p.graph.nodes[0].outputs[0].value = program::TensorArgument{"x"}; });
  refused("expected an argument 'self', got none",
          [](auto& p) { p.graph.nodes[1].inputs.clear(); });
  refused("expected no argument 'more'", [](auto& p) {
    p.graph.nodes[1].inputs.push_back(
        {"more", {int64_t{1}}, program::NamedArgument::Kind::kKeyword});
  });
  refused("expected as many inputs in the signature as in the graph",
          [](auto& p) { p.input_specs.pop_back(); });
  refused("expected a tensor 'layers.0.bias' in the file",
          [](auto& p) { p.weights.erase("layers.0.bias"); });
  refused("does not fit the graph", [](auto& p) { p.weights["layers.0.bias"] = zeros({3}); });
  refused("does not fit the graph",
          [](auto& p) { p.weights["layers.0.bias"] = zeros({8}, kLong); });
  refused("expected a signature of the model", [](auto& p) { p.module_calls.clear(); });
}

TEST(Program, DescribesItself) {
  const std::string text = describe_program(file("perceptron.pt2"));
  for (const char* part :
       {"symbol s", "from 2 to 64", "parameter %p_layers_0_weight: Float[8, 6] 'layers.0.weight'",
        "torch.ops.aten.linear.default(%x, %p_layers_0_weight, %p_layers_0_bias)", "return [%"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace torch::taper
