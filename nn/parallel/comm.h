// Copies between CUDA devices, with LibTorch's and PyTorch's names (torch::cuda, torch.cuda.comm).
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Lists of tensors, one for each device: t[d][i].
using tensor_list2d = std::vector<std::vector<Tensor>>;

/// `tensor` on each of the devices. A CUDA tensor itself is the first result, and its device must
/// be the first. Throws Error when it is not.
std::vector<Tensor> broadcast(const Tensor& tensor, IntArrayRef devices);
/// broadcast of many tensors on devices[0], in few copies: small ones travel together, in buffers
/// of about `buffer_size` bytes. result[d][i] is tensor i on device d; the first row holds the
/// tensors themselves. No history.
tensor_list2d broadcast_coalesced(TensorList tensors, IntArrayRef devices,
                                  size_t buffer_size = 10485760);
/// The sum of tensors of the same sizes, on the device `destination` (-1: the current one).
Tensor reduce_add(TensorList inputs, DeviceIndex destination = -1);
/// result[i] = the sum over d of inputs[d][i], for lists of the same tensors on different devices,
/// in few copies.
std::vector<Tensor> reduce_add_coalesced(const tensor_list2d& inputs, DeviceIndex destination = -1,
                                         size_t buffer_size = 10485760);
/// Splits a tensor of any device along `dim`, as chunk() does or by `chunk_sizes` (positive, one
/// for each device), and copies each part to its device; a part that is there already is a view.
/// With `streams` (one for each device, on that device, or nullopt) the copies run there, and the
/// caller orders what uses them. Differentiable. Throws Error for other sizes and streams.
std::vector<Tensor> scatter(const Tensor& tensor, IntArrayRef devices,
                            const optional<std::vector<int64_t>>& chunk_sizes, int64_t dim,
                            const optional<std::vector<optional<cuda::Stream>>>& streams);
std::vector<Tensor> scatter(const Tensor& tensor, IntArrayRef devices,
                            const optional<std::vector<int64_t>>& chunk_sizes = nullopt,
                            int64_t dim = 0);
/// CUDA tensors joined along `dim` on a device: that of `destination_index`, the current one for
/// nullopt, the CPU for -1. They have the same sizes save along `dim`; the dtype is the first's. No
/// history (see autograd::Gather). Throws Error for no tensors, CPU tensors and other sizes.
Tensor gather(TensorList tensors, int64_t dim, optional<int32_t> destination_index);
Tensor gather(TensorList tensors, int64_t dim);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
