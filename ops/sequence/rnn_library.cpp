#include <taper/ops/sequence/rnn_library.h>

#include <taper/framework/autograd/recompute.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

namespace {

Tensor dense(const Tensor& t) { return t.defined() ? t.contiguous() : t; }

/// Data of the forward pass for backward. The inputs are x, h, c, then the parameters.
struct Kept {
  const RnnLibrary* library;
  RnnStack stack;
  std::vector<RnnSpan> spans;
  std::vector<Saved> inputs;
  Saved y, weights, reserve;

  /// Returns all inputs. Throws if one, including parameters, was changed in place.
  std::vector<Tensor> get_inputs() const {
    std::vector<Tensor> all;
    for (const Saved& t : inputs) all.push_back(t.defined() ? t.get() : Tensor());
    return all;
  }
};

std::vector<Tensor> gradients_in_ops(const Kept& kept, Grads& g) {
  const auto definition = [&](const std::vector<Tensor>& t) {
    const RnnOutput out =
        rnn_layers(kept.stack, t[0], t[1], t[2], TensorList(t.data() + 3, t.size() - 3));
    return std::vector<Tensor>{out.y, out.h, out.c};
  };
  return autograd::gradients_through(definition, kept.inputs, g);
}

bool wants_weights(const Kept& kept, const Grads& g) {
  for (size_t i = 3; i < kept.inputs.size(); ++i)
    if (g.needs(i)) return true;
  return false;
}

std::vector<Tensor> gradients(const Kept& kept, Grads& g) {
  const std::vector<Tensor> inputs = kept.get_inputs();
  const Tensor x = dense(inputs[0]), h0 = dense(inputs[1]), c0 = dense(inputs[2]);
  const Tensor y = kept.y.get(), weights = kept.weights.get();
  const Tensor gy = g[0].defined() ? g[0].contiguous() : zeros_like(y);
  const Tensor gh_last = dense(g[1]), gc_last = dense(g.size() > 2 ? g[2] : Tensor());
  const Tensor gx = detail::make_like(x), gh = detail::make_like(h0);
  const Tensor gc = c0.defined() ? detail::make_like(c0) : Tensor();
  const Tensor gw = wants_weights(kept, g) ? zeros_like(weights) : Tensor();
  // cuDNN changes the reserve, and the graph may be kept for another backward.
  const Tensor reserve = kept.reserve.get().clone();
  detail::launch("rnn_backward", x.device(), kept.library->backward, kept.stack, gx, gh, gc, gw,
                 reserve, gy, gh_last, gc_last, x, h0, c0, y, weights);
  std::vector<Tensor> all{gx, gh, gc}, params(kept.inputs.size() - 3);
  if (gw.defined()) params = unpack_weights(gw, kept.spans, rnn_param_sizes(kept.stack));
  all.insert(all.end(), params.begin(), params.end());
  return all;
}

}  // namespace

RnnOutput rnn_by_library(const RnnLibrary& library, const RnnStack& stack, const Tensor& x,
                         const Tensor& h, const Tensor& c, TensorList params) {
  std::vector<Tensor> inputs{x, h, c};
  inputs.insert(inputs.end(), params.begin(), params.end());
  const bool grad = needs_grad(inputs);
  const RnnSpace space = library.space(stack, x.scalar_type(), x.device(), grad);
  if (space.weights == 0) return rnn_layers(stack, x, h, c, params);
  const auto make = [&](const Dims& sizes, ScalarType dtype) {
    return detail::make_tensor(sizes, dtype, x.device());
  };
  const Tensor weights = make({space.weights}, x.scalar_type());
  const Tensor reserve = grad ? make({space.reserve}, kByte) : Tensor();
  const Tensor y = make({x.size(0), stack.directions() * stack.output}, x.scalar_type());
  const Tensor last_h = make(h.impl().sizes, x.scalar_type());
  const Tensor last_c = c.defined() ? make(c.impl().sizes, x.scalar_type()) : Tensor();
  {
    const NoGradGuard no_grad;
    pack_weights(weights, space.spans, params);
    detail::launch("rnn_forward", x.device(), library.forward, stack, y, last_h, last_c, reserve,
                   x.contiguous(), h.contiguous(), dense(c), weights);
  }
  if (!grad) return {y, last_h, last_c};
  Kept kept{&library,        stack,          space.spans,   autograd::saved_all(inputs),
            saved_output(y), saved(weights), saved(reserve)};
  autograd::record_list(
      "CudnnRnnBackward0", {y, last_h, last_c}, inputs, [kept = std::move(kept)](Grads& g) {
        return GradMode::is_enabled() ? gradients_in_ops(kept, g) : gradients(kept, g);
      });
  return {y, last_h, last_c};
}

}  // namespace torch::taper
