// Helpers of the losses: reductions and dtypes.
#pragma once

#include <taper/framework/autograd/autocast.h>
#include <taper/ops/nn/loss.h>

namespace torch::taper {

inline void check_reduction(const char* op, int64_t reduction) {
  TAPER_CHECK(reduction >= Reduction::None && reduction < Reduction::END, op,
              ": expected a reduction of None, Mean or Sum, got ", reduction);
}

/// Tests whether x has a 16-bit dtype. Kernels of losses read 16-bit floats directly, so autocast
/// does not cast x. Autocast determines only the dtype of the loss.
inline bool is_narrow(const Tensor& x) {
  return x.defined() && isReducedFloatingType(x.scalar_type());
}
/// Returns the dtype in which losses of x are computed: f32 if x has a 16-bit dtype, else x's
/// dtype.
inline ScalarType sum_dtype(const Tensor& x) { return is_narrow(x) ? kFloat : x.scalar_type(); }
/// Returns the dtype of a loss of x. The dtype is f32 if autocast is enabled for x's device and
/// `dtype` has 16 bits, else `dtype`.
inline ScalarType loss_dtype(const Tensor& x, ScalarType dtype) {
  const bool widens = autocast::is_autocast_enabled(x.device().type());
  return widens && isReducedFloatingType(dtype) ? kFloat : dtype;
}

/// Reduces pointwise losses by `reduction`.
inline Tensor reduce_loss(const Tensor& loss, int64_t reduction) {
  if (reduction == Reduction::Mean) return loss.mean();
  if (reduction == Reduction::Sum) return loss.sum();
  return loss;
}

}  // namespace torch::taper
