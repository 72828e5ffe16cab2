// ZeroRedundancyOptimizer: each rank keeps the optimizer's state for only a part of the parameters.
//
//   nn::parallel::DistributedDataParallel parallel(net);
//   auto optimizer = optim::ZeroRedundancyOptimizer::of<optim::Adam>(net->parameters(),
//                                                                    optim::AdamOptions(1e-3));
//   loss.backward();
//   optimizer->step();  // each rank updates its part of the parameters and sends it
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
/// its part of the parameters, and sends this part to the other ranks. Parameters and gradients
/// must be equal on all ranks, as with DistributedDataParallel. The results then equal the results
/// of the optimizer in one process. Learning rate schedulers take this object, and change its
/// param_groups(). It corresponds to Python's ZeroRedundancyOptimizer.
class ZeroRedundancyOptimizer final : public Optimizer {
 public:
  using Group = intrusive_ptr<distributed::ProcessGroup>;  ///< a process group
  /// A function that makes an optimizer for `param_groups`. Some groups may be empty.
  using Factory =
      std::function<std::unique_ptr<Optimizer>(std::vector<OptimizerParamGroup> param_groups)>;

  /// Makes the optimizer for a group of ranks, by default the default group. `defaults` are the
  /// options of parameter groups without options. Throws Error if parameters of ranks differ.
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
  /// ranks without inputs also run the step, if JoinOptions::optimizers lists this optimizer.
  Tensor step(LossClosure closure = nullptr) override;
  /// For join(), on a rank without inputs: runs the step together with the other ranks, with the
  /// options of rank `root`.
  void shadow_step(int root);
  /// Adds a parameter group. Assigns each parameter of the group to the rank with the fewest
  /// elements so far.
  void add_param_group(const OptimizerParamGroup& group);
  /// Returns, for each parameter in the order of the groups, the rank that keeps its state.
  const std::vector<int>& owners() const { return owners_; }
  /// Returns the optimizer of this rank's part.
  Optimizer& local_optimizer() { return *local_; }

  /// Copies the states of all ranks to rank `to`. Rank `to` can then call save(), and its state()
  /// has the states of all parameters. All ranks must call this function.
  void consolidate_state_dict(int to = 0);
  /// Writes the state in the format of an optimizer of one process. Throws Error unless
  /// consolidate_state_dict() has copied the states to this rank since the last step.
  void save(serialize::OutputArchive& archive) const override;
  /// Reads the state that save() has written. The number of ranks may have been another one then.
  /// All ranks must call this function with the same file. After an error, nothing is changed.
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
  std::vector<int64_t> load_;  // number of elements on each rank
  size_t groups_ = 0;          // number of parameter groups that are already distributed
  std::unique_ptr<Optimizer> local_;
  bool consolidated_ = false;
};

}  // namespace torch::taper::optim

namespace torch::taper::distributed {

/// Makes `scaler` skip a step on all ranks if a gradient of any rank is not finite. Use it if ranks
/// have different gradients, as with fully_shard(). (With DistributedDataParallel, all ranks have
/// equal gradients.) All ranks must then call the scaler's unscale_() and step() equally often. If
/// `group` is undefined, the default group is used.
void agree_on_found_inf(amp::GradScaler& scaler, intrusive_ptr<ProcessGroup> group = {});

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
