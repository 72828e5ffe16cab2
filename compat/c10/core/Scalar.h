// c10::Scalar.
#pragma once

#include <taper/framework/core/scalar.h>
#include <torch/names.h>
