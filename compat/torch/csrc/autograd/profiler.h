// LibTorch's <torch/csrc/autograd/profiler.h>, with the names that programs use from
// profiler_kineto.h and profiler_legacy.h.
#pragma once

#include <torch/csrc/profiler/api.h>

namespace torch {
namespace autograd {
namespace profiler {
using namespace taper::utils::profiler::libtorch;
using EventKind = taper::utils::profiler::libtorch::LegacyEventKind;
}  // namespace profiler
}  // namespace autograd
}  // namespace torch
