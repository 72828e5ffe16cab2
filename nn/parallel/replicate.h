// replicate: copies a module to several devices.
#pragma once

#include <memory>
#include <vector>

#include <taper/nn/module_holder.h>
#include <taper/nn/parallel/replica_pool.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::parallel {

namespace detail {
/// Returns the pool of a module. The first call for a module makes its pool.
ReplicaPool& pool_of(const Module& module);
std::vector<std::shared_ptr<Module>> replicate(const Module& module,
                                               const std::vector<Device>& devices,
                                               const ModuleFactory& factory = nullptr);
template <class M>
std::shared_ptr<M> cast_replica(const std::shared_ptr<Module>& module) {
  auto replica = std::dynamic_pointer_cast<M>(module);
  TAPER_CHECK(replica, "replicate: expected replicas of the module's own class, got ",
              module->name());
  return replica;
}
}  // namespace detail

/// Returns a replica of `module` on each of `devices`, which must be CUDA devices. Backward adds
/// the gradients of a replica's parameters to the gradients of `module`. The module must derive
/// from Cloneable, or have its own clone() that makes a deep copy.
///
/// The module keeps its replicas. A replica that nobody else uses is reused, with the current
/// values of the module. If a data member of the module or of a submodule changed, such as an
/// option, new replicas are made. Changes in memory that a member points to, such as an element of
/// a vector or a map, are not detected. After such a change, call forget_replicas().
template <class M>
std::vector<std::shared_ptr<M>> replicate(const std::shared_ptr<M>& module,
                                          const std::vector<Device>& devices) {
  std::vector<std::shared_ptr<M>> replicas;
  for (const auto& replica : detail::replicate(*module, devices))
    replicas.push_back(detail::cast_replica<M>(replica));
  return replicas;
}
/// Returns replicas of the holder's module, each in a holder.
template <class M>
std::vector<ModuleHolder<M>> replicate(const ModuleHolder<M>& module,
                                       const std::vector<Device>& devices) {
  const auto replicas = replicate(module.ptr(), devices);
  return std::vector<ModuleHolder<M>>(replicas.begin(), replicas.end());
}

/// Drops the replicas that `module` keeps.
void forget_replicas(const Module& module);

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
