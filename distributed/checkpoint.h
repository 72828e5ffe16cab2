// Checkpoints that all ranks write, each its part, and that any number of ranks reads.
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
// A checkpoint is a folder that all ranks reach: a file of each rank and a manifest, which is
// written last and says which rows of which tensor are in which file. Files are safetensors.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <taper/distributed/fully_shard.h>
#include <taper/optim/optimizer.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed::checkpoint {

/// What is saved, and what is loaded into: tensors, modules and optimizers by name, and texts. It
/// keeps no copies; modules and optimizers must live as long as it does.
class State {
 public:
  using Group = intrusive_ptr<ProcessGroup>;  ///< a process group

  /// A tensor that all ranks have alike, or a parameter of which fully_shard() has left rows.
  void add(const std::string& name, const Tensor& tensor);
  /// Rows of a tensor, of which other ranks have others.
  void add(const std::string& name, const Tensor& rows, const Shard& shard);
  /// Parameters and buffers, under names behind `prefix` and a dot.
  void add(const std::string& prefix, const nn::Module& module);
  /// An optimizer's state: options and, of each parameter, what it keeps. Of sharded parameters
  /// that is sharded, too.
  void add(const std::string& prefix, optim::Optimizer& optimizer);
  /// Any text; rank 0's is saved.
  void set_text(const std::string& name, std::string text);
  /// Throws Error where there is none.
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

/// Writes a checkpoint, whole or not at all: the one before is there until the new one is, and then
/// goes. All ranks of the group (none: the default one) call it. Throws Error on all ranks where
/// one cannot write, or where they have other tensors; DistError at the time limit where one does
/// not come. What is there then is the checkpoint before.
void save(const std::string& folder, const State& state, State::Group group = {});
/// Reads one into the tensors, modules and optimizers of `state`, written by however many ranks.
/// All ranks call it. Throws Error on all of them, with nothing changed, where a file that one of
/// them needs is missing, damaged or of another checkpoint, and where names, sizes or dtypes
/// differ.
void load(const std::string& folder, State& state, State::Group group = {});

}  // namespace torch::taper::distributed::checkpoint

#pragma GCC visibility pop
