// LibTorch's <torch/data/samplers/serialize.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
