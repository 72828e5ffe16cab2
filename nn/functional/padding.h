// functional::pad.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/nn/options/padding.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::functional {

/// Adds pad[0] elements before and pad[1] after the last dimension, pad[2] and pad[3] to the one
/// before it, and so on; negative numbers remove. Modes: kConstant (`value`), kReflect (mirrored at
/// the border element; less than the size), kReplicate (the border element), kCircular (from the
/// other end; at most the size).
Tensor pad(const Tensor& input, const PadFuncOptions& options);

}  // namespace torch::taper::nn::functional

#pragma GCC visibility pop
