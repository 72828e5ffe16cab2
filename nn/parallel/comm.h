// Copies between CUDA devices, with the names of LibTorch and PyTorch (torch::cuda,
// torch.cuda.comm).
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Holds a list of tensors for each device: t[d][i].
using tensor_list2d = std::vector<std::vector<Tensor>>;

/// Copies `tensor` to each device. The first result of a CUDA tensor is the tensor itself, and its
/// device must come first. Throws Error otherwise.
std::vector<Tensor> broadcast(const Tensor& tensor, IntArrayRef devices);
/// Broadcasts many tensors from devices[0]. Small tensors are copied together, in buffers of about
/// `buffer_size` bytes. result[d][i] is tensor i on device d, and result[0] holds the given
/// tensors. Not differentiable.
tensor_list2d broadcast_coalesced(TensorList tensors, IntArrayRef devices,
                                  size_t buffer_size = 10485760);
/// Returns the sum of tensors of equal sizes, on the device `destination` (-1: the current device).
Tensor reduce_add(TensorList inputs, DeviceIndex destination = -1);
/// Sums lists of tensors from different devices: result[i] is the sum over d of inputs[d][i]. All
/// lists have equal sizes and dtypes. Small tensors are copied together.
std::vector<Tensor> reduce_add_coalesced(const tensor_list2d& inputs, DeviceIndex destination = -1,
                                         size_t buffer_size = 10485760);
/// Splits a tensor along `dim` and copies each part to its device. The sizes are those of chunk(),
/// or `chunk_sizes` (positive, at most one per device). A part that is already on its device is a
/// view. With `streams` (one per device, or nullopt), the copies run on these streams, and the
/// caller must synchronize. Differentiable. Throws Error for other sizes and streams.
std::vector<Tensor> scatter(const Tensor& tensor, IntArrayRef devices,
                            const optional<std::vector<int64_t>>& chunk_sizes, int64_t dim,
                            const optional<std::vector<optional<cuda::Stream>>>& streams);
std::vector<Tensor> scatter(const Tensor& tensor, IntArrayRef devices,
                            const optional<std::vector<int64_t>>& chunk_sizes = nullopt,
                            int64_t dim = 0);
/// Concatenates CUDA tensors along `dim` on the device `destination_index`: the current device for
/// nullopt, the CPU for -1. All sizes but that of `dim` must be equal. The result has the dtype of
/// the first tensor. Not differentiable, unlike autograd::Gather. Throws Error for no tensors, CPU
/// tensors and other sizes.
Tensor gather(TensorList tensors, int64_t dim, optional<int32_t> destination_index);
Tensor gather(TensorList tensors, int64_t dim);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
