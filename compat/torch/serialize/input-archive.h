// LibTorch's <torch/serialize/input-archive.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
