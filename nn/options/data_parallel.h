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

/// Which devices a DataParallel module uses.
struct DataParallelOptions {
  /// The CUDA devices; the module's parameters and buffers are on the first. Empty: all devices.
  TAPER_ARG(std::vector<int64_t>, device_ids);
  /// Where the output goes: a CUDA device, or -1 for the CPU. Default: the first of device_ids.
  TAPER_ARG(optional<int64_t>, output_device);
  /// The dimension along which inputs are split and outputs joined.
  TAPER_ARG(int64_t, dim) = 0;
  /// Makes a module like the wrapped one, with any values. Needed for a module that has no clone().
  TAPER_ARG(std::function<std::shared_ptr<Module>()>, make_replica);
};

}  // namespace torch::taper::nn

#pragma GCC visibility pop
