// at::TensorGeometry.
#pragma once

#include <taper/extension/tensor_checks.h>
#include <torch/names.h>
