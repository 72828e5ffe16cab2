// c10::DeviceType.
#pragma once

#include <taper/framework/device.h>
#include <torch/names.h>
