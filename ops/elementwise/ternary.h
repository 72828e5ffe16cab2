// Pointwise functions of three tensors. Shapes broadcast and dtypes promote as in binary.h.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns x + value * a * b (addcmul) or x + value * a / b (addcdiv). addcdiv throws if a and b
/// are integral.
Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value = 1);
Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value = 1);
Tensor& addcmul_out(Tensor& out, const Tensor& x, const Tensor& a, const Tensor& b,
                    const Scalar& value = 1);
Tensor& addcdiv_out(Tensor& out, const Tensor& x, const Tensor& a, const Tensor& b,
                    const Scalar& value = 1);
/// Returns start + weight * (end - start), in one floating dtype.
Tensor lerp(const Tensor& start, const Tensor& end, const Scalar& weight);
Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight);
Tensor& lerp_out(Tensor& out, const Tensor& start, const Tensor& end, const Scalar& weight);
Tensor& lerp_out(Tensor& out, const Tensor& start, const Tensor& end, const Tensor& weight);

}  // namespace torch::taper

#pragma GCC visibility pop
