// Kernels that NVRTC compiles at run time, cached on disk. Not installed.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include <taper/framework/core/device.h>

namespace torch::taper::cuda {

/// Returns the kernel of a chain's source (chain_source.h) for a device. The kernel stays loaded.
/// If the kernel is not available, returns null, and why_not_fused() returns the reason. Does not
/// throw.
cudaKernel_t chain_kernel(const std::string& source, DeviceIndex device);

/// Returns the folder of cached machine code: $XDG_CACHE_HOME/taper/kernels, or
/// ~/.cache/taper/kernels if that variable is not set. Returns "" if neither XDG_CACHE_HOME nor
/// HOME is an absolute path.
std::string chain_kernels_folder();

/// Forgets loaded kernels, so that chain_kernel() reads them from disk or compiles them again. For
/// tests.
void forget_chain_kernels();

}  // namespace torch::taper::cuda
