// Which memory the kernels of simulated devices reach: that of devices, and pinned memory of the
// host. On a GPU any other is an illegal access; here all is host memory, and it must be given
// apart. Not installed.
#pragma once

#include <cstddef>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::simulated {

/// Memory that kernels reach from now on.
void add_reachable(const void* p, size_t nbytes);
/// No longer, for what add_reachable was given of `p`.
void remove_reachable(const void* p) noexcept;
bool is_reachable(const void* p);

}  // namespace torch::taper::simulated
