// AutogradExtra: the parts of a tensor's autograd state that few tensors have.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>

namespace taper {

struct AutogradExtra {
  Tensor grad;
  bool retains_grad = false;
  std::string name;
  /// A leaf's accumulator, not owned: the accumulator owns the leaf, and clears this when it dies.
  autograd::Node* accumulator = nullptr;
  std::mutex accumulator_mutex;
  /// Hooks of a leaf. Those of other tensors live in the node that made them.
  std::vector<autograd::Node::TensorHook> hooks;
  unsigned next_hook_id = 0;
};

namespace detail {
/// The tensor's AutogradExtra, made on first use.
AutogradExtra& extra_of(TensorImpl& t);
}  // namespace detail

namespace autograd {
/// Registers the tensor at its grad_fn as one that keeps its gradient, and the reverse.
void remember_retained(TensorImpl& t);
void forget_retained(TensorImpl& t);
}  // namespace autograd

}  // namespace taper
