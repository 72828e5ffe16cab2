// ZeroRedundancyOptimizer: each rank keeps the optimizer's state of a part of the parameters only.
//
//   nn::parallel::DistributedDataParallel parallel(net);
//   auto optimizer = optim::ZeroRedundancyOptimizer::of<optim::Adam>(net->parameters(),
//                                                                    optim::AdamOptions(1e-3));
//   loss.backward();
//   optimizer->step();  // each rank its part, which the others get from it
//
// Rajbhandari et al., "ZeRO: Memory optimizations toward training trillion parameter models", 2020,
// its first stage.
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

/// An optimizer of any class whose state is spread over the ranks of a group: each steps with its
/// part of the parameters, and sends them to the others. Parameters and gradients are the same on
/// all ranks, as DistributedDataParallel makes them; then so are the steps' results, and those of
/// one process. Schedules change param_groups() here, as always. Python's ZeroRedundancyOptimizer.
class ZeroRedundancyOptimizer final : public Optimizer {
 public:
  using Group = intrusive_ptr<distributed::ProcessGroup>;  ///< a process group
  /// Makes the optimizer of some groups of parameters, some of which may be empty.
  using Factory =
      std::function<std::unique_ptr<Optimizer>(std::vector<OptimizerParamGroup> param_groups)>;

  /// Of a group of ranks; none: the default one. `defaults`: of groups without options of their
  /// own. Throws Error where ranks have other parameters.
  ZeroRedundancyOptimizer(std::vector<OptimizerParamGroup> param_groups,
                          std::unique_ptr<OptimizerOptions> defaults, Factory factory,
                          Group group = {});
  /// The same of a class and its options.
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
  /// The same of one group of parameters.
  template <class Class, class Options>
  static std::unique_ptr<ZeroRedundancyOptimizer> of(std::vector<Tensor> parameters,
                                                     const Options& options, Group group = {}) {
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(std::move(parameters));
    return of<Class>(std::move(groups), options, std::move(group));
  }

  /// All ranks step together. In DistributedDataParallel::join() those without inputs do so, too,
  /// where JoinOptions::optimizers has the optimizer.
  Tensor step(LossClosure closure = nullptr) override;
  /// Of join(): a rank without inputs takes the others' step, with rank `root`'s options.
  void shadow_step(int root);
  /// The new group's parameters go to the ranks that have the fewest numbers so far.
  void add_param_group(const OptimizerParamGroup& group);
  /// The rank that keeps each parameter's state, in the order of all groups.
  const std::vector<int>& owners() const { return owners_; }
  /// The optimizer of this rank's part.
  Optimizer& local_optimizer() { return *local_; }

  /// Brings all ranks' states to rank `to`, which may then save() and has them in state(). To be
  /// called by all ranks.
  void consolidate_state_dict(int to = 0);
  /// Writes what the optimizer of one process would. Throws Error on a rank where
  /// consolidate_state_dict() has not been called since the last step.
  void save(serialize::OutputArchive& archive) const override;
  /// Reads it, whatever the number of ranks that wrote it. To be called by all ranks, with the same
  /// file. On an error nothing is changed.
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
  std::vector<int64_t> load_;  // numbers on each rank
  size_t groups_ = 0;          // how many are spread over the ranks
  std::unique_ptr<Optimizer> local_;
  bool consolidated_ = false;
};

}  // namespace torch::taper::optim

namespace torch::taper::distributed {

/// Lets a scaler skip a step on all ranks where a gradient of one is not finite: for ranks that
/// hold different gradients, as with fully_shard(). (Those of DistributedDataParallel are the same
/// anyhow.) All ranks then unscale and step alike. None: the default group.
void agree_on_found_inf(amp::GradScaler& scaler, intrusive_ptr<ProcessGroup> group = {});

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
