// Copies between CUDA devices, with the names of LibTorch and PyTorch (torch::cuda,
// torch.cuda.comm).
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Holds a list of tensors for each device: t[d][i] is tensor i on device d.
using tensor_list2d = std::vector<std::vector<Tensor>>;

/// Copies `tensor` to each device. If `tensor` is on a CUDA device, this device must be devices[0],
/// and the first result is `tensor` itself. Otherwise, throws Error.
std::vector<Tensor> broadcast(const Tensor& tensor, IntArrayRef devices);
/// Broadcasts many tensors, which must be on devices[0]. Small tensors are copied together, in
/// buffers of about `buffer_size` bytes. result[d][i] is tensor i on device d, and result[0] holds
/// the given tensors. This function is not differentiable.
tensor_list2d broadcast_coalesced(TensorList tensors, IntArrayRef devices,
                                  size_t buffer_size = 10485760);
/// Returns the sum of tensors of equal sizes, on the device `destination`. -1 means the current
/// device.
Tensor reduce_add(TensorList inputs, DeviceIndex destination = -1);
/// Sums lists of tensors from different devices: result[i] is the sum over d of inputs[d][i]. All
/// lists must have the same number of tensors, with equal sizes and dtypes. Small tensors are
/// copied together.
std::vector<Tensor> reduce_add_coalesced(const tensor_list2d& inputs, DeviceIndex destination = -1,
                                         size_t buffer_size = 10485760);
/// Splits a tensor along `dim` and copies each part to its device. If `chunk_sizes` is given, its
/// numbers are the sizes of the parts: positive numbers, at most one per device. Otherwise, the
/// parts are those of chunk(). A part that is already on its device is a view. If `streams` is
/// given (one per device, or nullopt), the copies run on these streams, and the caller must
/// synchronize. This function is differentiable. Throws Error unless chunk_sizes adds up to the
/// size of `dim`, and for a stream of another device.
std::vector<Tensor> scatter(const Tensor& tensor, IntArrayRef devices,
                            const optional<std::vector<int64_t>>& chunk_sizes, int64_t dim,
                            const optional<std::vector<optional<cuda::Stream>>>& streams);
std::vector<Tensor> scatter(const Tensor& tensor, IntArrayRef devices,
                            const optional<std::vector<int64_t>>& chunk_sizes = nullopt,
                            int64_t dim = 0);
/// Concatenates CUDA tensors along `dim` on the device `destination_index`. nullopt means the
/// current device, and -1 means the CPU. All sizes except that of `dim` must be equal. The result
/// has the dtype of the first tensor. Unlike autograd::Gather, it is not differentiable. Throws
/// Error for an empty list, for CPU tensors and for sizes that differ in other dimensions than
/// `dim`.
Tensor gather(TensorList tensors, int64_t dim, optional<int32_t> destination_index);
Tensor gather(TensorList tensors, int64_t dim);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
