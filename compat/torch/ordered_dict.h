// LibTorch's <torch/ordered_dict.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
