// Broadcasts of many tensors. Not installed.
#pragma once

#include <vector>

#include <taper/distributed/process_group.h>

namespace torch::taper::distributed::detail {

/// Copies the values of each tensor from rank `root` to all ranks. Tensors below 1 MiB of one dtype
/// and device are copied into one buffer and sent by one broadcast. Each larger tensor is sent
/// separately, without this copy. On all ranks, `tensors` must have the same sizes and dtypes in
/// the same order. Undefined tensors are skipped.
void broadcast_all(ProcessGroup& group, const std::vector<Tensor>& tensors, int root);

}  // namespace torch::taper::distributed::detail
