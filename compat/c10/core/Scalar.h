// c10::Scalar.
#pragma once

#include <taper/framework/scalar.h>
#include <torch/names.h>
