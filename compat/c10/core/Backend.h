// c10::Backend.
#pragma once

#include <taper/framework/core/options.h>
#include <torch/names.h>
