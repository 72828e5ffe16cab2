// A program's kernels without a GPU.
#pragma once

#include <functional>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Queues `work`, the host's version of the kernel `name`, on the current stream of a simulated
/// device. It may use the tensors' memory: it reads `reads`, and reads and writes `writes`. The
/// race detector and captures see it like Taper's kernels. On CPU tensors it runs at once. `work`
/// may run long after the call, and again in replays, so it must own everything it needs. Throws
/// Error for tensors on several devices, and for tensors on GPUs, whose memory the host cannot
/// reach.
void launch_host(const char* name, std::function<void()> work, TensorList reads, TensorList writes);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
