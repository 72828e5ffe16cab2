// Options of DataParallel.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/options.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

class Module;

/// Configures DataParallel.
struct DataParallelOptions {
  /// The CUDA devices that run the module. The first device holds the module's parameters and
  /// buffers. An empty list means all CUDA devices.
  TAPER_ARG(std::vector<int64_t>, device_ids);
  /// The device of the output: a CUDA device, or -1 for the CPU. By default, it is the first of
  /// device_ids.
  TAPER_ARG(optional<int64_t>, output_device);
  /// The dimension along which inputs are split and outputs joined.
  TAPER_ARG(int64_t, dim) = 0;
  /// A function that makes a module like the wrapped module. The new parameters may have any
  /// values. A module without clone() needs this function.
  TAPER_ARG(std::function<std::shared_ptr<Module>()>, make_replica);
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
