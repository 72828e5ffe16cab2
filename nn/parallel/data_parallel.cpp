#include <taper/nn/parallel/data_parallel.h>

#include <algorithm>
#include <mutex>
#include <ostream>

#include <taper/framework/random/local_generators.h>
#include <taper/framework/random/random.h>

namespace torch::taper::nn {

namespace parallel::detail {

std::vector<Device> all_devices() {
  TAPER_CHECK(cuda::is_available(), "Expected at least one CUDA device to be available");
  std::vector<Device> devices;
  for (DeviceIndex i = 0; i < cuda::device_count(); ++i) devices.emplace_back(kCUDA, i);
  return devices;
}

std::vector<std::shared_ptr<Module>> modules_on(const std::shared_ptr<Module>& module,
                                                const std::vector<Device>& devices,
                                                const ModuleFactory& factory) {
  const Device first = taper::detail::existing_device(devices.at(0));
  for (const Tensor& t : state_tensors(*module))
    if (t.device() != first) return replicate(*module, devices, factory);
  std::vector<std::shared_ptr<Module>> modules{module};
  const std::vector<Device> others(devices.begin() + 1, devices.end());
  for (auto& replica : replicate(*module, others, factory)) modules.push_back(std::move(replica));
  return modules;
}

namespace {

uint64_t seed_of(const Generator& generator) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.current_seed();
}

}  // namespace

void separate_generators(const std::vector<Device>& devices) {
  std::vector<uint64_t> seeds;
  for (const Device& device : devices) {
    uint64_t seed = seed_of(cuda::default_generator(device.index()));
    if (std::count(seeds.begin(), seeds.end(), seed)) {
      seed = taper::detail::derived_seed(seed, seeds.size());
      const cuda::DeviceGuard guard(device);
      cuda::manual_seed(seed);
    }
    seeds.push_back(seed);
  }
}

}  // namespace parallel::detail

namespace {

std::vector<Device> devices_of(const DataParallelOptions& options) {
  if (!cuda::is_available()) return {};
  if (options.device_ids().empty()) return parallel::detail::all_devices();
  std::vector<Device> devices;
  for (int64_t i : options.device_ids())
    devices.emplace_back(kCUDA, taper::detail::existing_index(i));
  return devices;
}

}  // namespace

DataParallelBase::DataParallelBase(const std::shared_ptr<Module>& module,
                                   DataParallelOptions options_)
    : options(std::move(options_)) {
  TAPER_CHECK(module, "DataParallel: expected a module, got an empty pointer");
  plan_ = {devices_of(options), Device(), options.dim(), options.make_replica()};
  if (plan_.devices.empty()) return;
  const int64_t out = options.output_device().value_or(plan_.devices[0].index());
  if (out != -1) plan_.output_device = Device(kCUDA, taper::detail::existing_index(out));
  if (plan_.devices.size() == 1) module->to(plan_.devices[0]);
}

void DataParallelBase::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::DataParallel";
}

void DataParallelBase::check_place(const Module& module) const {
  for (const Tensor& t : parallel::state_tensors(module))
    TAPER_CHECK(t.device() == plan_.devices[0],
                "module must have its parameters and buffers on device ", plan_.devices[0],
                " (device_ids[0]) but found one of them on device: ", t.device());
}

}  // namespace torch::taper::nn
