#include <taper/ops/sequence/rnn_layer.h>

#include <algorithm>

#include <taper/framework/autograd/recompute.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/linalg/matmul_kernels.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/linear.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

const char* name_of(RnnMode mode) {
  switch (mode) {
    case RnnMode::kLstm:
      return "LstmBackward0";
    case RnnMode::kGru:
      return "GruBackward0";
    case RnnMode::kTanh:
      return "RnnTanhBackward0";
    case RnnMode::kRelu:
      break;
  }
  return "RnnReluBackward0";
}

// ---------------------------------------------------------------------- in public ops

// Returns the next state of some sequences, from the inputs' part of their gates.
RnnOutput step_in_ops(RnnMode mode, const Tensor& gates, const Tensor& h, const Tensor& c,
                      const RnnWeights& w) {
  const Tensor part = linear(h, w.w_hh, w.b_hh);
  if (mode == RnnMode::kTanh || mode == RnnMode::kRelu) {
    const Tensor sum = gates.add(part), y = mode == RnnMode::kTanh ? sum.tanh() : sum.relu();
    return {y, y, {}};
  }
  if (mode == RnnMode::kGru) {
    const auto g = gates.chunk(3, 1), p = part.chunk(3, 1);
    const Tensor reset = g[0].add(p[0]).sigmoid(), update = g[1].add(p[1]).sigmoid();
    const Tensor fresh = g[2].add(reset.mul(p[2])).tanh();
    const Tensor y = fresh.add(update.mul(h.sub(fresh)));
    return {y, y, {}};
  }
  const auto g = gates.add(part).chunk(4, 1);
  const Tensor cell = g[1].sigmoid().mul(c).add(g[0].sigmoid().mul(g[2].tanh()));
  const Tensor full = g[3].sigmoid().mul(cell.tanh());
  const Tensor y = w.w_hr.defined() ? linear(full, w.w_hr) : full;
  return {y, y, cell};
}

// Returns `all` with its first rows replaced by `rows`.
Tensor with_first(const Tensor& all, const Tensor& rows) {
  const int64_t n = rows.size(0);
  return n == all.size(0) ? rows : cat({rows, all.narrow(0, n, all.size(0) - n)});
}

// Computes the layer by definition. It serves second derivatives of the fused op, and projections.
RnnOutput layer_in_ops(const RnnPlan& plan, const Tensor& x, Tensor h, Tensor c,
                       const RnnWeights& w) {
  const Tensor gates = linear(x, w.w_ih, w.b_ih);
  std::vector<Tensor> parts;
  for (const RnnStep& s : steps_of(plan)) {
    const RnnOutput next = step_in_ops(plan.mode, gates.narrow(0, s.row, s.n), h.narrow(0, 0, s.n),
                                       c.defined() ? c.narrow(0, 0, s.n) : c, w);
    parts.push_back(next.y);
    h = with_first(h, next.h);
    if (c.defined()) c = with_first(c, next.c);
  }
  if (plan.reverse) std::reverse(parts.begin(), parts.end());
  return {cat(parts), h, c};
}

Tensor cast(const Tensor& t, ScalarType dtype) { return t.defined() ? t.to(dtype) : t; }

/// Computes layer(plan, x, h, c, w) with operands in f32.
template <class Layer>
RnnOutput layer_in_float(const RnnPlan& plan, const Tensor& x, const Tensor& h, const Tensor& c,
                         const RnnWeights& w, const Layer& layer) {
  const auto wide = [](const Tensor& t) { return cast(t, kFloat); };
  const RnnOutput out =
      layer(plan, wide(x), wide(h), wide(c),
            {wide(w.w_ih), wide(w.w_hh), wide(w.b_ih), wide(w.b_hh), wide(w.w_hr)});
  const ScalarType dtype = x.scalar_type();
  return {out.y.to(dtype), out.h.to(dtype), cast(out.c, dtype)};
}

// ---------------------------------------------------------------------- fused

// For bf16, the products over all times are bf16. Between times, states, gates and their gradients
// are f32.
ScalarType state_dtype(const Tensor& x) {
  return isReducedFloatingType(x.scalar_type()) ? kFloat : x.scalar_type();
}
Tensor row_major(const Tensor& t, ScalarType dtype) {
  return t.defined() ? t.to(dtype).contiguous() : t;
}
/// Returns the hidden weights as the kernels take them. On the CPU, bf16 stays.
Tensor hidden_weights(const Tensor& w, ScalarType inner) {
  const bool as_is = w.scalar_type() == kBFloat16 && w.is_cpu();
  return row_major(w, as_is ? kBFloat16 : inner);
}
// Always copies.
Tensor state_copy(const Tensor& t, ScalarType dtype) {
  if (!t.defined()) return t;
  return t.scalar_type() == dtype ? t.clone(MemoryFormat::Contiguous) : row_major(t, dtype);
}

/// Data of the forward pass for backward. The inputs are x, h, c, w_ih, w_hh, b_ih, b_hh, in this
/// order.
struct Kept {
  RnnPlan plan;
  std::vector<Saved> inputs;
  Saved gates, extra, y;
};

std::vector<Tensor> gradients_in_ops(const Kept& kept, Grads& g) {
  const auto definition = [&](const std::vector<Tensor>& t) {
    const RnnWeights w{t[3], t[4], t[5], t[6], {}};
    const RnnOutput out = isReducedFloatingType(t[0].scalar_type())
                              ? layer_in_float(kept.plan, t[0], t[1], t[2], w, &layer_in_ops)
                              : layer_in_ops(kept.plan, t[0], t[1], t[2], w);
    return std::vector<Tensor>{out.y, out.h, out.c};
  };
  return autograd::gradients_through(definition, kept.inputs, g);
}

// Returns the gradient of a last state, which the gradient of the first one will overwrite.
Tensor state_gradient(const Tensor& g, const Tensor& state) {
  if (!state.defined()) return {};
  return g.defined() ? state_copy(g, state.scalar_type()) : zeros_like(state);
}

std::vector<Tensor> gradients(const Kept& kept, Grads& g) {
  const auto input = [&](size_t i) {
    return kept.inputs[i].defined() ? kept.inputs[i].get() : Tensor();
  };
  const Tensor x = input(0), w_ih = input(3), gates = kept.gates.get();
  const ScalarType dtype = x.scalar_type(), inner = gates.scalar_type();
  const Tensor h0 = row_major(input(1), inner), c0 = row_major(input(2), inner);
  const Tensor w_hh = hidden_weights(input(4), inner), y = kept.y.get().to(inner);
  const Tensor extra = kept.extra.defined() ? kept.extra.get() : Tensor();
  const Tensor gy = row_major(g[0], inner);
  const Tensor gx = detail::make_like(gates), before = detail::make_like(y);
  const bool apart = kept.plan.mode == RnnMode::kGru;
  const Tensor gp = apart ? detail::make_like(gates) : Tensor();
  const Tensor gh = state_gradient(g[1], h0),
               gc = state_gradient(g.size() > 2 ? g[2] : Tensor(), c0);
  TAPER_ON_DEVICE(x, rnn_backward, kept.plan, gx, gp, before, gh, gc, gy, gates, extra, y, w_hh, h0,
                  c0);
  const Tensor& hidden = apart ? gp : gx;
  const Tensor factor = gx.to(dtype), hidden_factor = apart ? gp.to(dtype) : factor;
  std::vector<Tensor> r(7);
  if (g.needs(0)) r[0] = mm(factor, w_ih);
  if (g.needs(1)) r[1] = gh.to(dtype);
  if (g.needs(2)) r[2] = gc.to(input(2).scalar_type());
  if (g.needs(3)) r[3] = mm(factor.t(), x);
  if (g.needs(4)) r[4] = mm(hidden_factor.t(), before.to(dtype));
  if (g.needs(5)) r[5] = gx.sum(0).to(dtype);
  if (g.needs(6)) r[6] = !apart && r[5].defined() ? r[5] : hidden.sum(0).to(dtype);
  return r;
}

void check_layer(const RnnPlan& plan, const Tensor& x, const Tensor& h, const RnnWeights& w) {
  const auto check_product = [](const Tensor& a, const Tensor& b) {
    TAPER_CHECK(b.dim() == 2 && a.size(1) == b.size(1),
                "rnn: mat1 and mat2 shapes cannot be multiplied (", a.size(0), "x", a.size(1),
                " and ", b.size(-1), "x", b.size(0), ")");
  };
  check_product(x, w.w_ih);
  check_product(h, w.w_hh);
  const int64_t width = gates_of(plan.mode) * (w.w_hr.defined() ? w.w_hr.size(1) : h.size(1));
  for (const Tensor* t : {&w.w_ih, &w.w_hh, &w.b_ih, &w.b_hh})
    TAPER_CHECK(!t->defined() || t->size(0) == width, "rnn: expected weights of ", width,
                " rows, got ", t->sizes());
  for (const Tensor* t : {&h, &w.w_ih, &w.w_hh, &w.b_ih, &w.b_hh})
    TAPER_CHECK(!t->defined() || t->scalar_type() == x.scalar_type(),
                "rnn: mat1 and mat2 must have the same dtype, but got ", toString(x.scalar_type()),
                " and ", toString(t->scalar_type()),
                ": convert the input, the state or the module with to(dtype)");
  TAPER_CHECK_AS(NotImplementedError, x.is_floating_point(), "rnn: not implemented for '",
                 x.scalar_type(), "'");
}

/// The inputs' part of the gates, and the bias that is not yet added.
struct InputPart {
  Tensor gates, bias;
};

// On the CPU, sums of bf16 products stay f32, and biases of one sum are added beforehand.
InputPart input_part(RnnMode mode, const Tensor& x, const RnnWeights& w, ScalarType inner) {
  const Tensor b_hh = row_major(w.b_hh.defined() ? w.b_hh.detach() : Tensor(), inner);
  if (x.scalar_type() != kBFloat16 || !x.is_cpu())
    return {linear(x, w.w_ih, w.b_ih).to(inner), b_hh};
  const Tensor b_ih = row_major(w.b_ih.defined() ? w.b_ih.detach() : Tensor(), inner);
  const bool apart = mode == RnnMode::kGru, both = b_ih.defined() && b_hh.defined();
  const Tensor gates = detail::make_tensor({x.size(0), w.w_ih.size(0)}, inner, x.device());
  TAPER_ON_DEVICE(gates, matmul_kernel, gates, x, w.w_ih.detach().t(), apart ? b_ih : Tensor(), 1,
                  1);
  if (apart) return {gates, b_hh};
  return {gates, both ? b_ih.add(b_hh) : b_ih.defined() ? b_ih : b_hh};
}

RnnOutput fused_layer(const RnnPlan& plan, const Tensor& x, const Tensor& h0, const Tensor& c0,
                      const RnnWeights& w) {
  const bool grad = needs_grad(x, h0, c0, w.w_ih, w.w_hh, w.b_ih, w.b_hh);
  const bool has_extra = plan.mode == RnnMode::kLstm || plan.mode == RnnMode::kGru;
  const ScalarType dtype = x.scalar_type(), inner = state_dtype(x);
  Tensor gates, y, h, c, extra;
  {
    NoGradGuard no_grad;
    const InputPart part = input_part(plan.mode, x, w, inner);
    gates = part.gates;
    h = state_copy(h0, inner);
    c = state_copy(c0, inner);
    y = detail::make_tensor({x.size(0), h.size(1)}, inner, x.device());
    if (has_extra) extra = detail::make_like(y);
    const Tensor w_hh = hidden_weights(w.w_hh.detach(), inner);
    TAPER_ON_DEVICE(x, rnn_forward, plan, gates, extra, y, h, c, w_hh, part.bias);
    y = y.to(dtype), h = h.to(dtype), c = cast(c, dtype);
  }
  if (!grad) return {y, h, c};
  Kept kept{plan, autograd::saved_all({x, h0, c0, w.w_ih, w.w_hh, w.b_ih, w.b_hh}), saved(gates),
            has_extra ? saved(extra) : Saved(), saved_output(y)};
  record(name_of(plan.mode), {y, h, c}, {x, h0, c0, w.w_ih, w.w_hh, w.b_ih, w.b_hh},
         [kept = std::move(kept)](Grads& g) {
           return GradMode::is_enabled() ? gradients_in_ops(kept, g) : gradients(kept, g);
         });
  return {y, h, c};
}

}  // namespace

RnnOutput rnn_layer(const RnnPlan& plan, const Tensor& x, const Tensor& h, const Tensor& c,
                    const RnnWeights& w) {
  check_layer(plan, x, h, w);
  // Products of f16 compute in f32 anyway.
  if (x.scalar_type() == kHalf || (w.w_hr.defined() && x.scalar_type() == kBFloat16))
    return layer_in_float(plan, x, h, c, w, &rnn_layer);
  if (w.w_hr.defined()) return layer_in_ops(plan, x, h, c, w);
  return fused_layer(plan, x, h, c, w);
}

}  // namespace torch::taper
