// LibTorch's <torch/csrc/profiler/api.h>.
#pragma once

#include <torch/csrc/profiler/orchestration/observer.h>
