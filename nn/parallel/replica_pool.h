// ReplicaPool: keeps copies of a module on other devices between calls.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <taper/framework/runtime/stream.h>
#include <taper/nn/module.h>
#include <taper/nn/parallel/flat_layout.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn::parallel {

/// Makes a new module like the original. The parameters and buffers of the new module may have any
/// values.
using ModuleFactory = std::function<std::shared_ptr<Module>()>;

/// Holds the replicas of one module. The parameters and buffers of a replica are in flat buffers,
/// so that new values take one copy per dtype. A replica is reused when nobody else uses its
/// module, and no graph that uses it still has to run backward. The pool is thread-safe.
class ReplicaPool {
 public:
  /// Returns a replica of `original` on each device, with its current values and modes. Gradients
  /// of the replicas are summed on the device of the original and go to its parameters. `factory`
  /// makes new replicas. If it is empty, clone() makes them. If a plain member of the original or
  /// of a submodule was changed since the last call, new replicas are made. Throws Error if the
  /// parameters and buffers of a replica differ from those of the original.
  std::vector<std::shared_ptr<Module>> take(const Module& original,
                                            const std::vector<Device>& devices,
                                            const ModuleFactory& factory);
  /// Drops the replicas that nobody else uses.
  void clear();

 private:
  struct Replica {
    bool is_free() const;
    Device device;
    std::shared_ptr<Module> module;
    std::vector<Tensor> tensors;     // its parameters, then its buffers
    std::vector<size_t> use_counts;  // of the tensors when nobody else uses them
    std::vector<Tensor> buffers;     // hold the tensors
    cuda::Stream stream;             // of the last use
  };

  Replica& free_replica(const Module& original, TensorList tensors, Device device,
                        const ModuleFactory& factory, const std::vector<Replica*>& taken);
  std::unique_ptr<Replica> make_replica(const Module& original, TensorList tensors, Device device,
                                        const ModuleFactory& factory) const;
  void send_values(TensorList tensors, const std::vector<Replica*>& replicas) const;
  static std::string all_member_bytes(const Module& original);

  std::mutex mutex_;
  FlatLayout layout_;
  std::string member_bytes_;  // of the original when the replicas were made
  std::vector<std::unique_ptr<Replica>> replicas_;
};

/// Returns the parameters of a module, then its buffers.
std::vector<Tensor> state_tensors(const Module& module);

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
