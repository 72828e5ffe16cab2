// Checkpoints to which each rank writes its part, and which any number of ranks can read.
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
// A checkpoint is a folder that all ranks can access. It has one file for each rank, and a
// manifest, which is written last. The manifest says which file holds which rows of a tensor. The
// files have the format of safetensors.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <taper/distributed/fully_shard.h>
#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed::checkpoint {

/// The contents of a checkpoint: tensors, modules and optimizers by name, and texts. save() reads
/// them, and load() writes into them. The State keeps no copies. Modules and optimizers must
/// outlive it.
class State {
 public:
  using Group = intrusive_ptr<ProcessGroup>;  ///< a process group

  /// Adds a tensor that is equal on all ranks, or a parameter that fully_shard() has sharded.
  void add(const std::string& name, const Tensor& tensor);
  /// Adds `rows`, this rank's rows of a tensor. `shard` says which rows these are. Other ranks add
  /// the other rows.
  void add(const std::string& name, const Tensor& rows, const Shard& shard);
  /// Adds the parameters and buffers of `module`. The name of each is `prefix`, a dot, and its name
  /// in the module.
  void add(const std::string& prefix, const nn::Module& module);
  /// Adds an optimizer's state: its options, and the state of each parameter. The state of sharded
  /// parameters is sharded, too.
  void add(const std::string& prefix, optim::Optimizer& optimizer);
  /// Sets the text `name`. save() writes the text that rank 0 has set.
  void set_text(const std::string& name, std::string text);
  /// Returns a text. Throws Error if there is no text with this name.
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

/// Writes a checkpoint. The previous checkpoint is removed only when the new one is complete. All
/// ranks of the group must call this. If `group` is undefined, save() uses the default group.
/// Throws Error on all ranks if a rank cannot write, or if the ranks have different tensors. Throws
/// DistError at the time limit if a rank does not call save(). After an error, the previous
/// checkpoint remains.
void save(const std::string& folder, const State& state, State::Group group = {});
/// Reads a checkpoint into the tensors, modules and optimizers of `state`. The checkpoint may have
/// been written by another number of ranks. All ranks of the group must call this. Throws Error on
/// all ranks if a rank needs a file that is missing, damaged or of another checkpoint. Also throws
/// Error if names, sizes or dtypes differ. After an error, nothing is changed.
void load(const std::string& folder, State& state, State::Group group = {});

}  // namespace torch::taper::distributed::checkpoint

#pragma GCC visibility pop
