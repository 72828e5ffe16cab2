// c10::TensorOptions.
#pragma once

#include <taper/framework/core/options.h>
#include <torch/names.h>
