// Implements Tensor's autograd methods.
#include <taper/framework/autograd/autograd.h>

#include <algorithm>
#include <ostream>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/engine.h>
#include <taper/framework/autograd/extra.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/autograd/view_history.h>
#include <taper/framework/core/warning.h>

namespace torch::taper {
namespace autograd {

std::ostream& operator<<(std::ostream& out, const NodePtr& node) {
  return out << static_cast<const void*>(node.get());
}

Variable make_variable(const Tensor& data, bool requires_grad) {
  return data.defined() ? data.detach().set_requires_grad(requires_grad) : data;
}

void backward(const variable_list& tensors, const variable_list& grad_tensors,
              optional<bool> retain_graph, bool create_graph, const variable_list& inputs) {
  BackwardPass pass;
  pass.roots = tensors;
  pass.root_grads = grad_tensors;
  pass.keep_graph = retain_graph.value_or(create_graph);
  pass.create_graph = create_graph;
  pass.inputs = inputs;
  run_backward(pass);
}

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs, optional<bool> retain_graph,
                   bool create_graph, bool allow_unused) {
  TAPER_CHECK(!inputs.empty(), "grad requires non-empty inputs.");
  BackwardPass pass;
  pass.roots = outputs;
  pass.root_grads = grad_outputs;
  pass.keep_graph = retain_graph.value_or(create_graph);
  pass.create_graph = create_graph;
  pass.inputs = inputs;
  pass.accumulate = false;
  pass.allow_unused = allow_unused;
  return run_backward(pass);
}

namespace {

/// Warns about a gradient of a tensor that no backward keeps.
void warn_of_no_leaf(const Tensor& t) {
  if (!t.impl().grad_fn || t.is_leaf() || t.retains_grad()) return;
  taper::detail::warn_user(
      "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
      "attribute won't be populated during autograd.backward(). If you indeed want the .grad field "
      "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you "
      "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. See "
      "github.com/pytorch/pytorch/pull/30531");
}

}  // namespace
}  // namespace autograd

void Tensor::backward(const Tensor& gradient, optional<bool> retain_graph, bool create_graph,
                      optional<TensorList> inputs) const {
  autograd::BackwardPass pass;
  pass.roots = *this;
  if (gradient.defined()) pass.root_grads = gradient;
  pass.keep_graph = retain_graph.value_or(create_graph);
  pass.create_graph = create_graph;
  if (inputs) {
    TAPER_CHECK(!inputs->empty(), "'inputs' argument to backward cannot be empty");
    pass.inputs = *inputs;
  }
  autograd::run_backward(pass);
}

const Tensor& Tensor::set_requires_grad(bool v) const {
  TensorImpl& t = impl();
  TAPER_CHECK(!v || isFloatingOrComplexType(t.dtype),
              "Only Tensors of floating point and complex dtype can require gradients");
  TAPER_CHECK(
      !(v && t.inference && !InferenceMode::is_enabled()),
      "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  autograd::refresh_view_history(t);
  if (!t.grad_fn) t.leaf_requires_grad = v;
  // Makes the extra data now, because several threads may use a leaf for the first time at once.
  if (t.leaf_requires_grad) taper::detail::extra_of(t);
  return *this;
}

Tensor& Tensor::requires_grad_(bool v) const {
  TAPER_CHECK(v || is_leaf(),
              "you can only change requires_grad flags of leaf variables. If you want to use a "
              "computed variable in a subgraph that doesn't require differentiation use "
              "var_no_grad = var.detach().");
  set_requires_grad(v);
  return detail::as_mutable(*this);
}

bool Tensor::is_leaf() const { return !grad_fn(); }

intrusive_ptr<autograd::Node> Tensor::grad_fn() const {
  if (!impl_) return nullptr;
  autograd::refresh_view_history(*impl_);
  return impl_->grad_fn;
}

const Tensor& Tensor::grad() const {
  static const Tensor undefined;
  const AutogradExtra* e = impl().extra;
  const Tensor& grad = e ? e->grad : undefined;
  if (!grad.defined()) autograd::warn_of_no_leaf(*this);
  return grad;
}

Tensor& Tensor::mutable_grad() const {
  AutogradExtra& e = detail::extra_of(impl());
  detail::note_grad(e);
  return e.grad;
}

Tensor Tensor::_base() const {
  TAPER_CHECK(is_view(), "Can't get base of non-backward view Tensor");
  return Tensor(impl_->view_base);
}

void Tensor::retain_grad() const {
  TAPER_CHECK(requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
  if (is_leaf()) return;
  AutogradExtra& e = detail::extra_of(*impl_);
  if (e.retains_grad) return;
  e.retains_grad = true;
  autograd::remember_retained(*impl_);
}

bool Tensor::retains_grad() const { return impl().extra && impl_->extra->retains_grad; }

unsigned Tensor::register_hook_impl(std::function<Tensor(const Tensor&)> hook) const {
  TAPER_CHECK(requires_grad(),
              "cannot register a hook on a variable that doesn't require gradient");
  if (auto node = grad_fn()) return node->add_tensor_pre_hook(impl_->output_nr, std::move(hook));
  AutogradExtra& e = detail::extra_of(*impl_);
  e.hooks.push_back({e.next_hook_id, 0, std::move(hook)});
  return e.next_hook_id++;
}

void Tensor::remove_hook(unsigned id) const {
  if (auto node = grad_fn()) return node->remove_tensor_pre_hook(id);
  AutogradExtra& e = detail::extra_of(impl());
  TAPER_CHECK(id < e.next_hook_id, "Invalid index, no hook at position ", id);
  auto& hooks = e.hooks;
  hooks.erase(std::remove_if(hooks.begin(), hooks.end(), [&](auto& h) { return h.id == id; }),
              hooks.end());
}

const std::string& Tensor::name() const {
  static const std::string none;
  return impl().extra ? impl_->extra->name : none;
}

Tensor Tensor::detach() const {
  if (auto done = at_door<"detach">(*this)) return done;
  return detail::share_data(impl());
}

Tensor Tensor::data() const {
  Tensor d = detail::share_data(impl());
  d.impl_->untracked = true;
  return d;
}

Tensor& Tensor::detach_() const {
  if (at_door<"detach_">(*this)) return detail::as_mutable(*this);
  TensorImpl& t = impl();
  TAPER_CHECK(!t.view_base, "Can't detach views in-place. Use detach() instead.");
  if (retains_grad() && t.grad_fn) {
    autograd::forget_retained(t);
    t.extra->retains_grad = false;
  }
  t.grad_fn.reset();
  t.output_nr = 0;
  t.leaf_requires_grad = false;
  return detail::as_mutable(*this);
}

void Tensor::set_data(const Tensor& o) const {
  TensorImpl& t = impl();
  const TensorImpl& from = o.impl();
  TAPER_CHECK(
      !t.requires_grad() || isFloatingOrComplexType(from.dtype),
      "data set to a tensor that requires gradients must be floating point or complex dtype");
  t.dtype = from.dtype;
  t.device = from.device;
  t.contiguous = from.contiguous;
  t.data = from.data;
  t.numel = from.numel;
  t.offset = from.offset;
  t.sizes = from.sizes;
  t.strides = from.strides;
  t.storage = from.storage;
}

}  // namespace torch::taper
