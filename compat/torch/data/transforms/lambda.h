// LibTorch's <torch/data/transforms/lambda.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
