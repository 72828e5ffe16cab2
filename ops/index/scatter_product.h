// Derivatives of y[index] *= src, for scatter with reduce="multiply".
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper {

/// Returns a tensor with the sizes of `index`. Each value belongs to an element of `src`. It is h
/// at the element's target, times the product of all other elements of `src` with this target. The
/// result and its derivative are exact even if elements are 0. The second derivative is correct
/// only if no element is 0.
Tensor scatter_product_of_others(const Tensor& h, int64_t dim, const Tensor& index,
                                 const Tensor& src);

}  // namespace torch::taper
