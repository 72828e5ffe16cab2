// LibTorch's <torch/csrc/autograd/profiler_kineto.h>.
#pragma once

#include <torch/csrc/autograd/profiler.h>
