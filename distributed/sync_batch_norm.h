// SyncBatchNorm: batch normalisation whose statistics are those of the inputs of all ranks.
//
//   Net net;                          // with BatchNorm1d, 2d or 3d in it
//   nn::convert_sync_batchnorm(net);  // which from now on agree with those of the other ranks
//   nn::parallel::DistributedDataParallel parallel(net);
#pragma once

#include <taper/distributed/process_group.h>
#include <taper/nn/modules/batchnorm.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace functional {
/// functional::batch_norm in training, of the inputs of all ranks of a group (none: the default
/// one) as if they were one batch. Ranks may have batches of different sizes, empty ones too. The
/// gradients of weight and bias are those of this rank's outputs alone, as DistributedDataParallel
/// expects. All ranks call it, and its backward; that has no derivative. Throws Error for an input
/// of less than 2 dimensions or of one value per channel over all ranks, and where a rank has
/// another dtype; DistError at the group's time limit where one has another number of channels.
Tensor sync_batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                       const BatchNormFuncOptions& options,
                       const intrusive_ptr<distributed::ProcessGroup>& group = {});
}  // namespace functional

/// Like BatchNorm1d to BatchNorm3d, of inputs of any number of dimensions from 2 on: in training by
/// functional::sync_batch_norm, in evaluation by the running statistics. Python's SyncBatchNorm.
class SyncBatchNormImpl : public Cloneable<SyncBatchNormImpl> {
 public:
  using Group = intrusive_ptr<distributed::ProcessGroup>;  ///< a process group
  /// Of a group; none: the default one at the time of forward().
  explicit SyncBatchNormImpl(const BatchNormOptions& options_, Group process_group_ = {});
  /// (N, C, ...) to the same sizes.
  Tensor forward(const Tensor& input);
  void reset() override;
  void pretty_print(std::ostream& stream) const override;

  BatchNormOptions options;    ///< what it was made with
  Group process_group;         ///< whose ranks agree
  Tensor weight;               ///< (C); undefined unless affine
  Tensor bias;                 ///< the same
  Tensor running_mean;         ///< a buffer, (C); undefined unless tracked
  Tensor running_var;          ///< the same
  Tensor num_batches_tracked;  ///< a buffer, a number; undefined unless tracked
};
/// Holds one.
TAPER_MODULE(SyncBatchNorm);

/// Lets all BatchNorm1d, 2d and 3d of a module and below compute as SyncBatchNorm does, of a group
/// (none: the default one at the time of the call). They stay what they are, with their parameters
/// and buffers: a C++ program holds them under their types. (Python puts others in their place.)
void convert_sync_batchnorm(Module& module, intrusive_ptr<distributed::ProcessGroup> group = {});
/// The same of a module in its holder, which is returned.
template <class M>
ModuleHolder<M> convert_sync_batchnorm(ModuleHolder<M> module,
                                       intrusive_ptr<distributed::ProcessGroup> group = {}) {
  convert_sync_batchnorm(*module, std::move(group));
  return module;
}

}  // namespace torch::taper::nn

#pragma GCC visibility pop
