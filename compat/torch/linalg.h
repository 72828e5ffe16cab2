// LibTorch's <torch/linalg.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
