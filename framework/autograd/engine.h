// The engine: walks the tape from the roots, newest node first.
#pragma once

#include <functional>

#include <taper/framework/autograd/node.h>

namespace torch::taper::autograd {

/// What one backward pass is to do.
struct BackwardPass {
  TensorList roots;
  /// One gradient for each root (an undefined one stands for 1 of a one-element root), or empty.
  TensorList root_grads;
  bool keep_graph = false;
  bool create_graph = false;
  /// Non-empty: only what leads to these is computed.
  TensorList inputs;
  /// With inputs: add to their `grad` (backward) in place of returning them (grad).
  bool accumulate = true;
  bool allow_unused = false;
};

/// Runs on the calling thread. Each node runs with the CUDA stream and device of its forward; at
/// the end the caller's current streams wait for all of them. Returns the gradients of `inputs`
/// when they are not accumulated. Throws LibTorch's errors for roots without history, gradients of
/// the wrong shape, unused inputs. The graph is as it was when an error is thrown, save for what
/// has run already.
variable_list run_backward(const BackwardPass& pass);

#pragma GCC visibility push(default)
/// Calls `f` at the end of the outermost backward pass that runs on this thread, after those that
/// were queued before; not where the pass throws. Throws Error where none runs.
void queue_callback(std::function<void()> f);
/// Forgets what was recorded that uses the leaf: its accumulator, which runs behind the oldest of
/// the ops that use it, runs behind the oldest of those to come. What was recorded before must not
/// run any more, or its gradients come by themselves. For accumulators that are kept from pass to
/// pass.
void early_accumulation(Node& accumulator);
#pragma GCC visibility pop

/// Does the pass that runs on this thread want a gradient for what `edge` leads to? A pass with
/// inputs wants only what leads to these. True outside of a pass.
bool is_wanted(const Edge& edge);

/// Anomaly mode (anomaly.cpp): throws Error where a gradient that `node` made has a NaN.
void check_anomaly(const Node& node, const GradList& made);
/// Warns where an error came out of `node`: with the call of its forward op and, where that was
/// made by another backward, with the calls that led there.
void warn_of_anomaly(const Node& node);

/// Is a gradient of sizes `from` also one of a tensor of sizes `to`, which broadcasts to `from`?
bool can_be_summed_to(IntArrayRef from, IntArrayRef to);

}  // namespace torch::taper::autograd
