// autograd::Scatter and autograd::Gather: what scatter and gather are made of, as LibTorch has
// them.
#pragma once

#include <taper/framework/autograd/node.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace autograd {

/// cuda::scatter as LibTorch's function object: `Scatter(devices).apply({x})` gives x's parts.
struct Scatter {
  /// The arguments are those of cuda::scatter; they are checked by apply().
  explicit Scatter(std::vector<Device> devices,
                   const optional<std::vector<int64_t>>& chunk_sizes = nullopt, int64_t dim = 0,
                   const optional<std::vector<optional<cuda::Stream>>>& streams = nullopt,
                   bool unsqueeze_scalars = false);
  /// The parts of the one tensor in `inputs`. With `unsqueeze_scalars` each loses the first
  /// dimension, of which it is the first element. Throws Error for another number of inputs.
  variable_list apply(variable_list&& inputs) const;

  /// The constructor's arguments.
  ///@{
  std::vector<Device> devices_;
  optional<std::vector<int64_t>> chunk_sizes_;
  int64_t dim_;
  optional<std::vector<optional<cuda::Stream>>> streams_;
  bool unsqueeze_scalars_;
  ///@}
};

/// cuda::gather with a derivative: `Gather(device).apply(parts)` gives one tensor. Its device may
/// be the CPU. Tensors without dimensions become the elements of a vector when `dim` is 0 (a
/// warning says so once).
struct Gather {
  /// The result is on `destination_device`; parts are joined along `dim`, which counts from the end
  /// where it is negative.
  explicit Gather(const Device& destination_device, int64_t dim = 0);
  /// Throws Error for no inputs, inputs on the CPU, and sizes that do not fit.
  variable_list apply(variable_list&& inputs) const;

  /// The constructor's arguments.
  ///@{
  Device destination_device_;
  int64_t dim_;
  ///@}
};

}  // namespace autograd

}  // namespace torch::taper

#pragma GCC visibility pop
