// Saved tensors and edges for nodes that a program derives from Node. Names and signatures are
// LibTorch's.
//
//   struct TwiceBackward : autograd::Node {
//     autograd::SavedVariable x_;
//     autograd::variable_list apply(autograd::variable_list&& grads) override {
//       return {grads[0] * 2 * x_.unpack()};
//     }
//     void release_variables() override { x_.reset_data(); }
//   };
//   auto node = make_intrusive<TwiceBackward>();
//   node->set_next_edges(autograd::collect_next_edges(x));
//   node->x_ = autograd::SavedVariable(x, /*is_output=*/false);
//   autograd::set_history(y, node);
#pragma once

#include <memory>
#include <utility>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/node.h>
#include <taper/framework/autograd/saved.h>
#include <taper/framework/autograd/saved_hooks.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// A tensor that a program's node keeps for backward. unpack() checks that the tensor's version has
/// not changed. Hooks (saved_hooks.h) may store other data instead of the tensor.
class SavedVariable {
 public:
  SavedVariable() = default;
  /// Keeps `t`. Set `is_output` if `t` is an output of the node. `t` is then kept without its
  /// history, and you must call set_history before you make the SavedVariable.
  SavedVariable(const Tensor& t, bool is_output, bool /*is_inplace_on_view*/ = false)
      : saved_(is_output ? Saved(t, t.defined() ? static_cast<uint32_t>(t.output_nr()) : 0)
                         : Saved(t)),
        state_(State::kKept) {}
  /// Keeps `t`. If the optional is empty, keeps nothing.
  SavedVariable(const optional<Tensor>& t, bool is_output, bool is_inplace_on_view = false)
      : SavedVariable(t.value_or(Tensor()), is_output, is_inplace_on_view) {}
  SavedVariable(const SavedVariable&) = delete;
  SavedVariable& operator=(const SavedVariable&) = delete;
  SavedVariable(SavedVariable&&) = default;             ///< moves the tensor and its hooks
  SavedVariable& operator=(SavedVariable&&) = default;  ///< moves the tensor and its hooks

  /// Returns the tensor. If the tensor is an output of the node, its grad_fn is `saved_for`, or by
  /// default the running node. Throws Error if the tensor was changed in-place, or dropped.
  Tensor unpack(const NodePtr& saved_for = nullptr) const {
    TAPER_CHECK(
        state_ != State::kDropped,
        "Trying to backward through the graph a second time (or directly access saved "
        "tensors after they have already been freed). Saved intermediate values of the graph "
        "are freed when you call .backward() or autograd.grad(). Specify retain_graph=True "
        "if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward.");
    return saved_for ? saved_.get(saved_for.get()) : saved_.get();
  }
  /// Drops the tensor. Later calls of unpack() throw Error.
  void reset_data() {
    saved_ = Saved();
    state_ = State::kDropped;
  }
  /// Packs the tensor with `hooks`. Throws Error if there is no tensor, or if other hooks have
  /// already packed it.
  void register_hooks(std::unique_ptr<SavedVariableHooks>&& hooks) {
    saved_.pack(std::move(hooks));
  }

 private:
  enum class State { kEmpty, kKept, kDropped };
  Saved saved_;
  State state_ = State::kEmpty;
};
using SavedTensor = SavedVariable;  ///< another name

namespace detail {
inline void add_edges(edge_list& edges, const Tensor& t) {
  edges.push_back(t.defined() && t.requires_grad() ? gradient_edge(t) : Edge());
}
inline void add_edges(edge_list& edges, const optional<Tensor>& t) {
  add_edges(edges, t.value_or(Tensor()));
}
inline void add_edges(edge_list& edges, TensorList list) {
  for (const Tensor& t : list) add_edges(edges, t);
}
inline void add_edges(edge_list& edges, const variable_list& list) {
  add_edges(edges, TensorList(list));
}
inline bool wants_grad(const Tensor& t) { return t.defined() && t.requires_grad(); }
inline bool wants_grad(const optional<Tensor>& t) { return t && wants_grad(*t); }
inline bool wants_grad(TensorList list) {
  for (const Tensor& t : list)
    if (wants_grad(t)) return true;
  return false;
}
inline bool wants_grad(const variable_list& list) { return wants_grad(TensorList(list)); }
}  // namespace detail

/// Returns the edges to which the gradients of the arguments flow, in order. An argument is a
/// tensor, an optional tensor or a list of tensors. For a tensor that requires no gradient, the
/// edge is invalid. Returns an empty list if gradient mode is off.
template <class... T>
edge_list collect_next_edges(const T&... tensors) {
  edge_list edges;
  if (!GradMode::is_enabled()) return edges;
  (detail::add_edges(edges, tensors), ...);
  return edges;
}
/// Returns whether any of the arguments requires a gradient. An argument is a tensor, an optional
/// tensor or a list of tensors.
template <class... T>
bool any_variable_requires_grad(const T&... tensors) {
  return (detail::wants_grad(tensors) || ...);
}
/// Returns whether any tensor of a braced list requires a gradient.
inline bool any_variable_requires_grad(const variable_list& list) {
  return detail::wants_grad(list);
}
/// Returns whether gradient mode is on and any of the tensors requires a gradient.
template <class... T>
bool compute_requires_grad(const T&... tensors) {
  return GradMode::is_enabled() && any_variable_requires_grad(tensors...);
}
/// Makes `t` the next output of `node`.
inline void create_gradient_edge(const Tensor& t, const NodePtr& node) { set_history(t, node); }
/// Makes several tensors the next outputs of `node`, in order. An undefined tensor also takes an
/// output number.
inline void set_history(const variable_list& tensors, const NodePtr& node) {
  for (const Tensor& t : tensors) {
    if (t.defined())
      set_history(t, node);
    else
      node->add_input_metadata(t);
  }
}

namespace impl {
using autograd::gradient_edge;
using autograd::set_gradient_edge;
inline uint32_t version_of(const Tensor& t) { return t.impl().version(); }
/// Increments the version of `t`. Call it after a program's kernel changed `t` in-place.
inline void bump_version(const Tensor& t) { t.impl().bump_version(); }
}  // namespace impl

/// Increments the version of `t`. Call it after a program's kernel changed `t` in-place, so that
/// autograd notices the change.
inline void increment_version(const Tensor& t) { t.impl().bump_version(); }

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
