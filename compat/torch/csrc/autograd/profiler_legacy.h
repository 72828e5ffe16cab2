// LibTorch's <torch/csrc/autograd/profiler_legacy.h>: what of it programs use comes with
// <ATen/record_function.h>.
#pragma once

#include <ATen/record_function.h>
