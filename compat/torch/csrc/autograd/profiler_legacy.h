// LibTorch's <torch/csrc/autograd/profiler_legacy.h>.
#pragma once

#include <torch/csrc/autograd/profiler.h>
