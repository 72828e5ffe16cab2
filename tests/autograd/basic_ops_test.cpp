#include <taper/framework/autograd/basic_ops.h>
#include <taper/framework/autograd/function.h>

#include "autograd/util.h"

namespace torch::taper::testing {
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
