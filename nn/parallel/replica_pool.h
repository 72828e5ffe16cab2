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

/// A function that returns a new module with the structure of the original. The parameters and
/// buffers of the new module may have any values.
using ModuleFactory = std::function<std::shared_ptr<Module>()>;

/// Holds the replicas of one module. The parameters and buffers of a replica are in flat buffers,
/// so that copying new values to a replica takes one copy per dtype. A replica is reused if neither
/// the program nor a graph holds its module or tensors. The pool is thread-safe.
class ReplicaPool {
 public:
  /// Returns a replica of `original` on each device, with the current values and modes of
  /// `original`. Backward sums the gradients of the replicas on the device of `original`, and adds
  /// the sums to the gradients of its parameters. `factory` makes new replicas. If `factory` is
  /// empty, clone() makes new replicas. If sizes, dtypes or a plain data member of `original` or
  /// its submodules changed since the last call, all replicas are made again. Throws Error if the
  /// names or sizes of a replica's parameters and buffers differ from those of `original`.
  std::vector<std::shared_ptr<Module>> take(const Module& original,
                                            const std::vector<Device>& devices,
                                            const ModuleFactory& factory);
  /// Drops all replicas. A replica that a program still uses stays valid.
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
