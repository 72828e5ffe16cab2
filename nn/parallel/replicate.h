// replicate: a module on several devices.
#pragma once

#include <memory>
#include <vector>

#include <taper/nn/module_holder.h>
#include <taper/nn/parallel/replica_pool.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::parallel {

namespace detail {
/// The pool of a module, made on first use.
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

/// A replica of `module` on each of the CUDA devices. Gradients of a replica's parameters go to the
/// module's. The module derives from Cloneable, or has a clone() that makes a deep copy.
///
/// Replicas are kept by the module and given out again, with its values of then, once nobody holds
/// them any more. Where a member of its own or of a module below it was changed (an option, a
/// number of a schedule), new ones are made, copies of what it is now. Not seen is a change behind
/// a pointer (an element of a vector, a map): call forget_replicas() after it.
template <class M>
std::vector<std::shared_ptr<M>> replicate(const std::shared_ptr<M>& module,
                                          const std::vector<Device>& devices) {
  std::vector<std::shared_ptr<M>> replicas;
  for (const auto& replica : detail::replicate(*module, devices))
    replicas.push_back(detail::cast_replica<M>(replica));
  return replicas;
}
/// The same for a holder.
template <class M>
std::vector<ModuleHolder<M>> replicate(const ModuleHolder<M>& module,
                                       const std::vector<Device>& devices) {
  const auto replicas = replicate(module.ptr(), devices);
  return std::vector<ModuleHolder<M>>(replicas.begin(), replicas.end());
}

/// Drops the replicas that the module keeps.
void forget_replicas(const Module& module);

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
