// c10::TensorOptions.
#pragma once

#include <taper/framework/options.h>
#include <torch/names.h>
