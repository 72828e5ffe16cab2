// Kernels that captures of GPUs compile: one instead of several consecutive pointwise kernels
// (docs/compiled_steps.md).
//
//   #include <taper/framework/fusion/fused_kernels.h>
#pragma once

#include <cstdint>
#include <string>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Get and set whether captures of GPUs fuse consecutive pointwise kernels. They compile with
/// NVRTC, and cache the results in $XDG_CACHE_HOME/taper/kernels (or ~/.cache/taper/kernels). True
/// by default. A change applies to captures that begin after it. Replays give equal bits either
/// way.
///@{
bool fuses_pointwise();
void set_fuses_pointwise(bool fuses);
///@}
/// Returns why the last fused kernel of a capture could not be compiled, so that its pointwise
/// kernels run separately: no NVRTC of this build's version, or an error of NVRTC or CUDA. Empty if
/// nothing failed.
std::string why_not_fused();
/// Returns the number of fused kernels that the process has put into graphs.
uint64_t fused_kernels();

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
