// Kernels of lists of tensors. Unless a comment says otherwise, the lists have one operand. Not
// installed.
#pragma once

#include <taper/framework/core/tensor_lists.h>

namespace torch::taper {

/// The type `Numbers` of GatheredLaunches for launches without numbers.
struct NoNumbers {
  bool operator==(const NoNumbers&) const = default;
};

namespace detail {
/// Tests whether list kernels take x. x must be contiguous, on a CUDA device, of a floating dtype,
/// and must not need a gradient. No mode may be on.
bool lists_take(const Tensor& x);
}  // namespace detail

/// A formula of the pointwise ops on lists.
enum class ForeachFormula : int {
  // of one number
  abs,
  ceil,
  floor,
  frac,
  neg,
  round,
  sign,
  trunc,
  acos,
  asin,
  atan,
  cos,
  cosh,
  erf,
  erfc,
  exp,
  expm1,
  lgamma,
  log,
  log10,
  log1p,
  log2,
  reciprocal,
  rsqrt,
  sigmoid,
  sin,
  sinh,
  sqrt,
  tan,
  tanh,
  // of x and a number or another tensor
  add,
  sub,
  mul,
  div,
  maximum,
  minimum,
  pow,
  copy,
  // of three
  addcmul,
  addcdiv,
  lerp
};
/// Computes y = formula(x, a, b). Operands 0 to 3 of the lists are y, x, a and b. Lists of formulas
/// without a or b do not have these operands. Formulas with a number take it from each entry, or
/// from `number`, a double on the device. The number is a summand, a weight, or a factor of a, a *
/// b or a / b. y may be x. Takes floating dtypes.
TAPER_KERNEL(foreach_pointwise, TensorLists lists, ForeachFormula formula, In number)

TAPER_KERNEL(foreach_zero, TensorLists lists)
TAPER_KERNEL(foreach_clamp, TensorLists lists, double low, double high)
/// Sets parts[i] to the sum of |x|^order over chunk i. If the order is infinity, parts[i] is the
/// largest |x|. Parts are doubles. `order` is 1, 2 or infinity.
TAPER_KERNEL(foreach_norm_parts, Out parts, TensorLists lists, double order)
/// Joins the parts of each entry into one element of `norms`. The entry's number is the index of
/// this element. The element is the sum of |x|^order or the largest |x|. With `root`, it is the
/// root of the sum. Norms are doubles.
TAPER_KERNEL(foreach_norm_join, InOut norms, In parts, TensorLists lists, double order, bool root)
/// Multiplies all elements by inv_scale. Sets found_inf to 1 if an element is infinite or NaN.
/// inv_scale and found_inf are floats.
TAPER_KERNEL(foreach_unscale, TensorLists lists, InOut found_inf, In inv_scale)

/// Updates the state of a gradient scaler after a step. See _amp_update_scale_.
TAPER_KERNEL(amp_update_scale, InOut scale, InOut growth_tracker, In found_inf,
             double growth_factor, double backoff_factor, int64_t growth_interval)
TAPER_HD inline void update_scale(float& scale, int32_t& growth_tracker, float found_inf,
                                  double growth_factor, double backoff_factor,
                                  int64_t growth_interval) {
  if (found_inf != 0) {
    scale = static_cast<float>(scale * backoff_factor);
    growth_tracker = 0;
  } else if (++growth_tracker == growth_interval) {
    const float grown = static_cast<float>(scale * growth_factor);
    if (grown - grown == 0) scale = grown;  // finite
    growth_tracker = 0;
  }
}

}  // namespace torch::taper
