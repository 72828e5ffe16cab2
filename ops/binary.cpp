// Arithmetic of two operands: values by binary_compute, history here.
#include <taper/ops/binary.h>

#include <taper/framework/autograd/record.h>
#include <taper/ops/binary_compute.h>
#include <taper/ops/binary_kernels.h>

namespace taper {

using autograd::Grads;
using autograd::mark_changed;
using autograd::needs_grad;
using autograd::record;
using autograd::record_inplace;
using autograd::saved;
using autograd::saved_if;
using detail::BinaryOp;
using detail::BinaryOperand;
using detail::compute_binary;
using detail::compute_binary_inplace;
using detail::InputForm;
using detail::SameForm;

namespace {

TAPER_BINARY_OP(add, "add")
TAPER_BINARY_OP(sub, "sub")
TAPER_BINARY_OP(mul, "mul")
TAPER_BINARY_OP(div, "div", true)

using Pair = std::array<Tensor, 2>;

// Records one gradient function for y = f(a, b), out of place or in place (y is a then).
template <class F>
void record_pair(const char* node, const Tensor& y, const Tensor& a, const Tensor& b, F&& f) {
  if (y.is_same(a))
    record_inplace(node, y, {a, b}, std::forward<F>(f));
  else
    record(node, y, {a, b}, std::forward<F>(f));
}
template <class F>
void record_one(const char* node, const Tensor& y, const Tensor& a, F&& f) {
  if (y.is_same(a))
    record_inplace(node, y, {a}, std::forward<F>(f));
  else
    record(node, y, {a}, std::forward<F>(f));
}

// x itself out of place; in place a copy of the values that will be overwritten, where needed.
Tensor value_before(const Tensor& x, bool inplace, bool needed) {
  return inplace && needed ? x.detach().clone() : x;
}

bool wants(const Tensor& t) { return t.requires_grad(); }

// Calls f with the type of form that the gradients of y need to become those of its inputs.
template <class F, class... Inputs>
void with_form(const F& f, const Tensor& y, const Inputs&... inputs) {
  if ((detail::same_form(y, inputs) && ...))
    f(static_cast<SameForm*>(nullptr));
  else
    f(static_cast<InputForm*>(nullptr));
}

}  // namespace

ScalarType result_type(const Tensor& x, const Tensor& y) { return detail::promoted_dtype(x, y); }
ScalarType result_type(const Tensor& x, const Scalar& y) { return detail::promoted_dtype(x, y); }

// ---------------------------------------------------------------- add, sub
namespace {

void check_alpha(ScalarType t, const Scalar& alpha) {
  TAPER_CHECK(!alpha.isFloatingPoint() || isFloatingType(t),
              "For integral input tensors, argument alpha must not be a floating point number.");
  TAPER_CHECK(!alpha.isBoolean() || t == kBool,
              "Boolean alpha only supported for Boolean results.");
}

void check_sub(const BinaryOperand& a, const BinaryOperand& b) {
  const bool bool_a = a.tensor && a.tensor->scalar_type() == kBool;
  const bool bool_b = b.tensor ? b.tensor->scalar_type() == kBool : b.number.isBoolean();
  TAPER_CHECK(
      !(bool_a && bool_b),
      "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
      "`logical_xor()` operator instead.");
  TAPER_CHECK(
      !bool_a && !bool_b,
      "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
      "to invert a mask, use the `~` or `logical_not()` operator instead.");
}

// x + alpha * y through the kernel with a factor: a dtype switch for `alpha` only where needed.
template <bool inplace>
Tensor add_scaled_values(const Tensor& x, const BinaryOperand& y, const Scalar& alpha) {
  const ScalarType t = detail::promoted_dtype(x, y);
  check_alpha(t, alpha);
  const detail::BinaryPlan p = detail::plan_binary("add", x, y, t);
  if constexpr (inplace) {
    if (t == x.scalar_type() && p.shape == x.impl().sizes && p.device == x.device() &&
        !(y.tensor && detail::overlaps_partly(x, p.b))) {
      autograd::check_inplace("add", x);
      if (x.numel() > 0) TAPER_ON_DEVICE(x, add_scaled, x, p.in_a, p.in_b, alpha);
      return x;
    }
    const NoGradGuard values_only;
    const Tensor scaled = y.tensor ? mul(*y.tensor, alpha) : Tensor();
    compute_binary_inplace(add_op, x, scaled);
    return x;
  }
  Tensor r = detail::make_tensor(p.shape, t, p.device);
  if (r.numel() > 0) TAPER_ON_DEVICE(r, add_scaled, r, p.in_a, p.in_b, alpha);
  return r;
}

Scalar times(const Scalar& a, const Scalar& b) {
  if (a.isFloatingPoint() || b.isFloatingPoint()) return a.toDouble() * b.toDouble();
  return a.toLong() * b.toLong();
}

bool is_one(const Scalar& s) { return s.equal(1); }

void record_add(const char* node, const Tensor& r, const Tensor& x, const Tensor& y,
                const Scalar& alpha) {
  with_form(
      [&](auto* form) {
        using Form = std::remove_pointer_t<decltype(form)>;
        record_pair(node, r, x, y, [fx = Form(x), fy = Form(y), alpha](Grads& g) {
          Pair out;
          if (g.needs(0)) out[0] = fx(g[0]);
          if (g.needs(1)) out[1] = fy(is_one(alpha) ? g[0] : g[0] * alpha);
          return out;
        });
      },
      r, x, y);
}

Tensor add_tensors(const char* node, const BinaryOp& op, const Tensor& x, const Tensor& y,
                   const Scalar& alpha, double sign) {
  Tensor r;
  if (is_one(alpha)) {
    r = compute_binary(op, x, y);
  } else {
    TAPER_CHECK(x.defined() && y.defined(), op.name, ": expected defined tensors");
    r = add_scaled_values<false>(x, y, sign < 0 ? -alpha : alpha);
  }
  if (needs_grad(x, y)) record_add(node, r, x, y, sign < 0 ? -alpha : alpha);
  return r;
}

Tensor& add_tensors_inplace(const char* node, const BinaryOp& op, const Tensor& x, const Tensor& y,
                            const Scalar& alpha, double sign) {
  if (is_one(alpha)) {
    compute_binary_inplace(op, x, y);
  } else {
    TAPER_CHECK(x.defined() && y.defined(), op.name, ": expected defined tensors");
    add_scaled_values<true>(x, y, sign < 0 ? -alpha : alpha);
  }
  mark_changed(x);
  if (needs_grad(x, y)) record_add(node, x, x, y, sign < 0 ? -alpha : alpha);
  return const_cast<Tensor&>(x);
}

// One input's gradient is g itself, in the input's form.
void record_passing(const char* node, const Tensor& r, const Tensor& x) {
  with_form(
      [&](auto* form) {
        using Form = std::remove_pointer_t<decltype(form)>;
        record_one(node, r, x, [f = Form(x)](const Tensor& g) { return Tensor(f(g)); });
      },
      r, x);
}

}  // namespace

Tensor add(const Tensor& x, const Tensor& y, const Scalar& alpha) {
  return add_tensors("AddBackward0", add_op, x, y, alpha, 1);
}
Tensor add(const Tensor& x, const Scalar& y, const Scalar& alpha) {
  const Tensor r = compute_binary(add_op, x, is_one(alpha) ? y : times(y, alpha));
  if (needs_grad(x)) record_passing("AddBackward0", r, x);
  return r;
}
Tensor& Tensor::add_(const Tensor& other, const Scalar& alpha) const {
  return add_tensors_inplace("AddBackward0", add_op, *this, other, alpha, 1);
}
Tensor& Tensor::add_(const Scalar& other, const Scalar& alpha) const {
  compute_binary_inplace(add_op, *this, is_one(alpha) ? other : times(other, alpha));
  mark_changed(*this);
  if (needs_grad(*this)) record_passing("AddBackward0", *this, *this);
  return const_cast<Tensor&>(*this);
}
Tensor& add_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha) {
  const NoGradGuard values_only;
  compute_binary_out(add_op, out, x, is_one(alpha) ? y : mul(y, alpha));
  return out;
}

Tensor sub(const Tensor& x, const Tensor& y, const Scalar& alpha) {
  check_sub(x, y);
  return add_tensors("SubBackward0", sub_op, x, y, alpha, -1);
}
Tensor sub(const Tensor& x, const Scalar& y, const Scalar& alpha) {
  check_sub(x, y);
  const Tensor r = compute_binary(sub_op, x, is_one(alpha) ? y : times(y, alpha));
  if (needs_grad(x)) record_passing("SubBackward0", r, x);
  return r;
}
Tensor& Tensor::sub_(const Tensor& other, const Scalar& alpha) const {
  check_sub(*this, other);
  return add_tensors_inplace("SubBackward0", sub_op, *this, other, alpha, -1);
}
Tensor& Tensor::sub_(const Scalar& other, const Scalar& alpha) const {
  check_sub(*this, other);
  compute_binary_inplace(sub_op, *this, is_one(alpha) ? other : times(other, alpha));
  mark_changed(*this);
  if (needs_grad(*this)) record_passing("SubBackward0", *this, *this);
  return const_cast<Tensor&>(*this);
}
Tensor& sub_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha) {
  const NoGradGuard values_only;
  check_sub(x, y);
  compute_binary_out(sub_op, out, x, is_one(alpha) ? y : mul(y, alpha));
  return out;
}

Tensor rsub(const Tensor& x, const Tensor& y, const Scalar& alpha) { return sub(y, x, alpha); }
Tensor rsub(const Tensor& x, const Scalar& y, const Scalar& alpha) {
  check_sub(x, y);
  const Tensor scaled = is_one(alpha) ? x : mul(x, alpha);
  const Tensor r = compute_binary(sub_op, y, scaled);
  if (needs_grad(scaled))
    record("RsubBackward1", r, {scaled},
           [f = InputForm(scaled)](const Tensor& g) { return f(g.neg()); });
  return r;
}

// ---------------------------------------------------------------- mul
namespace {

void record_mul(const Tensor& r, const Tensor& x, const Tensor& y, const Tensor& x_value) {
  with_form(
      [&](auto* form) {
        using Form = std::remove_pointer_t<decltype(form)>;
        record_pair("MulBackward0", r, x, y,
                    [fx = Form(x), fy = Form(y), sx = saved_if(wants(y), x_value),
                     sy = saved_if(wants(x), y)](Grads& g) {
                      Pair out;
                      if (g.needs(0)) out[0] = fx(g[0] * sy.get());
                      if (g.needs(1)) out[1] = fy(g[0] * sx.get());
                      return out;
                    });
      },
      r, x, y);
}

void record_scaled(const char* node, const Tensor& r, const Tensor& x, const Scalar& factor) {
  with_form(
      [&](auto* form) {
        using Form = std::remove_pointer_t<decltype(form)>;
        record_one(node, r, x,
                   [f = Form(x), factor](const Tensor& g) { return Tensor(f(g * factor)); });
      },
      r, x);
}

}  // namespace

Tensor mul(const Tensor& x, const Tensor& y) {
  const Tensor r = compute_binary(mul_op, x, y);
  if (needs_grad(x, y)) record_mul(r, x, y, x);
  return r;
}
Tensor mul(const Tensor& x, const Scalar& y) {
  const Tensor r = compute_binary(mul_op, x, y);
  if (needs_grad(x)) record_scaled("MulBackward0", r, x, y);
  return r;
}
Tensor& Tensor::mul_(const Tensor& other) const {
  const bool recording = needs_grad(*this, other);
  const Tensor before = value_before(*this, recording, recording && other.requires_grad());
  compute_binary_inplace(mul_op, *this, other);
  mark_changed(*this);
  if (recording) record_mul(*this, *this, other, before);
  return const_cast<Tensor&>(*this);
}
Tensor& Tensor::mul_(const Scalar& other) const {
  compute_binary_inplace(mul_op, *this, other);
  mark_changed(*this);
  if (needs_grad(*this)) record_scaled("MulBackward0", *this, *this, other);
  return const_cast<Tensor&>(*this);
}
Tensor& mul_out(Tensor& out, const Tensor& x, const Tensor& y) {
  compute_binary_out(mul_op, out, x, y);
  return out;
}

// ---------------------------------------------------------------- div
namespace {

void record_div(const Tensor& r, const Tensor& x, const Tensor& y, const Tensor& x_value) {
  record_pair("DivBackward0", r, x, y,
              [fx = InputForm(x), fy = InputForm(y), sx = saved_if(wants(y), x_value),
               sy = saved(y)](Grads& g) {
                Pair out;
                const Tensor d = sy.get();
                if (g.needs(0)) out[0] = fx(g[0] / d);
                if (g.needs(1)) out[1] = fy(-g[0] * ((sx.get() / d) / d));
                return out;
              });
}

void record_divided(const Tensor& r, const Tensor& x, const Scalar& divisor) {
  record_one("DivBackward0", r, x,
             [f = InputForm(x), divisor](const Tensor& g) { return f(g / divisor); });
}

}  // namespace

Tensor div(const Tensor& x, const Tensor& y) {
  const Tensor r = compute_binary(div_op, x, y);
  if (needs_grad(x, y)) record_div(r, x, y, x);
  return r;
}
Tensor div(const Tensor& x, const Scalar& y) {
  const Tensor r = compute_binary(div_op, x, y);
  if (needs_grad(x)) record_divided(r, x, y);
  return r;
}
Tensor& Tensor::div_(const Tensor& other) const {
  const bool recording = needs_grad(*this, other);
  const Tensor before = value_before(*this, recording, recording && other.requires_grad());
  compute_binary_inplace(div_op, *this, other);
  mark_changed(*this);
  if (recording) record_div(*this, *this, other, before);
  return const_cast<Tensor&>(*this);
}
Tensor& Tensor::div_(const Scalar& other) const {
  compute_binary_inplace(div_op, *this, other);
  mark_changed(*this);
  if (needs_grad(*this)) record_divided(*this, *this, other);
  return const_cast<Tensor&>(*this);
}
Tensor& div_out(Tensor& out, const Tensor& x, const Tensor& y) {
  compute_binary_out(div_op, out, x, y);
  return out;
}

// ---------------------------------------------------------------- gradients of activations
namespace {

TAPER_BINARY_OP(relu_backward, "relu_backward")
TAPER_BINARY_OP(tanh_backward, "tanh_backward")
TAPER_BINARY_OP(sigmoid_backward, "sigmoid_backward")

}  // namespace

Tensor relu_backward(const Tensor& g, const Tensor& y) {
  const Tensor r = compute_binary(relu_backward_op, g, y);
  if (needs_grad(g))
    record("ThresholdBackwardBackward0", r, {g},
           [y = saved(y)](const Tensor& gg) { return relu_backward(gg, y.get()); });
  return r;
}

Tensor tanh_backward(const Tensor& g, const Tensor& y) {
  const Tensor r = compute_binary(tanh_backward_op, g, y);
  if (needs_grad(g, y))
    record("TanhBackwardBackward0", r, {g, y}, [g = saved(g), y = saved(y)](Grads& gg) {
      Pair out;
      if (gg.needs(0)) out[0] = tanh_backward(gg[0], y.get());
      if (gg.needs(1)) out[1] = gg[0] * (g.get() * y.get() * -2);
      return out;
    });
  return r;
}

Tensor sigmoid_backward(const Tensor& g, const Tensor& y) {
  const Tensor r = compute_binary(sigmoid_backward_op, g, y);
  if (needs_grad(g, y))
    record("SigmoidBackwardBackward0", r, {g, y}, [g = saved(g), y = saved(y)](Grads& gg) {
      Pair out;
      if (gg.needs(0)) out[0] = sigmoid_backward(gg[0], y.get());
      if (gg.needs(1)) out[1] = gg[0] * (g.get() * (y.get() * -2 + 1));
      return out;
    });
  return r;
}

// ---------------------------------------------------------------- methods and operators
Tensor Tensor::add(const Tensor& o, const Scalar& a) const { return taper::add(*this, o, a); }
Tensor Tensor::add(const Scalar& o, const Scalar& a) const { return taper::add(*this, o, a); }
Tensor Tensor::sub(const Tensor& o, const Scalar& a) const { return taper::sub(*this, o, a); }
Tensor Tensor::sub(const Scalar& o, const Scalar& a) const { return taper::sub(*this, o, a); }
Tensor Tensor::mul(const Tensor& o) const { return taper::mul(*this, o); }
Tensor Tensor::mul(const Scalar& o) const { return taper::mul(*this, o); }
Tensor Tensor::div(const Tensor& o) const { return taper::div(*this, o); }
Tensor Tensor::div(const Scalar& o) const { return taper::div(*this, o); }

Tensor& Tensor::operator+=(const Tensor& o) { return add_(o); }
Tensor& Tensor::operator+=(const Scalar& o) { return add_(o); }
Tensor& Tensor::operator-=(const Tensor& o) { return sub_(o); }
Tensor& Tensor::operator-=(const Scalar& o) { return sub_(o); }
Tensor& Tensor::operator*=(const Tensor& o) { return mul_(o); }
Tensor& Tensor::operator*=(const Scalar& o) { return mul_(o); }
Tensor& Tensor::operator/=(const Tensor& o) { return div_(o); }
Tensor& Tensor::operator/=(const Scalar& o) { return div_(o); }

}  // namespace taper
