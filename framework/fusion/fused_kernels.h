// Kernels that captures of GPUs have made: one in place of several pointwise ones that follow each
// other (docs/devices.md, "Captured steps").
//
//   #include <taper/framework/fusion/fused_kernels.h>
#pragma once

#include <cstdint>
#include <string>

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Whether captures of GPUs make one kernel of pointwise kernels that follow each other, by NVRTC,
/// which keeps what it has compiled in $XDG_CACHE_HOME/taper/kernels (or ~/.cache/taper/kernels).
/// The default is true; a change counts for the captures that begin after it. Replays give the same
/// bits either way.
///@{
bool fuses_pointwise();
void set_fuses_pointwise(bool fuses);
///@}
/// Why the last kernel that a capture wanted could not be had, so that its parts run one by one: no
/// NVRTC of the version of this build, an error of it or of CUDA. Empty where nothing was missing.
std::string why_not_fused();
/// How many such kernels the process has put into graphs.
uint64_t fused_kernels();

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
