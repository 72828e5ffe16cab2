// LibTorch's <torch/csrc/autograd/cpp_hook.h>: what of it programs use comes with
// <taper/extension/autograd.h>.
#pragma once

#include <taper/extension/autograd.h>
