// Checkpoints that all ranks write together, each its part, and that any number of ranks can read.
//
//   distributed::checkpoint::State state;
//   state.add("net", *net);            // sharded or not
//   state.add("optimizer", optimizer);
//   state.set_text("step", std::to_string(step));
//   distributed::checkpoint::save("checkpoints/last", state);
//   ...
//   distributed::checkpoint::load("checkpoints/last", state);
//   step = std::stoll(state.text("step"));
//
// A checkpoint is a folder that all ranks can access: a file of each rank and a manifest. The
// manifest is written last and maps rows of tensors to files. Files are safetensors.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <taper/distributed/fully_shard.h>
#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed::checkpoint {

/// The contents of a checkpoint, to be saved or loaded into: tensors, modules and optimizers by
/// name, and texts. It keeps no copies. Modules and optimizers must outlive it.
class State {
 public:
  using Group = intrusive_ptr<ProcessGroup>;  ///< a process group

  /// Adds a tensor that is equal on all ranks, or a parameter of which fully_shard() has left rows.
  void add(const std::string& name, const Tensor& tensor);
  /// Adds rows of a tensor. Other ranks have other rows.
  void add(const std::string& name, const Tensor& rows, const Shard& shard);
  /// Adds parameters and buffers, with names after `prefix` and a dot.
  void add(const std::string& prefix, const nn::Module& module);
  /// Adds an optimizer's state: options and the state of each parameter. The state of sharded
  /// parameters is sharded, too.
  void add(const std::string& prefix, optim::Optimizer& optimizer);
  /// Sets a text. Rank 0's text is saved.
  void set_text(const std::string& name, std::string text);
  /// Returns a text. Throws Error if there is none.
  const std::string& text(const std::string& name) const;

 private:
  struct Item {
    std::string name;
    Tensor tensor;
    optional<Shard> shard;
  };
  friend class Saving;
  friend class Loading;
  void check_new(const std::string& name) const;

  std::vector<Item> items_;
  std::vector<std::pair<std::string, optim::Optimizer*>> optimizers_;
  std::map<std::string, std::string> texts_;
};

/// Writes a checkpoint, completely or not at all: the previous one is removed only when the new one
/// is complete. All ranks of the group (none: the default group) must call it. Throws Error on all
/// ranks if one cannot write, or if they have different tensors. Throws DistError at the time limit
/// if a rank does not come. The previous checkpoint then remains.
void save(const std::string& folder, const State& state, State::Group group = {});
/// Reads a checkpoint into the tensors, modules and optimizers of `state`. Any number of ranks may
/// have written it. All ranks must call it. Throws Error on all ranks, and changes nothing, if a
/// file that one of them needs is missing, damaged or of another checkpoint, and if names, sizes or
/// dtypes differ.
void load(const std::string& folder, State& state, State::Group group = {});

}  // namespace torch::taper::distributed::checkpoint

#pragma GCC visibility pop
