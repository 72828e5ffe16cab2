// c10::Device.
#pragma once

#include <taper/framework/device.h>
#include <torch/names.h>
