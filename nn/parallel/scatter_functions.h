// autograd::Scatter and autograd::Gather: the differentiable functions that scatter and gather use,
// as in LibTorch.
#pragma once

#include <taper/framework/autograd/node.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace autograd {

/// Splits a tensor by cuda::scatter, with the interface of LibTorch: `Scatter(devices).apply({x})`
/// returns the parts of x.
struct Scatter {
  /// Takes the arguments of cuda::scatter. apply() checks them.
  explicit Scatter(std::vector<Device> devices,
                   const optional<std::vector<int64_t>>& chunk_sizes = nullopt, int64_t dim = 0,
                   const optional<std::vector<optional<cuda::Stream>>>& streams = nullopt,
                   bool unsqueeze_scalars = false);
  /// Returns the parts of the only tensor in `inputs`. With `unsqueeze_scalars`, each part is
  /// replaced by its first element along the first dimension. Throws Error unless there is exactly
  /// one input.
  variable_list apply(variable_list&& inputs) const;

  /// Hold the arguments of the constructor.
  ///@{
  std::vector<Device> devices_;
  optional<std::vector<int64_t>> chunk_sizes_;
  int64_t dim_;
  optional<std::vector<optional<cuda::Stream>>> streams_;
  bool unsqueeze_scalars_;
  ///@}
};

/// Joins tensors as cuda::gather does, and is differentiable: `Gather(device).apply(parts)` returns
/// one tensor. The device may be the CPU. If `dim` is 0 and no part has dimensions, the parts
/// become the elements of a vector. The first such call in a process warns.
struct Gather {
  /// Takes the device of the result, and the dimension along which apply() joins the parts. A
  /// negative `dim` counts from the end.
  explicit Gather(const Device& destination_device, int64_t dim = 0);
  /// Returns a list with one element, the joined tensor. Throws Error for an empty list, for inputs
  /// on the CPU, and for sizes that differ in other dimensions than `dim`.
  variable_list apply(variable_list&& inputs) const;

  /// Hold the arguments of the constructor.
  ///@{
  Device destination_device_;
  int64_t dim_;
  ///@}
};

}  // namespace autograd

}  // namespace torch::taper

#pragma GCC visibility pop
