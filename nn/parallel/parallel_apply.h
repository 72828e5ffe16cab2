// parallel_apply: runs several modules in parallel, each on a separate thread.
#pragma once

#include <functional>
#include <vector>

#include <taper/nn/module_holder.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::parallel {

namespace detail {
/// Calls body(i) for the indices i of all devices in parallel, with one thread per device. body(0)
/// runs on the calling thread. Each thread has the modes and current streams of the caller. Thread
/// i has devices[i] as its current device. Returns when all calls have ended. If calls throw,
/// rethrows the exception of the lowest i, with the device in the message. The exceptions of
/// framework/core/check.h keep their type. Any other exception is nested in an Error.
void run_on_devices(const std::vector<Device>& devices, const std::function<void(size_t)>& body);
}  // namespace detail

/// Calls modules[i]->forward(inputs[i]) for all i in parallel, with one thread for each i. Result i
/// is moved to devices[i] (default: the device of inputs[i]). Throws Error if the numbers of
/// modules, inputs and devices differ. If a call throws, rethrows its exception when all calls have
/// ended (see run_on_devices).
template <class ModuleType>
std::vector<Tensor> parallel_apply(std::vector<ModuleType>& modules,
                                   const std::vector<Tensor>& inputs,
                                   const optional<std::vector<Device>>& devices = nullopt) {
  TAPER_CHECK(modules.size() == inputs.size(), "Must have as many inputs as modules");
  TAPER_CHECK(!devices || modules.size() == devices->size(),
              "Must have as many devices as modules");
  std::vector<Device> where;
  for (size_t i = 0; i < inputs.size(); ++i)
    where.push_back(devices ? (*devices)[i] : inputs[i].device());
  std::vector<Tensor> outputs(modules.size());
  detail::run_on_devices(where, [&](size_t i) {
    outputs[i] = nn::detail::call_module(*modules[i], inputs[i]).to(where[i]);
  });
  return outputs;
}

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
