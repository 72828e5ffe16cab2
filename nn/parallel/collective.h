// Collectives over flat buffers: the one place where data-parallel code moves tensors between
// devices. On GPUs NCCL moves them, where it is installed; else they are copies from peer to peer.
//
// Each is queued on the current streams of the devices it touches: it comes behind what is queued
// there, and what is queued there later comes behind it. The host does not wait, unless one side is
// the host.
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::nn::parallel {

/// Copies `source` into every target: tensors of its sizes and dtype on any devices. No history.
void broadcast_into(const Tensor& source, TensorList targets);
/// The sum of `parts`, at least one tensor of the same sizes on any devices, as a new tensor on
/// `destination`. Differentiable.
Tensor reduce_to(TensorList parts, Device destination);
/// Whether a library of collectives can take these tensors: two or more dense ones, of the same
/// sizes and dtype, each on a CUDA device of its own.
bool spans_devices(const std::vector<Tensor>& tensors);

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
