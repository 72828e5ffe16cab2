// fully_shard: each rank keeps a part of a module's parameters, and of their gradients and
// optimizer's state. Whole parameters exist only while they are used.
//
//   for (auto& block : *net->blocks) distributed::fully_shard(*block->as<Block>());
//   distributed::fully_shard(net);  // the parameters that are in none of the blocks
//   optim::AdamW optimizer(net->parameters(), 1e-3);  // of this rank's parts
//
// Like Python's torch.distributed.fsdp.fully_shard. Zhao et al., "PyTorch FSDP: Experiences on
// scaling fully sharded data parallel", 2023.
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
  using Dtype = optional<ScalarType>;         ///< a dtype, or nothing to keep the dtype
  /// The process group. None means the default group.
  TAPER_ARG(Group, process_group);
  /// Whether whole parameters are freed after forward, and gathered again for backward. Otherwise
  /// they are kept in between, which takes memory and saves a gather.
  TAPER_ARG(bool, reshard_after_forward) = true;
  /// Dtype of the parameters, and of floating inputs, in forward and backward. The optimizer uses
  /// the parameters' dtype.
  TAPER_ARG(Dtype, param_dtype) = nullopt;
  /// Dtype in which gradients are averaged. None: their dtype.
  TAPER_ARG(Dtype, reduce_dtype) = nullopt;
};

/// A rank's part of a parameter: rows of its first dimension.
struct Shard {
  std::vector<int64_t> sizes;         ///< sizes of the whole parameter
  int64_t begin = 0;                  ///< first row on this rank
  int64_t rows = 0;                   ///< number of rows on this rank
  intrusive_ptr<ProcessGroup> group;  ///< the ranks that have the other rows
};

/// Shards the parameters of the module and its submodules that are not sharded yet: each rank keeps
/// its rows. They get rank 0's values first. From then on a call of the module (`net(x)`, not
/// `net->forward(x)`) gathers the parameters, and so does backward. Backward leaves the gradients
/// of this rank's rows, averaged over the ranks. All ranks must call the module equally, and make
/// optimizers afterwards. A parameter on which no output depends gets a gradient of zero if another
/// one of the call has a gradient. Throws Error if ranks have different parameters, and ValueError
/// if there is none to shard.
void fully_shard(nn::Module& module, const FullyShardOptions& options = {});
/// Shards a module in its holder.
template <class M>
void fully_shard(const nn::ModuleHolder<M>& module, const FullyShardOptions& options = {}) {
  fully_shard(*module.ptr(), options);
}

/// Sets whether backward passes average gradients over the ranks, for the module and, with
/// `recurse`, its sharded submodules. While they do not, each rank adds up the gradients of whole
/// parameters (in reduce_dtype), which takes their memory. The next pass that averages includes the
/// sums. zero_grad() does not reset them. This function and the next ones throw ValueError if
/// nothing is sharded.
void set_requires_gradient_sync(nn::Module& module, bool requires_gradient_sync,
                                bool recurse = true);
/// Changes FullyShardOptions::reshard_after_forward, between calls.
void set_reshard_after_forward(nn::Module& module, bool reshard_after_forward, bool recurse = true);
/// Lets a call of the module prefetch the parameters of other modules, which are called next,
/// before its forward runs. An empty list disables this.
void set_modules_to_forward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules);
/// Lets backward prefetch the parameters of other modules when it gathers this module's. An empty
/// list selects the module that was called before it.
void set_modules_to_backward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules);

/// Returns this rank's part of a parameter, or nullopt for a whole one.
optional<Shard> shard_of(const Tensor& parameter);
/// Returns state_dict() with whole parameters, on every rank. All ranks must call it.
StateDict full_state_dict(const nn::Module& module);
/// Loads whole parameters like Module::load_state_dict. Each rank takes its rows. Throws Error, and
/// changes nothing, for missing or unexpected names and for other sizes.
void load_full_state_dict(nn::Module& module, const StateDict& state_dict);

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
