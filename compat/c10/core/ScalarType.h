// c10::ScalarType and its rules.
#pragma once

#include <taper/framework/core/dtype.h>
#include <torch/names.h>
