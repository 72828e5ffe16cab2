// Saved: a tensor kept for backward.
#pragma once

#include <taper/framework/autograd/node.h>

#pragma GCC visibility push(default)

namespace taper::autograd {

/// Keeps a tensor's value for a backward step. It remembers the storage's version, so that get()
/// can report a value that was changed in place meanwhile. An op's own output is kept without its
/// history (that would be a cycle); get() gives it back while the node runs.
class Saved {
 public:
  Saved() = default;
  Saved(const Tensor& t, bool is_output);
  /// The tensor as it was saved, with its history. Throws LibTorch's error when it was changed.
  Tensor get() const;
  bool defined() const { return tensor_.defined(); }
  const Tensor& raw() const { return tensor_; }

 private:
  Tensor tensor_;
  uint32_t version_ = 0;
  uint32_t output_nr_ = 0;
  bool is_output_ = false;
};

/// Throws the error of saving an inference tensor. For an op that overwrites its input, and could
/// only say so afterwards.
void check_can_be_saved(const Tensor& t);

/// Keeps an input of the op.
inline Saved saved(const Tensor& t) { return Saved(t, false); }
/// Keeps an input only when `needed`: an unused Saved costs nothing.
inline Saved saved_if(bool needed, const Tensor& t) { return needed ? saved(t) : Saved(); }
/// Keeps an output of the op; to be called before record().
inline Saved saved_output(const Tensor& y) { return Saved(y, true); }

}  // namespace taper::autograd

#pragma GCC visibility pop
