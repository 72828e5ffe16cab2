// Runs a program's own kernels on the host.
#pragma once

#include <functional>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Queues `work`, the host's version of the kernel `name`, on the current stream of a simulated
/// device. If the tensors are on the CPU, runs `work` at once. `work` may read the memory of
/// `reads`, and may read and write the memory of `writes`. The race detector and captures treat
/// `work` like a kernel of Taper. `work` may run long after the call, and again in replays. So it
/// must own everything that it needs. Throws Error for tensors on several devices, and for tensors
/// on GPUs, whose memory the host cannot reach.
void launch_host(const char* name, std::function<void()> work, TensorList reads, TensorList writes);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
