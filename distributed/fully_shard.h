// fully_shard: each rank keeps a part of a module's parameters, and of their gradients and
// optimizer's state; the whole is there only while it is used.
//
//   for (auto& block : *net->blocks) distributed::fully_shard(*block->as<Block>());
//   distributed::fully_shard(net);  // the parameters that are in none of the blocks
//   optim::AdamW optimizer(net->parameters(), 1e-3);  // of this rank's parts
//
// As Python's torch.distributed.fsdp.fully_shard. Zhao et al., "PyTorch FSDP: Experiences on
// scaling fully sharded data parallel", 2023.
#pragma once

#include <vector>

#include <taper/distributed/process_group.h>
#include <taper/framework/core/arg.h>
#include <taper/framework/io/tensor_files.h>
#include <taper/nn/module_holder.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// Of fully_shard().
struct FullyShardOptions {
  using Group = intrusive_ptr<ProcessGroup>;  ///< a process group
  using Dtype = optional<ScalarType>;         ///< a dtype, or what there is
  /// None: the default one.
  TAPER_ARG(Group, process_group);
  /// Whether the whole parameters go after forward, and are gathered again for backward; or stay
  /// in between, which takes memory and saves a gather.
  TAPER_ARG(bool, reshard_after_forward) = true;
  /// In which forward and backward have the parameters, and floating inputs; the optimizer has the
  /// parameters' own.
  TAPER_ARG(Dtype, param_dtype) = nullopt;
  /// In which gradients are averaged; none: in which they come.
  TAPER_ARG(Dtype, reduce_dtype) = nullopt;
};

/// Which part of a parameter a rank has: rows of its first dimension.
struct Shard {
  std::vector<int64_t> sizes;         ///< of the whole
  int64_t begin = 0;                  ///< the first row here
  int64_t rows = 0;                   ///< how many rows there are here
  intrusive_ptr<ProcessGroup> group;  ///< whose ranks have the others
};

/// Leaves this rank its rows of each parameter of the module and below that is not sharded yet.
/// They get rank 0's values first. From now on a call of the module (`net(x)`, not
/// `net->forward(x)`) gathers the parameters, and backward does and leaves means of the gradients
/// over the ranks, of the rows that are here. All ranks call the module alike, and optimizers are
/// made afterwards. A parameter that no output depends on gets a gradient of zero where another
/// of the same call has one. Throws Error where ranks have other parameters, ValueError where there
/// is none to shard.
void fully_shard(nn::Module& module, const FullyShardOptions& options = {});
/// The same of a module in its holder.
template <class M>
void fully_shard(const nn::ModuleHolder<M>& module, const FullyShardOptions& options = {}) {
  fully_shard(*module.ptr(), options);
}

/// Whether backward passes average gradients over the ranks; of the module and, with `recurse`, of
/// the sharded ones below. Until they do again, each rank adds up the gradients of whole parameters
/// (in reduce_dtype), which takes their memory; the first pass that averages takes the sums along.
/// zero_grad() does not reach them. Throws ValueError where nothing is sharded; so do the next
/// ones.
void set_requires_gradient_sync(nn::Module& module, bool requires_gradient_sync,
                                bool recurse = true);
/// Changes FullyShardOptions::reshard_after_forward, between calls.
void set_reshard_after_forward(nn::Module& module, bool reshard_after_forward, bool recurse = true);
/// Lets a call of the module begin to gather the parameters of others, which are called next,
/// before its own forward runs. None: as without.
void set_modules_to_forward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules);
/// The same when backward gathers the module's parameters again. None: of the module that was
/// called before it.
void set_modules_to_backward_prefetch(nn::Module& module, const std::vector<nn::Module*>& modules);

/// What of a parameter is here; nullopt for one that is whole.
optional<Shard> shard_of(const Tensor& parameter);
/// state_dict() with whole parameters, on every rank. All ranks call it.
StateDict full_state_dict(const nn::Module& module);
/// Module::load_state_dict of whole parameters, of which each rank takes its rows. Throws Error,
/// with nothing changed, for names that are missing or unexpected and for other sizes.
void load_full_state_dict(nn::Module& module, const StateDict& state_dict);

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
