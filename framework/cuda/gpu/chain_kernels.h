// Kernels that are compiled at run time, by NVRTC, and kept on disk. Not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include <taper/framework/core/device.h>

namespace torch::taper::cuda {

/// The kernel of a chain's source (chain_source.h) for a device, which stays loaded; null where it
/// cannot be had, which why_not_fused() then tells of. Throws nothing.
cudaKernel_t chain_kernel(const std::string& source, DeviceIndex device);

/// Where the machine code of kernels is kept: $XDG_CACHE_HOME/taper/kernels, or that of ~/.cache;
/// empty where neither is known.
std::string chain_kernels_folder();

/// Loaded kernels are forgotten, as a new process would know none. For tests.
void forget_chain_kernels();

}  // namespace torch::taper::cuda
