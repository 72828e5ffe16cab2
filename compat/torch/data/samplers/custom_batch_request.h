// LibTorch's <torch/data/samplers/custom_batch_request.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
