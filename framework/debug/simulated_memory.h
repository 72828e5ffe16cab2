// Tracks the memory that kernels of simulated devices may access: devices' memory, and pinned
// memory of the host. On a GPU, other accesses are illegal. On simulated devices all memory is the
// host's, so only this list tells legal accesses from illegal ones. Not installed.
#pragma once

#include <cstddef>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::simulated {

/// Allows kernels to access `nbytes` bytes at p from now on.
void add_reachable(const void* p, size_t nbytes);
/// Withdraws what add_reachable(p, ...) has allowed.
void remove_reachable(const void* p) noexcept;
bool is_reachable(const void* p);

}  // namespace torch::taper::simulated
