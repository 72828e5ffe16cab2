// Compares a function's outputs and gradients on several devices.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/nn/module.h>
#include <taper/testing/compare.h>
#include <taper/testing/function.h>

namespace torch::taper::testing {

/// Options of compare_devices.
struct CompareDevicesOptions {
  /// Tolerance of outputs and gradients. {-1, -1} means the default of each tensor's dtype.
  TAPER_ARG(Tolerance, tolerance) = Tolerance{-1, -1};
  /// Whether gradients are compared, too. A backward pass from random cotangents computes them.
  TAPER_ARG(bool, gradients) = true;
  /// Seed of the cotangents.
  TAPER_ARG(uint64_t, seed) = 1;
};

/// Calls fn with copies of `inputs` on each device. Runs backward from cotangents that are equal on
/// all devices. Compares the outputs, and the gradients of the inputs that require gradients, with
/// the results on devices[0]. It is a failure if an output is on another device than the inputs.
/// Throws ValueError if `devices` has fewer than two devices, or a device that does not exist.
/// (TAPER_SIMULATED_CUDA_DEVICES=1 provides cuda:0.)
Verdict compare_devices(const TensorFunction& fn, const std::vector<Tensor>& inputs,
                        const std::vector<Device>& devices,
                        const CompareDevicesOptions& options = {});

/// A function that calls `module` with `inputs` and returns the outputs.
using ModuleFunction =
    std::function<std::vector<Tensor>(nn::Module& module, const std::vector<Tensor>& inputs)>;
/// Compares the calls of a module on several devices. The module must derive from Cloneable. `call`
/// gets a clone of the module on each device. The gradients of the clones' parameters are compared,
/// too. The module itself is not changed.
Verdict compare_devices(const nn::Module& module, const ModuleFunction& call,
                        const std::vector<Tensor>& inputs, const std::vector<Device>& devices,
                        const CompareDevicesOptions& options = {});

}  // namespace torch::taper::testing
