// LibTorch's <torch/csrc/autograd/profiler.h>, with what of its two parts, profiler_kineto.h and
// profiler_legacy.h, programs use.
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
