// gradcheck on functions that are right, and on planted faults.
#include <cmath>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/random/random.h>
#include <taper/framework/runtime/devices.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/index/index_advanced.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/nn/dropout.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

#include "testing/faulty.h"

namespace torch::taper::testing {
namespace {

using autograd::gradcheck;
using autograd::GradcheckError;
using autograd::gradgradcheck;

GradcheckOptions fast() { return GradcheckOptions().fast_mode(true); }
const std::vector<GradcheckOptions>& both_modes() {
  static const std::vector<GradcheckOptions> modes = {GradcheckOptions(), fast()};
  return modes;
}
Tensor leaf(const std::vector<int64_t>& sizes) { return numbers(sizes, kDouble).requires_grad_(); }

// ---------------------------------------------------------------------- what is right passes
TEST(Gradcheck, AcceptsRightGradients) {
  for (const GradcheckOptions& o : both_modes()) {
    EXPECT_TRUE(gradcheck(sine_with(Planted::kNone), {six()}, o));
    EXPECT_TRUE(gradgradcheck(sine_with(Planted::kNone), {six()}, o));
    EXPECT_TRUE(gradcheck([](const Tensor& x) { return x.softmax(1); }, {leaf({3, 4})}, o));
    EXPECT_TRUE(gradgradcheck([](const Tensor& x) { return x.softmax(1); }, {leaf({3, 4})}, o));
  }
}

TEST(Gradcheck, TakesCallablesOfAllForms) {
  const Tensor x = leaf({3}), y = leaf({3});
  EXPECT_TRUE(gradcheck([](Tensor a, Tensor b) { return std::make_tuple(a * b, a + b); }, {x, y}));
  EXPECT_TRUE(
      gradcheck([](const variable_list& in) { return in[0] / (in[1] * in[1] + 1); }, {x, y}));
  EXPECT_TRUE(gradcheck([](const Tensor& a) { return variable_list{a.exp(), a.sin()}; }, {x}));
  EXPECT_TRUE(gradcheck([](const Tensor& a) { return std::array<Tensor, 2>{a, a * 2}; }, {x}));
  EXPECT_TRUE(gradcheck([](const Tensor& a) { return a.max(0); }, {x}));  // with indices
}

TEST(Gradcheck, TakesAllShapesAndLayouts) {
  const auto f = [](const Tensor& x) { return x.exp() * x; };
  for (const GradcheckOptions& o : both_modes()) {
    EXPECT_TRUE(gradcheck(f, {leaf({})}, o));
    EXPECT_TRUE(gradcheck(f, {leaf({0, 3})}, o));
    EXPECT_TRUE(gradcheck(f, {leaf({1})}, o));
    EXPECT_TRUE(gradcheck(f, {numbers({3, 4}, kDouble).t().requires_grad_()}, o));
    EXPECT_TRUE(gradcheck(f, {numbers({3, 8}, kDouble).slice(1, 1, 7, 2).requires_grad_()}, o));
    const Tensor base = leaf({2, 3});
    EXPECT_TRUE(gradcheck(f, {base * 2}, o));  // made by an op
    EXPECT_TRUE(gradcheck(f, {numbers({3, 1}, kDouble).expand({3, 1}).requires_grad_()}, o));
  }
  EXPECT_TRUE(gradgradcheck(f, {numbers({3, 4}, kDouble).t().requires_grad_()}, {}, {}, true));
}

TEST(Gradcheck, OnlyInputsThatRequireGradientsAreVaried) {
  const Tensor x = leaf({3}), constants = numbers({1}, kDouble).expand({3});
  const Tensor index = values({2, 0}, kLong);
  const auto f = [](const Tensor& a, const Tensor& b, const Tensor& i) {
    return (a * b).index_select(0, i);
  };
  EXPECT_TRUE(gradcheck(f, {x, constants, index}));
  EXPECT_TRUE(gradgradcheck(f, {x, constants, index}));
  EXPECT_TRUE(gradcheck([](const Tensor& a, const Tensor& b) { return a * b; }, {x, x}));
}

TEST(Gradcheck, LeavesInputsAndGradientsAsTheyWere) {
  const Tensor x = six();
  (x * 3).sum().backward();
  const auto before = values_of(x), grad = values_of(x.grad());
  const auto version = x._version();
  EXPECT_TRUE(gradcheck(sine_with(Planted::kNone), {x}));
  EXPECT_FALSE(
      gradcheck(sine_with(Planted::kTwice), {x}, GradcheckOptions().raise_exception(false)));
  EXPECT_EQ(values_of(x), before);
  EXPECT_EQ(values_of(x.grad()), grad);
  EXPECT_EQ(x._version(), version);
  int calls = 0;
  const auto throws = [&](const Tensor& a) {
    if (++calls == 4) throw Error("planted");
    return a.sin();
  };
  expect_error("planted", [&] { gradcheck(throws, {x}); });
  EXPECT_EQ(values_of(x), before);
}

TEST(Gradcheck, WorksUnderNoGrad) {
  const Tensor x = six();
  const NoGradGuard no_grad;
  EXPECT_TRUE(gradcheck(sine_with(Planted::kNone), {x}));
  EXPECT_FALSE(GradMode::is_enabled());
}

TEST(Gradcheck, WorksOnDevices) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device, simulated or real";
  const Tensor x = numbers({2, 3}, kDouble).to(Device(kCUDA, 0)).requires_grad_();
  for (const GradcheckOptions& o : both_modes()) {
    EXPECT_TRUE(gradcheck([](const Tensor& a) { return a.softmax(0); }, {x}, o));
    EXPECT_TRUE(gradgradcheck([](const Tensor& a) { return a.softmax(0); }, {x}, o));
    const auto cut = [](const Tensor& a) { return a.detach() * a; };
    EXPECT_TRUE(found(gradcheck_report(cut, {x}, o), Kind::kJacobian));
  }
}

// ---------------------------------------------------------------------- planted faults
struct Case {
  Planted fault;
  Kind kind;
};

TEST(Gradcheck, FindsPlantedFaultsInBothModes) {
  const std::vector<Case> cases = {
      {Planted::kZero, Kind::kJacobian},          {Planted::kTwice, Kind::kJacobian},
      {Planted::kSign, Kind::kJacobian},          {Planted::kNaN, Kind::kJacobian},
      {Planted::kLastMissed, Kind::kJacobian},    {Planted::kReversed, Kind::kJacobian},
      {Planted::kNoCotangent, Kind::kJacobian},   {Planted::kSlightlyOff, Kind::kJacobian},
      {Planted::kLayout, Kind::kCotangent},       {Planted::kChangesGiven, Kind::kCotangent},
      {Planted::kOtherCall, Kind::kAccumulation}, {Planted::kReplaced, Kind::kAccumulation},
      {Planted::kRandom, Kind::kNotReentrant},    {Planted::kHistoryCut, Kind::kHistoryLost},
      {Planted::kNoUndefined, Kind::kUndefined}};
  for (const GradcheckOptions& o : both_modes())
    for (const Case& c : cases) {
      const GradcheckReport r = gradcheck_report(sine_with(c.fault), {six()}, o);
      EXPECT_TRUE(found(r, c.kind))
          << "fault " << static_cast<int>(c.fault) << " in mode " << o.fast_mode() << "\n"
          << r.text();
    }
}

TEST(Gradcheck, FindsABufferThatIsUsedAgain) {
  const auto f = sine_with(Planted::kBufferAgain);
  EXPECT_FALSE(gradcheck_report(f, {six()}).passed());
  // What Python checks does not show it.
  GradcheckOptions python;
  python.check_accumulation(false).check_layouts(false);
  EXPECT_TRUE(gradcheck_report(f, {six()}, python).passed());
}

TEST(Gradcheck, SecondOrderFindsADetachedBackward) {
  for (const GradcheckOptions& o : both_modes()) {
    EXPECT_TRUE(gradcheck_report(sine_with(Planted::kDetached), {six()}, o).passed());
    EXPECT_TRUE(found(gradgradcheck_report(sine_with(Planted::kDetached), {six()}, {}, o),
                      Kind::kHistoryLost));
  }
}

/// The sum of a softmax is 1 whatever x is: a check with sum() as the loss sees nothing.
struct BlindSoftmax : autograd::Function<BlindSoftmax> {
  static Tensor forward(AutogradContext*, Tensor x) { return x.softmax(-1); }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 0}; }
};

TEST(Gradcheck, ASumIsBlindForSoftmaxAndTheKitIsNot) {
  const Tensor x = leaf({2, 4});
  const auto of_sum = [](const Tensor& a) { return BlindSoftmax::apply(a).sum(); };
  const auto with_kit = [](const Tensor& a) { return BlindSoftmax::apply(a); };
  GradcheckOptions o;
  EXPECT_TRUE(gradcheck_report(of_sum, {x}, o.allow_constant(true)).passed());
  for (const GradcheckOptions& mode : both_modes()) {
    const GradcheckReport r = gradcheck_report(with_kit, {x}, mode);
    EXPECT_TRUE(found(r, Kind::kJacobian));
    EXPECT_NE(r.text().find("zero everywhere"), std::string::npos) << r.text();
  }
}

TEST(Gradcheck, ANaNNeverPasses) {
  const Tensor x = values({1, 2, 3}, kDouble).requires_grad_();
  const auto analytic = sine_with(Planted::kNaN);
  const auto both = [](const Tensor& a) { return (a - 5).sqrt(); };  // NaN in both
  const auto edge = [](const Tensor& a) { return (a - 1).sqrt(); };  // infinite and NaN
  for (GradcheckOptions o : both_modes()) {
    o.atol(1e30).rtol(1e30);
    EXPECT_FALSE(gradcheck_report(analytic, {x}, o).passed());
    EXPECT_FALSE(gradcheck_report(both, {x}, o).passed());
    EXPECT_FALSE(gradcheck_report(edge, {x}, o).passed());
  }
}

TEST(Gradcheck, ChecksEveryOutputAndInput) {
  const Tensor x = leaf({2}), y = leaf({2});
  const auto second = [](const Tensor& a, const Tensor& b) {
    return std::make_tuple(a * b, FaultySine::apply(b, static_cast<int64_t>(Planted::kTwice)));
  };
  for (const GradcheckOptions& o : both_modes()) {
    const GradcheckReport r = gradcheck_report(second, {x, y}, o);
    ASSERT_EQ(r.failures.size(), 1u) << r.text();
    EXPECT_EQ(r.failures[0].output, 1u);
    EXPECT_EQ(r.failures[0].input, 1u);
    EXPECT_NEAR(r.failures[0].analytic / r.failures[0].numeric, 2, 1e-6);
  }
}

TEST(Gradcheck, ADetachedOutputIsFoundUnlessAllowed) {
  const auto f = [](const Tensor& x) { return std::make_tuple(x * 2, (x * 3).detach()); };
  for (GradcheckOptions o : both_modes()) {
    EXPECT_TRUE(found(gradcheck_report(f, {six()}, o), Kind::kHistoryLost));
    EXPECT_TRUE(gradcheck_report(f, {six()}, o.check_detached_outputs(false)).passed());
  }
}

TEST(Gradcheck, FindsGradientsThatAreNotLinear) {
  struct Squared : autograd::Function<Squared> {
    static Tensor forward(AutogradContext*, Tensor x) { return x * 1; }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * g[0].abs()}; }
  };
  const auto f = [](const Tensor& x) { return Squared::apply(x); };
  GradcheckOptions o;
  o.check_accumulation(false).check_layouts(false);
  EXPECT_TRUE(gradcheck_report(f, {six()}, o).passed());  // entries one by one: 1 * 1
  EXPECT_TRUE(found(gradcheck_report(f, {six()}, o.check_batched_grad(true)), Kind::kBatched));
}

/// x times 1, recorded as the library's own ops are: nothing converts what backward gives.
template <class Backward>
TensorFunction recorded(Backward backward) {
  return [backward](const Tensor& x) {
    const Tensor y = x.detach().clone();
    if (autograd::needs_grad(x)) autograd::record("Recorded", y, {x}, backward);
    return y;
  };
}

TEST(Gradcheck, FindsGradientsOfAnotherDtypeOrSize) {
  const auto narrow = recorded([](const Tensor& g) { return g.to(kFloat); });
  const auto short_one = recorded([](const Tensor& g) { return g.narrow(1, 0, 2); });
  for (GradcheckOptions o : both_modes()) {
    o.check_accumulation(false).check_layouts(false);
    EXPECT_TRUE(gradcheck(narrow, {six()}, o));
    EXPECT_TRUE(gradcheck(sine_with(Planted::kNone), {six()}, o.check_grad_dtypes(true)));
    GradcheckReport r = gradcheck_report(narrow, {six()}, o);
    EXPECT_TRUE(found(r, Kind::kGradient)) << r.text();
    EXPECT_NE(r.text().find("Gradient has dtype mismatch"), std::string::npos) << r.text();
    r = gradcheck_report(short_one, {six()}, o);
    EXPECT_TRUE(found(r, Kind::kGradient)) << r.text();
    EXPECT_NE(r.text().find("Analytical gradient has incorrect size"), std::string::npos);
  }
}

// ---------------------------------------------------------------------- options
TEST(Gradcheck, TolerancesAreAbsolutePlusRelative) {
  const auto off = sine_with(Planted::kSlightlyOff);
  GradcheckOptions o;
  o.raise_exception(false);
  EXPECT_FALSE(gradcheck(off, {six()}, o));
  EXPECT_TRUE(gradcheck(off, {six()}, o.rtol(0.02)));
  EXPECT_FALSE(gradcheck(off, {six()}, o.rtol(0)));
  EXPECT_TRUE(gradcheck(off, {six()}, o.atol(0.02)));
  EXPECT_TRUE(gradcheck(sine_with(Planted::kRandom), {six()}, o.nondet_tol(1e-3)));
  EXPECT_TRUE(gradcheck(sine_with(Planted::kNoUndefined), {six()}, o.check_undefined_grad(false)));
}

TEST(Gradcheck, ThrowsTheReport) {
  const auto wrong = [] { gradcheck(sine_with(Planted::kSign), {six()}); };
  expect_error<GradcheckError>("gradcheck failed: Jacobian mismatch for output 0", wrong);
  expect_error<GradcheckError>("wrong sign everywhere", wrong);
  expect_error<GradcheckError>("gradgradcheck failed",
                               [] { gradgradcheck(sine_with(Planted::kDetached), {six()}); });
}

TEST(Gradcheck, NamesTheWorstEntry) {
  const GradcheckReport r = gradcheck_report(sine_with(Planted::kLastMissed), {six()});
  ASSERT_EQ(r.failures.size(), 1u);
  const GradcheckFailure& f = r.failures[0];
  EXPECT_EQ(f.output_element, 5);
  EXPECT_EQ(f.input_element, 5);
  EXPECT_EQ(f.analytic, 0);
  EXPECT_NEAR(f.numeric, std::cos(0.2), 1e-8);
  EXPECT_NEAR(f.tolerance, 1e-5 + 1e-3 * std::cos(0.2), 1e-8);
  for (const char* part :
       {"input 0: 1 of 36 entries differ\n",
        "worst: d output 0[1, 2] / d input 0[1, 2]: analytic 0, numeric 0.980066578",
        "only the last element of the input has a wrong gradient (0): it is left out",
        "rows: elements of output 0 [2, 3]; columns: elements of input 0 [2, 3]", "0*", "[1, 2] "})
    EXPECT_NE(r.text().find(part), std::string::npos) << part << "\n" << r.text();
}

TEST(Gradcheck, NamesPatterns) {
  const auto text_of = [](Planted fault) {
    return gradcheck_report(sine_with(fault), {six()}).text();
  };
  EXPECT_NE(text_of(Planted::kTwice).find("is 2 times the numeric one everywhere"),
            std::string::npos);
  EXPECT_NE(text_of(Planted::kNaN).find("not finite"), std::string::npos);
  struct Turned : autograd::Function<Turned> {
    static Tensor forward(AutogradContext* ctx, Tensor x, Tensor m) {
      ctx->save_for_backward({m});
      return m.mv(x);
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
      return {ctx->get_saved_variables()[0].mv(g[0]), Tensor()};
    }
  };
  const Tensor m = numbers({3, 3}, kDouble);
  const auto turned = [&](const Tensor& x) { return Turned::apply(x, m); };
  const std::string text = gradcheck_report(turned, {leaf({3})}).text();
  EXPECT_NE(text.find("transposed"), std::string::npos) << text;
}

TEST(Gradcheck, TellsOfKinks) {
  const Tensor x = values({-1, 0, 1}, kDouble).requires_grad_();
  const std::string text = gradcheck_report([](const Tensor& a) { return a.relu(); }, {x}).text();
  EXPECT_NE(text.find("(0 below, 1 above): fn has a kink"), std::string::npos) << text;
}

TEST(Gradcheck, FastModeSaysWhenTheSlowOneWouldPass) {
  GradcheckOptions o = fast();
  o.rtol(1e-10).atol(1e-16);
  const std::string text = gradcheck_report(sine_with(Planted::kNone), {six()}, o).text();
  EXPECT_NE(text.find("fast mode: u^T J v is"), std::string::npos) << text;
}

TEST(Gradcheck, SameRandomNumbersCheckDropout) {
  manual_seed(1);
  const Tensor x = six();
  const auto f = [](const Tensor& a) { return dropout(a * 2, 0.3, true); };
  const GradcheckReport r = gradcheck_report(f, {x});
  EXPECT_TRUE(found(r, Kind::kForward)) << r.text();
  EXPECT_NE(r.text().find("not deterministic"), std::string::npos);
  EXPECT_TRUE(gradcheck(f, {x}, GradcheckOptions().same_random_numbers(true)));
}

TEST(Gradcheck, DrawsNothingFromTheProgramsNumbers) {
  manual_seed(3);
  const auto want = values_of(taper::rand({4}));
  manual_seed(3);
  EXPECT_TRUE(gradcheck(sine_with(Planted::kNone), {six()}, fast()));
  EXPECT_TRUE(gradgradcheck(sine_with(Planted::kNone), {six()}));
  EXPECT_EQ(values_of(taper::rand({4})), want);
}

// ---------------------------------------------------------------------- bad use
TEST(GradcheckBadUse, InputsMustRequireGradients) {
  const auto f = [](const Tensor& x) { return x * 2; };
  const char* words = "gradcheck expects at least one input tensor to require gradient";
  expect_error<ValueError>(words, [&] { gradcheck(f, {numbers({2}, kDouble)}); });
  expect_error<ValueError>(words, [&] { gradcheck(f, {Tensor()}); });
  expect_error<ValueError>("an output that requires a gradient",
                           [&] { gradgradcheck(f, {numbers({2}, kDouble)}); });
}

TEST(GradcheckBadUse, InputsMustNotOverlap) {
  const auto f = [](const Tensor& x) { return x * 2; };
  const Tensor expanded = numbers({3, 1}, kDouble).expand({3, 2}).requires_grad_();
  expect_error("The 0th input has a dimension with stride 0", [&] { gradcheck(f, {expanded}); });
  const Tensor folded = numbers({5}, kDouble).unfold(0, 3, 1).requires_grad_();
  expect_error("The 0th input has elements that share memory", [&] { gradcheck(f, {folded}); });
  const Tensor x = leaf({4});
  const auto two = [](const Tensor& a, const Tensor& b) { return a * b; };
  expect_error("input 0 shares memory with another input", [&] {
    gradcheck(two, {x, x.detach()});
  });
}

TEST(GradcheckBadUse, FloatsAreCheckedWithAWarning) {
  const Tensor x = numbers({3}).requires_grad_();
  ::testing::internal::CaptureStderr();
  const GradcheckReport r = gradcheck_report([](const Tensor& a) { return a.exp(); }, {x});
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("not a double precision"),
            std::string::npos);
  ASSERT_EQ(r.notes.size(), 1u);
  EXPECT_FALSE(r.passed());  // differences of 1e-6 drown in the rounding of float
  EXPECT_NE(r.text().find("Convert the input with .to(kDouble)"), std::string::npos);
  GradcheckOptions o;
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(
      gradcheck([](const Tensor& a) { return a.exp(); }, {x}, o.eps(1e-2).atol(1e-2).rtol(1e-2)));
  ::testing::internal::GetCapturedStderr();
}

TEST(GradcheckBadUse, AnEpsThatChangesNothingIsRefused) {
  const Tensor x = values({1e12}, kDouble).requires_grad_();
  const auto f = [](const Tensor& a) { return a * 2; };
  expect_error<ValueError>("eps 1e-06 does not change input 0[0]", [&] { gradcheck(f, {x}); });
  expect_error<ValueError>("positive eps", [&] { gradcheck(f, {x}, GradcheckOptions().eps(0)); });
}

TEST(GradcheckBadUse, FunctionsMustBeFunctions) {
  int calls = 0;
  const auto counts = [&](const Tensor& a) { return a * ++calls; };
  EXPECT_NE(gradcheck_report(counts, {six()})
                .text()
                .find("fn is not deterministic: output 0[0, 0] was 0.3, and 0.6"),
            std::string::npos);
  const auto changes = [](const Tensor& a) {
    a.data().add_(1);
    return a.detach().sin() + a;
  };
  EXPECT_NE(gradcheck_report(changes, {six()}).text().find("fn changes its inputs: input 0[0, 0]"),
            std::string::npos);
  const auto f = [](const Tensor& a) { return a; };
  expect_error<ValueError>("expected 1 inputs", [&] { gradcheck(f, {six(), six()}); });
  const auto none = [](const Tensor&) { return variable_list(); };
  expect_error<ValueError>("returns tensors, got none", [&] { gradcheck(none, {six()}); });
}

TEST(GradcheckBadUse, AConstantIsNotAPass) {
  for (GradcheckOptions o : both_modes()) {
    const auto steps = [](const Tensor& a) { return a.floor() * 1.0; };
    const GradcheckReport r = gradcheck_report(steps, {six()}, o);
    EXPECT_TRUE(found(r, Kind::kConstant)) << r.text();
    const auto other = [](const Tensor&) { return ones({2}, kDouble); };
    EXPECT_TRUE(found(gradcheck_report(other, {six()}, o), Kind::kConstant));
    EXPECT_TRUE(gradcheck(steps, {six()}, o.allow_constant(true)));
  }
}

}  // namespace
}  // namespace torch::taper::testing
