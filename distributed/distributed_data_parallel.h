// DistributedDataParallel: each process of a group has a copy of a module, and trains the copy on
// its part of each batch.
//
//   distributed::init_process_group("gloo");
//   nn::parallel::DistributedDataParallel net(Net());
//   Tensor loss = criterion(net(x), y);  // x, y: this rank's part of the batch
//   loss.backward();                     // gradients are the means over all ranks
//   optimizer.step();
#pragma once

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <taper/distributed/init.h>
#include <taper/distributed/reducer.h>
#include <taper/framework/core/arg.h>
#include <taper/nn/parallel/data_parallel.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {
class ZeroRedundancyOptimizer;
}
namespace torch::taper::distributed::detail {
class Join;
}

namespace torch::taper::nn::parallel {

/// Options of a DistributedDataParallel.
struct DistributedDataParallelOptions {
  using Group = intrusive_ptr<distributed::ProcessGroup>;  ///< a process group
  /// The process group. By default, it is the default group.
  TAPER_ARG(Group, process_group);
  /// Whether rank 0's buffers are copied to all ranks before each forward pass in training.
  TAPER_ARG(bool, broadcast_buffers) = true;
  /// The approximate size of a bucket in MiB. The gradients of a bucket are reduced together.
  TAPER_ARG(double, bucket_cap_mb) = 25;
  /// Whether a forward pass may leave some parameters unused. If true, each pass traverses the
  /// graph to find them.
  TAPER_ARG(bool, find_unused_parameters) = false;
  /// Whether each pass uses each parameter as often as the first pass does. The first pass then
  /// counts the gradients of each parameter, and reduces all gradients at its end. Later passes use
  /// these counts. Parameters may be unused, or used in several activation checkpoints.
  TAPER_ARG(bool, static_graph) = false;
  /// Whether gradients (`.grad`) are views of the buckets. This saves the memory of a second copy.
  /// The next backward pass then overwrites the gradients.
  TAPER_ARG(bool, gradient_as_bucket_view) = false;
};

/// Options of DistributedDataParallel::join().
struct JoinOptions {
  /// A list of optimizers.
  using Optimizers = std::vector<optim::ZeroRedundancyOptimizer*>;
  /// Whether sums of gradients are divided by the number of all ranks. If false, they are divided
  /// by the number of ranks that still have inputs.
  TAPER_ARG(bool, divide_by_initial_world_size) = true;
  /// Whether all ranks throw Error when one rank has no more inputs.
  TAPER_ARG(bool, throw_on_early_termination) = false;
  /// The optimizers whose step() the loop calls. A rank without inputs then also updates its part
  /// of the parameters, with the gradients and options of the other ranks. All ranks must list the
  /// optimizers in the same order.
  TAPER_ARG(Optimizers, optimizers);
};

namespace detail {

/// The part of DistributedDataParallel that does not depend on the module's type.
class DistributedModule {
 public:
  DistributedModule(std::shared_ptr<Module> module, const DistributedDataParallelOptions& options);
  void before_forward();
  void after_forward(const std::vector<Tensor>& outputs);
  void set_sync(bool sync) { sync_ = sync; }
  bool syncs() const { return sync_; }
  distributed::Reducer& reducer() { return *reducer_; }
  void begin_join(const JoinOptions& options);
  void end_join();
  /// Runs the collective operations of the ranks that still have inputs, until no rank has inputs.
  void shadow_others();
  void average_gradients();

 private:
  void check_alike();
  void broadcast(const std::vector<Tensor>& tensors, int root);
  bool sends_buffers() const;
  void check_not_captured() const;
  void follow(int with_inputs, int root);
  void tell_forward(bool averages);
  void shadow_forward(int64_t averages, int64_t sends_buffers, int64_t takes_order);
  std::shared_ptr<Module> module_;
  DistributedDataParallelOptions options_;
  intrusive_ptr<distributed::ProcessGroup> group_;
  std::shared_ptr<distributed::Reducer> reducer_;
  bool sync_ = true;
  JoinOptions join_options_;
  std::shared_ptr<distributed::detail::Join> join_;  // null outside join()
  int root_ = 0;                                     // lowest rank that has inputs
};

inline void add_tensors(std::vector<Tensor>& all, const Tensor& t) { all.push_back(t); }
inline void add_tensors(std::vector<Tensor>& all, const std::vector<Tensor>& list) {
  all.insert(all.end(), list.begin(), list.end());
}
template <class... T>
void add_tensors(std::vector<Tensor>& all, const std::tuple<T...>& list) {
  std::apply([&](const auto&... t) { (add_tensors(all, t), ...); }, list);
}
template <class T>
void add_tensors(std::vector<Tensor>&, const T&) {}

}  // namespace detail

/// Wraps a module. The constructor compares names, sizes and dtypes of parameters and buffers over
/// all ranks. If they differ, it throws Error, which names a rank and a parameter. Otherwise, it
/// copies the values of rank 0 to all ranks. Each backward pass averages the gradients over the
/// ranks. It reduces the gradients in buckets while the pass runs. Buckets follow the order in
/// which the first pass computed the gradients. All ranks must run the same number of passes.
template <class M>
class DistributedDataParallel {
 public:
  /// Wraps the module of a holder or a shared_ptr. The module must already be on its device.
  template <class Module>
  explicit DistributedDataParallel(const Module& module,
                                   const DistributedDataParallelOptions& options = {})
      : module_(detail::pointer_of(module)),
        distributed_(std::make_shared<detail::DistributedModule>(module_, options)) {}

  /// Returns the module's output.
  template <class... Args>
  auto forward(Args&&... args) {
    distributed_->before_forward();
    auto y = nn::detail::call_module(*module_, std::forward<Args>(args)...);
    std::vector<Tensor> outputs;
    detail::add_tensors(outputs, y);
    distributed_->after_forward(outputs);
    return y;
  }
  /// Calls forward().
  template <class... Args>
  auto operator()(Args&&... args) {
    return forward(std::forward<Args>(args)...);
  }

  /// While a NoSync exists, each rank accumulates gradients separately. The first backward pass
  /// after its destruction averages the accumulated gradients.
  class NoSync {
   public:
    /// Use no_sync() to make one.
    explicit NoSync(std::shared_ptr<detail::DistributedModule> module)
        : module_(std::move(module)), before_(module_->syncs()) {
      module_->set_sync(false);
    }
    ~NoSync() { module_->set_sync(before_); }
    NoSync(const NoSync&) = delete;
    NoSync& operator=(const NoSync&) = delete;

   private:
    std::shared_ptr<detail::DistributedModule> module_;
    bool before_;
  };
  /// Returns a NoSync.
  NoSync no_sync() { return NoSync(distributed_); }
  /// Calls body(), a loop over this rank's batches. The number of batches may differ between ranks.
  /// After its loop, a rank still runs the collective operations of the other ranks, with gradients
  /// of zero, until all loops have ended. The rank's parameters then have the averaged gradients of
  /// the other ranks. At the end, all ranks get the parameters and buffers of a rank whose loop
  /// ended last. join() also supports SyncBatchNorm in this group, and the steps of
  /// JoinOptions::optimizers. All ranks with inputs must call the operations in the same order. An
  /// exception of body() is thrown immediately. The other ranks then throw DistError at the time
  /// limit. This function corresponds to Python's join().
  template <class Body>
  void join(const Body& body, const JoinOptions& options = {}) {
    struct End {
      detail::DistributedModule& module;
      ~End() { module.end_join(); }
    };
    distributed_->begin_join(options);
    const End end{*distributed_};
    body();
    distributed_->shadow_others();
  }
  /// Averages the current gradients of the parameters over the ranks, as a backward pass does at
  /// its end. Call it after the replay of a pass that was captured under no_sync(). If a parameter
  /// has no gradient on any rank, its gradient becomes 0. With find_unused_parameters, it stays
  /// undefined.
  void average_gradients() { distributed_->average_gradients(); }
  /// Sets a hook that replaces the average of each bucket of gradients.
  void register_comm_hook(distributed::CommHook hook) {
    distributed_->reducer().set_hook(std::move(hook));
  }

  /// Returns the module.
  const std::shared_ptr<M>& module() const { return module_; }
  /// Accesses the module's members.
  M* operator->() { return module_.get(); }

 private:
  std::shared_ptr<M> module_;
  std::shared_ptr<detail::DistributedModule> distributed_;
};
/// Deduces the module's type.
template <class M>
DistributedDataParallel(const ModuleHolder<M>&) -> DistributedDataParallel<M>;
/// Deduces the module's type.
template <class M>
DistributedDataParallel(const ModuleHolder<M>&, const DistributedDataParallelOptions&)
    -> DistributedDataParallel<M>;
/// Deduces the module's type.
template <class M>
DistributedDataParallel(const std::shared_ptr<M>&) -> DistributedDataParallel<M>;
/// Deduces the module's type.
template <class M>
DistributedDataParallel(const std::shared_ptr<M>&, const DistributedDataParallelOptions&)
    -> DistributedDataParallel<M>;

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
