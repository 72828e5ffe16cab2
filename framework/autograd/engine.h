// The engine: walks the tape from the roots, newest node first.
#pragma once

#include <functional>

#include <taper/framework/autograd/node.h>

namespace torch::taper::autograd {

/// Arguments of one backward pass.
struct BackwardPass {
  TensorList roots;
  /// One gradient for each root, or an empty list. An undefined gradient means 1 for a one-element
  /// root.
  TensorList root_grads;
  bool keep_graph = false;
  bool create_graph = false;
  /// If not empty, only the gradients of these tensors are computed.
  TensorList inputs;
  /// With inputs: add to their `grad` (backward) instead of returning the gradients (grad).
  bool accumulate = true;
  bool allow_unused = false;
};

/// Runs a backward pass on the calling thread. Each node runs with the CUDA stream and device of
/// its forward. At the end the caller's current streams wait for all of them. Returns the gradients
/// of `inputs` if they are not accumulated. Throws LibTorch's errors for roots without history,
/// gradients of a wrong shape, and unused inputs. After an error the graph is unchanged, except for
/// the nodes that have run.
variable_list run_backward(const BackwardPass& pass);

#pragma GCC visibility push(default)
/// Calls `f` at the end of the outermost backward pass on this thread, in the order of queueing.
/// `f` is not called if the pass throws. Throws Error outside a pass.
void queue_callback(std::function<void()> f);
/// Lets the accumulator forget the ops recorded so far. An accumulator runs after the oldest of the
/// ops that use its leaf, and from now on only future ops count. Graphs recorded before must not
/// run any more, or their gradients arrive separately. For accumulators that are kept from pass to
/// pass.
void early_accumulation(Node& accumulator);
#pragma GCC visibility pop

/// Returns whether the running pass on this thread needs the gradient of `edge`. A pass with inputs
/// needs only gradients on the way to these. True outside a pass.
bool is_wanted(const Edge& edge);

/// Checks for anomaly mode. Throws Error if a gradient that `node` made has a NaN.
void check_anomaly(const Node& node, const GradList& made);
/// Warns that `node` threw an error: with the call of its forward op and, if another backward pass
/// made it, with the calls that led there.
void warn_of_anomaly(const Node& node);

/// Returns whether a gradient of sizes `from` can be summed to sizes `to`, which must broadcast to
/// `from`.
bool can_be_summed_to(IntArrayRef from, IntArrayRef to);

}  // namespace torch::taper::autograd
