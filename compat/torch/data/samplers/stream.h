// LibTorch's <torch/data/samplers/stream.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
