// at::TensorArg, and functions that check the tensors of arguments.
#pragma once

#include <ATen/DimVector.h>
#include <c10/util/Exception.h>
#include <taper/extension/tensor_checks.h>
#include <torch/names.h>

#define TORCH_CHECK_TENSOR_ALL(cond, ...) TORCH_CHECK((cond).all().item<bool>(), ##__VA_ARGS__);
