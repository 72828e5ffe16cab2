// c10::Device.
#pragma once

#include <taper/framework/core/device.h>
#include <torch/names.h>
