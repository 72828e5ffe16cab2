// The same function on several devices: outputs and gradients must agree.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/nn/module.h>
#include <taper/testing/compare.h>
#include <taper/testing/function.h>

namespace torch::taper::testing {

/// What compare_devices compares, and how closely.
struct CompareDevicesOptions {
  /// For outputs and gradients; {-1, -1}: the default of each tensor's dtype.
  TAPER_ARG(Tolerance, tolerance) = Tolerance{-1, -1};
  /// Whether gradients are compared, by backward from random cotangents.
  TAPER_ARG(bool, gradients) = true;
  /// Of the cotangents.
  TAPER_ARG(uint64_t, seed) = 1;
};

/// Calls fn on copies of `inputs` on each device, runs backward from the same cotangents, and
/// compares all outputs and the gradients of the inputs that require one with those of the first
/// device. Outputs must be on the device of the inputs. Throws ValueError for fewer than two
/// devices and for one that is not there (TAPER_SIMULATED_CUDA_DEVICES=1 makes cuda:0 real to the
/// program).
Verdict compare_devices(const TensorFunction& fn, const std::vector<Tensor>& inputs,
                        const std::vector<Device>& devices,
                        const CompareDevicesOptions& options = {});

/// How a module is called.
using ModuleFunction =
    std::function<std::vector<Tensor>(nn::Module& module, const std::vector<Tensor>& inputs)>;
/// The same for a module (which must derive from Cloneable): a clone runs on each device, and the
/// gradients of its parameters are compared too, by name. The module itself stays as it was.
Verdict compare_devices(const nn::Module& module, const ModuleFunction& call,
                        const std::vector<Tensor>& inputs, const std::vector<Device>& devices,
                        const CompareDevicesOptions& options = {});

}  // namespace torch::taper::testing
