// DistributedDataParallel: a module of which each process of a group has a copy, and trains it with
// a part of each batch.
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

/// Of a DistributedDataParallel.
struct DistributedDataParallelOptions {
  using Group = intrusive_ptr<distributed::ProcessGroup>;  ///< a process group
  /// None: the default one.
  TAPER_ARG(Group, process_group);
  /// Whether buffers become those of rank 0 before each forward pass in training.
  TAPER_ARG(bool, broadcast_buffers) = true;
  /// About how many MiB of gradients are reduced at once.
  TAPER_ARG(double, bucket_cap_mb) = 25;
  /// Whether forward passes may leave out parameters; costs a walk over the graph.
  TAPER_ARG(bool, find_unused_parameters) = false;
  /// Whether all passes use the same parameters equally often. Then the first pass, whose gradients
  /// are reduced in its end, tells which are unused and which are used in several checkpoints, and
  /// no other looks for them.
  TAPER_ARG(bool, static_graph) = false;
  /// Whether gradients are views of the buckets: no second copy of them, which saves their memory.
  /// They change with the next pass.
  TAPER_ARG(bool, gradient_as_bucket_view) = false;
};

/// Of DistributedDataParallel::join().
struct JoinOptions {
  /// Some optimizers.
  using Optimizers = std::vector<optim::ZeroRedundancyOptimizer*>;
  /// Whether sums of gradients are divided by the number of all ranks, or else of those that still
  /// have inputs.
  TAPER_ARG(bool, divide_by_initial_world_size) = true;
  /// Whether all ranks throw Error once one has no more inputs.
  TAPER_ARG(bool, throw_on_early_termination) = false;
  /// Those that step in the loop: a rank that has no more inputs then steps with its part of the
  /// parameters, by the others' gradients and options. The same ones in the same order on all
  /// ranks.
  TAPER_ARG(Optimizers, optimizers);
};

namespace detail {

/// What DistributedDataParallel does whatever the module's type.
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
  /// Takes part in what ranks do that still have inputs.
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
  std::shared_ptr<distributed::detail::Join> join_;  // none outside of join()
  int root_ = 0;                                     // a rank that has inputs
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

/// Construction checks that all ranks have the same parameters and buffers (names, sizes, dtypes),
/// and gives all of them rank 0's values; throws Error that names a rank and a parameter otherwise.
/// The gradients of each backward pass become the means over the ranks, in buckets that are reduced
/// while the pass goes on, in the order in which they came in the first one. All ranks must do as
/// many passes.
template <class M>
class DistributedDataParallel {
 public:
  /// Of a module in a holder or a shared_ptr, on the device where it is to run.
  template <class Module>
  explicit DistributedDataParallel(const Module& module,
                                   const DistributedDataParallelOptions& options = {})
      : module_(detail::pointer_of(module)),
        distributed_(std::make_shared<detail::DistributedModule>(module_, options)) {}

  /// The module's output.
  template <class... Args>
  auto forward(Args&&... args) {
    distributed_->before_forward();
    auto y = nn::detail::call_module(*module_, std::forward<Args>(args)...);
    std::vector<Tensor> outputs;
    detail::add_tensors(outputs, y);
    distributed_->after_forward(outputs);
    return y;
  }
  /// The same.
  template <class... Args>
  auto operator()(Args&&... args) {
    return forward(std::forward<Args>(args)...);
  }

  /// While it lives, gradients add up on each rank alone; the first pass after it averages the
  /// sums.
  class NoSync {
   public:
    /// no_sync() makes one.
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
  /// See NoSync.
  NoSync no_sync() { return NoSync(distributed_); }
  /// Calls body(), a loop over this rank's batches, of which ranks may have different numbers.
  /// A rank whose loop has ended takes part in the others' operations, with gradients of zero,
  /// until all have ended; then all have the parameters and buffers of one that ended last. Also of
  /// SyncBatchNorm of the same group, and of the steps of JoinOptions::optimizers; all ranks with
  /// inputs do the same in the same order. Gradients of ranks without inputs become the others'
  /// averages. Python's join(). What body() throws is thrown at once, and the other ranks get
  /// DistError at the time limit.
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
  /// Makes the gradients that the parameters have now means over the ranks, as the end of a
  /// backward pass does: of passes that were captured under no_sync(), after their replay. Those of
  /// parameters that have none on any rank stay so, with find_unused_parameters; else they become
  /// 0.
  void average_gradients() { distributed_->average_gradients(); }
  /// What each bucket of gradients goes through in place of an average.
  void register_comm_hook(distributed::CommHook hook) {
    distributed_->reducer().set_hook(std::move(hook));
  }

  /// The module.
  const std::shared_ptr<M>& module() const { return module_; }
  /// The module's members.
  M* operator->() { return module_.get(); }

 private:
  std::shared_ptr<M> module_;
  std::shared_ptr<detail::DistributedModule> distributed_;
};
/// Of the module's type.
template <class M>
DistributedDataParallel(const ModuleHolder<M>&) -> DistributedDataParallel<M>;
/// Of the module's type.
template <class M>
DistributedDataParallel(const ModuleHolder<M>&, const DistributedDataParallelOptions&)
    -> DistributedDataParallel<M>;
/// Of the module's type.
template <class M>
DistributedDataParallel(const std::shared_ptr<M>&) -> DistributedDataParallel<M>;
/// Of the module's type.
template <class M>
DistributedDataParallel(const std::shared_ptr<M>&, const DistributedDataParallelOptions&)
    -> DistributedDataParallel<M>;

}  // namespace torch::taper::nn::parallel

#pragma GCC visibility pop
