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
  /// Used with `inputs`. True adds the gradients to the `grad` of `inputs`, for autograd::backward.
  /// False returns the gradients, for autograd::grad.
  bool accumulate = true;
  bool allow_unused = false;
};

/// Runs a backward pass on the calling thread. Each node runs with the CUDA stream and device of
/// its forward. At the end the caller's current streams wait for the streams of all nodes. Returns
/// the gradients of `inputs` if `accumulate` is false. Throws LibTorch's errors for roots without
/// history, gradients of a wrong shape, and unused inputs. After an error the graph is unchanged,
/// except for the nodes that have run.
variable_list run_backward(const BackwardPass& pass);

#pragma GCC visibility push(default)
/// Calls `f` at the end of the outermost backward pass on this thread. Callbacks run in the order
/// in which they were queued. `f` is not called if the pass throws. Throws Error outside a pass.
void queue_callback(std::function<void()> f);
/// Lets `accumulator` disregard the ops that were recorded before this call. Usually an accumulator
/// runs after the oldest op that uses its leaf. After this call it runs after the oldest of the ops
/// recorded later. Do not run graphs that were recorded before the call: their gradients would be
/// added in separate steps. Use it for accumulators that are kept from pass to pass.
void early_accumulation(Node& accumulator);
#pragma GCC visibility pop

/// Returns whether the running pass on this thread needs the gradient of `edge`. A pass with
/// `inputs` needs only the gradients that these inputs depend on. Returns true outside a pass.
bool is_wanted(const Edge& edge);

/// Throws Error if a gradient in `made`, which `node` computed, has a NaN. Anomaly mode calls it.
void check_anomaly(const Node& node, const GradList& made);
/// Warns that `node` threw an error. The warning shows the call stack of the node's forward op. If
/// the backward step of another node made `node`, a second warning shows the stack of that node's
/// forward op, and so on.
void warn_of_anomaly(const Node& node);

/// Returns whether a gradient of sizes `from` can be summed to sizes `to`: whether `to` broadcasts
/// to `from`.
bool can_be_summed_to(IntArrayRef from, IntArrayRef to);

}  // namespace torch::taper::autograd
