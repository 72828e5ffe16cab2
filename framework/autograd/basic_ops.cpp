#include <taper/framework/autograd/basic_ops.h>

#include <taper/framework/autograd/record.h>

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
