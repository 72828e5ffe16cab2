// The architecture for which a kernel was compiled. Not installed.
#pragma once

#include <taper/framework/core/device.h>

namespace torch::taper::cuda {

/// Returns the compute capability, such as 80, for which nvcc compiled the code of `kernel` that
/// `device` runs. This is lower than the device's own if the driver compiles PTX of an older
/// architecture.
int compiled_architecture(const void* kernel, DeviceIndex device);

}  // namespace torch::taper::cuda
