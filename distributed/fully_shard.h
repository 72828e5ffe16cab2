// fully_shard: each rank keeps only a part of a module's parameters, gradients and optimizer state.
// Whole parameters exist only while they are used.
//
//   for (auto& block : *net->blocks) distributed::fully_shard(*block->as<Block>());
//   distributed::fully_shard(net);  // all parameters outside the blocks
//   optim::AdamW optimizer(net->parameters(), 1e-3);  // keeps state for this rank's rows only
//
// It corresponds to Python's torch.distributed.fsdp.fully_shard. Zhao et al., "PyTorch FSDP:
// Experiences on scaling fully sharded data parallel", 2023.
#pragma once

#include <vector>

#include <taper/distributed/process_group.h>
#include <taper/framework/core/arg.h>
#include <taper/framework/io/tensor_files.h>
#include <taper/nn/module_holder.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Options of fully_shard().
struct FullyShardOptions {
  using Group = intrusive_ptr<ProcessGroup>;  ///< a process group
  using Dtype = optional<ScalarType>;         ///< a dtype, or nullopt to keep the dtype
  /// The process group. By default, it is the default group.
  TAPER_ARG(Group, process_group);
  /// Whether whole parameters are freed after forward, and gathered again for backward. If false,
  /// whole parameters are kept between forward and backward, which takes memory but saves a gather.
  TAPER_ARG(bool, reshard_after_forward) = true;
  /// Dtype to which parameters and floating inputs are converted for forward and backward. The
  /// optimizer uses the original dtype of the parameters.
  TAPER_ARG(Dtype, param_dtype) = nullopt;
  /// Dtype in which gradients are averaged. By default, it is the gradients' dtype.
  TAPER_ARG(Dtype, reduce_dtype) = nullopt;
};

/// A rank's part of a parameter: rows of its first dimension.
struct Shard {
  std::vector<int64_t> sizes;         ///< sizes of the whole parameter
  int64_t begin = 0;                  ///< first row on this rank
  int64_t rows = 0;                   ///< number of rows on this rank
  intrusive_ptr<ProcessGroup> group;  ///< the ranks that have the other rows
};

/// Shards all parameters of the module and its submodules that are not sharded yet. All ranks get
/// the values of rank 0, and then each rank keeps only its rows. Afterwards, a call of the module
/// (`net(x)`, not `net->forward(x)`) gathers the parameters, and backward gathers them again if
/// necessary. Backward computes the gradients of this rank's rows, averaged over the ranks. All
/// ranks must call the module equally often. Make optimizers after this call. Parameters of one
/// dtype and device are averaged together. If a backward pass reaches at least one of them, the
/// gradients of unreached parameters count as zero in the average. Throws Error if parameters of
/// ranks differ, and ValueError if there is no parameter to shard.
void fully_shard(nn::Module& module, const FullyShardOptions& options = {});
/// Shards the module of a holder.
template <class M>
void fully_shard(const nn::ModuleHolder<M>& module, const FullyShardOptions& options = {}) {
  fully_shard(*module.ptr(), options);
}

/// Sets whether backward passes of the module average gradients over the ranks. With `recurse`,
/// also sets this for its sharded submodules. Without averaging, each rank accumulates the
/// gradients of whole parameters (in reduce_dtype), which takes memory. The next pass with
/// averaging also averages these sums. zero_grad() does not reset the sums. This function and the
/// next three functions throw ValueError if nothing in the module is sharded.
void set_requires_gradient_sync(nn::Module& module, bool requires_gradient_sync,
                                bool recurse = true);
/// Changes FullyShardOptions::reshard_after_forward of `module`, and of its sharded submodules if
/// `recurse`. Do not call it while the module runs.
void set_reshard_after_forward(nn::Module& module, bool reshard_after_forward, bool recurse = true);
/// Sets the modules whose parameters a call of `module` prefetches, before the forward of `module`
/// runs. An empty list disables this prefetch.
void set_modules_to_forward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules);
/// Sets the modules whose parameters backward prefetches when it gathers the parameters of
/// `module`. An empty list selects the module that was called before `module`.
void set_modules_to_backward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules);

/// Returns this rank's part of a parameter, or nullopt for a parameter that is not sharded.
optional<Shard> shard_of(const Tensor& parameter);
/// Returns state_dict() with whole parameters, on every rank. All ranks must call this.
StateDict full_state_dict(const nn::Module& module);
/// Loads whole parameters like Module::load_state_dict. Each rank takes its rows. Throws Error, and
/// changes nothing, if names are missing or unexpected, or if sizes differ.
void load_full_state_dict(nn::Module& module, const StateDict& state_dict);

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
