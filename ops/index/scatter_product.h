// Derivatives of y[index] *= src, for scatter with reduce="multiply".
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper {

/// Returns for each element of `src` that `index` covers: h at the element's target, times the
/// product of all other elements with that target. The result has the sizes of `index`. The result
/// and its derivative are exact even if elements are 0. The second derivative is correct only if no
/// element is 0.
Tensor scatter_product_of_others(const Tensor& h, int64_t dim, const Tensor& index,
                                 const Tensor& src);

}  // namespace torch::taper
