// LibTorch's <torch/csrc/autograd/InferenceMode.h>: what of it programs use comes with
// <torch/torch.h>.
#pragma once

#include <torch/torch.h>
