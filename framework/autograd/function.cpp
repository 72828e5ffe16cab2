#include <taper/framework/autograd/function.h>

#include <algorithm>

#include <taper/framework/autograd/engine.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/autograd/transform.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/debug/backtrace.h>

namespace torch::taper::autograd {

variable_list AutogradContext::get_saved_variables() const {
  TAPER_CHECK(!released_,
              "Trying to backward through the graph a second time (or directly access "
              "saved tensors after they have already been freed). Specify retain_graph=True if you "
              "need to backward through the graph a second time or if you need to access saved "
              "tensors after calling backward.");
  variable_list tensors;
  for (const Saved& s : saved_) tensors.push_back(s.get());
  return tensors;
}

void AutogradContext::mark_dirty(const variable_list& inputs) {
  for (const Tensor& t : inputs) dirty_.push_back(t.unsafeGetTensorImpl());
}

void AutogradContext::mark_non_differentiable(const variable_list& outputs) {
  for (const Tensor& t : outputs) non_differentiable_.push_back(t.unsafeGetTensorImpl());
}

namespace detail {
namespace {

bool is_among(const std::vector<TensorImpl*>& list, const Tensor& t) {
  return std::find(list.begin(), list.end(), t.unsafeGetTensorImpl()) != list.end();
}

void warn_of_no_input() {
  taper::detail::warn_user(
      "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there "
      "is "
      "no need to pass it to mark_dirty().");
}

void check_dirty_are_returned(const std::vector<TensorImpl*>& dirty, const variable_list& outputs) {
  for (const TensorImpl* t : dirty) {
    const bool returned = std::any_of(outputs.begin(), outputs.end(), [&](const Tensor& y) {
      return y.unsafeGetTensorImpl() == t;
    });
    TAPER_CHECK(
        returned,
        "Some elements marked as dirty during the forward method were not returned as "
        "output. The inputs that are modified inplace must all be outputs of the Function.");
  }
}

void check_no_leaf_is_written(const TensorImpl& t) {
  TAPER_CHECK(!t.leaf_requires_grad,
              "a leaf Variable that requires grad has been used in an in-place operation.");
  TAPER_CHECK(
      !t.view_base || t.view_base->grad_fn || !t.view_base->leaf_requires_grad,
      "a view of a leaf Variable that requires grad has been used in an in-place operation.");
}

/// Returns a view of an input that is returned unchanged. Neither can then be written without the
/// other's history.
Tensor view_of_itself(const Tensor& x) {
  const NoGradGuard no_history;
  Tensor y = x.detach();
  make_view_of(y, x);
  return y;
}

}  // namespace

/// Is the node of one call of a custom function.
struct FunctionNode final : Node {
  FunctionNode(std::string function_name, BackwardFunction f);
  std::string name() const override { return "torch::autograd::CppNode<" + function_name_ + ">"; }
  GradList apply(GradList&& grads) override;
  void release_variables() override;

  void set_inputs(const variable_list& tensors, const std::vector<bool>& is_tensor);
  variable_list wrap_outputs(variable_list outputs, const variable_list& inputs, bool recording);
  void keep_saved();

  AutogradContext context;

 private:
  struct Meta {
    Dims sizes;
    ScalarType dtype = ScalarType::Undefined;
    Device device;
  };
  Tensor checked_input_gradient(Tensor g, size_t input) const;

  std::string function_name_;
  BackwardFunction backward_;
  std::vector<bool> is_tensor_;
  std::vector<Meta> input_meta_, output_meta_;
};

FunctionNode::FunctionNode(std::string function_name, BackwardFunction f)
    : Node("CppNode", 1), function_name_(std::move(function_name)), backward_(f) {
  object_nbytes_ = sizeof(FunctionNode);
  context.node_ = this;
}

FunctionCall::FunctionCall(const char* type_name, BackwardFunction f) {
  void* block = taper::detail::pool_allocate(sizeof(FunctionNode));
  node_ = intrusive_ptr<Node>(new (block) FunctionNode(taper::detail::demangled(type_name), f));
}
AutogradContext& FunctionCall::context() { return static_cast<FunctionNode&>(*node_).context; }
void FunctionCall::set_inputs(const variable_list& tensors, const std::vector<bool>& is_tensor) {
  static_cast<FunctionNode&>(*node_).set_inputs(tensors, is_tensor);
}
variable_list FunctionCall::wrap_outputs(variable_list outputs, const variable_list& inputs,
                                         bool recording) {
  return static_cast<FunctionNode&>(*node_).wrap_outputs(std::move(outputs), inputs, recording);
}

void FunctionCall::keep_saved() { static_cast<FunctionNode&>(*node_).keep_saved(); }

bool is_transformed(const variable_list& inputs) {
  return transform && transform->is_transformed(inputs);
}
variable_list call_transformed(const CustomCall& call) { return transform->call_transformed(call); }

void FunctionNode::set_inputs(const variable_list& tensors, const std::vector<bool>& is_tensor) {
  is_tensor_ = is_tensor;
  std::vector<const Tensor*> inputs;
  for (const Tensor& t : tensors) {
    inputs.push_back(&t);
    input_meta_.push_back(t.defined() ? Meta{t.impl().sizes, t.scalar_type(), t.device()} : Meta{});
  }
  autograd::detail::connect(*this, make_edge_memory(tensors.size()), inputs.data(), inputs.size());
}

void FunctionNode::keep_saved() {
  for (const Tensor& t : context.to_save_) {
    const bool own = t.defined() && t.impl().grad_fn.get() == this;
    context.saved_.push_back(own ? Saved(t, t.impl().output_nr) : Saved(t));
  }
  saved_since_record = 0;
}

variable_list FunctionNode::wrap_outputs(variable_list outputs, const variable_list& inputs,
                                         bool recording) {
  check_dirty_are_returned(context.dirty_, outputs);
  num_inputs_ = static_cast<uint32_t>(outputs.size());
  const NodePtr self(this);
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor& y = outputs[i];
    const bool dirty = y.defined() && is_among(context.dirty_, y);
    bool is_input = false;
    for (const Tensor& x : inputs) is_input = is_input || (y.defined() && x.is_same(y));
    output_meta_.push_back(y.defined() ? Meta{y.impl().sizes, y.scalar_type(), y.device()}
                                       : Meta{});
    if (!y.defined()) continue;
    const bool constant =
        is_among(context.non_differentiable_, y) || !isFloatingOrComplexType(y.scalar_type());
    if (dirty) {
      mark_changed(y);
    } else if (is_input) {
      y = view_of_itself(y);  // must not get this node's history itself
    }
    if (!recording || constant) continue;
    if (dirty) {
      check_no_leaf_is_written(y.impl());
      if (!is_input) warn_of_no_input();
      TAPER_CHECK(!y.is_view() || outputs.size() == 1,
                  "If your Function modifies views in-place, it must return one output");
      rebase_history(y, self);
      if (!y.is_view()) y.impl().output_nr = static_cast<uint32_t>(i);
      continue;
    }
    if (y.is_view()) y.impl().view_origin = TensorImpl::ViewOrigin::kCustomFunction;
    set_history(y, self, static_cast<uint32_t>(i));
  }
  if (recording) keep_saved();
  context.to_save_.clear();
  context.dirty_.clear();
  context.non_differentiable_.clear();
  return outputs;
}

Tensor FunctionNode::checked_input_gradient(Tensor g, size_t input) const {
  const Meta& meta = input_meta_[input];
  if (!g.defined() || !should_compute_output(input)) return Tensor();
  if (g.sizes() != meta.sizes.ref()) {
    TAPER_CHECK(can_be_summed_to(g.sizes(), meta.sizes), "Function ", name(),
                " returned an invalid gradient at index ", input, " - got ", g.sizes(),
                " but expected shape compatible with ", meta.sizes);
    g = g.sum_to_size(meta.sizes);
  }
  TAPER_CHECK(g.device() == meta.device, "Function ", name(),
              " returned an invalid gradient at index ", input, " - expected device ", meta.device,
              " but got ", g.device());
  TAPER_CHECK(isComplexType(meta.dtype) || !g.is_complex(), "Function ", name(),
              " returned an invalid gradient at index ", input, " - expected a real gradient of ",
              toString(meta.dtype), ", got ", toString(g.scalar_type()));
  return g.scalar_type() == meta.dtype ? g : g.to(meta.dtype);
}

GradList FunctionNode::apply(GradList&& grads) {
  variable_list in;
  for (size_t i = 0; i < grads.size(); ++i) {
    const Meta& meta = output_meta_[i];
    if (!grads[i].defined() && context.materialize_grads_ && meta.dtype != ScalarType::Undefined) {
      grads[i] = taper::detail::make_tensor(meta.sizes, meta.dtype, meta.device);
      grads[i].zero_();
    }
    in.push_back(std::move(grads[i]));
  }
  variable_list given = backward_(&context, std::move(in));
  // LibTorch ignores trailing undefined gradients.
  while (given.size() > is_tensor_.size() && !given.back().defined()) given.pop_back();
  TAPER_CHECK(given.size() == is_tensor_.size(), "function ", name(),
              " returned an incorrect number of gradients (expected ", is_tensor_.size(), ", got ",
              given.size(), ")");
  GradList out(input_meta_.size());
  size_t at = 0;
  for (size_t a = 0; a < given.size(); ++a) {
    if (is_tensor_[a]) {
      out[at] = checked_input_gradient(std::move(given[a]), at);
      ++at;
    } else {
      TAPER_CHECK(!given[a].defined(), "function ", name(),
                  " returned a gradient different than undefined at position ", a + 1,
                  ", but the corresponding forward input was not a Variable");
    }
  }
  return out;
}

void FunctionNode::release_variables() {
  if (context.saved_.empty()) return;
  context.saved_.clear();
  context.released_ = true;
}

}  // namespace detail

bool AutogradContext::needs_input_grad(size_t input) const {
  if (!node_ || node_->num_outputs() == 0) return false;
  TAPER_CHECK(input < node_->num_outputs(), "Index out of range: needs_input_grad(", input,
              ") of a function of ", node_->num_outputs(), " tensors");
  return is_wanted(node_->next_edge(input));
}

bool AutogradContext::needs_input_grad(std::initializer_list<IndexRange> ranges) const {
  for (const IndexRange& range : ranges)
    for (size_t i = range.first; i < range.second; ++i)
      if (needs_input_grad(i)) return true;
  return false;
}

}  // namespace torch::taper::autograd
