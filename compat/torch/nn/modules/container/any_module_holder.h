// LibTorch's <torch/nn/modules/container/any_module_holder.h>: everything comes with
// <torch/torch.h>.
#pragma once

#include <torch/torch.h>
