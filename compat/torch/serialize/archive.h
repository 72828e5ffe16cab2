// LibTorch's <torch/serialize/archive.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
