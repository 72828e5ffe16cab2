// LibTorch's <torch/csrc/autograd/profiler.h>: what of it programs use comes with
// <ATen/record_function.h>.
#pragma once

#include <ATen/record_function.h>
