// c10::DeviceGuard and c10::OptionalDeviceGuard, for any kind of device.
#pragma once

#include <c10/cuda/CUDAGuard.h>
#include <taper/extension/device_guard.h>
