// The architecture for which a kernel was compiled. Not installed.
#pragma once

#include <taper/framework/core/device.h>

namespace torch::taper::cuda {

/// Returns the compute capability that `kernel` was compiled for, such as 80, in the code that
/// `device` runs. It is lower than the device's own if the driver compiles PTX of an older
/// architecture.
int compiled_architecture(const void* kernel, DeviceIndex device);

}  // namespace torch::taper::cuda
