// torch::autograd::forward_ad: tensors with a tangent, with the names of Python's
// torch.autograd.forward_ad.
//
//   const autograd::forward_ad::dual_level level;
//   const Tensor y = f(autograd::forward_ad::make_dual(x, v));
//   const auto [value, tangent] = autograd::forward_ad::unpack_dual(y);  // f(x), J v
#pragma once

#include <memory>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd::forward_ad {

/// Starts a level: ops on this thread propagate tangents until the end of the scope. Levels may be
/// nested. When a level ends, tensors lose the tangents of this level.
class dual_level {
 public:
  dual_level();
  ~dual_level();
  dual_level(const dual_level&) = delete;
  dual_level& operator=(const dual_level&) = delete;

 private:
  struct [[gnu::visibility("hidden")]] State;
  std::unique_ptr<State> state_;
};

/// A tensor without its tangent, and this tangent. The tangent is undefined if the tensor had none.
struct UnpackedDualTensor {
  Tensor primal;   ///< shares the memory of the tensor
  Tensor tangent;  ///< has the sizes and the dtype of the primal
};

/// Returns `tensor` with a tangent at the innermost level, as a new tensor over its memory. Throws
/// Error outside of a level, for an integer tensor, and for a tangent of other sizes or another
/// dtype.
Tensor make_dual(const Tensor& tensor, const Tensor& tangent);
/// Returns `tensor` without its tangent of the innermost level, and this tangent. Throws Error
/// outside of a level.
UnpackedDualTensor unpack_dual(const Tensor& tensor);

}  // namespace torch::taper::autograd::forward_ad

#pragma GCC visibility pop
