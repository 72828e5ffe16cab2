// SyncBatchNorm: batch normalization with statistics over the inputs of all ranks.
//
//   Net net;                          // with BatchNorm1d, 2d or 3d in it
//   nn::convert_sync_batchnorm(net);  // these modules now use the statistics of all ranks
//   nn::parallel::DistributedDataParallel parallel(net);
#pragma once

#include <taper/distributed/process_group.h>
#include <taper/nn/modules/batchnorm.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace functional {
/// Computes functional::batch_norm in training, with the inputs of all ranks of a group as one
/// batch. If `group` is undefined, it uses the default group. Ranks may have batches of different
/// sizes, also empty batches. The gradients of weight and bias come from this rank's outputs only,
/// because DistributedDataParallel averages them. All ranks must call this function and its
/// backward. Double backward is not supported. Throws Error for an input with fewer than 2
/// dimensions, and if all ranks together have only one value per channel. Also throws Error if the
/// dtypes of ranks differ. Throws DistError at the group's time limit if the numbers of channels
/// differ.
Tensor sync_batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                       const BatchNormFuncOptions& options,
                       const intrusive_ptr<distributed::ProcessGroup>& group = {});
}  // namespace functional

/// Normalizes like BatchNorm1d, BatchNorm2d and BatchNorm3d, for inputs of 2 or more dimensions. It
/// uses functional::sync_batch_norm in training, and the running statistics in evaluation. It
/// corresponds to Python's SyncBatchNorm.
class SyncBatchNormImpl : public Cloneable<SyncBatchNormImpl> {
 public:
  using Group = intrusive_ptr<distributed::ProcessGroup>;  ///< a process group
  /// Makes a module for the group `process_group_`. If it is undefined, forward() uses the default
  /// group.
  explicit SyncBatchNormImpl(const BatchNormOptions& options_, Group process_group_ = {});
  /// Normalizes (N, C, ...). The result has equal sizes.
  Tensor forward(const Tensor& input);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;

  BatchNormOptions options;    ///< options of the constructor
  Group process_group;         ///< ranks that share statistics
  Tensor weight;               ///< (C), undefined unless affine
  Tensor bias;                 ///< (C), undefined unless affine
  Tensor running_mean;         ///< a buffer, (C), undefined unless tracked
  Tensor running_var;          ///< a buffer, (C), undefined unless tracked
  Tensor num_batches_tracked;  ///< a buffer, a number, undefined unless tracked
};
/// Holds a SyncBatchNormImpl.
TAPER_MODULE(SyncBatchNorm);

/// Makes all BatchNorm1d, BatchNorm2d and BatchNorm3d in `module` compute like SyncBatchNorm. If
/// `group` is undefined, they use the current default group. The modules keep their types,
/// parameters and buffers, because a C++ program's variables have these types. (PyTorch's Python
/// function replaces the modules.)
void convert_sync_batchnorm(Module& module, intrusive_ptr<distributed::ProcessGroup> group = {});
/// Converts the module of a holder, and returns the holder.
template <class M>
ModuleHolder<M> convert_sync_batchnorm(ModuleHolder<M> module,
                                       intrusive_ptr<distributed::ProcessGroup> group = {}) {
  convert_sync_batchnorm(*module, std::move(group));
  return module;
}

}  // namespace torch::taper::nn

#pragma GCC visibility pop
