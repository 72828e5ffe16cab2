// AccumulateGrad: the end of the tape, where a leaf's gradient is added up.
#pragma once

#include <taper/framework/autograd/node.h>

namespace torch::taper::autograd {

/// Adds the incoming gradient to the leaf's grad. Owns the leaf, so that a graph keeps it alive.
struct AccumulateGrad final : Node {
  /// By its address it is known without a call.
  static constexpr char kName[] = "torch::autograd::AccumulateGrad";
  explicit AccumulateGrad(Tensor leaf);
  ~AccumulateGrad() override;
  GradList apply(GradList&& grads) override;
  bool is_accumulate() const override { return true; }
  /// For who has dropped the last reference. True where it now rests with its leaf, which the next
  /// accumulator_of() takes up: to make one for each op and to free it again is a tenth of what a
  /// small op costs. False where it is to be destroyed.
  bool rest();
  /// The leaf is used: each call of a step that is captured several times (StepState) gets an
  /// accumulator of its own, or one that forgets, where it has hooks. So gradients come in the same
  /// order, whatever graphs of earlier calls there still are.
  static void forget_earlier(AutogradExtra& e);
  /// Undefined while it rests.
  Tensor variable;
};

/// The accumulator of a leaf that requires a gradient; one exists at a time.
NodePtr accumulator_of(const Tensor& leaf);

}  // namespace torch::taper::autograd
