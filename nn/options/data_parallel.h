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
  /// The CUDA devices. The first holds the parameters and buffers of the module. An empty list
  /// means all devices.
  TAPER_ARG(std::vector<int64_t>, device_ids);
  /// The device of the output: a CUDA device, or -1 for the CPU. By default, it is the first of
  /// device_ids.
  TAPER_ARG(optional<int64_t>, output_device);
  /// The dimension along which inputs are split and outputs joined.
  TAPER_ARG(int64_t, dim) = 0;
  /// Makes a module like the wrapped module. Its parameters may have any values. A module without
  /// clone() needs this function.
  TAPER_ARG(std::function<std::shared_ptr<Module>()>, make_replica);
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
