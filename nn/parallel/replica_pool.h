// ReplicaPool: copies of a module on other devices, kept from call to call.
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

/// Makes a module like the original, with any values.
using ModuleFactory = std::function<std::shared_ptr<Module>()>;

/// The replicas of one module. A replica's parameters and buffers lie in flat buffers, so that new
/// values come in one copy for each dtype. It is given out again when nobody outside holds it: not
/// the module, and no graph that has yet to run backward. May be called from any thread.
class ReplicaPool {
 public:
  /// A replica of `original` on each device, with its values, its modes and edges to its
  /// parameters: gradients of replicas are added up on the original's device. `factory` may be
  /// empty: then clone() makes new replicas. Where a plain member of the original or of a module
  /// below it was changed since the last call, new replicas are made. Throws Error when what they
  /// make has other parameters and buffers than the original.
  std::vector<std::shared_ptr<Module>> take(const Module& original,
                                            const std::vector<Device>& devices,
                                            const ModuleFactory& factory);
  /// Drops the replicas that nobody else holds.
  void clear();

 private:
  struct Replica {
    bool is_free() const;
    Device device;
    std::shared_ptr<Module> module;
    std::vector<Tensor> tensors;     // its parameters, then its buffers
    std::vector<size_t> use_counts;  // of the tensors, when nobody else has them
    std::vector<Tensor> buffers;     // what they lie in
    cuda::Stream stream;             // where it was used last
  };

  Replica& free_replica(const Module& original, TensorList tensors, Device device,
                        const ModuleFactory& factory, const std::vector<Replica*>& taken);
  std::unique_ptr<Replica> make_replica(const Module& original, TensorList tensors, Device device,
                                        const ModuleFactory& factory) const;
  void send_values(TensorList tensors, const std::vector<Replica*>& replicas) const;
  static std::string all_member_bytes(const Module& original);

  std::mutex mutex_;
  FlatLayout layout_;
  std::string member_bytes_;  // the original's, as the replicas have copied them
  std::vector<std::unique_ptr<Replica>> replicas_;
};

/// The parameters of a module, then its buffers.
std::vector<Tensor> state_tensors(const Module& module);

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
