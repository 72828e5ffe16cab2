// ShardGroup: the parameters of a module that fully_shard() gathers together. Not installed;
// defined in fully_shard.cpp.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include <taper/distributed/fully_shard.h>
#include <taper/framework/autograd/node.h>

namespace torch::taper::distributed::detail {

/// A sharded parameter. The module's tensor holds this rank's rows, or all rows while the parameter
/// is gathered.
struct ShardedParameter {
  Tensor parameter;
  std::vector<int64_t> sizes;  // of the whole parameter
  int64_t rows, row;           // number of all rows, number of elements in one row
  int64_t chunk;               // number of rows of each rank. The last ranks may have fewer
  int64_t at;                  // offset in the flat memory
  Tensor shard;                // a view of the flat memory
  Tensor whole;                // undefined if not gathered
  Tensor gradient;             // of the whole parameter, until it is reduced
  Tensor kept;                 // gradient summed over passes that did not average
  autograd::NodePtr accumulator;
};

class ShardedModule;

/// Parameters of the same dtype and device, which are gathered together.
class ShardGroup : public std::enable_shared_from_this<ShardGroup> {
 public:
  ShardGroup(const std::vector<Tensor>& parameters, const FullyShardOptions& options,
             intrusive_ptr<ProcessGroup> group);
  ~ShardGroup();
  ShardGroup(const ShardGroup&) = delete;
  ShardGroup& operator=(const ShardGroup&) = delete;

  /// Registers hooks on the parameters. A hook runs before a parameter's gradient is accumulated.
  void attach(const std::shared_ptr<ShardedModule>& owner);
  /// Starts to gather the parameters, without waiting.
  void prefetch();
  void gather();
  /// Keeps only this rank's rows.
  void reshard();
  /// Discards the state of a backward pass that has thrown.
  void drop_pass();
  /// Makes the running backward pass set the gradients of all parameters at its end.
  void finish_later();
  Shard shard(const Tensor& parameter) const;
  void set_sync(bool sync) { syncs_ = sync; }
  bool is_whole() const { return whole_; }
  std::shared_ptr<ShardedModule> owner() const { return owner_.lock(); }
  /// Returns the index of the parameter whose gathered memory `t` uses, or -1.
  int64_t number_of(const Tensor& t) const;
  const ShardedParameter& operator[](size_t i) const { return parameters_[i]; }
  size_t size() const { return parameters_.size(); }

 private:
  /// A running gather. It sends the values that this rank's rows had when the gather started.
  struct Gather {
    Tensor own, all;
    int64_t version = 0;
    ProcessGroup::WorkPtr work;
  };
  struct Reduction {
    Tensor in, out;
    ProcessGroup::WorkPtr work;
  };
  void lay_out(const std::vector<Tensor>& parameters);
  void take_back_changes();
  void come_early();
  void take_gradient(size_t i, const Tensor& g);
  ScalarType dtype_of_sums() const;
  void keep_gradients();
  Tensor padded(const ShardedParameter& p, const Tensor& g) const;
  void start_reduction();
  void finish_reductions();
  void end_of_pass();
  void give_out(const Tensor& mean);

  FullyShardOptions options_;
  intrusive_ptr<ProcessGroup> group_;
  std::vector<ShardedParameter> parameters_;
  std::unordered_map<const StorageImpl*, size_t> storages_;
  Tensor flat_;  // this rank's rows
  std::vector<Reduction> reductions_;
  Gather gather_;
  std::weak_ptr<ShardedModule> owner_;
  bool whole_ = false, finishes_ = false, syncs_ = true;
};

}  // namespace torch::taper::distributed::detail
