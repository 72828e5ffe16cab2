// LibTorch's <torch/data/worker_exception.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
