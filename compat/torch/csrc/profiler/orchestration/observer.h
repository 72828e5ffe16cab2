// LibTorch's <torch/csrc/profiler/orchestration/observer.h>: the configuration of a profiler.
#pragma once

#include <ATen/record_function.h>
#include <taper/utils/profiler/autograd_profiler.h>

namespace torch {
namespace profiler {
namespace impl {
using taper::utils::profiler::libtorch::ActivityType;
using taper::utils::profiler::libtorch::getProfilerConfig;
using taper::utils::profiler::libtorch::ProfilerConfig;
using taper::utils::profiler::libtorch::profilerEnabled;
using taper::utils::profiler::libtorch::ProfilerState;
}  // namespace impl
}  // namespace profiler
}  // namespace torch
