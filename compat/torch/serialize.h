// LibTorch's <torch/serialize.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
