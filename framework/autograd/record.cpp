#include <taper/framework/autograd/record.h>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/autograd/basic_ops.h>
#include <taper/framework/autograd/function_autocast.h>

// ---------------------------------------------------------------------- record
namespace torch::taper::autograd::detail {

namespace {

bool any_defined(const GradList& grads) {
  for (const Tensor& g : grads)
    if (g.defined()) return true;
  return false;
}

}  // namespace

CallableNode::CallableNode(const char* name, uint32_t num_outputs, const CallableOps& its_ops)
    : Node(name, num_outputs), ops(its_ops), holds_saved(saved_since_record != 0) {
  saved_since_record = 0;
}

CallableNode::~CallableNode() { destroy_callable(); }

void CallableNode::destroy_callable() {
  if (!alive) return;
  alive = false;
  ops.destroy(callable());
}

GradList CallableNode::apply(GradList&& grads) {
  if (!alive) throw_released(*this);
  GradList out(num_edges_);
  // If no gradient arrived, none leaves: an undefined gradient stands for zeros.
  if (!any_defined(grads)) return out;
  Grads g{grads, *this};
  // A derivative computes in the dtypes of its op.
  const taper::detail::AutocastOff as_recorded;
  ops.call(callable(), g, out);
  return out;
}

void CallableNode::release_variables() {
  if (!holds_saved || !alive) return;
  released_ = true;
  destroy_callable();
}

CallableNode* allocate_node(const char* name, uint32_t num_outputs, const CallableOps& ops,
                            size_t block_nbytes) {
  auto* node =
      new (taper::detail::pool_allocate(block_nbytes)) CallableNode(name, num_outputs, ops);
  node->object_nbytes_ = static_cast<uint32_t>(block_nbytes);
  return node;
}

NodePtr connected(CallableNode* node, size_t offset, const Tensor* const* inputs, size_t count,
                  History history) {
  NodePtr owner = NodePtr::adopt(node);
  connect(*node, reinterpret_cast<Edge*>(reinterpret_cast<char*>(node) + offset), inputs, count,
          history);
  return owner;
}

}  // namespace torch::taper::autograd::detail

// ---------------------------------------------------------------------- basic_ops
namespace torch::taper::autograd {

namespace {

/// Returns f(t) of each defined tensor.
template <class F>
variable_list of_each(const variable_list& tensors, const F& f) {
  variable_list result;
  for (const Tensor& t : tensors) result.push_back(t.defined() ? f(t) : Tensor());
  return result;
}

}  // namespace

variable_list UndefinedGrad::apply(variable_list&& inputs) const {
  variable_list outputs = of_each(inputs, [](const Tensor& t) { return t.detach().clone(); });
  if (needs_grad(inputs))
    record_list("UndefinedGradBackward", outputs, inputs,
                [n = inputs.size()](Grads&) { return variable_list(n); });
  return outputs;
}

DelayedError::DelayedError(std::string text, int64_t count)
    : msg(std::move(text)), num_inputs(count) {}

variable_list DelayedError::apply(variable_list&& inputs) const {
  TAPER_CHECK(static_cast<int64_t>(inputs.size()) == num_inputs, "DelayedError: expected ",
              num_inputs, " inputs, got ", inputs.size());
  variable_list outputs = of_each(inputs, [](const Tensor& t) { return t.detach(); });
  if (needs_grad(inputs))
    record_list("Error", outputs, inputs,
                [text = msg](Grads&) -> variable_list { throw taper::Error(text); });
  return outputs;
}

}  // namespace torch::taper::autograd

// ---------------------------------------------------------------------- function_autocast
namespace torch::taper::amp {

namespace {

constexpr const char *kUsed = "_fwd_used_autocast", *kDtype = "_dtype";

const IValue& kept(const autograd::AutogradContext& ctx, const char* name) {
  const auto found = ctx.saved_data.find(name);
  TAPER_CHECK(found != ctx.saved_data.end(),
              "custom_bwd: expected a forward with a custom_fwd, got one without");
  return found->second;
}

}  // namespace

custom_fwd::custom_fwd(autograd::AutogradContext* ctx, Device device,
                       optional<ScalarType> cast_inputs)
    : type_(device.type()),
      cast_to_(autocast::is_autocast_enabled(type_) ? cast_inputs : nullopt),
      scope_(device, nullopt, autocast::is_autocast_enabled(type_) && !cast_inputs) {
  ctx->saved_data[kUsed] = autocast::is_autocast_enabled(type_);
  ctx->saved_data[kDtype] = static_cast<int64_t>(autocast::get_autocast_dtype(type_));
}

Tensor custom_fwd::operator()(const Tensor& x) const {
  const bool cast = cast_to_ && x.defined() && x.device().type() == type_ &&
                    x.is_floating_point() && x.scalar_type() != kDouble;
  return cast ? x.to(*cast_to_) : x;
}

custom_bwd::custom_bwd(const autograd::AutogradContext* ctx, Device device)
    : scope_(device, static_cast<ScalarType>(kept(*ctx, kDtype).toInt()),
             kept(*ctx, kUsed).toBool()) {}

}  // namespace torch::taper::amp
