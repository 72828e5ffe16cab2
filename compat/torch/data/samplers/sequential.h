// LibTorch's <torch/data/samplers/sequential.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
