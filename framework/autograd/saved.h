// Saved: a tensor kept for backward.
#pragma once

#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

struct SavedVariableHooks;

namespace detail {
/// A saved tensor after a program's hooks (saved_hooks.h) have packed it.
struct PackedTensor {
  PackedTensor(std::unique_ptr<SavedVariableHooks> hooks, Edge edge);
  ~PackedTensor();
  static void destroy(PackedTensor* p) { delete p; }
  RefCount refs;
  std::unique_ptr<SavedVariableHooks> hooks;
  Edge edge;  ///< the history of the tensor
};
}  // namespace detail

/// Keeps a tensor's value for a backward step. It remembers the storage's version, so that get()
/// can report a value that was changed in-place. An op's output is kept without its history. Its
/// history is the node that keeps it, so there would be a cycle of owners. get() restores the
/// history while the node runs.
class Saved {
 public:
  Saved() = default;
  /// Keeps `t` with its history, as saved() does. The calling thread's hooks (saved_hooks.h), if
  /// any, pack it. Throws Error for an inference tensor.
  explicit Saved(const Tensor& t);
  /// Keeps `t`, output number `output_nr` of the op, without its history, as saved_output() does.
  /// Hooks and errors are those of the constructor above.
  Saved(const Tensor& t, uint32_t output_nr);
  /// Returns the saved tensor with its history. Throws LibTorch's error if the tensor was changed
  /// in-place.
  Tensor get() const { return get(current_node()); }
  /// Returns the saved tensor. An op's output gets `node` as its history.
  Tensor get(Node* node) const;
  /// Returns whether a defined tensor is kept, packed or not.
  bool defined() const { return tensor_.defined() || packed_.defined(); }
  /// Returns the kept tensor, undefined if hooks have packed it.
  const Tensor& raw() const { return tensor_; }
  /// Packs the tensor with `hooks`, which keep it from then on. Throws Error if hooks have packed
  /// it already.
  void pack(std::unique_ptr<SavedVariableHooks> hooks);

 private:
  Tensor with_history(const Tensor& data, Node* node) const;
  void check_version(const Node* node) const;
  Tensor tensor_;
  uint32_t version_ = 0;
  uint32_t output_nr_ = 0;
  bool is_output_ = false;
  intrusive_ptr<detail::PackedTensor> packed_;
};

/// Throws the error of saving an inference tensor. An op that overwrites its input calls it before
/// the write, because saving would throw only after the write.
void check_can_be_saved(const Tensor& t);

/// Saves an input of the op.
inline Saved saved(const Tensor& t) { return Saved(t); }
/// Saves an input if `needed`. An empty Saved costs nothing.
inline Saved saved_if(bool needed, const Tensor& t) { return needed ? saved(t) : Saved(); }
/// Saves an output of the op, which record() makes output number `output_nr`. Call it before
/// record(). The number is not read from `y`, because an overwritten `y` still has its former
/// output number.
inline Saved saved_output(const Tensor& y, uint32_t output_nr = 0) { return Saved(y, output_nr); }

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
