#include <taper/ops/nn/activation.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/binary_kernels.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/activation_kernels.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/no_derivative.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

namespace {

// Describes an activation apart from its numbers.
struct ActivationOp {
  const char* kernel_name;  // in the error for a dtype that is not floating
  const char* node;
  ActivationForm form;
  const char* inplace_node = nullptr;  // where PyTorch's name differs
};

// The slope in ops with derivatives, for a second derivative. Piecewise linear functions need none,
// because their slope is constant along x.
bool is_curved(Activation kind) {
  switch (kind) {
    case Activation::kElu:
    case Activation::kGelu:
    case Activation::kGeluTanh:
    case Activation::kSilu:
    case Activation::kMish:
    case Activation::kSoftplus:
    case Activation::kHardswish:
    case Activation::kLogSigmoid:
    case Activation::kLogit:
      return true;
    default:
      return false;
  }
}

Tensor gelu_tanh_slope(const Tensor& x) {
  constexpr double scale = 0.79788456080286535588, cube = 0.044715;
  const Tensor square = x.mul(x);
  const Tensor t = x.mul(square.mul(cube).add(1)).mul(scale).tanh();
  const Tensor bend = t.mul(t).neg().add(1).mul(square.mul(3 * cube).add(1)).mul(0.5 * scale);
  return t.add(1).mul(0.5).add(x.mul(bend));
}

Tensor curved_slope(const Tensor& x, const ActivationForm& f) {
  switch (f.kind) {
    case Activation::kElu: {
      // At 0 the slope is the left one, and its derivative 0, as in LibTorch.
      const Tensor below = x.masked_fill(x.ge(0), 0).mul(f.c).exp().mul(f.a * f.b * f.c);
      return below.where(x.le(0), x.mul(0).add(f.b));
    }
    case Activation::kGelu:
      return x.mul(std::sqrt(0.5))
          .erf()
          .add(1)
          .mul(0.5)
          .add(x.mul(x.mul(x).mul(-0.5).exp()).mul(0.39894228040143267794));
    case Activation::kGeluTanh:
      return gelu_tanh_slope(x);
    case Activation::kSilu: {
      const Tensor s = x.sigmoid();
      return s.mul(x.mul(s.neg().add(1)).add(1));
    }
    case Activation::kMish: {
      const Tensor t = softplus(x).tanh();
      return t.add(x.mul(t.mul(t).neg().add(1)).mul(x.sigmoid()));
    }
    case Activation::kSoftplus: {
      const Tensor s = x.mul(f.a).sigmoid();
      return s.masked_fill(x.mul(f.a).gt(f.b), 1);
    }
    case Activation::kHardswish: {
      const Tensor inside = x.div(3).add(0.5).masked_fill(x.lt(-3), 0);
      return inside.masked_fill(x.gt(3), 1);
    }
    case Activation::kLogSigmoid:
      return x.neg().sigmoid();
    case Activation::kLogit: {
      const Tensor slope = x.mul(x.neg().add(1)).reciprocal();
      if (f.a < 0) return slope.masked_fill(x.lt(0).logical_or(x.gt(1)), NAN);
      return slope.masked_fill(x.lt(f.a).logical_or(x.gt(1 - f.a)), 0);
    }
    default:  // is_curved() selects the functions that need a slope
      throw Error("activation: the slope of this function is not written in ops");
  }
}

Tensor fused_backward(const Tensor& gy, const Tensor& x, const ActivationForm& form) {
  const Tensor in = x.contiguous(), g = gy.contiguous();
  Tensor gx = detail::make_tensor(in.sizes(), in.scalar_type(), in.device());
  TAPER_ON_DEVICE(in, activation_backward, gx, g, in, form);
  return gx;
}

// For a second derivative, 16-bit floats compute in f32.
Tensor gradient(const Tensor& gy, const Tensor& x, const ActivationForm& form) {
  if (!needs_grad(gy, x)) return fused_backward(gy, x, form);
  if (isReducedFloatingType(x.scalar_type()))
    return gradient(gy.to(kFloat), x.to(kFloat), form).to(x.scalar_type());
  if (is_curved(form.kind)) return gy.mul(curved_slope(x, form));
  const NoGradGuard no_grad;
  const Tensor slope = fused_backward(x.new_ones(x.sizes()), x, form);
  const AutoGradMode grad(true);
  return gy.mul(slope);
}

void check_floating(const char* name, const Tensor& x) {
  if (!x.is_floating_point()) detail::unsupported_dtype(name, x.scalar_type());
}

// Returns x itself if its elements are dense, in any order, because the kernels go along memory.
Tensor without_gaps(const Tensor& x) {
  return x.is_contiguous() || x.is_non_overlapping_and_dense() ? x : x.contiguous();
}

Tensor activate(const ActivationOp& op, const Tensor& self) {
  check_floating(op.kernel_name, self);
  const Tensor x = without_gaps(self);
  Tensor y = detail::make_like(x);
  TAPER_ON_DEVICE(x, activation, y, x, op.form);
  if (needs_grad(self))
    record(op.node, y, {self}, [x = saved(self), form = op.form](const Tensor& gy) {
      return gradient(gy, x.get(), form);
    });
  return y;
}

Tensor& activate_inplace(const ActivationOp& given, Tensor& x) {
  ActivationOp op = given;
  if (op.inplace_node) op.node = op.inplace_node;
  check_floating(op.kernel_name, x);
  if (!x.is_contiguous())
    return in_place(op.kernel_name, x, {}, [&](const Tensor& v) { return activate(op, v); });
  check_inplace(op.kernel_name, x);
  const bool recording = needs_grad(x);
  const Tensor before = recording ? detail::before_change(x) : Tensor();
  TAPER_ON_DEVICE(x, activation, x, x, op.form);
  mark_changed(x);
  if (recording)
    record_inplace(op.node, x, {x}, [b = saved(before), form = op.form](const Tensor& gy) {
      return gradient(gy, b.get(), form);
    });
  return x;
}

// ---------------------------------------------------------------- the ops by parameters

ActivationOp leaky_relu_op(const Scalar& slope) {
  return {"leaky_relu_cpu",
          "LeakyReluBackward0",
          {Activation::kLeakyRelu, slope.toDouble()},
          "LeakyReluBackward1"};
}
ActivationOp elu_op(double alpha, double scale, double input_scale) {
  return {"elu_cpu", "EluBackward0", {Activation::kElu, alpha, scale, input_scale}, "EluBackward1"};
}
ActivationOp selu_op() { return elu_op(1.6732632423543772848, 1.0507009873554804934, 1); }
ActivationOp celu_op(const Scalar& alpha) {
  const double a = alpha.toDouble();
  TAPER_CHECK(a != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return {"elu_cpu", "CeluBackward0", {Activation::kElu, a, 1, 1 / a}, "CeluBackward1"};
}
ActivationOp gelu_op(std::string_view approximate) {
  TAPER_CHECK(approximate == "none" || approximate == "tanh",
              "gelu: approximate argument must be either none or tanh.");
  const Activation kind = approximate == "none" ? Activation::kGelu : Activation::kGeluTanh;
  return {"GeluKernelImpl", "GeluBackward0", {kind}};
}
ActivationOp silu_op() { return {"silu_cpu", "SiluBackward0", {Activation::kSilu}}; }
ActivationOp mish_op() { return {"mish_cpu", "MishBackward0", {Activation::kMish}}; }
ActivationOp hardtanh_op(const Scalar& low, const Scalar& high) {
  return {"hardtanh_cpu",
          "HardtanhBackward0",
          {Activation::kHardtanh, low.toDouble(), high.toDouble()}};
}
ActivationOp hardsigmoid_op() {
  return {"hardsigmoid_cpu", "HardsigmoidBackward0", {Activation::kHardsigmoid}};
}
ActivationOp hardswish_op() {
  return {"hardswish_cpu", "HardswishBackward0", {Activation::kHardswish}};
}
ActivationOp threshold_op(const Scalar& threshold, const Scalar& value) {
  return {"threshold_cpu",
          "ThresholdBackward0",
          {Activation::kThreshold, threshold.toDouble(), value.toDouble()},
          "ThresholdBackward1"};
}
ActivationOp logit_op(optional<double> eps) {
  return {"logit_cpu", "LogitBackward0", {Activation::kLogit, eps.value_or(-1)}};
}

// Returns the weights of prelu in a shape that broadcasts over x.
Tensor prelu_weight(const Tensor& weight, const Tensor& x) {
  if (weight.numel() == 1) return weight.reshape({});
  const int64_t channels = x.dim() >= 2 ? x.sizes()[1] : 1;
  TAPER_CHECK(
      weight.numel() == channels,
      "prelu: Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
      weight.numel(), " and channel size = ", channels, ".");
  Dims shape(x.dim(), 1);
  shape[1] = channels;
  return weight.reshape(shape);
}

std::array<Tensor, 2> prelu_gradients(const Tensor& gy, const Tensor& x, const Tensor& weight,
                                      bool by_x, bool by_weight) {
  const Tensor scale = prelu_weight(weight, x), positive = x.gt(0);
  std::array<Tensor, 2> out;
  if (by_x) out[0] = gy.where(positive, gy.mul(scale));
  if (by_weight)
    out[1] = sum_to(gy.mul(x).masked_fill(positive, 0), scale.sizes()).reshape(weight.sizes());
  return out;
}

// Takes operands of one shape and dtype.
Tensor shrunk_gradient(const Tensor& gy, const Tensor& x, const ActivationForm& form) {
  const Tensor gx = fused_backward(gy, x, form);
  if (needs_grad(gy, x))
    record("HardshrinkBackwardBackward0", gx, {gy, x}, [x = saved(x), form](Grads& g) {
      std::array<Tensor, 2> out;
      if (g.needs(0)) out[0] = shrunk_gradient(g[0], x.get(), form);
      if (g.needs(1)) out[1] = zeros_like(g[0]);
      return out;
    });
  return gx;
}

}  // namespace

Tensor leaky_relu(const Tensor& self, const Scalar& negative_slope) {
  if (auto done = at_door<"leaky_relu">(self, negative_slope)) return done;
  return activate(leaky_relu_op(negative_slope), self);
}
Tensor& leaky_relu_(Tensor& self, const Scalar& negative_slope) {
  if (at_door<"leaky_relu_">(self, negative_slope)) return self;
  return activate_inplace(leaky_relu_op(negative_slope), self);
}
Tensor elu(const Tensor& self, const Scalar& alpha, const Scalar& scale,
           const Scalar& input_scale) {
  if (auto done = at_door<"elu">(self, alpha, scale, input_scale)) return done;
  return activate(elu_op(alpha.toDouble(), scale.toDouble(), input_scale.toDouble()), self);
}
Tensor& elu_(Tensor& self, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  if (at_door<"elu_">(self, alpha, scale, input_scale)) return self;
  return activate_inplace(elu_op(alpha.toDouble(), scale.toDouble(), input_scale.toDouble()), self);
}
Tensor selu(const Tensor& self) {
  if (auto done = at_door<"selu">(self)) return done;
  return activate(selu_op(), self);
}
Tensor& selu_(Tensor& self) {
  if (at_door<"selu_">(self)) return self;
  return activate_inplace(selu_op(), self);
}
Tensor celu(const Tensor& self, const Scalar& alpha) {
  if (auto done = at_door<"celu">(self, alpha)) return done;
  return activate(celu_op(alpha), self);
}
Tensor& celu_(Tensor& self, const Scalar& alpha) {
  if (at_door<"celu_">(self, alpha)) return self;
  return activate_inplace(celu_op(alpha), self);
}
Tensor gelu(const Tensor& self, std::string_view approximate) {
  if (auto done = at_door<"gelu">(self, approximate)) return done;
  return activate(gelu_op(approximate), self);
}
Tensor& gelu_(Tensor& self, std::string_view approximate) {
  if (at_door<"gelu_">(self, approximate)) return self;
  return activate_inplace(gelu_op(approximate), self);
}
Tensor silu(const Tensor& self) {
  if (auto done = at_door<"silu">(self)) return done;
  return self.is_complex() ? self * sigmoid(self) : activate(silu_op(), self);
}
Tensor& silu_(Tensor& self) {
  if (at_door<"silu_">(self)) return self;
  return self.is_complex() ? self.mul_(sigmoid(self)) : activate_inplace(silu_op(), self);
}
Tensor mish(const Tensor& self) {
  if (auto done = at_door<"mish">(self)) return done;
  return activate(mish_op(), self);
}
Tensor& mish_(Tensor& self) {
  if (at_door<"mish_">(self)) return self;
  return activate_inplace(mish_op(), self);
}
Tensor softplus(const Tensor& self, const Scalar& beta, const Scalar& threshold) {
  if (auto done = at_door<"softplus">(self, beta, threshold)) return done;
  return activate({"softplus_cpu",
                   "SoftplusBackward0",
                   {Activation::kSoftplus, beta.toDouble(), threshold.toDouble()}},
                  self);
}
namespace {

void check_limits(const Tensor& x, const Scalar& low, const Scalar& high) {
  TAPER_CHECK(x.scalar_type() != kByte || (low.toLong() >= 0 && high.toLong() >= 0),
              "hardtanh: cannot do hardtanh on an unsigned type with negative limits");
}

}  // namespace
Tensor hardtanh(const Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  if (auto done = at_door<"hardtanh">(self, min_val, max_val)) return done;
  check_limits(self, min_val, max_val);
  if (isIntegralType(self.scalar_type(), false))
    return self.clamp(Scalar(min_val.toLong()), Scalar(max_val.toLong()));
  return activate(hardtanh_op(min_val, max_val), self);
}
Tensor& hardtanh_(Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  if (at_door<"hardtanh_">(self, min_val, max_val)) return self;
  check_limits(self, min_val, max_val);
  if (isIntegralType(self.scalar_type(), false))
    return self.clamp_(Scalar(min_val.toLong()), Scalar(max_val.toLong()));
  return activate_inplace(hardtanh_op(min_val, max_val), self);
}
Tensor relu6(const Tensor& self) {
  if (auto done = at_door<"relu6">(self)) return done;
  return hardtanh(self, 0, 6);
}
Tensor& relu6_(Tensor& self) {
  if (at_door<"relu6_">(self)) return self;
  return hardtanh_(self, 0, 6);
}
Tensor hardsigmoid(const Tensor& self) {
  if (auto done = at_door<"hardsigmoid">(self)) return done;
  return activate(hardsigmoid_op(), self);
}
Tensor& hardsigmoid_(Tensor& self) {
  if (at_door<"hardsigmoid_">(self)) return self;
  return activate_inplace(hardsigmoid_op(), self);
}
Tensor hardswish(const Tensor& self) {
  if (auto done = at_door<"hardswish">(self)) return done;
  return activate(hardswish_op(), self);
}
Tensor& hardswish_(Tensor& self) {
  if (at_door<"hardswish_">(self)) return self;
  return activate_inplace(hardswish_op(), self);
}
Tensor hardshrink(const Tensor& self, const Scalar& lambd) {
  if (auto done = at_door<"hardshrink">(self, lambd)) return done;
  return activate(
      {"hardshrink_cpu", "HardshrinkBackward0", {Activation::kHardshrink, lambd.toDouble()}}, self);
}
Tensor hardshrink_backward(const Tensor& grad_out, const Tensor& self, const Scalar& lambd) {
  if (auto done = at_door<"hardshrink_backward">(grad_out, self, lambd)) return done;
  const ScalarType t = result_type(grad_out, self);
  const std::vector<Tensor> both = broadcast_tensors({grad_out.to(t), self.to(t)});
  check_floating("shrink_backward_cpu", both[0]);
  return shrunk_gradient(both[0], both[1], {Activation::kHardshrink, lambd.toDouble()});
}
Tensor softshrink(const Tensor& self, const Scalar& lambd) {
  if (auto done = at_door<"softshrink">(self, lambd)) return done;
  TAPER_CHECK(lambd.toDouble() >= 0,
              "softshrink: lambda must be greater or equal to 0, but found to be ",
              lambd.toDouble(), ".");
  return activate(
      {"softshrink_cpu", "SoftshrinkBackward0", {Activation::kSoftshrink, lambd.toDouble()}}, self);
}
Tensor threshold(const Tensor& self, const Scalar& threshold, const Scalar& value) {
  if (auto done = at_door<"threshold">(self, threshold, value)) return done;
  if (isIntegralType(self.scalar_type(), false)) {
    detail::check_fits(threshold, self.scalar_type());
    return self.masked_fill(self.le(threshold), value);
  }
  return activate(threshold_op(threshold, value), self);
}
Tensor& threshold_(Tensor& self, const Scalar& threshold, const Scalar& value) {
  if (at_door<"threshold_">(self, threshold, value)) return self;
  if (isIntegralType(self.scalar_type(), false)) {
    detail::check_fits(threshold, self.scalar_type());
    return self.masked_fill_(self.le(threshold), value);
  }
  return activate_inplace(threshold_op(threshold, value), self);
}
Tensor log_sigmoid(const Tensor& self) {
  if (auto done = at_door<"log_sigmoid">(self)) return done;
  return activate({"log_sigmoid_cpu", "LogSigmoidBackward0", {Activation::kLogSigmoid}}, self);
}
Tensor logit(const Tensor& self, optional<double> eps) {
  if (auto done = at_door<"logit">(self, eps)) return done;
  if (isIntegralType(self.scalar_type(), true)) return logit(self.to(default_dtype()), eps);
  return activate(logit_op(eps), self);
}
Tensor& logit_(Tensor& self, optional<double> eps) {
  if (at_door<"logit_">(self, eps)) return self;
  return activate_inplace(logit_op(eps), self);
}
Tensor softsign(const Tensor& self) {
  if (auto done = at_door<"softsign">(self)) return done;
  return self.div(self.abs().add(1));
}
Tensor tanhshrink(const Tensor& self) {
  if (auto done = at_door<"tanhshrink">(self)) return done;
  return self.sub(self.tanh());
}

Tensor prelu(const Tensor& self, const Tensor& weight) {
  if (auto done = at_door<"prelu">(self, weight)) return done;
  check_floating("prelu_cpu", self);
  const Tensor w = prelu_weight(weight.detach(), self);
  Tensor y;
  if (w.scalar_type() == self.scalar_type()) {
    y = detail::make_tensor(self.sizes(), self.scalar_type(), self.device());
    TAPER_ON_DEVICE(self, prelu, y, self, w);
  } else {
    const NoGradGuard no_grad;
    y = self.where(self.gt(0), self.mul(w));
  }
  if (needs_grad(self, weight))
    record("PreluBackward0", y, {self, weight}, [x = saved(self), w = saved(weight)](Grads& g) {
      return prelu_gradients(g[0], x.get(), w.get(), g.needs(0), g.needs(1));
    });
  return y;
}
std::tuple<Tensor, Tensor> prelu_backward(const Tensor& grad_output, const Tensor& self,
                                          const Tensor& weight) {
  if (auto done = at_door<"prelu_backward">(grad_output, self, weight)) return done;
  check_floating("prelu_backward_cpu", self);
  const auto [gx, gw] = prelu_gradients(grad_output, self, weight, true, true);
  return {gx, gw};
}

namespace {

// Returns a slope for each x <= 0, drawn in PyTorch's order, and 1 for the others.
Tensor rrelu_slopes(const Tensor& x, double low, double high, optional<Generator> generator) {
  const NoGradGuard no_grad;
  const Tensor falls = x.le(0);
  Tensor drawn = detail::make_tensor({falls.sum().item<int64_t>()}, kDouble, x.device());
  drawn.uniform_(low, high, std::move(generator));
  return x.new_ones(x.sizes()).masked_scatter_(falls, drawn.to(x.scalar_type()));
}

// `noise`, if defined, gets the slopes.
Tensor rrelu_as(const char* node, const Tensor& self, const Tensor& noise, const Scalar& lower,
                const Scalar& upper, bool training, optional<Generator> generator) {
  const double low = lower.toDouble(), high = upper.toDouble();
  if (!training)
    return activate({"leaky_relu_cpu", node, {Activation::kLeakyRelu, (low + high) / 2}}, self);
  check_floating("rrelu_with_noise_out_cpu", self);
  const Tensor slopes = rrelu_slopes(self, low, high, std::move(generator));
  if (noise.defined()) noise.detach().copy_(slopes);
  const Tensor y = self.detach().mul(slopes);
  if (needs_grad(self))
    record(node, y, {self},
           [slopes = saved(slopes)](const Tensor& gy) { return gy * slopes.get(); });
  return y;
}

}  // namespace

Tensor rrelu(const Tensor& self, const Scalar& lower, const Scalar& upper, bool training,
             optional<Generator> generator) {
  if (auto done = at_door<"rrelu">(self, lower, upper, training, generator)) return done;
  return rrelu_as("RreluWithNoiseBackward0", self, {}, lower, upper, training,
                  std::move(generator));
}
Tensor& rrelu_(Tensor& self, const Scalar& lower, const Scalar& upper, bool training,
               optional<Generator> generator) {
  if (at_door<"rrelu_">(self, lower, upper, training, generator)) return self;
  return in_place("rrelu_", self, {}, [&](const Tensor& x) {
    return rrelu_as("RreluWithNoiseBackward1", x, {}, lower, upper, training, generator);
  });
}

namespace {

void check_noise(const Tensor& self, const Tensor& noise) {
  check_defined("rrelu_with_noise", self, "self");
  check_defined("rrelu_with_noise", noise, "noise");
  TAPER_CHECK(noise.sizes() == self.sizes() && noise.scalar_type() == self.scalar_type(),
              "rrelu_with_noise: expected noise of the sizes and dtype of self, ", self.sizes(),
              " and ", self.scalar_type(), ", got ", noise.sizes(), " and ", noise.scalar_type());
  check_same_device("rrelu_with_noise", self, noise);
  detail::check_wants_no_gradient("rrelu_with_noise", "noise", noise);
}

}  // namespace

Tensor rrelu_with_noise(const Tensor& self, const Tensor& noise, const Scalar& lower,
                        const Scalar& upper, bool training, optional<Generator> generator) {
  if (auto done = at_door<"rrelu_with_noise">(self, noise, lower, upper, training, generator))
    return done;
  check_noise(self, noise);
  return rrelu_as("RreluWithNoiseBackward0", self, noise, lower, upper, training,
                  std::move(generator));
}
Tensor& rrelu_with_noise_(Tensor& self, const Tensor& noise, const Scalar& lower,
                          const Scalar& upper, bool training, optional<Generator> generator) {
  if (at_door<"rrelu_with_noise_">(self, noise, lower, upper, training, generator)) return self;
  check_noise(self, noise);
  return in_place("rrelu_with_noise_", self, {}, [&](const Tensor& x) {
    return rrelu_as("RreluWithNoiseBackward1", x, noise, lower, upper, training, generator);
  });
}

Tensor glu(const Tensor& self, int64_t dim) {
  if (auto done = at_door<"glu">(self, dim)) return done;
  TAPER_CHECK(self.dim() > 0, "glu does not support 0-dimensional tensors");
  dim = wrap_dim("glu", dim, self.dim());
  const int64_t size = self.sizes()[dim];
  TAPER_CHECK(size % 2 == 0, "glu: Halving dimension must be even, but dimension ", dim,
              " is size ", size);
  const Tensor gate = self.narrow(dim, size / 2, size / 2).sigmoid();
  return self.narrow(dim, 0, size / 2).mul(gate);
}

// ---------------------------------------------------------------- methods
Tensor Tensor::logit(optional<double> eps) const { return taper::logit(*this, eps); }
Tensor& Tensor::logit_(optional<double> eps) const {
  return taper::logit_(detail::as_mutable(*this), eps);
}
Tensor Tensor::prelu(const Tensor& weight) const { return taper::prelu(*this, weight); }
Tensor Tensor::hardshrink(const Scalar& lambd) const { return taper::hardshrink(*this, lambd); }
std::tuple<Tensor, Tensor> Tensor::prelu_backward(const Tensor& grad_output,
                                                  const Tensor& weight) const {
  return taper::prelu_backward(grad_output, *this, weight);
}
Tensor Tensor::hardshrink_backward(const Tensor& grad_out, const Scalar& lambd) const {
  return taper::hardshrink_backward(grad_out, *this, lambd);
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(elu, (out, self, alpha, scale, input_scale), elu(self, alpha, scale, input_scale), (self),
          const Tensor& self, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale)
TAPER_OUT(gelu, (out, self, approximate), gelu(self, approximate), (self), const Tensor& self,
          std::string_view approximate)
TAPER_OUT(leaky_relu, (out, self, negative_slope), leaky_relu(self, negative_slope), (self),
          const Tensor& self, const Scalar& negative_slope)
TAPER_OUT(silu, (out, self), silu(self), (self), const Tensor& self)
TAPER_OUT(mish, (out, self), mish(self), (self), const Tensor& self)
TAPER_OUT(softplus, (out, self, beta, threshold), softplus(self, beta, threshold), (self),
          const Tensor& self, const Scalar& beta, const Scalar& threshold)
TAPER_OUT(hardtanh, (out, self, min_val, max_val), hardtanh(self, min_val, max_val), (self),
          const Tensor& self, const Scalar& min_val, const Scalar& max_val)
TAPER_OUT(hardsigmoid, (out, self), hardsigmoid(self), (self), const Tensor& self)
TAPER_OUT(hardswish, (out, self), hardswish(self), (self), const Tensor& self)
TAPER_OUT(hardshrink, (out, self, lambd), hardshrink(self, lambd), (self), const Tensor& self,
          const Scalar& lambd)
TAPER_OUT(softshrink, (out, self, lambd), softshrink(self, lambd), (self), const Tensor& self,
          const Scalar& lambd)
TAPER_OUT(threshold, (out, self, threshold, value), taper::threshold(self, threshold, value),
          (self), const Tensor& self, const Scalar& threshold, const Scalar& value)
TAPER_OUT(log_sigmoid, (out, self), log_sigmoid(self), (self), const Tensor& self)
TAPER_OUT(glu, (out, self, dim), glu(self, dim), (self), const Tensor& self, int64_t dim)
TAPER_OUT(logit, (out, self, eps), logit(self, eps), (self), const Tensor& self,
          optional<double> eps)

}  // namespace torch::taper
