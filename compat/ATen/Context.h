// LibTorch's <ATen/Context.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
