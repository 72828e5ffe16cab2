// LibTorch's <ATen/Device.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
