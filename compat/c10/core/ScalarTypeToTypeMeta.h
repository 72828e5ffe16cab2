// c10::ScalarType and its rules.
#pragma once

#include <taper/framework/dtype.h>
#include <torch/names.h>
