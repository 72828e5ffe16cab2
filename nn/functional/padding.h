// functional::pad.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/nn/options/padding.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Pads the last dimensions. It adds pad[0] elements before and pad[1] after the last dimension,
/// pad[2] and pad[3] around the one before it, and so on. Negative numbers remove elements. Modes:
/// kConstant adds `value`. kReflect mirrors the input at its border element, by less than its size.
/// kReplicate repeats the border element. kCircular copies from the other end, at most the size.
Tensor pad(const Tensor& input, const PadFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
