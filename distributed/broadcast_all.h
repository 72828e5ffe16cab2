// Broadcasts of many tensors. Not installed.
#pragma once

#include <vector>

#include <taper/distributed/process_group.h>

namespace torch::taper::distributed::detail {

/// Sets each tensor to the root's. Tensors below 1 MiB of one dtype and device are one broadcast,
/// larger ones are not copied. Ranks must have equal lists. Undefined tensors are skipped.
void broadcast_all(ProcessGroup& group, const std::vector<Tensor>& tensors, int root);

}  // namespace torch::taper::distributed::detail
