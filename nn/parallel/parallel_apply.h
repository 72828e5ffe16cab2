// parallel_apply: several modules at once, each on a thread of its own.
#pragma once

#include <functional>
#include <vector>

#include <taper/nn/module_holder.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::parallel {

namespace detail {
/// Calls body(i) for each of the devices at once: on a thread each (body(0) on the calling one),
/// with the caller's modes and streams, and the device as the current one. Returns when all have
/// ended. Then the exception of the lowest i, if there is one, is thrown again with the device in
/// its message: as it was for Taper's types, else as an Error with the original nested in it.
void run_on_devices(const std::vector<Device>& devices, const std::function<void(size_t)>& body);
}  // namespace detail

/// modules[i]->forward(inputs[i]) for all i at once, on a thread each. Results are moved to
/// `devices`, or to the devices of the inputs. Throws Error when the numbers of modules, inputs and
/// devices differ, and what a forward() throws (see run_on_devices), when all have ended.
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
