// Pads tensors.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Adds pad[0] elements before and pad[1] elements after x along the last dimension. pad[2] and
/// pad[3] are for the second last dimension, and so on. Negative numbers remove elements. `mode` is
/// "constant", "reflect", "replicate" or "circular". "constant" adds elements `value`, by default
/// 0. "reflect" mirrors x at the edge element, which is not repeated. "replicate" repeats the edge
/// element. "circular" copies elements from the other end. Pads of "reflect" must be less than the
/// dimension's size. Pads of "circular" must not exceed the dimension's size.
Tensor pad(const Tensor& x, IntArrayRef pad, std::string_view mode = "constant",
           optional<double> value = nullopt);
Tensor constant_pad_nd(const Tensor& x, IntArrayRef pad, const Scalar& value = 0);
Tensor reflection_pad1d(const Tensor& x, IntArrayRef padding);
Tensor reflection_pad2d(const Tensor& x, IntArrayRef padding);
Tensor reflection_pad3d(const Tensor& x, IntArrayRef padding);
Tensor replication_pad1d(const Tensor& x, IntArrayRef padding);
Tensor replication_pad2d(const Tensor& x, IntArrayRef padding);
Tensor replication_pad3d(const Tensor& x, IntArrayRef padding);

}  // namespace torch::taper

#pragma GCC visibility pop
