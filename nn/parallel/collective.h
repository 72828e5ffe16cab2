// Collectives that move the tensors of data-parallel code between devices. If NCCL is installed,
// NCCL moves tensors between GPUs, if it supports them. Otherwise, collectives use peer-to-peer
// copies.
//
// Collectives are stream-ordered on the current streams of the tensors' devices. The host waits
// only if a tensor is on the CPU.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::nn::parallel {

/// Copies `source` into every target. All targets must have the sizes and the dtype of `source`,
/// and may be on any devices. This function is not differentiable.
void broadcast_into(const Tensor& source, TensorList targets);
/// Returns the sum of `parts` as a new tensor on `destination`. `parts` must be one or more tensors
/// of equal sizes, on any devices. This function is differentiable.
Tensor reduce_to(TensorList parts, Device destination);
/// Returns whether NCCL supports these tensors. NCCL supports two or more contiguous, non-empty
/// tensors of equal sizes and dtype, each on a different CUDA device.
bool spans_devices(const std::vector<Tensor>& tensors);

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
