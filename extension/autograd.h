// Autograd below Function: nodes of a program's own class, what they save, and where their
// gradients go. Names and signatures are LibTorch's.
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

/// A tensor that a node of a program keeps for backward. Its version is checked when it is
/// unpacked; hooks (saved_hooks.h) may keep it in another form.
class SavedVariable {
 public:
  SavedVariable() = default;
  /// `is_output`: of the node that keeps it, so that it is kept without history. The node must be
  /// set as its history (set_history) before.
  SavedVariable(const Tensor& t, bool is_output, bool /*is_inplace_on_view*/ = false)
      : saved_(is_output ? Saved(t, t.defined() ? static_cast<uint32_t>(t.output_nr()) : 0)
                         : Saved(t)),
        state_(State::kKept) {}
  /// The same; nothing is kept of none.
  SavedVariable(const optional<Tensor>& t, bool is_output, bool is_inplace_on_view = false)
      : SavedVariable(t.value_or(Tensor()), is_output, is_inplace_on_view) {}
  SavedVariable(const SavedVariable&) = delete;
  SavedVariable& operator=(const SavedVariable&) = delete;
  SavedVariable(SavedVariable&&) = default;             ///< with its hooks
  SavedVariable& operator=(SavedVariable&&) = default;  ///< with its hooks

  /// The tensor, an output with `saved_for` (or the node that runs) as its history. Throws Error
  /// when it was changed in place, or dropped.
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
  /// Drops the tensor: unpack() throws from then on.
  void reset_data() {
    saved_ = Saved();
    state_ = State::kDropped;
  }
  /// Hands the tensor to hooks. Throws Error where there is none, or hooks have it already.
  void register_hooks(std::unique_ptr<SavedVariableHooks>&& hooks) {
    saved_.pack(std::move(hooks));
  }

 private:
  enum class State { kEmpty, kKept, kDropped };
  Saved saved_;
  State state_ = State::kEmpty;
};
using SavedTensor = SavedVariable;  ///< its other name

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

/// The edges that the gradients of tensors, optional ones and lists of them take, in this order; an
/// invalid one for a tensor that wants none. Nothing where nothing is recorded.
template <class... T>
edge_list collect_next_edges(const T&... tensors) {
  edge_list edges;
  if (!GradMode::is_enabled()) return edges;
  (detail::add_edges(edges, tensors), ...);
  return edges;
}
/// Whether one of tensors, optional ones and lists of them wants a gradient.
template <class... T>
bool any_variable_requires_grad(const T&... tensors) {
  return (detail::wants_grad(tensors) || ...);
}
/// Of a list in braces, too.
inline bool any_variable_requires_grad(const variable_list& list) {
  return detail::wants_grad(list);
}
/// The same, and whether anything is recorded.
template <class... T>
bool compute_requires_grad(const T&... tensors) {
  return GradMode::is_enabled() && any_variable_requires_grad(tensors...);
}
/// Makes `t` the next output of `node`.
inline void create_gradient_edge(const Tensor& t, const NodePtr& node) { set_history(t, node); }
/// The same for several, undefined ones counted too.
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
/// Counts an in-place change that a kernel of the program has made.
inline void bump_version(const Tensor& t) { t.impl().bump_version(); }
}  // namespace impl

/// Counts in-place changes that a program's own kernel has made, so that autograd notices them.
inline void increment_version(const Tensor& t) { t.impl().bump_version(); }

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
