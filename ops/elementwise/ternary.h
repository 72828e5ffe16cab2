// Functions of the elements of three tensors. Shapes broadcast, dtypes promote as in binary.h.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// x + value * a * b and x + value * a / b; addcdiv throws when a and b are integral.
Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value = 1);
Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value = 1);
Tensor& addcmul_out(Tensor& out, const Tensor& x, const Tensor& a, const Tensor& b,
                    const Scalar& value = 1);
Tensor& addcdiv_out(Tensor& out, const Tensor& x, const Tensor& a, const Tensor& b,
                    const Scalar& value = 1);
/// start + weight * (end - start), of one floating dtype.
Tensor lerp(const Tensor& start, const Tensor& end, const Scalar& weight);
Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight);
Tensor& lerp_out(Tensor& out, const Tensor& start, const Tensor& end, const Scalar& weight);
Tensor& lerp_out(Tensor& out, const Tensor& start, const Tensor& end, const Tensor& weight);

}  // namespace torch::taper

#pragma GCC visibility pop
