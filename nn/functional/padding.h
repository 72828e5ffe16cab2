// functional::pad.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/nn/options/padding.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Pads the last dimensions of `input`. Adds pad[0] elements at the start of the last dimension,
/// and pad[1] elements at its end. pad[2] and pad[3] are for the second to last dimension, and so
/// on. Negative numbers remove elements. The mode kConstant adds elements with `value`. kReflect
/// mirrors the input at its border element. Its pads must be less than the dimension's size.
/// kReplicate repeats the border element. kCircular copies elements from the other end. Its pads
/// must not exceed the dimension's size.
Tensor pad(const Tensor& input, const PadFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
