#include <taper/nn/parallel/data_parallel.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <ostream>
#include <typeinfo>

#include <taper/framework/autograd/node.h>
#include <taper/framework/random/local_generators.h>
#include <taper/framework/random/random.h>
#include <taper/framework/runtime/thread_state.h>
#include <taper/nn/parallel/parallel_apply.h>
#include <taper/nn/parallel/replicate.h>
#include <taper/nn/parallel/worker_threads.h>

// ---------------------------------------------------------------------- data_parallel
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

// ---------------------------------------------------------------------- replicate
namespace torch::taper::nn::parallel {

namespace detail {

ReplicaPool& pool_of(const Module& module) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  auto& pool = module.replicas_.pool;
  if (!pool) pool = std::make_shared<ReplicaPool>();
  return *pool;
}

std::vector<std::shared_ptr<Module>> replicate(const Module& module,
                                               const std::vector<Device>& devices,
                                               const ModuleFactory& factory) {
  std::vector<Device> existing;
  for (const Device& d : devices) {
    TAPER_CHECK(d.is_cuda(), "replicate: expected CUDA devices, got ", d);
    existing.push_back(taper::detail::existing_device(d));
  }
  return pool_of(module).take(module, existing, factory);
}

}  // namespace detail

void forget_replicas(const Module& module) { detail::pool_of(module).clear(); }

}  // namespace torch::taper::nn::parallel

// ---------------------------------------------------------------------- parallel_apply
namespace torch::taper::nn::parallel::detail {

namespace {

template <class E>
void throw_if_is(const Error& e, const std::string& text) {
  if (typeid(e) == typeid(E)) throw E(text);
}

[[noreturn]] void rethrow_with_place(const std::exception_ptr& error, size_t i, Device device) {
  const std::string place = taper::detail::concat(" (in replica ", i, " on ", device, ")");
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    const std::string text = e.what() + place;
    throw_if_is<Error>(e, text);
    throw_if_is<IndexError>(e, text);
    throw_if_is<ValueError>(e, text);
    throw_if_is<TypeError>(e, text);
    throw_if_is<NotImplementedError>(e, text);
    throw_if_is<LinAlgError>(e, text);
    throw_if_is<OutOfMemoryError>(e, text);
    std::throw_with_nested(Error(text));
  } catch (const std::exception& e) {
    std::throw_with_nested(Error(e.what() + place));
  } catch (...) {
    std::throw_with_nested(Error("an exception of unknown type" + place));
  }
}

}  // namespace

void run_on_devices(const std::vector<Device>& devices, const std::function<void(size_t)>& body) {
  const ThreadState callers;
  const uint64_t sequence_nr = autograd::next_sequence_nr();
  std::vector<std::exception_ptr> errors(devices.size());
  run_on_threads(devices.size(), [&](size_t i) {
    try {
      const ThreadStateGuard state(callers);
      const cuda::OptionalDeviceGuard device(devices[i]);
      // One thread runs backward. It alternates between the nodes of the replicas, so that no
      // device waits until another has received all its work.
      if (i > 0) autograd::set_next_sequence_nr(sequence_nr);
      body(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (size_t i = 0; i < errors.size(); ++i)
    if (errors[i]) rethrow_with_place(errors[i], i, devices[i]);
}

}  // namespace torch::taper::nn::parallel::detail
