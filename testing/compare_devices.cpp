#include <taper/testing/compare_devices.h>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/runtime/devices.h>
#include <taper/testing/problem.h>

namespace torch::taper::testing {

using taper::detail::concat;

namespace {

void check_devices(const std::vector<Device>& devices) {
  TAPER_CHECK_VALUE(devices.size() >= 2, "compare_devices: expected at least two devices, got ",
                    devices.size());
  for (const Device& d : devices) {
    if (d.is_cpu()) continue;
    const auto count = static_cast<int64_t>(cuda::device_count());
    TAPER_CHECK_VALUE(count > 0 && d.index() < count,
                      "compare_devices: expected devices that are "
                      "there, got ",
                      d, " of ", count,
                      " CUDA devices (TAPER_SIMULATED_CUDA_DEVICES=N in the environment gives N)");
  }
}

std::vector<Tensor> copies_on(const Device& device, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> list;
  for (const Tensor& x : inputs) {
    if (!x.defined()) {
      list.emplace_back();
      continue;
    }
    const NoGradGuard no_grad;
    list.push_back(x.detach().to(device, false, true));
    list.back().set_requires_grad(x.requires_grad());
  }
  return list;
}

/// Holds the named results of one device: outputs, then gradients.
struct Run {
  NamedTensors results;
  std::vector<std::string> elsewhere;
};

void add_outputs(Run& run, const std::vector<Tensor>& outputs, const Device& device) {
  for (size_t k = 0; k < outputs.size(); ++k) {
    run.results.emplace_back(concat("output ", k), outputs[k]);
    if (!outputs[k].defined()) continue;
    const Device got = outputs[k].device();
    if (got.type() != device.type() || (device.has_index() && got.index() != device.index()))
      run.elsewhere.push_back(concat("output ", k, " is on ", got, " for inputs on ", device));
  }
}

/// Adds the gradients of `leaves`. The cotangents are equal on every device.
void add_gradients(Run& run, const std::vector<Tensor>& outputs, const NamedTensors& leaves,
                   uint64_t seed) {
  const std::vector<Tensor> of = impl::recorded_of(outputs);
  std::vector<Tensor> with;
  for (const auto& leaf : leaves) with.push_back(leaf.second);
  if (of.empty() || with.empty()) return;
  const auto g = autograd::grad(of, with, impl::cotangents_for(of, seed), nullopt, false, true);
  for (size_t k = 0; k < g.size(); ++k)
    run.results.emplace_back("gradient of " + leaves[k].first, g[k]);
}

NamedTensors wanted_of(const std::vector<Tensor>& inputs) {
  NamedTensors list;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].defined() && inputs[i].requires_grad())
      list.emplace_back(concat("input ", i), inputs[i]);
  return list;
}

void compare_runs(Verdict& verdict, const Run& got, const Run& want, const Device& device,
                  const Device& reference, const CompareDevicesOptions& options) {
  for (const std::string& text : got.elsewhere) verdict.failures.push_back(text);
  if (got.results.size() != want.results.size()) {
    verdict.failures.push_back(concat("expected ", want.results.size(), " results on ", device,
                                      " as on ", reference, ", got ", got.results.size()));
    return;
  }
  for (size_t k = 0; k < want.results.size(); ++k) {
    const Tensor &g = got.results[k].second, &w = want.results[k].second;
    const std::string d =
        options.tolerance().atol < 0 ? difference(g, w) : difference(g, w, options.tolerance());
    if (!d.empty())
      verdict.failures.push_back(
          concat(want.results[k].first, " on ", device, " (want: ", reference, "): ", d));
  }
}

template <class RunOn>
Verdict compare_all(const std::vector<Device>& devices, const CompareDevicesOptions& options,
                    const RunOn& run_on) {
  check_devices(devices);
  const AutoGradMode on(true);
  Verdict verdict;
  const Run want = run_on(devices[0]);
  for (const std::string& text : want.elsewhere) verdict.failures.push_back(text);
  for (size_t k = 1; k < devices.size(); ++k)
    compare_runs(verdict, run_on(devices[k]), want, devices[k], devices[0], options);
  return verdict;
}

}  // namespace

Verdict compare_devices(const TensorFunction& fn, const std::vector<Tensor>& inputs,
                        const std::vector<Device>& devices, const CompareDevicesOptions& options) {
  return compare_all(devices, options, [&](const Device& device) {
    Run run;
    const std::vector<Tensor> copies = copies_on(device, inputs), outputs = fn(copies);
    add_outputs(run, outputs, device);
    if (options.gradients()) add_gradients(run, outputs, wanted_of(copies), options.seed());
    return run;
  });
}

Verdict compare_devices(const nn::Module& module, const ModuleFunction& call,
                        const std::vector<Tensor>& inputs, const std::vector<Device>& devices,
                        const CompareDevicesOptions& options) {
  return compare_all(devices, options, [&](const Device& device) {
    Run run;
    const std::shared_ptr<nn::Module> clone = module.clone(device);
    clone->train(module.is_training());
    const std::vector<Tensor> copies = copies_on(device, inputs), outputs = call(*clone, copies);
    add_outputs(run, outputs, device);
    NamedTensors leaves = wanted_of(copies);
    for (const auto& item : clone->named_parameters())
      if (item.value().requires_grad())
        leaves.emplace_back("parameter '" + item.key() + "'", item.value());
    if (options.gradients()) add_gradients(run, outputs, leaves, options.seed());
    return run;
  });
}

}  // namespace torch::taper::testing
