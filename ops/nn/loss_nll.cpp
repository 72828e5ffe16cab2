#include <taper/ops/nn/loss_nll.h>

#include <atomic>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/ops/nn/loss.h>
#include <taper/ops/nn/loss_nll_kernels.h>
#include <taper/ops/nn/loss_reduction.h>
#include <taper/ops/nn/softmax.h>

namespace torch::taper {

namespace {

// ---------------------------------------------------------------- checks

void check_class_target(const Tensor& target) {
  TAPER_CHECK(target.scalar_type() == kLong || target.scalar_type() == kByte,
              "nll_loss: expected scalar type Long but found ", target.scalar_type());
}

// Returns the weight as a contiguous tensor of x's dtype (f32 beside 16 bits), or undefined for
// none.
Tensor class_weight(const optional<Tensor>& weight, const Tensor& x) {
  if (!weight || !weight->defined()) return {};
  const int64_t classes = x.sizes()[x.dim() == 1 ? 0 : 1];
  TAPER_CHECK(weight->dim() == 1 && weight->numel() == classes,
              "nll_loss: weight tensor should be defined either for all ", classes,
              " classes or no classes but got weight tensor of shape: ", weight->sizes());
  return weight->to(sum_dtype(x)).contiguous();
}

void check_samples(const Tensor& x, const Tensor& target) {
  TAPER_CHECK(x.dim() == 1 || x.dim() == 2, "nll_loss: input tensor should be 1D or 2D");
  TAPER_CHECK(target.dim() <= 1,
              "nll_loss: 0D or 1D target tensor expected, multi-target not supported");
  TAPER_CHECK(
      x.dim() == 1 ? target.numel() == 1 : target.dim() == 1 && x.sizes()[0] == target.sizes()[0],
      "nll_loss: size mismatch (got input: ", x.sizes(), ", target: ", target.sizes(), ")");
}

void check_batch(const Tensor& x, const Tensor& target) {
  TAPER_CHECK_VALUE(x.dim() >= 1, "nll_loss: Expected 1 or more dimensions (got ", x.dim(), ")");
  if (x.dim() == 1) return;
  const int64_t targets = target.dim() == 0 ? 0 : target.sizes()[0];
  TAPER_CHECK_VALUE(x.sizes()[0] == targets, "nll_loss: Expected input batch_size (", x.sizes()[0],
                    ") to match target batch_size (", targets, ").");
}

// Checks that all dimensions after the classes agree: [N, C, d1, ...] and [N, d1, ...].
void check_positions(const Tensor& x, const Tensor& target) {
  Dims expected(x.sizes());
  expected.erase(1);
  TAPER_CHECK(target.sizes() == expected.ref(), "nll_loss: Expected target size ", expected,
              ", got ", target.sizes());
}

// ---------------------------------------------------------------- negative log likelihood

Tensor value(const autograd::Saved& s) { return s.defined() ? s.get() : Tensor(); }

Tensor result_for(const Tensor& x, const Tensor& target, int64_t reduction) {
  const IntArrayRef sizes = reduction == Reduction::None ? target.sizes() : IntArrayRef();
  return detail::make_tensor(sizes, sum_dtype(x), x.device());
}

Tensor nll_of(const char* node, const Tensor& x, const Tensor& t, const Tensor& weight,
              NllOptions options);

// The loss is linear in x, so the derivative of this op along v is the loss of v.
Tensor nll_backward(const Tensor& gy, const Dims& sizes, ScalarType dtype, const Tensor& t,
                    const Tensor& weight, const Tensor& total_weight, NllOptions options) {
  Tensor gx = detail::make_tensor(sizes, dtype, gy.device());
  const Tensor g = gy.contiguous();
  TAPER_ON_DEVICE(gx, nll_loss_backward, gx, g, t, weight, total_weight, options);
  if (needs_grad(gy))
    record("NllLossBackwardBackward0", gx, {gy},
           [t = saved(t), weight = saved_if(weight.defined(), weight), options](const Tensor& v) {
             return nll_of("NllLossBackward0", v, t.get(), value(weight), options);
           });
  return gx;
}

Tensor nll_of(const char* node, const Tensor& self, const Tensor& t, const Tensor& weight,
              NllOptions options) {
  const Tensor x = self.contiguous();
  Tensor y = result_for(x, t, options.reduction);
  Tensor total_weight = detail::make_tensor({}, sum_dtype(x), x.device());
  TAPER_ON_DEVICE(x, nll_loss, y, total_weight, x, t, weight, options);
  if (needs_grad(self))
    record(node, y, {self},
           [sizes = Dims(x.sizes()), dtype = x.scalar_type(), t = saved(t),
            weight = saved_if(weight.defined(), weight), total = saved(total_weight),
            options](const Tensor& gy) {
             return nll_backward(gy, sizes, dtype, t.get(), value(weight), total.get(), options);
           });
  return y;
}

Tensor nll_checked(const char* node, const Tensor& x, const Tensor& target,
                   const optional<Tensor>& weight, NllOptions options) {
  check_reduction("nll_loss", options.reduction);
  check_class_target(target);
  if (!x.is_floating_point())
    detail::unsupported_dtype("nll_loss", "nll_loss_out_frame", x.scalar_type());
  return nll_of(node, x, target.to(kLong).contiguous(), class_weight(weight, x), options)
      .to(loss_dtype(x, x.scalar_type()));
}

// ---------------------------------------------------------------- cross entropy

int64_t class_dim(const Tensor& x) { return x.dim() == 1 ? 0 : 1; }

// Returns the classes' weights in a shape that broadcasts over scores.
Tensor weight_like(const Tensor& weight, const Tensor& x) {
  Dims shape(x.dim(), 1);
  shape[class_dim(x)] = weight.numel();
  return weight.reshape(shape);
}

// Adds the part of smoothing, shared by all classes, to the gradient of log-probabilities.
Tensor smoothed(const Tensor& g, const Tensor& gy, const Tensor& x, const Tensor& t,
                const Tensor& weight, const Tensor& total_weight, NllOptions options) {
  const double classes = static_cast<double>(x.sizes()[class_dim(x)]);
  Tensor each = t.ne(options.ignore_index).to(gy.scalar_type()).mul(gy);
  if (options.reduction == Reduction::Mean) each = each.div(total_weight);
  each = each.mul(-options.smoothing / classes).unsqueeze(class_dim(x));
  const Tensor rest = weight.defined() ? each.mul(weight_like(weight, x)) : each;
  return g.mul(1 - options.smoothing).add(rest);
}

// Computes the gradient in ops with derivatives, for a second derivative.
Tensor cross_entropy_gradient(const Tensor& gy, const Tensor& x, const Tensor& t,
                              const Tensor& weight, const Tensor& total_weight,
                              NllOptions options) {
  Tensor g = nll_backward(gy, Dims(x.sizes()), gy.scalar_type(), t, weight, total_weight, options);
  if (options.smoothing > 0) g = smoothed(g, gy, x, t, weight, total_weight, options);
  const Tensor log_p = log_softmax(x.to(sum_dtype(x)), class_dim(x));
  return log_softmax_backward(g, log_p, class_dim(x)).to(x.scalar_type());
}

// A sum or mean can compute its gradient while the exponentials are at hand. That gradient is not
// of 16 bits, because a scaled loss (GradScaler) may have gradients where the loss itself would
// underflow f16. On CUDA and for images, memory takes the time. So there, a 16-bit gradient is
// computed later.
bool is_made_beforehand(const Tensor& x, const NllOptions& options) {
  return options.reduction != Reduction::None && !(is_narrow(x) && (x.is_cuda() || x.dim() > 2));
}

// Results of the forward pass: the loss, the numbers of rows, and the gradient if it is computed.
struct CrossEntropy {
  Tensor y, rows, gx;
};
CrossEntropy cross_entropy_forward(const Tensor& self, const Tensor& t, const Tensor& weight,
                                   NllOptions options, bool with_gradient) {
  const Tensor x = self.contiguous();
  CrossEntropy r;
  r.y = result_for(x, t, options.reduction);
  r.rows = detail::make_tensor({2 * t.numel() + 1}, sum_dtype(x), x.device());
  if (with_gradient && is_made_beforehand(x, options))
    r.gx = detail::make_tensor(x.sizes(), sum_dtype(x), x.device());
  TAPER_ON_DEVICE(x, cross_entropy, r.y, r.rows, r.gx, x, t, weight, options);
  return r;
}

// A gradient computed in the forward pass. The first backward takes it, because it may change it
// and give it away. Several threads may walk one graph.
class ReadyGradient {
 public:
  explicit ReadyGradient(Tensor gx) : gx_(std::move(gx)) {}
  ReadyGradient(ReadyGradient&& other) noexcept : gx_(std::move(other.gx_)) {}
  Tensor take() { return taken_.exchange(true) ? Tensor() : std::move(gx_); }

 private:
  Tensor gx_;
  std::atomic<bool> taken_{false};
};

Tensor cross_entropy_backward(const Tensor& gy, const Tensor& self, const Tensor& rows,
                              const Tensor& t, const Tensor& weight, NllOptions options,
                              ReadyGradient& ready) {
  if (needs_grad(gy, self))
    return cross_entropy_gradient(gy, self, t, weight, rows.select(0, rows.numel() - 1), options);
  const Tensor g = gy.contiguous();
  if (!is_made_beforehand(self, options)) {
    const Tensor x = self.contiguous();
    Tensor gx = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
    TAPER_ON_DEVICE(x, cross_entropy_backward, gx, g, rows, x, t, weight, options);
    return gx;
  }
  Tensor gx = ready.take();
  if (!gx.defined()) gx = cross_entropy_forward(self, t, weight, options, true).gx;
  TAPER_ON_DEVICE(gx, scale_gradient, gx, g);
  return gx.to(self.scalar_type());
}

// Handles targets of one class each: softmax, logarithm, loss and gradient in one pass over x.
Tensor cross_entropy_of_classes(const Tensor& self, const Tensor& target,
                                const optional<Tensor>& weight, NllOptions options) {
  self.dim() <= 2 ? check_samples(self, target) : check_positions(self, target);
  check_class_target(target);
  const Tensor t = target.to(kLong).contiguous(), w = class_weight(weight, self);
  CrossEntropy r = cross_entropy_forward(self, t, w, options, needs_grad(self));
  if (needs_grad(self))
    record(self.dim() > 2 ? "NllLoss2DBackward0" : "NllLossBackward0", r.y, {self},
           [x = saved(self), rows = saved(r.rows), t = saved(t), w = saved_if(w.defined(), w),
            options, ready = ReadyGradient(std::move(r.gx))](const Tensor& gy) mutable {
             return cross_entropy_backward(gy, x.get(), rows.get(), t.get(), value(w), options,
                                           ready);
           });
  return r.y;
}

// ---------------------------------------------------------------- of probabilities

// Returns the targets after weights and smoothing.
Tensor mixture(const Tensor& p, const Tensor& weight, double smoothing) {
  Tensor q = p;
  if (smoothing > 0) {
    const double classes = static_cast<double>(p.sizes()[class_dim(p)]);
    q = q.mul(1 - smoothing).add(smoothing / classes);
  }
  return weight.defined() ? q.mul(weight_like(weight, p)) : q;
}

Tensor mixture_gradient(const Tensor& gy, const Tensor& self, const Tensor& rows, const Tensor& p,
                        const Tensor& weight, double smoothing) {
  const int64_t dim = class_dim(self);
  if (needs_grad(gy, self, p)) {
    const Tensor g = mixture(p.to(gy.scalar_type()), weight, smoothing).mul(gy.unsqueeze(dim));
    const Tensor log_p = log_softmax(self.to(sum_dtype(self)), dim);
    return log_softmax_backward(g.neg(), log_p, dim).to(self.scalar_type());
  }
  const Tensor x = self.contiguous(), q = p.contiguous(), g = gy.contiguous();
  Tensor gx = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  TAPER_ON_DEVICE(x, soft_cross_entropy_backward, gx, g, rows, x, q, weight, smoothing);
  return gx;
}
Tensor gradient_of_mixture(const Tensor& gy, const Tensor& x, const Tensor& p, const Tensor& weight,
                           double smoothing) {
  const int64_t dim = class_dim(x);
  Tensor g = log_softmax(x.to(sum_dtype(x)), dim).mul(gy.mul(smoothing - 1).unsqueeze(dim));
  if (weight.defined()) g = g.mul(weight_like(weight, x));
  return g.to(p.scalar_type());
}

// Returns the loss of each sample.
Tensor losses_of_mixtures(const Tensor& self, const Tensor& target, const Tensor& w,
                          double smoothing) {
  const Tensor x = self.contiguous(), p = target.contiguous();
  Dims sizes(x.sizes());
  sizes.erase(class_dim(x));
  Tensor y = detail::make_tensor(sizes, sum_dtype(x), x.device());
  Tensor rows = detail::make_tensor({2 * y.numel()}, sum_dtype(x), x.device());
  TAPER_ON_DEVICE(x, soft_cross_entropy, y, rows, x, p, w, smoothing);
  if (needs_grad(self, target))
    record("NegBackward0", y, {self, target},
           [x = saved(self), rows = saved(rows), p = saved(target), w = saved_if(w.defined(), w),
            smoothing](Grads& g) {
             std::array<Tensor, 2> out;
             if (g.needs(0))
               out[0] = mixture_gradient(g[0], x.get(), rows.get(), p.get(), value(w), smoothing);
             if (g.needs(1))
               out[1] = gradient_of_mixture(g[0], x.get(), p.get(), value(w), smoothing);
             return out;
           });
  return y;
}

bool are_probabilities(const Tensor& x, const Tensor& target) {
  return target.is_floating_point() && x.sizes() == target.sizes();
}

// Tests whether the kernels take the scores directly. For probabilities, the CPU's kernels take
// rows. Short rows are faster by ops, whose loops go over all rows.
bool is_fused(const Tensor& x, const Tensor& target) {
  if (!are_probabilities(x, target) || (x.is_cuda() && detail::runs_cuda_kernels())) return true;
  return x.dim() <= 2 && x.size(-1) >= 64;
}

Tensor cross_entropy_of_probabilities(const Tensor& self, const Tensor& target,
                                      const optional<Tensor>& weight, NllOptions options) {
  const ScalarType wide = promoteTypes(sum_dtype(self), target.scalar_type());
  const Tensor x = wide == sum_dtype(self) ? self : self.to(wide);
  const Tensor p = target.scalar_type() == x.scalar_type() ? target : target.to(wide);
  const Tensor w = class_weight(weight, x);
  const double samples =
      static_cast<double>(x.numel()) / static_cast<double>(x.sizes()[class_dim(x)]);
  Tensor losses;
  if (is_fused(x, p)) {
    losses = losses_of_mixtures(x, p, w, options.smoothing);
  } else {
    const int64_t dim = class_dim(x);
    const Tensor terms = log_softmax(x, dim).mul(mixture(p, w, options.smoothing));
    losses = (options.reduction == Reduction::None ? terms.sum(dim) : terms.sum()).neg();
  }
  if (options.reduction == Reduction::None) return losses;
  return options.reduction == Reduction::Mean ? losses.sum().div(samples) : losses.sum();
}

}  // namespace

Tensor nll_loss(const Tensor& self, const Tensor& target, const optional<Tensor>& weight,
                int64_t reduction, int64_t ignore_index) {
  if (auto done = at_door<"nll_loss">(self, target, weight, reduction, ignore_index)) return done;
  check_samples(self, target);
  return nll_checked("NllLossBackward0", self, target, weight, {ignore_index, reduction});
}

Tensor nll_loss2d(const Tensor& self, const Tensor& target, const optional<Tensor>& weight,
                  int64_t reduction, int64_t ignore_index) {
  if (auto done = at_door<"nll_loss2d">(self, target, weight, reduction, ignore_index)) return done;
  TAPER_CHECK(self.dim() == 4 && target.dim() == 3,
              "nll_loss2d: expected input [N, C, H, W] and target [N, H, W], got ", self.sizes(),
              " and ", target.sizes());
  check_positions(self, target);
  return nll_checked("NllLoss2DBackward0", self, target, weight, {ignore_index, reduction});
}

Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const optional<Tensor>& weight,
                   int64_t reduction, int64_t ignore_index) {
  if (auto done = at_door<"nll_loss_nd">(self, target, weight, reduction, ignore_index))
    return done;
  check_batch(self, target);
  if (self.dim() <= 2) return nll_loss(self, target, weight, reduction, ignore_index);
  check_positions(self, target);
  return nll_checked("NllLoss2DBackward0", self, target, weight, {ignore_index, reduction});
}

namespace {

Tensor cross_entropy(const Tensor& x, const Tensor& target, const optional<Tensor>& weight,
                     NllOptions options) {
  check_batch(x, target);
  if (are_probabilities(x, target)) {
    TAPER_CHECK(options.ignore_index < 0,
                "cross_entropy_loss: ignore_index is not supported for floating point target");
    return cross_entropy_of_probabilities(x, target, weight, options);
  }
  return cross_entropy_of_classes(x, target, weight, options);
}

}  // namespace

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const optional<Tensor>& weight,
                          int64_t reduction, int64_t ignore_index, double label_smoothing) {
  if (auto done = at_door<"cross_entropy_loss">(self, target, weight, reduction, ignore_index,
                                                label_smoothing))
    return done;
  check_reduction("cross_entropy", reduction);
  TAPER_CHECK(
      label_smoothing >= 0 && label_smoothing <= 1,
      "cross_entropy_loss: label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  if (!self.is_floating_point())
    detail::unsupported_dtype("cross_entropy", "log_softmax_lastdim_kernel_impl",
                              self.scalar_type());
  const ScalarType dtype = loss_dtype(self, self.scalar_type());
  const detail::AutocastOff inside;
  const Tensor x = is_fused(self, target) ? self : self.to(sum_dtype(self));
  const Tensor y = cross_entropy(x, target, weight, {ignore_index, reduction, label_smoothing});
  return is_narrow(self) ? y.to(dtype) : y;
}

}  // namespace torch::taper
