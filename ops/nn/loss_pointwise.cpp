#include <taper/ops/nn/loss_pointwise.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_pointwise_kernels.h>
#include <taper/ops/nn/loss_reduction.h>
#include <taper/ops/shared/no_derivative.h>
#include <taper/ops/shared/out_define.h>

namespace torch::taper {

namespace {

// Describes a loss apart from its numbers.
struct LossOp {
  const char* name;
  const char* node;
  LossForm form;
};

// Returns d loss / dx in ops with derivatives, for a second derivative.
Tensor slope(const Tensor& x, const Tensor& t, LossForm form) {
  const Tensor d = x.sub(t);
  switch (form.kind) {
    case LossKind::kSquared:
      return d.mul(2);
    case LossKind::kSmoothL1:
      return form.p > 0 ? d.div(form.p).clamp(-1, 1) : d.sign();
    case LossKind::kHuber:
      return d.clamp(-form.p, form.p);
    case LossKind::kBce:
      return d.div(x.mul(x.neg().add(1)).clamp_min(1e-12));
    case LossKind::kKlDiv:
      return t.neg();
    case LossKind::kKlDivOfLogs:
      return t.exp().neg();
    case LossKind::kSoftMargin:
      return t.mul(x).neg().sigmoid().mul(t).neg();
    case LossKind::kPoisson:
      return x.exp().sub(t);
    case LossKind::kPoissonOfRates:
      return t.div(x.add(form.p)).neg().add(1);
    case LossKind::kBceLogits:
      break;
  }
  return x.sigmoid().sub(t);
}

// Returns d loss / dt. If the loss depends only on x - t, it is the negative slope of x. t log t
// counts as 0 if t is 0, and so does its slope.
Tensor target_slope(const Tensor& x, const Tensor& t, LossForm form) {
  switch (form.kind) {
    case LossKind::kBce:
      return x.neg().log1p().clamp_min(-100).sub(x.log().clamp_min(-100));
    case LossKind::kBceLogits:
    case LossKind::kPoisson:
      return x.neg();
    case LossKind::kKlDiv:
      return t.masked_fill(t.eq(0), 1).log().add(t.ne(0).to(t.scalar_type())).sub(x);
    case LossKind::kKlDivOfLogs:
      return t.exp().mul(t.sub(x).add(1));
    case LossKind::kPoissonOfRates:
      return x.add(form.p).log().neg();
    case LossKind::kSquared:
    case LossKind::kSmoothL1:
    case LossKind::kHuber:
    case LossKind::kSoftMargin:
      break;
  }
  return slope(x, t, form).neg();
}
bool is_of_difference(LossKind kind) {
  return kind == LossKind::kSquared || kind == LossKind::kSmoothL1 || kind == LossKind::kHuber;
}

// x and t in the dtype in which losses of x are computed.
struct Wide {
  Tensor x, t;
  Wide(const Tensor& x, const Tensor& t) : x(x.to(sum_dtype(x))), t(t.to(sum_dtype(x))) {}
};

Tensor input_gradient(const Tensor& gy, const Tensor& x, const Tensor& t, LossForm form,
                      double divisor) {
  if (needs_grad(gy, x, t)) {
    const Wide wide(x, t);
    const Tensor g = gy.to(wide.x.scalar_type()).div(divisor);
    return slope(wide.x, wide.t, form).mul(g).to(x.scalar_type());
  }
  const Tensor in = x.contiguous(), target = t.contiguous();
  const Tensor g = gy.numel() == 1 ? gy : gy.contiguous();
  Tensor gx = detail::make_tensor(in.sizes(), in.scalar_type(), in.device());
  TAPER_ON_DEVICE(in, pointwise_loss_backward, gx, g, in, target, form, divisor);
  return gx;
}

// A loss of x - t has the opposite slope for t, which is the slope at t of a target x.
Tensor target_gradient(const Tensor& gy, const Tensor& x, const Tensor& t, LossForm form,
                       double divisor) {
  if (is_of_difference(form.kind))
    return input_gradient(gy, t, x.to(t.scalar_type()), form, divisor);
  const Wide wide(x, t);
  const Tensor g = gy.to(wide.x.scalar_type()).div(divisor);
  return target_slope(wide.x, wide.t, form).mul(g).to(t.scalar_type());
}

std::array<Tensor, 2> gradients(const Grads& g, const Tensor& x, const Tensor& t, LossForm form,
                                double divisor) {
  std::array<Tensor, 2> out;
  if (g.needs(0)) out[0] = input_gradient(g[0], x, t, form, divisor);
  if (g.needs(1)) out[1] = target_gradient(g[0], x, t, form, divisor);
  return out;
}

// x and t have one shape. They have one floating dtype, or x has 16 bits and t is f32.
Tensor loss_of(const LossOp& op, const Tensor& self, const Tensor& target, int64_t reduction,
               ScalarType dtype) {
  const bool each = reduction == Reduction::None;
  const Tensor x = self.contiguous(), t = target.contiguous();
  Tensor y = each ? detail::make_tensor(x.sizes(), dtype, x.device())
                  : detail::make_tensor({}, sum_dtype(x), x.device());
  const double divisor = reduction == Reduction::Mean ? static_cast<double>(x.numel()) : 1;
  TAPER_ON_DEVICE(x, pointwise_loss, y, x, t, op.form, divisor);
  if (needs_grad(self, target))
    record(op.node, y, {self, target},
           [x = saved(self), t = saved(target), form = op.form, divisor](Grads& g) {
             return gradients(g, x.get(), t.get(), form, divisor);
           });
  return y.to(dtype);
}

Tensor pointwise_loss(const LossOp& op, const Tensor& self, const Tensor& target,
                      int64_t reduction) {
  check_reduction(op.name, reduction);
  const ScalarType dtype = promoteTypes(self.scalar_type(), target.scalar_type());
  if (!isFloatingType(dtype))
    detail::unsupported_dtype(detail::concat(op.name, "_cpu").c_str(), dtype);
  const ScalarType wide = isReducedFloatingType(dtype) ? kFloat : dtype;
  const bool narrow = is_narrow(self) && wide == kFloat;
  const Tensor x = narrow ? self : self.to(wide);
  const Tensor t = narrow && target.scalar_type() == x.scalar_type() ? target : target.to(wide);
  const ScalarType result = loss_dtype(self, dtype);
  if (x.sizes() == t.sizes()) return loss_of(op, x, t, reduction, result);
  const Dims shape = broadcast_shapes(op.name, x.sizes(), t.sizes());
  return loss_of(op, x.expand(shape), t.expand(shape), reduction, result);
}

bool given(const optional<Tensor>& t) { return t && t->defined(); }

// Tests whether one kernel computes a loss that PyTorch composes of ops. It does for f32 and f64,
// and for 16 bits if autocast computes the loss in f32. (Without autocast each op rounds to 16
// bits.) The kernel reads x and the target once, while the ops of the Kullback-Leibler divergence
// go over memory 15 times. Under autocast it reads 16 bits, and no cast is written.
bool is_one_pass(const Tensor& x, const Tensor& t) {
  if (!x.defined() || !t.defined() || x.device() != t.device()) return false;
  const ScalarType dtype = x.scalar_type();
  if (isReducedFloatingType(dtype))
    return autocast::is_autocast_enabled(x.device().type()) &&
           (t.scalar_type() == dtype || t.scalar_type() == kFloat);
  return isFloatingType(dtype) && t.scalar_type() == dtype;
}
// The node has the name of the last of the ops.
Tensor one_pass(const char* name, const char* last, LossForm form, const Tensor& x, const Tensor& t,
                int64_t reduction) {
  const char* const nodes[] = {last, "MeanBackward0", "SumBackward0"};
  check_reduction(name, reduction);
  return pointwise_loss({name, nodes[reduction], form}, x, t, reduction);
}

}  // namespace

Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  if (auto done = at_door<"mse_loss">(self, target, reduction)) return done;
  return pointwise_loss({"mse", "MseLossBackward0", {LossKind::kSquared}}, self, target, reduction);
}

Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  if (auto done = at_door<"l1_loss">(self, target, reduction)) return done;
  if (is_one_pass(self, target))
    return one_pass("l1_loss", "AbsBackward0", {LossKind::kSmoothL1, 0}, self, target, reduction);
  check_reduction("l1_loss", reduction);
  return reduce_loss(self.sub(target).abs(), reduction);
}

Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
  if (auto done = at_door<"smooth_l1_loss">(self, target, reduction, beta)) return done;
  TAPER_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  if (beta == 0) return l1_loss(self, target, reduction);
  return pointwise_loss({"smooth_l1", "SmoothL1LossBackward0", {LossKind::kSmoothL1, beta}}, self,
                        target, reduction);
}

Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  if (auto done = at_door<"huber_loss">(self, target, reduction, delta)) return done;
  TAPER_CHECK(delta > 0, "huber_loss does not support non-positive values for delta.");
  return pointwise_loss({"huber", "HuberLossBackward0", {LossKind::kHuber, delta}}, self, target,
                        reduction);
}

namespace {

// Broadcasts the target as LibTorch's op, which ignores dimensions of size 1.
Tensor in_shape_of(const Tensor& self, const Tensor& target) {
  if (self.sizes() == target.sizes()) return target;
  const Tensor x = self.squeeze(), t = target.squeeze();
  TAPER_CHECK_VALUE(
      broadcast_shapes("binary_cross_entropy", x.sizes(), t.sizes()) == Dims(x.sizes()),
      "binary_cross_entropy: Using a target size (", target.sizes(),
      ") that is different to the input size (", self.sizes(),
      ") is deprecated. Please ensure they have the same size.");
  return t.expand(x.sizes()).reshape(self.sizes());
}

}  // namespace

Tensor binary_cross_entropy(const Tensor& self, const Tensor& given_target,
                            const optional<Tensor>& weight, int64_t reduction) {
  if (auto done = at_door<"binary_cross_entropy">(self, given_target, weight, reduction))
    return done;
  const Tensor target = in_shape_of(self, given_target);
  const LossOp op{"binary_cross_entropy", "BinaryCrossEntropyBackward0", {LossKind::kBce}};
  if (!given(weight)) return pointwise_loss(op, self, target, reduction);
  detail::check_wants_no_gradient("binary_cross_entropy", "weight", *weight);
  return reduce_loss(pointwise_loss(op, self, target, Reduction::None).mul(*weight), reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        const optional<Tensor>& weight,
                                        const optional<Tensor>& pos_weight, int64_t reduction) {
  if (auto done =
          at_door<"binary_cross_entropy_with_logits">(self, target, weight, pos_weight, reduction))
    return done;
  const ScalarType dtype = loss_dtype(self, self.scalar_type());
  if (given(pos_weight) && dtype != self.scalar_type())
    return binary_cross_entropy_with_logits(self.to(dtype), target, weight, pos_weight, reduction);
  TAPER_CHECK_VALUE(self.sizes() == target.sizes(),
                    "binary_cross_entropy_with_logits: Target size (", target.sizes(),
                    ") must be the same as input size (", self.sizes(), ")");
  const LossOp op{"binary_cross_entropy_with_logits",
                  "BinaryCrossEntropyWithLogitsBackward0",
                  {LossKind::kBceLogits}};
  if (!given(weight) && !given(pos_weight)) return pointwise_loss(op, self, target, reduction);
  const char* const name = "binary_cross_entropy_with_logits";
  if (given(weight)) detail::check_wants_no_gradient(name, "weight", *weight);
  if (given(pos_weight)) detail::check_wants_no_gradient(name, "pos_weight", *pos_weight);
  Tensor loss;
  if (given(pos_weight)) {
    // (1 - t) x + (1 + (w - 1) t) log(1 + exp(-x)): the positive term is t log(1 + exp(-x)).
    const Tensor log_weight = pos_weight->sub(1).mul(target).add(1);
    loss = target.neg().add(1).mul(self).sub(log_weight.mul(log_sigmoid(self)));
  } else {
    loss = pointwise_loss(op, self, target, Reduction::None);
  }
  if (given(weight)) loss = loss.mul(*weight);
  return reduce_loss(loss, reduction);
}

Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) {
  if (auto done = at_door<"kl_div">(self, target, reduction, log_target)) return done;
  if (is_one_pass(self, target))
    return log_target
               ? one_pass("kl_div", "MulBackward0", {LossKind::kKlDivOfLogs}, self, target,
                          reduction)
               : one_pass("kl_div", "SubBackward0", {LossKind::kKlDiv}, self, target, reduction);
  check_reduction("kl_div", reduction);
  if (log_target) return reduce_loss(target.exp().mul(target.sub(self)), reduction);
  // t log t is 0 at t = 0, and NaN below.
  const Tensor entropy = target.mul(target.masked_fill(target.eq(0), 1).log());
  return reduce_loss(entropy.sub(target.mul(self)), reduction);
}

Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  if (auto done = at_door<"soft_margin_loss">(self, target, reduction)) return done;
  check_reduction("soft_margin_loss", reduction);
  detail::check_wants_no_gradient("soft_margin_loss", "target", target);
  if (is_one_pass(self, target))
    return pointwise_loss({"soft_margin_loss", "SoftMarginLossBackward0", {LossKind::kSoftMargin}},
                          self, target, reduction);
  return reduce_loss(log_sigmoid(self.mul(target)).neg(), reduction);
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        double eps, int64_t reduction) {
  if (auto done = at_door<"poisson_nll_loss">(input, target, log_input, full, eps, reduction))
    return done;
  if (!full && is_one_pass(input, target))
    return one_pass(
        "poisson_nll_loss", "SubBackward0",
        log_input ? LossForm{LossKind::kPoisson} : LossForm{LossKind::kPoissonOfRates, eps}, input,
        target, reduction);
  check_reduction("poisson_nll_loss", reduction);
  Tensor loss =
      log_input ? input.exp().sub(target.mul(input)) : input.sub(target.mul(input.add(eps).log()));
  if (full) {
    const Tensor t = target.masked_fill(target.le(1), 1);  // the term is 0 for these
    const Tensor stirling =
        t.mul(t.log()).sub(t).add(t.mul(2 * 3.14159265358979324).log().mul(0.5));
    loss = loss.add(stirling.masked_fill(target.le(1), 0));
  }
  return reduce_loss(loss, reduction);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(mse_loss, (out, self, target, reduction), mse_loss(self, target, reduction),
          (self, target), const Tensor& self, const Tensor& target, int64_t reduction)
TAPER_OUT(smooth_l1_loss, (out, self, target, reduction, beta),
          smooth_l1_loss(self, target, reduction, beta), (self, target), const Tensor& self,
          const Tensor& target, int64_t reduction, double beta)
TAPER_OUT(huber_loss, (out, self, target, reduction, delta),
          huber_loss(self, target, reduction, delta), (self, target), const Tensor& self,
          const Tensor& target, int64_t reduction, double delta)

}  // namespace torch::taper
