// c10::DeviceType.
#pragma once

#include <taper/framework/core/device.h>
#include <torch/names.h>
