// The architecture for which a kernel was compiled. Not installed.
#pragma once

#include <taper/framework/core/device.h>

namespace torch::taper::cuda {

/// Returns the compute capability, as in 80, for which nvcc compiled the kernel that the device
/// runs. It is below the device's if the driver compiles PTX of an older architecture.
int compiled_architecture(const void* kernel, DeviceIndex device);

}  // namespace torch::taper::cuda
