// A program's own kernels where there is no GPU.
#pragma once

#include <functional>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Queues `work`, the host's version of the kernel `name`, on the current stream of a simulated
/// device, where it may use the memory of the tensors: it reads `reads`, and reads and writes
/// `writes`. The race detector and captures see it as they see Taper's kernels. Tensors of the CPU
/// are worked on at once. `work` may run when the call is long over, and again in replays: it owns
/// what it needs. Throws Error for tensors of several devices, and of GPUs, whose memory the host
/// cannot reach.
void launch_host(const char* name, std::function<void()> work, TensorList reads, TensorList writes);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
