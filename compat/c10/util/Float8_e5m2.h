// c10::Float8_e5m2, with its arithmetic: in float, each result rounded.
#pragma once

#include <taper/extension/arithmetic16.h>
#include <taper/framework/core/float8.h>
#include <torch/names.h>
