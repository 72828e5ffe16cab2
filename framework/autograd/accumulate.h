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
  /// Called when the last reference was dropped. Returns true if the leaf keeps this object for the
  /// next accumulator_of(). The object then "rests". This saves a tenth of a small op's time.
  /// Returns false if the caller must destroy the object.
  bool rest();
  /// accumulator_of() calls it with the leaf's `e`. If a captured step is called again (see
  /// StepState), it drops the accumulator of the earlier call, so that the leaf gets a new
  /// accumulator. An accumulator with hooks is kept instead, and disregards the ops of earlier
  /// calls. The order of gradients is then equal in all calls, even if graphs of earlier calls
  /// still exist.
  static void forget_earlier(AutogradExtra& e);
  /// The leaf. Undefined while the object rests.
  Tensor variable;
};

/// Returns the accumulator of a leaf that requires a gradient. A leaf has at most one accumulator
/// at a time.
NodePtr accumulator_of(const Tensor& leaf);

}  // namespace torch::taper::autograd
