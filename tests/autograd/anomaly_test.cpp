#include <taper/framework/autograd/anomaly.h>
#include <taper/framework/autograd/basic_ops.h>
#include <taper/framework/autograd/function.h>
#include "autograd/util.h"

namespace torch::taper::testing {

// ---------------------------------------------------------------------- anomaly_test
namespace {

using autograd::DetectAnomalyGuard;
using ::testing::HasSubstr;

/// sqrt at 0 has an infinite derivative; times 0 that is NaN.
Tensor makes_nan(const Tensor& x) { return (x.sqrt() * scalar(0)).sum(); }

TEST(Anomaly, IsOffByDefault) {
  Tensor x = leaf({0});
  makes_nan(x).backward();
  EXPECT_TRUE(std::isnan(values_of(x.grad())[0]));
}

TEST(Anomaly, NamesTheOpThatMadeANaN) {
  DetectAnomalyGuard guard;
  Tensor x = leaf({0});
  EXPECT_THAT(message_of([&] { makes_nan(x).backward(); }),
              HasSubstr("Function 'SqrtBackward0' returned nan values in its 0th output."));
}

TEST(Anomaly, SaysWhereTheForwardOpWasCalled) {
  DetectAnomalyGuard guard;
  Tensor x = leaf({0});
  // The line where the program has debug information, else at least the function.
  EXPECT_THAT(message_of([&] { makes_nan(x).backward(); }),
              ::testing::AnyOf(HasSubstr("anomaly_test.cpp"), HasSubstr("makes_nan"),
                               HasSubstr("taper_tests")));
}

TEST(Anomaly, MayKeepOnlyTheStacks) {
  DetectAnomalyGuard guard(/*check_nan=*/false);
  Tensor x = leaf({0});
  makes_nan(x).backward();
  EXPECT_TRUE(std::isnan(values_of(x.grad())[0]));
}

TEST(Anomaly, WarnsThatProgramsGetSlower) {
  expect_warning("This mode should be enabled only for debugging",
                 [] { DetectAnomalyGuard guard; });
}

TEST(Anomaly, AnErrorComesWithTheForwardCallAsAWarning) {
  DetectAnomalyGuard guard;
  const Tensor x = leaf({5});
  Tensor y = x * x;
  const Tensor z = y * y;
  y += 1;
  expect_warning(
      "Error detected in MulBackward0. Traceback of forward call that caused the error:\n",
      [&] { expect_error("modified by an inplace operation", [&] { z.backward(); }); });
}

TEST(Anomaly, AnErrorOfADerivativesDerivativeNamesBothCalls) {
  DetectAnomalyGuard guard;
  const Tensor x = leaf({0});
  const Tensor first = autograd::grad({x.pow(1.5)}, {x}, {}, true, /*create_graph=*/true)[0];
  const auto texts = warnings_of(
      [&] { expect_error("returned nan", [&] { autograd::grad({first}, {x}, {doubles({0})}); }); });
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_THAT(texts[0], HasSubstr("Traceback of forward call that caused the error"));
  EXPECT_THAT(texts[1], HasSubstr("Previous calculation was induced by PowBackward0. Traceback of "
                                  "forward call that induced the previous calculation:\n"));
}

TEST(Anomaly, ANodeOfBeforeSaysThatItHasNoStack) {
  const Tensor x = leaf({0});
  const Tensor y = makes_nan(x);
  DetectAnomalyGuard guard;
  expect_warning("before anomaly mode was enabled",
                 [&] { expect_error("returned nan", [&] { y.backward(); }); });
}

TEST(Anomaly, EndsWithItsScope) {
  {
    DetectAnomalyGuard guard;
    EXPECT_TRUE(autograd::AnomalyMode::is_enabled());
  }
  EXPECT_FALSE(autograd::AnomalyMode::is_enabled());
}

}  // namespace

// ---------------------------------------------------------------------- basic_ops_test
namespace {

using autograd::AutogradContext;
using autograd::DelayedError;
using autograd::UndefinedGrad;
using autograd::variable_list;

/// Notes whether the gradient that arrived was defined.
struct Notes : autograd::Function<Notes> {
  static inline int defined = -1;
  static Tensor forward(AutogradContext* ctx, const Tensor& x, bool materialize) {
    ctx->set_materialize_grads(materialize);
    return x.clone();
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    defined = g[0].defined();
    return {g[0], Tensor()};
  }
};

TEST(UndefinedGrad, GivesBackwardNothing) {
  for (const bool materialize : {true, false}) {
    const Tensor x = leaf({1, 2});
    const Tensor y = UndefinedGrad().apply({Notes::apply(x, materialize), Tensor()})[0];
    EXPECT_EQ(values_of(y), values_of(x));
    y.sum().backward();
    EXPECT_EQ(Notes::defined, materialize);
    EXPECT_EQ(x.grad().defined(), materialize);
  }
}

TEST(UndefinedGrad, RecordsNothingForWhatNeedsNothing) {
  const variable_list y = UndefinedGrad()({doubles({1}), Tensor()});
  EXPECT_FALSE(y[0].requires_grad());
  EXPECT_FALSE(y[1].defined());
}

TEST(DelayedError, ThrowsInBackward) {
  const Tensor x = leaf({1, 2});
  const variable_list y = DelayedError("once only", 2)({x, doubles({3})});
  EXPECT_EQ(values_of(y[0]), values_of(x));
  expect_error("once only", [&] { y[0].sum().backward(); });
  expect_error("DelayedError: expected 2 inputs, got 1", [&] { DelayedError("t", 2).apply({x}); });
}

}  // namespace

}  // namespace torch::taper::testing
