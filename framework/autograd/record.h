// record: how an op writes its derivative on the tape.
//
//   Tensor y = ...;                                     // computed
//   if (needs_grad(x))
//     record("SoftmaxBackward0", y, {x}, [y = saved_output(y), dim](const Tensor& gy) {
//       return softmax_backward(gy, y.get(), dim);      // public ops: double backward for free
//     });
//   return y;
//
// The callable takes the gradient of the output and returns the gradient of the input. With several
// outputs or inputs it takes or returns lists:
//   (const Tensor& gy)      one output, its gradient is defined
//   (Grads& g)              any outputs: some g[i] may be undefined, but not all. g.needs(j) tells
//                           whether input j needs a gradient.
//   -> Tensor, or std::array<Tensor, N> / std::vector<Tensor> in the order of the inputs;
//   an undefined Tensor means zero.
// It may capture numbers, Dims and Saved tensors, but never a Tensor: a cycle would leak.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <new>
#include <type_traits>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/node.h>
#include <taper/framework/autograd/saved.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// Returns true if ops on this thread record a graph and any of the tensors requires a gradient.
/// Nothing is recorded in inference mode, or if all tensors are inference tensors.
template <class... T>
bool needs_grad(const T&... tensors) {
  if (!GradMode::is_enabled()) return false;
  return ((tensors.defined() && tensors.impl_ptr()->requires_grad()) || ...) &&
         !InferenceMode::is_enabled() &&
         ((tensors.defined() && !tensors.impl_ptr()->inference) || ...);
}
bool needs_grad(TensorList tensors);
inline bool needs_grad(const std::vector<Tensor>& tensors) {
  return needs_grad(TensorList(tensors));
}

/// Arguments of a derivative: the gradients of the outputs. needs() tells which inputs need a
/// gradient.
struct Grads {
  GradList& grads;   ///< one for each output, undefined if none has arrived
  const Node& node;  ///< the node that runs
  /// Returns the gradient of output i. Not checked.
  const Tensor& operator[](size_t i) const { return grads[i]; }
  size_t size() const { return grads.size(); }  ///< number of outputs
  /// Returns whether input number `input` may get a gradient. If not, the derivative may return an
  /// undefined tensor.
  bool needs(size_t input) const { return node.should_compute_output(input); }
};

namespace detail {

/// Number of Saved objects that this thread made after it recorded its last node. If it is 0, a
/// derivative holds no tensors that must be dropped after backward.
inline thread_local uint32_t saved_since_record = 0;

inline void store(GradList& out, Tensor&& g) { out[0] = std::move(g); }
template <size_t N>
void store(GradList& out, std::array<Tensor, N>&& g) {
  for (size_t i = 0; i < N; ++i) out[i] = std::move(g[i]);
}
inline void store(GradList& out, std::vector<Tensor>&& g) {
  for (size_t i = 0; i < g.size(); ++i) out[i] = std::move(g[i]);
}

/// Operations on the callable of a node.
struct CallableOps {
  void (*call)(void* f, Grads& grads, GradList& out);
  void (*destroy)(void* f);
};
template <class F>
struct CallableOpsOf {
  static void call(void* f, Grads& grads, GradList& out) {
    if constexpr (std::is_invocable<F&, Grads&>::value)
      store(out, (*static_cast<F*>(f))(grads));
    else
      store(out, (*static_cast<F*>(f))(grads[0]));
  }
  static void destroy(void* f) { static_cast<F*>(f)->~F(); }
  static constexpr CallableOps ops{call, destroy};
};

/// A node whose derivative is a callable. The callable and the edges follow the object in one
/// block. All derivatives share one class. Separate classes would make up most of an op's machine
/// code.
struct CallableNode final : Node {
  static constexpr size_t kAlign = alignof(std::max_align_t);
  static constexpr size_t rounded(size_t nbytes) { return (nbytes + kAlign - 1) / kAlign * kAlign; }

  CallableNode(const char* name, uint32_t num_outputs, const CallableOps& ops);
  ~CallableNode() override;
  GradList apply(GradList&& grads) override;
  void release_variables() override;

  void* callable() { return reinterpret_cast<char*>(this) + rounded(sizeof(CallableNode)); }
  void destroy_callable();

  const CallableOps& ops;
  const bool holds_saved;
  bool alive = false;  // the callable has been constructed
};

/// Allocates a node in a block of `block_nbytes`. The caller owns it, and constructs the callable
/// before connected().
CallableNode* allocate_node(const char* name, uint32_t num_outputs, const CallableOps& ops,
                            size_t block_nbytes);

/// Selects a view's history: the current history, or the history before the running op overwrote
/// the view. check_inplace() has ensured that the earlier history exists.
enum class History { kNow, kBeforeChange };

/// Fills `edges` from `inputs` and gives the node its position on the tape. Throws, and leaves no
/// edge, if the history of an input is not available.
void connect(Node& node, Edge* edges, const Tensor* const* inputs, size_t count,
             History history = History::kNow);
/// Takes ownership of a new node and connects it. If it throws, it destroys the node first. The
/// edges are at byte `offset` of the node's block.
NodePtr connected(CallableNode* node, size_t offset, const Tensor* const* inputs, size_t count,
                  History history);

template <class F>
NodePtr make_node(const char* name, uint32_t num_outputs, const Tensor* const* inputs, size_t count,
                  F&& f, History history = History::kNow) {
  using Callable = std::decay_t<F>;
  static_assert(alignof(Callable) <= CallableNode::kAlign, "no such place in the node's block");
  constexpr size_t edges =
      CallableNode::rounded(sizeof(CallableNode)) + CallableNode::rounded(sizeof(Callable));
  intrusive_ptr<CallableNode> node(
      allocate_node(name, num_outputs, CallableOpsOf<Callable>::ops, edges + count * sizeof(Edge)));
  new (node->callable()) Callable(std::forward<F>(f));
  node->alive = true;
  return connected(node.release(), edges, inputs, count, history);
}

/// References to an op's inputs, for the duration of a call.
struct Inputs {
  const Tensor* p[8];
  size_t n = 0;
  Inputs() = default;
  Inputs(std::initializer_list<std::reference_wrapper<const Tensor>> list) {
    for (const Tensor& t : list) p[n++] = &t;
  }
};

}  // namespace detail

/// Records that `y` was computed from `inputs` with the derivative `f`. Call it only if
/// needs_grad(inputs...). At most 8 inputs. Use record_list for more.
template <class F>
void record(const char* name, const Tensor& y, const detail::Inputs& inputs, F&& f) {
  set_history(y, detail::make_node(name, 1, inputs.p, inputs.n, std::forward<F>(f)), 0);
}

/// Records an op with several outputs. Undefined outputs are allowed.
template <class F>
void record(const char* name, std::initializer_list<std::reference_wrapper<const Tensor>> outputs,
            const detail::Inputs& inputs, F&& f) {
  NodePtr node = detail::make_node(name, static_cast<uint32_t>(outputs.size()), inputs.p, inputs.n,
                                   std::forward<F>(f));
  uint32_t i = 0;
  for (const Tensor& y : outputs) {
    if (y.defined()) set_history(y, node, i);
    ++i;
  }
}

/// Records an op with lists of inputs and outputs.
template <class F>
void record_list(const char* name, TensorList outputs, TensorList inputs, F&& f) {
  const Tensor* few[8];
  std::vector<const Tensor*> many(inputs.size() > 8 ? inputs.size() : 0);
  const Tensor** const p = many.empty() ? few : many.data();
  for (size_t i = 0; i < inputs.size(); ++i) p[i] = &inputs[i];
  NodePtr node = detail::make_node(name, static_cast<uint32_t>(outputs.size()), p, inputs.size(),
                                   std::forward<F>(f));
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].defined()) set_history(outputs[i], node, static_cast<uint32_t>(i));
}

// ---------------------------------------------------------------------- in-place ops
/// Throws if several elements of `x` share memory. `op` is about to write to `x`.
void check_no_internal_overlap(const char* op, const Tensor& x);
/// Returns whether an op that changes `x` must be recorded. The op has derivatives for `x` and for
/// `others`. Call it before the op changes anything. It throws for a leaf that requires a gradient,
/// for a view whose history may not be replaced, and if the history of one of `others` is not
/// available.
bool check_new_history(const char* op, const Tensor& x, const detail::Inputs& others);
/// Returns whether an op with a derivative for `x` alone must be recorded. Most overwritten tensors
/// have no history.
inline bool check_new_history(const char* op, const Tensor& x) {
  const TensorImpl& t = x.impl();
  return (t.view_base || t.has_history() || t.inference) &&
         check_new_history(op, x, detail::Inputs());
}
/// check_new_history for an op that writes the elements of `x`. It also throws for memory that
/// overlaps itself (an expanded tensor).
bool check_inplace(const char* op, const Tensor& x, const detail::Inputs& others = {});
/// Increments the version of x's storage after a change. Call it before saved_output(x) and
/// record_inplace.
inline void mark_changed(const Tensor& x) { x.impl().bump_version(); }
/// Makes `node` the history of `x`, which its op has overwritten, and of the base if `x` is a view.
void rebase_history(const Tensor& x, NodePtr node);
namespace detail {
/// Throws unless the last check_inplace() on this thread was for `x` and an equal number of inputs,
/// and returned true.
void assert_was_checked(const char* name, const Tensor& x, const Inputs& inputs);
}  // namespace detail
/// Records an op that has overwritten `x`, after check_inplace() returned true. The inputs are `x`
/// and the tensors given to check_inplace() as `others`. If the result does not depend on the old
/// value of `x`, the derivative returns an undefined gradient for `x`. `x`, and its base if it is a
/// view, get the new history.
template <class F>
void record_inplace(const char* name, const Tensor& x, const detail::Inputs& inputs, F&& f) {
  detail::assert_was_checked(name, x, inputs);
  rebase_history(x, detail::make_node(name, 1, inputs.p, inputs.n, std::forward<F>(f),
                                      detail::History::kBeforeChange));
}

// ---------------------------------------------------------------------- views
/// Makes `y`, which shares x's storage, a view of `x` for autograd.
void make_view_of(const Tensor& y, const Tensor& x,
                  TensorImpl::ViewOrigin origin = TensorImpl::ViewOrigin::kDefault);

}  // namespace torch::taper::autograd

/// Names that public functions of ops use without a prefix. No public header includes this file.
namespace torch::taper {
using autograd::check_inplace;
using autograd::check_new_history;
using autograd::Grads;
using autograd::mark_changed;
using autograd::needs_grad;
using autograd::record;
using autograd::record_inplace;
using autograd::record_list;
using autograd::Saved;
using autograd::saved;
using autograd::saved_if;
using autograd::saved_output;
}  // namespace torch::taper

#pragma GCC visibility pop
