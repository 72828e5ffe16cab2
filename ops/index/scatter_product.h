// The calculus of y[index] *= src, for scatter with reduce="multiply".
#pragma once

#include <taper/framework/core/tensor.h>

namespace torch::taper {

/// For each element of `src` that `index` covers: h at its target times the product of the other
/// elements that go to the same target. Of the sizes of `index`. Exact where elements are 0, and
/// so is its derivative; the derivative's own derivative holds where none is.
Tensor scatter_product_of_others(const Tensor& h, int64_t dim, const Tensor& index,
                                 const Tensor& src);

}  // namespace torch::taper
