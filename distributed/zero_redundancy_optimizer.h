// ZeroRedundancyOptimizer: each rank keeps the optimizer's state for only a part of the parameters.
//
//   nn::parallel::DistributedDataParallel parallel(net);
//   auto optimizer = optim::ZeroRedundancyOptimizer::of<optim::Adam>(net->parameters(),
//                                                                    optim::AdamOptions(1e-3));
//   loss.backward();
//   optimizer->step();  // each rank updates its part and sends it
//
// Rajbhandari et al., "ZeRO: Memory optimizations toward training trillion parameter models", 2020
// (its first stage).
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

/// Distributes the state of an optimizer of any class over the ranks of a group. Each rank updates
/// its part of the parameters, and sends them to the other ranks. Parameters and gradients must be
/// equal on all ranks, as with DistributedDataParallel. The results then equal those of one
/// process. Schedules change the param_groups() of this object. It corresponds to Python's
/// ZeroRedundancyOptimizer.
class ZeroRedundancyOptimizer final : public Optimizer {
 public:
  using Group = intrusive_ptr<distributed::ProcessGroup>;  ///< a process group
  /// Makes an optimizer for the given parameter groups. Some groups may be empty.
  using Factory =
      std::function<std::unique_ptr<Optimizer>(std::vector<OptimizerParamGroup> param_groups)>;

  /// Makes the optimizer for a group of ranks, by default the default group. `defaults` are the
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

  /// Updates the parameters. All ranks must call it together. In DistributedDataParallel::join(),
  /// ranks without inputs also step, if JoinOptions::optimizers lists this optimizer.
  Tensor step(LossClosure closure = nullptr) override;
  /// For join(), on a rank without inputs: takes part in the other ranks' step, with the options of
  /// rank `root`.
  void shadow_step(int root);
  /// Adds a parameter group. Assigns each of its parameters to the rank that has the fewest
  /// elements so far.
  void add_param_group(const OptimizerParamGroup& group);
  /// Returns the rank that keeps each parameter's state, in the order of all groups.
  const std::vector<int>& owners() const { return owners_; }
  /// Returns the optimizer of this rank's part.
  Optimizer& local_optimizer() { return *local_; }

  /// Copies the states of all ranks to rank `to`. This rank can then call save(), and its state()
  /// has all states. All ranks must call this.
  void consolidate_state_dict(int to = 0);
  /// Writes the state in the form in which an optimizer of one process writes it. Throws Error
  /// unless consolidate_state_dict() has copied the states to this rank since the last step.
  void save(serialize::OutputArchive& archive) const override;
  /// Reads the state that save() wrote, with any number of ranks. All ranks must call this with the
  /// same file. After an error, nothing is changed.
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
  size_t groups_ = 0;          // number of parameter groups that are already distributed
  std::unique_ptr<Optimizer> local_;
  bool consolidated_ = false;
};

}  // namespace torch::taper::optim

namespace torch::taper::distributed {

/// Lets a scaler skip a step on all ranks if a gradient of one rank is not finite. Use it if ranks
/// have different gradients, as with fully_shard(). (With DistributedDataParallel, all ranks have
/// equal gradients.) All ranks must then call unscale_() and step() equally often. Without a group,
/// the default group is used.
void agree_on_found_inf(amp::GradScaler& scaler, intrusive_ptr<ProcessGroup> group = {});

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
