// The op's door: modes of a program, beside autocast and inside each other. The table of ops.
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <set>

#include <taper/framework/io/ivalue.h>
#include <taper/framework/runtime/thread_state.h>
#include <taper/nn/compile.h>
#include <taper/taper.h>

#include "expect_error.h"
#include "harness/check_shared.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Names = std::vector<std::string>;

/// Notes each op that it sees, and runs it as one op or in parts.
struct Recorder : OpMode {
  explicit Recorder(bool in_parts = false) : in_parts(in_parts) {}
  void call(const OpInfo& op, OpCall& call) override {
    names.push_back(op.name);
    if (!in_parts) return call.next();
    const size_t before = names.size();
    call.decompose();
    if (op.is(OpTrait::kComposite)) has_parts[op.name] |= names.size() > before;
  }
  bool in_parts;
  Names names;
  std::map<std::string, bool> has_parts;  // of the composite ops
};

/// Calls a function in place of each op of a name.
struct Replacer : OpMode {
  using Function = std::function<void(OpCall&)>;
  Replacer(std::string name, Function function)
      : name(std::move(name)), function(std::move(function)) {}
  void call(const OpInfo& op, OpCall& call) override {
    if (op.name == name)
      function(call);
    else
      call.next();
  }
  std::string name;
  Function function;
};

template <class F>
Names names_of(const F& f, bool in_parts = false) {
  Recorder mode(in_parts);
  const OpModeGuard on(mode);
  f();
  return mode.names;
}

const OpInfo* row_of(const std::string& aten_name) {
  for (const OpInfo* op : all_ops())
    if (op->aten_name() == aten_name) return op;
  return nullptr;
}

TEST(OpMode, SeesTheCallsOfAProgramInAllForms) {
  const Tensor x = rand({2, 3});
  Tensor out;
  EXPECT_EQ(names_of([&] {
              (x + 1).relu().mul_(x).view({3, 2}).sum();
            }),
            (Names{"add", "relu", "mul_", "view", "sum"}));
  EXPECT_EQ(names_of([&] {
              add_out(out, x, x), relu_(out), cat({x, x}), x.max(0);
            }),
            (Names{"add_out", "relu_", "cat", "max"}));
  EXPECT_EQ(names_of([&] { rand({2}), zeros({2}), std::ignore = equal(x, x), split(x, 1); }),
            (Names{"rand", "zeros", "equal", "split"}));
  EXPECT_EQ(names_of([&] { linalg::inv(eye(2)), fft::fft(x), special::i1(x); }),
            (Names{"eye", "linalg_inv", "fft_fft", "special_i1"}));
}

TEST(OpMode, ShowsTheOpsOfACompositeOneOnRequest) {
  const Tensor x = rand({4, 3}), y = rand({4, 3}), t = ones({4});
  const auto loss = [&] { margin_ranking_loss(x.sum(1), y.sum(1), t, 0.5); };
  EXPECT_EQ(names_of(loss), (Names{"sum", "sum", "margin_ranking_loss"}));
  const Names parts = names_of(loss, true);
  EXPECT_EQ(std::count(parts.begin(), parts.end(), "margin_ranking_loss"), 1);
  EXPECT_EQ(std::count(parts.begin(), parts.end(), "mean"), 1);
  EXPECT_GT(parts.size(), 6u);
}

TEST(OpMode, ContainersRunLayerByLayer) {
  nn::Sequential net(nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2));
  const Tensor x = rand({5, 3});
  EXPECT_EQ(names_of([&] { net->forward(x); }), (Names{"linear", "relu", "linear"}));
}

TEST(OpMode, SeesAttentionOfModules) {
  nn::MultiheadAttention attention(nn::MultiheadAttentionOptions(4, 2));
  const Tensor x = rand({3, 1, 4});
  const auto count = [](const Names& all, const char* name) {
    return std::count(all.begin(), all.end(), name);
  };
  const Names one = names_of([&] { attention->forward(x, x, x, {}, false); });
  EXPECT_EQ(count(one, "scaled_dot_product_attention"), 1);
  const Names parts = names_of([&] { attention->forward(x, x, x); });
  EXPECT_EQ(count(parts, "scaled_dot_product_attention"), 0);
  EXPECT_EQ(count(parts, "matmul"), 2);
}

TEST(OpMode, SeesReadsOfElements) {
  struct Reader : Recorder {
    void read(const Tensor& t) override { sums.push_back(t.sum().item<float>()); }
    std::vector<float> sums;
  } inner, outer;
  const Tensor x = full({1}, 3);
  {
    const OpModeGuard first(outer), second(inner);
    EXPECT_EQ(x.item<float>(), 3);
    EXPECT_TRUE(x.is_nonzero());
  }
  EXPECT_EQ(inner.sums, (std::vector<float>{3, 3}));
  // The inner mode's own sum and read are shown to the outer one.
  EXPECT_EQ(outer.sums.size(), 4u);
  EXPECT_EQ(outer.names, (Names{"sum", "sum"}));
}

TEST(OpMode, TheLastOneEnteredSeesAnOpFirst) {
  Names order;
  Replacer outer("relu", [&](OpCall& call) { order.push_back("outer"), call.next(); });
  Replacer inner("relu", [&](OpCall& call) {
    order.push_back("inner");
    rand({1}).relu();  // seen by the outer one
    call.next();
    order.push_back("inner again");
  });
  const OpModeGuard first(outer), second(inner);
  rand({2}).relu();
  EXPECT_EQ(order, (Names{"inner", "outer", "outer", "inner again"}));
}

TEST(OpMode, ChangesArguments) {
  const Tensor x = tensor({1.f, -2.f});
  Replacer twice("mul", [](OpCall& call) {
    EXPECT_EQ(call.size(), 2u);
    call.set_argument(0, call.get<Tensor>(0) + 1);
    call.set_argument(1, call.argument(1).toDouble() * 2);
    call.next();
  });
  const OpModeGuard on(twice);
  EXPECT_TRUE(equal(x * 3.0, tensor({12.f, -6.f})));
}

TEST(OpMode, ChangesAndReplacesResults) {
  const Tensor x = rand({2, 3});
  Replacer zero("exp", [](OpCall& call) { call.set_result(zeros_like(call.get<Tensor>(0))); });
  Replacer pair("max", [](OpCall& call) {
    call.next();
    const auto both = call.result().toTupleRef().elements();
    call.set_result(ivalue::Tuple::create({both[0].toTensor() + 1, both[1]}));
    EXPECT_EQ(call.result_tensors().size(), 2u);
  });
  const OpModeGuard on(zero), too(pair);
  EXPECT_TRUE(equal(x.exp(), zeros({2, 3})));
  EXPECT_TRUE(equal(std::get<0>(x.max(1)), x.amax(1) + 1));
}

TEST(OpMode, ResultsOfInPlaceFormsAreStoredInTheArgument) {
  Tensor x = tensor({1.f, 2.f});
  Replacer seven("add_", [](OpCall& call) { call.set_result(full({2}, 7.f)); });
  const OpModeGuard on(seven);
  Tensor& same = x.add_(1);
  EXPECT_EQ(&same, &x);
  EXPECT_TRUE(equal(x, full({2}, 7.f)));
}

TEST(OpMode, ArgumentsOfAllTypesBecomeValues) {
  const Tensor x = rand({2, 3});
  std::map<std::string, std::vector<IValue>> seen;
  struct Boxes : OpMode {
    std::map<std::string, std::vector<IValue>>* seen;
    void call(const OpInfo& op, OpCall& call) override {
      for (size_t i = 0; i < call.size(); ++i) (*seen)[op.name].push_back(call.argument(i));
      for (size_t i = 0; i < call.size(); ++i) call.set_argument(i, call.argument(i));
      call.next();
    }
  } boxes;
  boxes.seen = &seen;
  const OpModeGuard on(boxes);
  EXPECT_EQ(x.sum({0, 1}, true).sizes(), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(softmax(x, 1, kDouble).scalar_type(), kDouble);
  EXPECT_EQ(stack({x, x}).dim(), 3);
  EXPECT_EQ(full({2}, 3, kLong).scalar_type(), kLong);
  EXPECT_EQ(conv1d(rand({1, 2, 5}), rand({3, 2, 2})).size(2), 4);
  EXPECT_EQ(x.div(2, "floor").dim(), 2);
  EXPECT_EQ(seen["sum"][1].toIntVector(), (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(seen["sum"][2].toBool());
  EXPECT_EQ(seen["softmax"][2].to<ScalarType>(), kDouble);
  EXPECT_EQ(seen["stack"][0].toTensorVector().size(), 2u);
  EXPECT_EQ(seen["full"][2].toTupleRef().elements().size(), 4u);
  EXPECT_TRUE(seen["conv1d"][2].isNone());
  EXPECT_EQ(seen["div"][2].toStringRef(), "floor");
}

TEST(OpMode, MisuseThrows) {
  const Tensor x = rand({2});
  const auto with = [&](const Replacer::Function& f) {
    Replacer mode("relu", f);
    const OpModeGuard on(mode);
    x.relu();
  };
  expect_error<Error>("relu: expected that OpMode::call() calls", [&] { with([](OpCall&) {}); });
  expect_error<Error>("relu: expected one result",
                      [&] { with([](OpCall& c) { c.next(), c.next(); }); });
  expect_error<Error>("relu: expected next()", [&] { with([](OpCall& c) { (void)c.result(); }); });
  expect_error<TypeError>("relu: argument 0", [&] { with([](OpCall& c) { c.get<double>(0); }); });
  expect_error<IndexError>("relu: expected an argument below 1, got 1",
                           [&] { with([](OpCall& c) { (void)c.argument(1); }); });
  expect_error<Error>("Tensor", [&] { with([](OpCall& c) { c.set_argument(0, 2); }); });
}

TEST(OpMode, AnExceptionLeavesTheModesAsTheyWere) {
  const Tensor x = rand({2});
  Recorder outer;
  const OpModeGuard first(outer);
  {
    Replacer fails("relu", [](OpCall&) { throw std::runtime_error("stop"); });
    const OpModeGuard second(fails);
    EXPECT_THROW(x.relu(), std::runtime_error);
    EXPECT_THROW(x.view({5}), Error);
    x.exp();
  }
  x.tanh();
  EXPECT_EQ(outer.names, (Names{"view", "exp", "tanh"}));
  EXPECT_TRUE(taper::detail::has_modes());
}

TEST(OpMode, SeesBackward) {
  const Tensor x = rand({3}).requires_grad_();
  const Tensor y = x.sin().sum();
  const Names names = names_of([&] { y.backward(); });
  EXPECT_EQ(std::count(names.begin(), names.end(), "cos"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "mul"), 1);
}

TEST(OpMode, BelongsToItsThread) {
  Recorder mode;
  const OpModeGuard on(mode);
  std::async(std::launch::async, [] { rand({2}).relu(); }).wait();
  std::promise<bool> answer;
  taper::launch([&] {
    rand({2}).relu();
    answer.set_value(taper::detail::has_modes());
  });
  EXPECT_FALSE(answer.get_future().get());
  EXPECT_EQ(mode.names, Names());
}

TEST(OpMode, SeesArgumentsBeforeTheirCasts) {
  const Tensor a = rand({4, 4}), b = rand({4, 4});
  ScalarType argument = kLong, result = kLong;
  Replacer look("mm", [&](OpCall& call) {
    argument = call.get<Tensor>(0).scalar_type();
    call.next();
    result = call.result_tensors()[0].scalar_type();
  });
  const OpModeGuard on(look);
  const autocast casts(kCPU);
  const Tensor y = mm(a, b);
  EXPECT_EQ(argument, kFloat);
  EXPECT_EQ(result, kBFloat16);
  EXPECT_EQ(y.scalar_type(), kBFloat16);
  EXPECT_TRUE(autocast::is_autocast_enabled(kCPU));
}

TEST(OpMode, DecomposedOpsAreCastOnce) {
  const autocast casts(kCPU);
  const Tensor a = rand({4, 4}), b = rand({4, 4});
  Tensor y;
  const Names names = names_of([&] { y = mm(a, b); }, true);
  EXPECT_EQ(std::count(names.begin(), names.end(), "mm"), 1);
  EXPECT_EQ(y.scalar_type(), kBFloat16);
}

TEST(OpMode, AutocastScopesEndInsideOfAMode) {
  Recorder mode;
  {
    const autocast casts(kCPU);
    const OpModeGuard on(mode);
    { const autocast off(kCPU, nullopt, false); }
    rand({2}).relu();
  }
  rand({2}).relu();
  const OpModeGuard on(mode);
  { const autocast casts(kCPU); }
  rand({2}).exp();
  EXPECT_EQ(mode.names, (Names{"rand", "relu", "rand", "exp"}));
  EXPECT_FALSE(autocast::is_autocast_enabled(kCPU));
}

TEST(OpMode, CompiledCallsRunEagerly) {
  nn::Linear net(3, 2);
  auto fast = compile(net);
  const Tensor x = rand({4, 3});
  for (int i = 0; i < 3; ++i) fast(x);
  EXPECT_EQ(names_of([&] { fast(x); }), Names{"linear"});
  EXPECT_NE(fast.fallback_reason().find("mode"), std::string::npos);
}

// ---------------------------------------------------------------------- the table
TEST(OpTable, NamesAreThoseOfPyTorch) {
  ASSERT_NE(row_of("aten::softmax.int"), nullptr);
  EXPECT_STREQ(row_of("aten::softmax.int")->schema,
               "aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor");
  EXPECT_STREQ(row_of("aten::add.Tensor")->schema,
               "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  EXPECT_STREQ(row_of("aten::relu_")->schema, "aten::relu_(Tensor(a!) self) -> Tensor(a!)");
  std::set<std::string_view> names;
  for (const OpInfo* op : all_ops())
    EXPECT_TRUE(op->aten_name().starts_with("taper::") || names.insert(op->aten_name()).second)
        << op->aten_name() << " stands twice in the table";
}

TEST(OpTable, TellsTraits) {
  const auto is = [](const char* name, OpTrait trait) { return row_of(name)->is(trait); };
  EXPECT_TRUE(is("aten::relu", OpTrait::kPointwise));
  EXPECT_FALSE(is("aten::softmax.int", OpTrait::kPointwise));
  EXPECT_TRUE(is("aten::add_.Tensor", OpTrait::kInPlace));
  EXPECT_TRUE(is("aten::add.out", OpTrait::kOut));
  EXPECT_TRUE(is("aten::view", OpTrait::kView));
  EXPECT_TRUE(is("aten::rand", OpTrait::kRandom) || is("aten::bernoulli", OpTrait::kRandom));
  EXPECT_TRUE(is("aten::mm", OpTrait::kBilinear));
  EXPECT_EQ(row_of("aten::mm")->linear_in, 0b11);
  EXPECT_TRUE(is("aten::neg", OpTrait::kLinear));
}

bool has_row(const std::string& name) {
  for (const OpInfo* op : all_ops())
    if (op->name == name && !op->is(OpTrait::kForward)) return true;
  return false;
}

/// Runs a form of each case without a mode, with whole ops, and in parts.
class AllCases : public ::testing::Test {
 protected:
  void run(const OpCase& c, const std::string& suffix,
           const std::function<Results(const Args&)>& form, const Args& args) {
    SCOPED_TRACE(c.name + suffix);
    const auto results = [&](Recorder* mode) {
      std::optional<OpModeGuard> on;
      const Args own = copy(args);
      manual_seed(1);
      if (mode) on.emplace(*mode);
      return form(own);
    };
    Recorder whole, in_parts(true);
    const Results want = results(nullptr), once = results(&whole), parts = results(&in_parts);
    EXPECT_FALSE(whole.names.empty()) << "no op came to its door";
    // These cases call nll_loss_nd() and clamp_().
    static const std::set<std::string> others = {"nll_loss", "clip_"};
    if (has_row(c.name + suffix) && !others.count(c.name + suffix)) {
      EXPECT_GE(std::count(whole.names.begin(), whole.names.end(), c.name + suffix), 1);
    }
    for (const auto& [name, has] : in_parts.has_parts) has_parts_[name] |= has;
    seen_.insert(in_parts.names.begin(), in_parts.names.end());
    ASSERT_EQ(want.size(), once.size());
    ASSERT_EQ(want.size(), parts.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(bytes_of(want[i].contiguous()), bytes_of(once[i].contiguous()));
      EXPECT_EQ(bytes_of(want[i].contiguous()), bytes_of(parts[i].contiguous()));
    }
  }
  std::set<std::string> seen_;
  std::map<std::string, bool> has_parts_;
};

// Both ways through the door give the bits of an op without a mode.
TEST_F(AllCases, GiveTheSameResultsUnderModes) {
  for (const OpCase& c : all_cases()) {
    const std::vector<Args> samples = c.samples(c.dtypes[0]);
    if (samples.empty()) continue;
    const Args& args = samples[0];
    const Results plain = c.call(copy(args));
    run(c, "", c.call, args);
    if (c.inplace && fits_in_place(plain[0], args))
      run(
          c, "_", [&](const Args& a) { return Results(c.inplace(a)); }, args);
    if (c.out)
      run(
          c, "_out",
          [&](const Args& a) {
            Tensor out = empty_like(plain[0].detach().contiguous());
            c.out(out, a);
            return Results(out);
          },
          args);
  }
  EXPECT_GT(seen_.size(), 700u);
  for (const auto& [name, has] : has_parts_) EXPECT_TRUE(has) << name << " is no composite op";
}

}  // namespace
}  // namespace torch::taper::testing
