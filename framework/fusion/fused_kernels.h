// Fused kernels: captures on GPUs compile one kernel for several consecutive pointwise kernels
// (docs/compiled_steps.md).
//
//   #include <taper/framework/fusion/fused_kernels.h>
#pragma once

#include <cstdint>
#include <string>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Get and set whether captures on GPUs fuse consecutive pointwise kernels. True by default. Fused
/// kernels are compiled with NVRTC and cached in $XDG_CACHE_HOME/taper/kernels (or
/// ~/.cache/taper/kernels). A change applies to captures that begin after it. Replays with and
/// without fused kernels give equal bits.
///@{
bool fuses_pointwise();
void set_fuses_pointwise(bool fuses);
///@}
/// Returns why a fused kernel could not be compiled, so that its pointwise kernels run separately.
/// The reason is the last one: no NVRTC of this build's version, or an error of NVRTC or CUDA.
/// Empty if nothing failed.
std::string why_not_fused();
/// Returns the number of fused kernels in all graphs that the process has captured.
uint64_t fused_kernels();

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
