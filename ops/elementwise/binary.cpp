// Arithmetic of two operands. binary_compute.h computes the values, this file records derivatives.
#include <taper/ops/elementwise/binary.h>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/scalar_fits.h>
#include <taper/ops/elementwise/binary_ops.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

using detail::BinaryOp;
using detail::BinaryOperand;
using detail::compute_binary;
using detail::compute_binary_inplace;
using detail::compute_binary_out;
using detail::InputForm;
using detail::SameForm;

namespace {

using Pair = std::array<Tensor, 2>;

// Records one gradient function for y = f(a, b). In place, y is a.
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

bool wants(const Tensor& t) { return t.requires_grad(); }

// Returns a copy of x for a derivative, because x is about to be overwritten.
Tensor kept(const Tensor& x, bool needed) { return needed ? detail::before_change(x) : x; }

// Calls f with the InputForm type that reduces gradients of y to the shapes of its inputs.
template <class F, class... Inputs>
void with_form(const F& f, const Tensor& y, const Inputs&... inputs) {
  if ((detail::same_form(y, inputs) && ...))
    f(static_cast<SameForm*>(nullptr));
  else
    f(static_cast<InputForm*>(nullptr));
}

}  // namespace

ScalarType result_type(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"result_type">(x, y)) return done;
  return detail::promoted_dtype(x, y);
}
ScalarType result_type(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"result_type">(x, y)) return done;
  return detail::promoted_dtype(x, y);
}
ScalarType result_type(const Scalar& x, const Tensor& y) {
  if (auto done = at_door<"result_type">(x, y)) return done;
  return detail::promoted_dtype(x, y);
}
ScalarType result_type(const Scalar& x, const Scalar& y) { return detail::promoted_dtype(x, y); }

// ---------------------------------------------------------------- add, sub
void binary_op::check_sub(const BinaryOp&, const BinaryOperand& a, const BinaryOperand& b) {
  const bool bool_a = a.tensor ? a.tensor->scalar_type() == kBool : a.number->isBoolean();
  const bool bool_b = b.tensor ? b.tensor->scalar_type() == kBool : b.number->isBoolean();
  TAPER_CHECK(
      !(bool_a && bool_b),
      "sub: Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
      "`logical_xor()` operator instead.");
  TAPER_CHECK(
      !bool_a && !bool_b,
      "sub: Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
      "to invert a mask, use the `~` or `logical_not()` operator instead.");
}

namespace {

// A sum or a difference: x + alpha * y, x - alpha * y.
struct SumOp {
  const BinaryOp& op;
  const char* of_tensors;  // the derivatives' names
  const char* of_number;
  bool negates;
};
constexpr SumOp kAdd{binary_op::add, "AddBackward0", "AddBackward1", false};
constexpr SumOp kSub{binary_op::sub, "SubBackward0", "SubBackward1", true};
constexpr SumOp kRsub{binary_op::sub, "RsubBackward0", "RsubBackward1", true};

// A test for 1.0 would let check_alpha() miss a floating alpha with integers.
TAPER_INLINE bool is_one(const Scalar& s) { return s.isIntegral(false) && s.cast<int64_t>() == 1; }

void check_alpha(const char* op, const BinaryOperand& x, const BinaryOperand& y,
                 const Scalar& alpha) {
  const ScalarType t = detail::promoted_dtype(x, y);
  TAPER_CHECK(!(alpha.isFloatingPoint() || alpha.isComplex()) || isFloatingOrComplexType(t), op,
              ": For integral input tensors, argument alpha must not be a floating point number.");
  TAPER_CHECK(!alpha.isBoolean() || t == kBool, op,
              ": Boolean alpha only supported for Boolean results.");
  if (isIntegralType(t, false)) detail::check_fits(alpha, t);
  TAPER_CHECK(!alpha.isComplex() || isComplexType(t), op,
              ": For non-complex input tensors, argument alpha must not be a complex number.");
}

// Returns the factor of y in the kernel.
Scalar checked_factor(const SumOp& sum, const BinaryOperand& x, const BinaryOperand& y,
                      const Scalar& alpha) {
  for (const BinaryOperand* o : {&x, &y})
    TAPER_CHECK(!o->tensor || o->tensor->defined(), sum.op.name, ": expected defined tensors");
  check_alpha(sum.op.name, x, y, alpha);
  return sum.negates && !alpha.isBoolean() ? -alpha : alpha;  // check_sub() refuses bool results
}

// The op is a template argument, so that the common case is as direct as for other ops.
template <const SumOp& sum>
[[gnu::always_inline]] inline Tensor sum_values(const BinaryOperand& x, const BinaryOperand& y,
                                                const Scalar& alpha) {
  if (is_one(alpha)) return compute_binary(sum.op, x, y);
  return detail::compute_scaled(sum.op, x, y, checked_factor(sum, x, y, alpha));
}
template <const SumOp& sum>
bool sum_inplace(const Tensor& x, const BinaryOperand& y, const Scalar& alpha) {
  const bool recording = is_one(alpha) ? compute_binary_inplace(sum.op, x, y)
                                       : detail::compute_scaled_inplace(
                                             sum.op, x, y, checked_factor(sum, x, y, alpha));
  mark_changed(x);
  return recording;
}
template <const SumOp& sum>
Tensor& sum_out(Tensor& out, const BinaryOperand& x, const BinaryOperand& y, const Scalar& alpha) {
  if (is_one(alpha)) return compute_binary_out(sum.op, out, x, y);
  return detail::compute_scaled_out(sum.op, out, x, y, checked_factor(sum, x, y, alpha));
}

void record_sum(const SumOp& sum, const Tensor& r, const Tensor& x, const Tensor& y,
                const Scalar& alpha) {
  with_form(
      [&](auto* form) {
        using Form = std::remove_pointer_t<decltype(form)>;
        record_pair(sum.of_tensors, r, x, y,
                    [fx = Form(x), fy = Form(y), alpha = sum.negates ? -alpha : alpha](Grads& g) {
                      Pair out;
                      if (g.needs(0)) out[0] = fx(g[0]);
                      if (g.needs(1)) out[1] = fy(is_one(alpha) ? g[0] : g[0] * alpha.conj());
                      return out;
                    });
      },
      r, x, y);
}

// Records a gradient that is g itself, reduced to the input's shape.
void record_passing(const char* node, const Tensor& r, const Tensor& x) {
  with_form(
      [&](auto* form) {
        using Form = std::remove_pointer_t<decltype(form)>;
        record_one(node, r, x, [f = Form(x)](const Tensor& g) { return Tensor(f(g)); });
      },
      r, x);
}

template <const SumOp& sum>
Tensor sum_of(const Tensor& x, const Tensor& y, const Scalar& alpha) {
  Tensor r = sum_values<sum>(x, y, alpha);
  if (needs_grad(x, y)) record_sum(sum, r, x, y, alpha);
  return r;
}
template <const SumOp& sum>
[[gnu::always_inline]] inline Tensor sum_of(const Tensor& x, const Scalar& y, const Scalar& alpha) {
  Tensor r = sum_values<sum>(x, y, alpha);
  if (needs_grad(x)) record_passing(sum.of_number, r, x);
  return r;
}
template <const SumOp& sum>
void change(const Tensor& x, const Tensor& y, const Scalar& alpha) {
  if (sum_inplace<sum>(x, y, alpha)) record_sum(sum, x, x, y, alpha);
}
template <const SumOp& sum>
void change(const Tensor& x, const Scalar& y, const Scalar& alpha) {
  if (sum_inplace<sum>(x, y, alpha)) record_passing(sum.of_number, x, x);
}

}  // namespace

#define TAPER_DEFINE_SUM(name, sum, T)                                                \
  Tensor name(const Tensor& x, const T& y, const Scalar& alpha) {                     \
    if (auto done = at_door<#name>(x, y, alpha)) return done;                         \
    return sum_of<sum>(x, y, alpha);                                                  \
  }                                                                                   \
  Tensor& name##_out(Tensor& out, const Tensor& x, const T& y, const Scalar& alpha) { \
    if (at_door<#name "_out">(out, x, y, alpha)) return out;                          \
    return sum_out<sum>(out, x, y, alpha);                                            \
  }                                                                                   \
  Tensor Tensor::name(const T& y, const Scalar& alpha) const {                        \
    if (auto done = at_door<#name>(*this, y, alpha)) return done;                     \
    return sum_of<sum>(*this, y, alpha);                                              \
  }                                                                                   \
  Tensor& Tensor::name##_(const T& y, const Scalar& alpha) const {                    \
    if (at_door<#name "_">(*this, y, alpha)) return detail::as_mutable(*this);        \
    change<sum>(*this, y, alpha);                                                     \
    return detail::as_mutable(*this);                                                 \
  }
TAPER_DEFINE_SUM(add, kAdd, Tensor)
TAPER_DEFINE_SUM(add, kAdd, Scalar)
TAPER_DEFINE_SUM(sub, kSub, Tensor)
TAPER_DEFINE_SUM(sub, kSub, Scalar)
TAPER_DEFINE_SUM(subtract, kSub, Tensor)
TAPER_DEFINE_SUM(subtract, kSub, Scalar)
#undef TAPER_DEFINE_SUM

Tensor rsub(const Tensor& x, const Tensor& y, const Scalar& alpha) {
  if (auto done = at_door<"rsub">(x, y, alpha)) return done;
  Tensor r = sum_values<kRsub>(y, x, alpha);
  if (needs_grad(x, y))
    record(kRsub.of_tensors, r, {x, y}, [fx = InputForm(x), fy = InputForm(y), alpha](Grads& g) {
      Pair out;
      if (g.needs(0)) out[0] = fx(g[0] * -alpha.conj());
      if (g.needs(1)) out[1] = fy(g[0]);
      return out;
    });
  return r;
}
Tensor rsub(const Tensor& x, const Scalar& y, const Scalar& alpha) {
  if (auto done = at_door<"rsub">(x, y, alpha)) return done;
  Tensor r = sum_values<kRsub>(y, x, alpha);
  if (needs_grad(x))
    record(kRsub.of_number, r, {x},
           [f = InputForm(x), alpha](const Tensor& g) { return f(g * -alpha.conj()); });
  return r;
}
Tensor& rsub_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha) {
  if (at_door<"rsub_out">(out, x, y, alpha)) return out;
  return sum_out<kRsub>(out, y, x, alpha);
}
Tensor& rsub_out(Tensor& out, const Tensor& x, const Scalar& y, const Scalar& alpha) {
  if (at_door<"rsub_out">(out, x, y, alpha)) return out;
  return sum_out<kRsub>(out, y, x, alpha);
}

// LibTorch first makes a tensor of the number, so the derivative is the one of two tensors.
Tensor operator-(const Scalar& x, const Tensor& y) {
  if (auto done = at_door<"rsub">(y, x, Scalar(1))) return done;
  Tensor r = compute_binary(binary_op::sub, x, y);
  const Tensor no_tensor;
  if (needs_grad(y))
    record(kSub.of_tensors, r, {no_tensor, y}, [f = InputForm(y)](Grads& g) {
      return Pair{Tensor(), f(g[0].neg())};
    });
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
                      if (g.needs(0)) out[0] = fx(g[0] * sy.get().conj());
                      if (g.needs(1)) out[1] = fy(g[0] * sx.get().conj());
                      return out;
                    });
      },
      r, x, y);
}

void record_scaled(const char* node, const Tensor& r, const Tensor& x, const Scalar& factor) {
  with_form(
      [&](auto* form) {
        using Form = std::remove_pointer_t<decltype(form)>;
        record_one(node, r, x, [f = Form(x), factor = factor.conj()](const Tensor& g) {
          return Tensor(f(g * factor));
        });
      },
      r, x);
}

}  // namespace

Tensor mul(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"mul">(x, y)) return done;
  Tensor r = compute_binary(binary_op::mul, x, y);
  if (needs_grad(x, y)) record_mul(r, x, y, x);
  return r;
}
Tensor mul(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"mul">(x, y)) return done;
  Tensor r = compute_binary(binary_op::mul, x, y);
  if (needs_grad(x)) record_scaled("MulBackward1", r, x, y);
  return r;
}
Tensor& Tensor::mul_(const Tensor& other) const {
  if (at_door<"mul_">(*this, other)) return detail::as_mutable(*this);
  const bool recording = needs_grad(*this, other);
  const Tensor before = kept(*this, recording && wants(other));
  const Tensor factor = kept(other, recording && other.is_alias_of(*this));
  if (recording && wants(*this)) autograd::check_can_be_saved(factor);
  compute_binary_inplace(binary_op::mul, *this, other);
  mark_changed(*this);
  if (recording) record_mul(*this, *this, factor, before);
  return detail::as_mutable(*this);
}
Tensor& Tensor::mul_(const Scalar& other) const {
  if (at_door<"mul_">(*this, other)) return detail::as_mutable(*this);
  const bool recording = compute_binary_inplace(binary_op::mul, *this, other);
  mark_changed(*this);
  if (recording) record_scaled("MulBackward1", *this, *this, other);
  return detail::as_mutable(*this);
}

// ---------------------------------------------------------------- div
namespace {

void record_div(const Tensor& r, const Tensor& x, const Tensor& y, const Tensor& x_value) {
  record_pair("DivBackward0", r, x, y,
              [fx = InputForm(x), fy = InputForm(y), sx = saved_if(wants(y), x_value),
               sy = saved(y)](Grads& g) {
                Pair out;
                const Tensor d = sy.get();
                if (g.needs(0)) out[0] = fx(g[0] / d.conj());
                if (g.needs(1)) out[1] = fy(-g[0] * ((sx.get() / d) / d).conj());
                return out;
              });
}

void record_divided(const Tensor& r, const Tensor& x, const Scalar& divisor) {
  record_one("DivBackward1", r, x, [f = InputForm(x), divisor = divisor.conj()](const Tensor& g) {
    return f(g / divisor);
  });
}

}  // namespace

Tensor div(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"div">(x, y)) return done;
  Tensor r = compute_binary(binary_op::div, x, y);
  if (needs_grad(x, y)) record_div(r, x, y, x);
  return r;
}
Tensor div(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"div">(x, y)) return done;
  Tensor r = compute_binary(binary_op::div, x, y);
  if (needs_grad(x)) record_divided(r, x, y);
  return r;
}
Tensor& Tensor::div_(const Tensor& other) const {
  if (at_door<"div_">(*this, other)) return detail::as_mutable(*this);
  const bool recording = needs_grad(*this, other);
  const Tensor before = kept(*this, recording && wants(other));
  const Tensor divisor = kept(other, recording && other.is_alias_of(*this));
  if (recording) autograd::check_can_be_saved(divisor);
  compute_binary_inplace(binary_op::div, *this, other);
  mark_changed(*this);
  if (recording) record_div(*this, *this, divisor, before);
  return detail::as_mutable(*this);
}
Tensor& Tensor::div_(const Scalar& other) const {
  if (at_door<"div_">(*this, other)) return detail::as_mutable(*this);
  const bool recording = compute_binary_inplace(binary_op::div, *this, other);
  mark_changed(*this);
  if (recording) record_divided(*this, *this, other);
  return detail::as_mutable(*this);
}

// No op of the table divides a number: modes see a division of tensors.
Tensor operator/(const Scalar& x, const Tensor& y) {
  if (__builtin_expect(detail::has_modes(), 0))
    return div(full({}, x, y.options().dtype(result_type(x, y)).requires_grad(false)), y);
  Tensor r = compute_binary(binary_op::div, x, y);
  const Tensor no_tensor;
  if (needs_grad(y))
    record("DivBackward0", r, {no_tensor, y},
           [f = InputForm(y), r = autograd::saved_output(r), y = saved(y)](Grads& g) {
             return Pair{Tensor(), f(-g[0] * (r.get() / y.get()).conj())};
           });
  return r;
}

// ---------------------------------------------------------------- the forms of mul and div
#define TAPER_DEFINE_PRODUCT(name, T)                                     \
  Tensor Tensor::name(const T& o) const { return taper::name(*this, o); } \
  Tensor& name##_out(Tensor& out, const Tensor& x, const T& y) {          \
    if (at_door<#name "_out">(out, x, y)) return out;                     \
    return compute_binary_out(binary_op::name, out, x, y);                \
  }
TAPER_DEFINE_PRODUCT(mul, Tensor)
TAPER_DEFINE_PRODUCT(mul, Scalar)
TAPER_DEFINE_PRODUCT(div, Tensor)
TAPER_DEFINE_PRODUCT(div, Scalar)
#undef TAPER_DEFINE_PRODUCT

// ---------------------------------------------------------------- gradients of activations
Tensor relu_backward(const Tensor& g, const Tensor& y) {
  if (auto done = at_door<"relu_backward">(g, y)) return done;
  Tensor r = compute_binary(binary_op::relu_backward, g, y);
  if (needs_grad(g))
    record("ThresholdBackwardBackward0", r, {g},
           [y = saved(y)](const Tensor& gg) { return relu_backward(gg, y.get()); });
  return r;
}

Tensor tanh_backward(const Tensor& g, const Tensor& y) {
  if (auto done = at_door<"tanh_backward">(g, y)) return done;
  Tensor r = compute_binary(binary_op::tanh_backward, g, y);
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
  if (auto done = at_door<"sigmoid_backward">(g, y)) return done;
  Tensor r = compute_binary(binary_op::sigmoid_backward, g, y);
  if (needs_grad(g, y))
    record("SigmoidBackwardBackward0", r, {g, y}, [g = saved(g), y = saved(y)](Grads& gg) {
      Pair out;
      if (gg.needs(0)) out[0] = sigmoid_backward(gg[0], y.get());
      if (gg.needs(1)) out[1] = gg[0] * (g.get() * (y.get() * -2 + 1));
      return out;
    });
  return r;
}

// ---------------------------------------------------------------- operators
Tensor& Tensor::operator+=(const Tensor& o) { return add_(o); }
Tensor& Tensor::operator+=(const Scalar& o) { return add_(o); }
Tensor& Tensor::operator-=(const Tensor& o) { return sub_(o); }
Tensor& Tensor::operator-=(const Scalar& o) { return sub_(o); }
Tensor& Tensor::operator*=(const Tensor& o) { return mul_(o); }
Tensor& Tensor::operator*=(const Scalar& o) { return mul_(o); }
Tensor& Tensor::operator/=(const Tensor& o) { return div_(o); }
Tensor& Tensor::operator/=(const Scalar& o) { return div_(o); }

namespace {

using Pair = std::array<Tensor, 2>;

}  // namespace

Tensor atan2(const Tensor& y, const Tensor& x) {
  if (auto done = at_door<"atan2">(y, x)) return done;
  Tensor r = compute_binary(binary_op::atan2, y, x);
  if (needs_grad(y, x))
    record("Atan2Backward0", r, {y, x},
           [fy = InputForm(y), fx = InputForm(x), sy = saved(y), sx = saved(x)](Grads& g) {
             Pair out;
             const Tensor y = sy.get(), x = sx.get();
             // At the origin the gradients are defined as 0.
             const Tensor square = x * x + y * y;
             const Tensor scaled = (g[0] / square).masked_fill(square.eq(0), 0);
             if (g.needs(0)) out[0] = fy(scaled * x);
             if (g.needs(1)) out[1] = fx(-scaled * y);
             return out;
           });
  return r;
}

namespace {

// Returns r / x for a copysign result: 1, -1, or 0 if x is 0.
Tensor changed_sign(const Tensor& x, const Tensor& r) { return x.sign() * r.sign(); }

}  // namespace

Tensor copysign(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"copysign">(x, y)) return done;
  Tensor r = compute_binary(binary_op::copysign, x, y);
  if (needs_grad(x, y))
    record("CopysignBackward0", r, {x, y},
           [fx = InputForm(x), fy = InputForm(y), x = saved(x), y = saved(y)](Grads& g) {
             Pair out;
             if (g.needs(0)) out[0] = fx(g[0] * changed_sign(x.get(), copysign(x.get(), y.get())));
             if (g.needs(1)) out[1] = fy(g[0] * 0);
             return out;
           });
  return r;
}

Tensor copysign(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"copysign">(x, y)) return done;
  Tensor r = compute_binary(binary_op::copysign, x, y);
  if (needs_grad(x))
    record("CopysignBackward1", r, {x}, [f = InputForm(x), x = saved(x), y](const Tensor& g) {
      return f(g * changed_sign(x.get(), copysign(x.get(), y)));
    });
  return r;
}

namespace {

// The gradient goes to the operand that was taken, and half to each at ties.
Tensor extremum(const BinaryOp& op, const char* node, const Tensor& x, const Tensor& y,
                Tensor (*taken)(const Tensor&, const Tensor&)) {
  Tensor r = compute_binary(op, x, y);
  if (needs_grad(x, y) && r.is_floating_point())
    record(node, r, {x, y},
           [fx = InputForm(x), fy = InputForm(y), sx = saved(x), sy = saved(y), taken](Grads& g) {
             Pair out;
             const Tensor x = sx.get(), y = sy.get();
             const Tensor half = where(x.eq(y), g[0] / 2, g[0]);
             if (g.needs(0)) out[0] = fx(where(taken(y, x), Scalar(0), half));
             if (g.needs(1)) out[1] = fy(where(taken(x, y), Scalar(0), half));
             return out;
           });
  return r;
}

}  // namespace

Tensor maximum(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"maximum">(x, y)) return done;
  return extremum(binary_op::maximum, "MaximumBackward0", x, y,
                  [](const Tensor& a, const Tensor& b) { return gt(a, b); });
}

Tensor minimum(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"minimum">(x, y)) return done;
  return extremum(binary_op::minimum, "MinimumBackward0", x, y,
                  [](const Tensor& a, const Tensor& b) { return lt(a, b); });
}

void binary_op::check_bits(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  const ScalarType t = detail::promoted_dtype(a, b);
  TAPER_CHECK(!isFloatingType(t), op.name, ": \"", op.name, "_cpu\" not implemented for '",
              toString(t), "'");
}

#define TAPER_DEFINE_BITS(name, X, Y)                  \
  Tensor name(const X& x, const Y& y) {                \
    if (auto done = at_door<#name>(x, y)) return done; \
    return compute_binary(binary_op::name, x, y);      \
  }
TAPER_DEFINE_BITS(bitwise_and, Tensor, Tensor)
TAPER_DEFINE_BITS(bitwise_and, Tensor, Scalar)
TAPER_DEFINE_BITS(bitwise_and, Scalar, Tensor)
TAPER_DEFINE_BITS(bitwise_or, Tensor, Tensor)
TAPER_DEFINE_BITS(bitwise_or, Tensor, Scalar)
TAPER_DEFINE_BITS(bitwise_or, Scalar, Tensor)
TAPER_DEFINE_BITS(bitwise_xor, Tensor, Tensor)
TAPER_DEFINE_BITS(bitwise_xor, Tensor, Scalar)
TAPER_DEFINE_BITS(bitwise_xor, Scalar, Tensor)
#undef TAPER_DEFINE_BITS

}  // namespace torch::taper
