// LibTorch's <torch/csrc/autograd/anomaly_mode.h>: what of it programs use comes with
// <torch/torch.h>.
#pragma once

#include <torch/torch.h>
