// LibTorch's <ATen/ATen.h>: <torch/torch.h>, the functions that few programs call, and the checks
// of arguments.
#pragma once

#include <ATen/TensorUtils.h>
#include <taper/extension/functions.h>
#include <torch/torch.h>
