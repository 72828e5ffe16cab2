// LibTorch's <torch/serialize/output-archive.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
