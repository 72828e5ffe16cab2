// LibTorch's <ATen/CPUGeneratorImpl.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
