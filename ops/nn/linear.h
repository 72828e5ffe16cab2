// The affine map of a fully connected layer, and the bilinear map of two inputs.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns input weight^T + bias. input is (..., in), weight is (out, in), bias is (out) or
/// undefined. The result is (..., out). If weight is (in), the result is (...). All tensors must
/// have one dtype. Throws like addmm.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
Tensor& linear_out(Tensor& out, const Tensor& input, const Tensor& weight, const Tensor& bias = {});
/// Returns y (..., out) with y[o] = input1 weight[o] input2^T + bias[o]. input1 is (..., in1),
/// input2 is (..., in2). weight is (out, in1, in2). bias is (out), undefined or nullopt. Throws
/// Error for other sizes.
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const optional<Tensor>& bias = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
