// Derivatives of y[index] *= src, for scatter with reduce="multiply".
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper {

/// Returns, for each element of `src` that `index` covers, h at its target times the product of the
/// other elements of that target. The result has the sizes of `index`. It and its derivative are
/// exact for elements of 0. The second derivative holds only if no element is 0.
Tensor scatter_product_of_others(const Tensor& h, int64_t dim, const Tensor& index,
                                 const Tensor& src);

}  // namespace torch::taper
