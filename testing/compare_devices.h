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
  /// Whether gradients are compared, too. They are computed by backward from random cotangents.
  TAPER_ARG(bool, gradients) = true;
  /// Seed of the cotangents.
  TAPER_ARG(uint64_t, seed) = 1;
};

/// Calls fn on copies of `inputs` on each device and runs backward from equal cotangents. Compares
/// all outputs, and the gradients of the inputs that require gradients, with those of the first
/// device. Outputs must be on the device of the inputs. Throws ValueError for fewer than two
/// devices, and for a device that does not exist. (TAPER_SIMULATED_CUDA_DEVICES=1 provides cuda:0.)
Verdict compare_devices(const TensorFunction& fn, const std::vector<Tensor>& inputs,
                        const std::vector<Device>& devices,
                        const CompareDevicesOptions& options = {});

/// Calls a module.
using ModuleFunction =
    std::function<std::vector<Tensor>(nn::Module& module, const std::vector<Tensor>& inputs)>;
/// Compares a module, which must derive from Cloneable. A clone runs on each device, and the
/// gradients of its parameters are compared too, by name. The module itself is not changed.
Verdict compare_devices(const nn::Module& module, const ModuleFunction& call,
                        const std::vector<Tensor>& inputs, const std::vector<Device>& devices,
                        const CompareDevicesOptions& options = {});

}  // namespace torch::taper::testing
