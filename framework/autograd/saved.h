// Saved: a tensor kept for backward.
#pragma once

#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

struct SavedVariableHooks;

namespace detail {
/// What a program's hooks (saved_hooks.h) made of a saved tensor.
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
/// can report a value that was changed in place meanwhile. An op's own output is kept without its
/// history (that would be a cycle); get() gives it back while the node runs.
class Saved {
 public:
  Saved() = default;
  /// Keeps `t` itself, with its history, as saved() does; the calling thread's hooks
  /// (saved_hooks.h) get it, if there are any. Throws Error for an inference tensor.
  explicit Saved(const Tensor& t);
  /// Keeps `t`, output number `output_nr` of the op, without its history, as saved_output() does.
  /// Hooks and errors as above.
  Saved(const Tensor& t, uint32_t output_nr);
  /// The tensor as it was saved, with its history. Throws LibTorch's error when it was changed.
  Tensor get() const { return get(current_node()); }
  /// The same, where an op's own output gets `node` as its history.
  Tensor get(Node* node) const;
  /// Whether a defined tensor is kept, also where hooks have packed it.
  bool defined() const { return tensor_.defined() || packed_.defined(); }
  /// Undefined where hooks have packed it.
  const Tensor& raw() const { return tensor_; }
  /// Hands the tensor to hooks, which keep it from now on. Throws Error where some have it already.
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

/// Throws the error of saving an inference tensor. For an op that overwrites its input, and could
/// only say so afterwards.
void check_can_be_saved(const Tensor& t);

/// Keeps an input of the op.
inline Saved saved(const Tensor& t) { return Saved(t); }
/// Keeps an input only when `needed`: an unused Saved costs nothing.
inline Saved saved_if(bool needed, const Tensor& t) { return needed ? saved(t) : Saved(); }
/// Keeps an output of the op, which record() is to make output number `output_nr`; to be called
/// before record(). The number is given, not read from `y`: a tensor that is overwritten still has
/// that of its former history.
inline Saved saved_output(const Tensor& y, uint32_t output_nr = 0) { return Saved(y, output_nr); }

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
