// c10::DeviceGuard and c10::OptionalDeviceGuard, for any kind of device.
#pragma once

#include <taper/extension/device_guard.h>
#include <torch/names.h>

namespace c10 {
using DeviceGuard = taper::OneDeviceGuard;
using OptionalDeviceGuard = taper::AnyDeviceGuard;
}  // namespace c10
