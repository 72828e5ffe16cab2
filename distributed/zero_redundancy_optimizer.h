// ZeroRedundancyOptimizer: each rank keeps the optimizer's state of only a part of the parameters.
//
//   nn::parallel::DistributedDataParallel parallel(net);
//   auto optimizer = optim::ZeroRedundancyOptimizer::of<optim::Adam>(net->parameters(),
//                                                                    optim::AdamOptions(1e-3));
//   loss.backward();
//   optimizer->step();  // each rank steps its part, and sends it to the others
//
// Rajbhandari et al., "ZeRO: Memory optimizations toward training trillion parameter models", 2020,
// first stage.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <taper/distributed/process_group.h>
#include <taper/optim/grad_scaler.h>
#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// An optimizer of any class whose state is distributed over the ranks of a group. Each rank steps
/// with its part of the parameters, and sends them to the others. Parameters and gradients are
/// equal on all ranks, as DistributedDataParallel makes them. So the results equal those of one
/// process. Schedules change param_groups() here, as always. Python's ZeroRedundancyOptimizer.
class ZeroRedundancyOptimizer final : public Optimizer {
 public:
  using Group = intrusive_ptr<distributed::ProcessGroup>;  ///< a process group
  /// Makes the optimizer of some parameter groups, some of which may be empty.
  using Factory =
      std::function<std::unique_ptr<Optimizer>(std::vector<OptimizerParamGroup> param_groups)>;

  /// Makes the optimizer for a group of ranks. None means the default group. `defaults` are the
  /// options of parameter groups without options. Throws Error if ranks have different parameters.
  ZeroRedundancyOptimizer(std::vector<OptimizerParamGroup> param_groups,
                          std::unique_ptr<OptimizerOptions> defaults, Factory factory,
                          Group group = {});
  /// Makes the optimizer from a class and its options.
  template <class Class, class Options>
  static std::unique_ptr<ZeroRedundancyOptimizer> of(std::vector<OptimizerParamGroup> param_groups,
                                                     const Options& options, Group group = {}) {
    return std::make_unique<ZeroRedundancyOptimizer>(
        std::move(param_groups), std::make_unique<Options>(options),
        [options](std::vector<OptimizerParamGroup> some) {
          return std::make_unique<Class>(std::move(some), options);
        },
        std::move(group));
  }
  /// Makes the optimizer for one parameter group.
  template <class Class, class Options>
  static std::unique_ptr<ZeroRedundancyOptimizer> of(std::vector<Tensor> parameters,
                                                     const Options& options, Group group = {}) {
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(std::move(parameters));
    return of<Class>(std::move(groups), options, std::move(group));
  }

  /// Steps. All ranks must call it together. In DistributedDataParallel::join() ranks without
  /// inputs step too, if JoinOptions::optimizers has the optimizer.
  Tensor step(LossClosure closure = nullptr) override;
  /// For join(): takes part in the others' step on a rank without inputs, with rank `root`'s
  /// options.
  void shadow_step(int root);
  /// Adds a parameter group. Its parameters go to the ranks that have the fewest elements so far.
  void add_param_group(const OptimizerParamGroup& group);
  /// Returns the rank that keeps each parameter's state, in the order of all groups.
  const std::vector<int>& owners() const { return owners_; }
  /// Returns the optimizer of this rank's part.
  Optimizer& local_optimizer() { return *local_; }

  /// Copies all ranks' states to rank `to`, which can then save() and has them in state(). All
  /// ranks must call it.
  void consolidate_state_dict(int to = 0);
  /// Writes the state that an optimizer of one process would write. Throws Error on a rank on which
  /// consolidate_state_dict() was not called since the last step.
  void save(serialize::OutputArchive& archive) const override;
  /// Reads that state, from any number of ranks. All ranks must call it, with one file. On an error
  /// nothing is changed.
  void load(serialize::InputArchive& archive) override;

 private:
  std::vector<OptimizerParamGroup> part_of(int rank) const;
  void take_over(size_t from_group);
  void update_options();
  void take_options(int root);
  void step_all();
  void send_parameters();
  void take_states(int rank, Optimizer& from);
  void check_alike(size_t from_group);

  Factory factory_;
  Group group_;
  std::vector<int> owners_;
  std::vector<int64_t> load_;  // elements on each rank
  size_t groups_ = 0;          // number of groups distributed over the ranks
  std::unique_ptr<Optimizer> local_;
  bool consolidated_ = false;
};

}  // namespace torch::taper::optim

namespace torch::taper::distributed {

/// Lets a scaler skip a step on all ranks if a gradient of one rank is not finite. It is for ranks
/// with different gradients, as with fully_shard(). (Gradients of DistributedDataParallel are equal
/// anyway.) All ranks must then unscale and step equally. No group means the default group.
void agree_on_found_inf(amp::GradScaler& scaler, intrusive_ptr<ProcessGroup> group = {});

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
