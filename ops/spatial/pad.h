// Padding.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Adds pad[0] elements before and pad[1] after along the last dimension, pad[2] and pad[3] along
/// the one before it, and so on. Negative numbers remove elements. `mode` is "constant" (with
/// `value`, by default 0), "reflect" (without the edge, for pads smaller than the size),
/// "replicate" or "circular" (for pads up to the size).
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
