#include <taper/nn/parallel/replicate.h>

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
