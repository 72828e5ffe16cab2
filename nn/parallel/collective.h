// Collectives that move the tensors of data-parallel code between devices. If NCCL is installed, it
// moves tensors between GPUs. Otherwise, collectives are peer-to-peer copies.
//
// Collectives are stream-ordered on the current streams of their devices. The host waits only if a
// tensor is on the CPU.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::nn::parallel {

/// Copies `source` into every target. Targets have the sizes and the dtype of the source, and may
/// be on any devices. It is not differentiable.
void broadcast_into(const Tensor& source, TensorList targets);
/// Returns the sum of `parts` as a new tensor on `destination`. Parts are one or more tensors of
/// equal sizes on any devices. It is differentiable.
Tensor reduce_to(TensorList parts, Device destination);
/// Returns whether NCCL supports these tensors. It supports two or more dense tensors of equal
/// sizes and dtype, each on a different CUDA device.
bool spans_devices(const std::vector<Tensor>& tensors);

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
