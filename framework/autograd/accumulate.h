// AccumulateGrad: the end of the tape, which adds up a leaf's gradient.
#pragma once

#include <taper/framework/autograd/node.h>

namespace torch::taper::autograd {

/// Adds the incoming gradient to the leaf's grad. It owns the leaf, so that a graph keeps the leaf
/// alive.
struct AccumulateGrad final : Node {
  /// The address of this name identifies the class without a virtual call.
  static constexpr char kName[] = "torch::autograd::AccumulateGrad";
  explicit AccumulateGrad(Tensor leaf);
  ~AccumulateGrad() override;
  GradList apply(GradList&& grads) override;
  bool is_accumulate() const override { return true; }
  /// Called when the last reference was dropped. Returns true if the object now rests with its
  /// leaf, for the next accumulator_of(). This saves a tenth of a small op's time. Returns false if
  /// the caller must destroy it.
  bool rest();
  /// Called when the leaf is used. In a step that is captured several times (StepState), each call
  /// of the step gets a new accumulator. An accumulator with hooks is kept instead, and forgets
  /// earlier ops. Gradients then arrive in one order, even if graphs of earlier calls still exist.
  static void forget_earlier(AutogradExtra& e);
  /// The leaf. Undefined while the object rests.
  Tensor variable;
};

/// Returns the accumulator of a leaf that requires a gradient. A leaf has at most one at a time.
NodePtr accumulator_of(const Tensor& leaf);

}  // namespace torch::taper::autograd
