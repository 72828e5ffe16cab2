// Helpers of the losses: reductions and dtypes.
#pragma once

#include <taper/framework/autograd/autocast.h>
#include <taper/ops/nn/loss.h>

namespace torch::taper {

inline void check_reduction(const char* op, int64_t reduction) {
  TAPER_CHECK(reduction >= Reduction::None && reduction < Reduction::END, op,
              ": expected a reduction of None, Mean or Sum, got ", reduction);
}

/// Tests whether x has a 16-bit dtype. Kernels of losses read it directly, so autocast does not
/// cast x. It determines only the dtype of the loss.
inline bool is_narrow(const Tensor& x) {
  return x.defined() && isReducedFloatingType(x.scalar_type());
}
/// Returns the dtype in which losses of x are computed.
inline ScalarType sum_dtype(const Tensor& x) { return is_narrow(x) ? kFloat : x.scalar_type(); }
/// Returns the dtype of a loss of x under the current autocast state. Without autocast, the loss
/// has `dtype`.
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
