// LibTorch's <torch/csrc/autograd/input_metadata.h>: what of it programs use comes with
// <torch/csrc/autograd/function.h>.
#pragma once

#include <torch/csrc/autograd/function.h>
