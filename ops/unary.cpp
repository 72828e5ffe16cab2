#include <taper/ops/unary.h>

#include <cmath>
#include <limits>

#include <taper/framework/autograd/record.h>
#include <taper/framework/shape.h>
#include <taper/ops/binary.h>
#include <taper/ops/out.h>
#include <taper/ops/promote.h>
#include <taper/ops/unary_kernels.h>
#include <taper/ops/where.h>

namespace taper {

using autograd::check_inplace;
using autograd::mark_changed;
using autograd::needs_grad;
using autograd::record;
using autograd::record_inplace;
using autograd::saved;
using autograd::saved_output;

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;

// What a unary op is, apart from its kernel: its names, whether its gradient reads the output or
// the input, and the gradient itself in public ops.
enum class Reads { kInput, kOutput, kNothing };

#define TAPER_UNARY(op, node_name, read, expression)                                             \
  struct op##_op {                                                                               \
    static constexpr const char* name = #op;                                                     \
    static constexpr const char* node = node_name;                                               \
    static constexpr Reads reads = Reads::read;                                                  \
    static void run(const Tensor& y, const Tensor& x) { TAPER_ON_DEVICE(x, op, y, x); }          \
    static Tensor gradient([[maybe_unused]] const Tensor& g, [[maybe_unused]] const Tensor& v) { \
      return expression;                                                                         \
    }                                                                                            \
  };

// `v` is the input or the output, `g` the gradient of the output.
TAPER_UNARY(exp, "ExpBackward0", kOutput, g* v)
TAPER_UNARY(exp2, "Exp2Backward0", kOutput, g* v* kLn2)
TAPER_UNARY(expm1, "Expm1Backward0", kOutput, g*(v + 1))
TAPER_UNARY(log, "LogBackward0", kInput, g / v)
TAPER_UNARY(log2, "Log2Backward0", kInput, g / (v * kLn2))
TAPER_UNARY(log10, "Log10Backward0", kInput, g / (v * kLn10))
TAPER_UNARY(log1p, "Log1PBackward0", kInput, g / (v + 1))
TAPER_UNARY(sqrt, "SqrtBackward0", kOutput, g / (v * 2))
TAPER_UNARY(rsqrt, "RsqrtBackward0", kOutput, g* v.pow(3) * -0.5)
TAPER_UNARY(reciprocal, "ReciprocalBackward0", kOutput, -g* v* v)
TAPER_UNARY(sin, "SinBackward0", kInput, g* v.cos())
TAPER_UNARY(cos, "CosBackward0", kInput, -g* v.sin())
TAPER_UNARY(tan, "TanBackward0", kOutput, g*(v* v + 1))
TAPER_UNARY(asin, "AsinBackward0", kInput, g*(-v* v + 1).rsqrt())
TAPER_UNARY(acos, "AcosBackward0", kInput, -g*(-v* v + 1).rsqrt())
TAPER_UNARY(atan, "AtanBackward0", kInput, g / (v * v + 1))
TAPER_UNARY(sinh, "SinhBackward0", kInput, g* v.cosh())
TAPER_UNARY(cosh, "CoshBackward0", kInput, g* v.sinh())
TAPER_UNARY(tanh, "TanhBackward0", kOutput, tanh_backward(g, v))
TAPER_UNARY(asinh, "AsinhBackward0", kInput, g*(v* v + 1).rsqrt())
TAPER_UNARY(acosh, "AcoshBackward0", kInput, g*(v* v - 1).rsqrt())
TAPER_UNARY(atanh, "AtanhBackward0", kInput, g / (-v * v + 1))
TAPER_UNARY(erf, "ErfBackward0", kInput, g*((-v * v).exp() * (2 / std::sqrt(kPi))))
TAPER_UNARY(erfc, "ErfcBackward0", kInput, g*((-v * v).exp() * (-2 / std::sqrt(kPi))))
TAPER_UNARY(sigmoid, "SigmoidBackward0", kOutput, sigmoid_backward(g, v))
TAPER_UNARY(neg, "NegBackward0", kNothing, -g)
TAPER_UNARY(abs, "AbsBackward0", kInput, g* v.sign())
TAPER_UNARY(square, "PowBackward0", kInput, g*(v * 2))
TAPER_UNARY(relu, "ReluBackward0", kOutput, relu_backward(g, v))
TAPER_UNARY(frac, "FracBackward0", kNothing, g)
// Piecewise constant: the gradient is zero wherever there is one.
TAPER_UNARY(sign, "SignBackward0", kNothing, g * 0)
TAPER_UNARY(floor, "FloorBackward0", kNothing, g * 0)
TAPER_UNARY(ceil, "CeilBackward0", kNothing, g * 0)
TAPER_UNARY(round, "RoundBackward0", kNothing, g * 0)
TAPER_UNARY(trunc, "TruncBackward0", kNothing, g * 0)
#undef TAPER_UNARY

template <class Op>
void check_input(const Tensor& x, bool keeps_dtype) {
  check_defined(Op::name, x, "input");
  if (keeps_dtype && x.scalar_type() == kBool) detail::unsupported_dtype(Op::name, kBool);
}

template <class Op>
void record_unary(const Tensor& y, const Tensor& x) {
  if constexpr (Op::reads == Reads::kOutput)
    record(Op::node, y, {x},
           [v = saved_output(y)](const Tensor& g) { return Op::gradient(g, v.get()); });
  else if constexpr (Op::reads == Reads::kInput)
    record(Op::node, y, {x}, [v = saved(x)](const Tensor& g) { return Op::gradient(g, v.get()); });
  else
    record(Op::node, y, {x}, [](const Tensor& g) { return Op::gradient(g, g); });
}

template <class Op>
Tensor unary(const Tensor& given, bool keeps_dtype) {
  check_input<Op>(given, keeps_dtype);
  const bool convert = !keeps_dtype && !given.is_floating_point();
  const Tensor x = convert ? given.to(default_dtype()) : given;
  Tensor y = detail::make_like(x);
  if (y.numel() > 0) Op::run(y, x);
  if (needs_grad(x)) record_unary<Op>(y, x);
  return y;
}

template <class Op>
Tensor& unary_inplace(Tensor& x, bool keeps_dtype) {
  check_input<Op>(x, keeps_dtype);
  TAPER_CHECK(keeps_dtype || x.is_floating_point(), Op::name, "_: result type ",
              toString(default_dtype()), " can't be cast to the desired output type ",
              toString(x.scalar_type()));
  check_inplace(Op::name, x);
  const bool recording = needs_grad(x);
  // The derivative may need the values that are about to be overwritten.
  const Tensor before = recording && Op::reads == Reads::kInput ? x.clone() : Tensor();
  if (x.numel() > 0) Op::run(x, x);
  mark_changed(x);
  if (!recording) return x;
  if constexpr (Op::reads == Reads::kOutput)
    record_inplace(Op::node, x, {x},
                   [v = saved_output(x)](const Tensor& g) { return Op::gradient(g, v.get()); });
  else if constexpr (Op::reads == Reads::kInput)
    record_inplace(Op::node, x, {x},
                   [v = saved(before)](const Tensor& g) { return Op::gradient(g, v.get()); });
  else
    record_inplace(Op::node, x, {x}, [](const Tensor& g) { return Op::gradient(g, g); });
  return x;
}

template <class Op>
Tensor& unary_out(Tensor& out, const Tensor& given, bool keeps_dtype) {
  check_input<Op>(given, keeps_dtype);
  const Tensor x = keeps_dtype || given.is_floating_point() ? given : given.to(default_dtype());
  prepare_out(Op::name, out, x.sizes(), x.scalar_type(), {given});
  if (out.scalar_type() == x.scalar_type() && !out.is_alias_of(x)) {
    if (x.numel() > 0) Op::run(out, x);
  } else {
    const NoGradGuard no_grad;
    out.copy_(unary<Op>(x, keeps_dtype));
    return out;
  }
  mark_changed(out);
  return out;
}

}  // namespace

#define TAPER_DEFINE_UNARY(name, keeps)                                                            \
  Tensor name(const Tensor& x) { return unary<name##_op>(x, keeps); }                              \
  Tensor& name##_(Tensor& x) { return unary_inplace<name##_op>(x, keeps); }                        \
  Tensor& name##_out(Tensor& out, const Tensor& x) { return unary_out<name##_op>(out, x, keeps); } \
  Tensor Tensor::name() const { return taper::name(*this); }                                       \
  Tensor& Tensor::name##_() const { return taper::name##_(const_cast<Tensor&>(*this)); }
#define TAPER_DEFINE_FLOAT(name) TAPER_DEFINE_UNARY(name, false)
#define TAPER_DEFINE_SAME(name) TAPER_DEFINE_UNARY(name, true)
TAPER_UNARY_FLOAT_OPS(TAPER_DEFINE_FLOAT)
TAPER_UNARY_SAME_OPS(TAPER_DEFINE_SAME)
#undef TAPER_DEFINE_UNARY
#undef TAPER_DEFINE_FLOAT
#undef TAPER_DEFINE_SAME

// ---------------------------------------------------------------- no gradient
#define TAPER_DEFINE_TEST(name)                        \
  Tensor name(const Tensor& x) {                       \
    check_defined(#name, x, "input");                  \
    Tensor y = detail::make_like(x, kBool);            \
    if (y.numel() > 0) TAPER_ON_DEVICE(x, name, y, x); \
    return y;                                          \
  }                                                    \
  Tensor Tensor::name() const { return taper::name(*this); }
TAPER_UNARY_BOOL_OPS(TAPER_DEFINE_TEST)
TAPER_DEFINE_TEST(logical_not)
#undef TAPER_DEFINE_TEST

Tensor bitwise_not(const Tensor& x) {
  check_defined("bitwise_not", x, "input");
  if (isFloatingType(x.scalar_type())) detail::unsupported_dtype("bitwise_not", x.scalar_type());
  Tensor y = detail::make_like(x);
  if (y.numel() > 0) TAPER_ON_DEVICE(x, bitwise_not, y, x);
  return y;
}
Tensor Tensor::bitwise_not() const { return taper::bitwise_not(*this); }
Tensor& Tensor::bitwise_not_() const { return copy_(taper::bitwise_not(*this)); }
Tensor& Tensor::logical_not_() const { return copy_(taper::logical_not(*this)); }
Tensor Tensor::operator~() const { return taper::bitwise_not(*this); }
Tensor Tensor::operator-() const { return taper::neg(*this); }

// ---------------------------------------------------------------- clamp
namespace {

// A floating bound makes an integral tensor floating, as in any op with a number.
ScalarType clamp_dtype(const Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max) {
  const bool floats = (min && min->isFloatingPoint()) || (max && max->isFloatingPoint());
  return floats && !x.is_floating_point() ? default_dtype() : x.scalar_type();
}

const char* clamp_node(bool min, bool max) {
  return min && max ? "ClampBackward1" : min ? "ClampMinBackward0" : "ClampMaxBackward0";
}

Tensor clamp_gradient(const Tensor& g, const Tensor& x, const optional<Scalar>& min,
                      const optional<Scalar>& max) {
  Tensor inside = min ? x.ge(*min) : x.le(*max);
  if (min && max) inside = inside.logical_and(x.le(*max));
  return where(inside, g, Scalar(0));
}

void run_clamp(const Tensor& y, const Tensor& x, const optional<Scalar>& min,
               const optional<Scalar>& max) {
  const In low = min ? In::number(*min, y.scalar_type()) : In();
  const In high = max ? In::number(*max, y.scalar_type()) : In();
  if (y.numel() > 0) TAPER_ON_DEVICE(x, clamp, y, x, low, high);
}

void check_bounds(bool any) {
  TAPER_CHECK(any, "torch.clamp: At least one of 'min' or 'max' must not be None");
}

}  // namespace

Tensor clamp(const Tensor& given, const optional<Scalar>& min, const optional<Scalar>& max) {
  check_defined("clamp", given, "input");
  check_bounds(min || max);
  const Tensor x = given.to(clamp_dtype(given, min, max));
  Tensor y = detail::make_like(x);
  run_clamp(y, x, min, max);
  if (needs_grad(x))
    record(
        clamp_node(min.has_value(), max.has_value()), y, {x},
        [x = saved(x), min, max](const Tensor& g) { return clamp_gradient(g, x.get(), min, max); });
  return y;
}

Tensor& clamp_(Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max) {
  check_defined("clamp_", x, "input");
  check_bounds(min || max);
  TAPER_CHECK(clamp_dtype(x, min, max) == x.scalar_type(), "result type ",
              toString(default_dtype()), " can't be cast to the desired output type ",
              toString(x.scalar_type()));
  check_inplace("clamp_", x);
  const bool recording = needs_grad(x);
  const Tensor before = recording ? x.clone() : Tensor();
  run_clamp(x, x, min, max);
  mark_changed(x);
  if (recording)
    record_inplace(clamp_node(min.has_value(), max.has_value()), x, {x},
                   [b = saved(before), min, max](const Tensor& g) {
                     return clamp_gradient(g, b.get(), min, max);
                   });
  return x;
}

namespace {

// Inside the bounds (them included) the gradient is x's, outside it is the bound's that was taken;
// where the bounds cross, the upper one wins.
std::array<Tensor, 3> clamp_gradients(const Tensor& g, const Tensor& x, const Tensor& low,
                                      const Tensor& high, const autograd::Grads& wanted) {
  const Tensor below = low.defined() ? x.lt(low) : Tensor();
  const Tensor above = high.defined() ? x.gt(high) : Tensor();
  const Tensor crossed = low.defined() && high.defined() ? high.lt(low) : Tensor();
  std::array<Tensor, 3> out;
  if (wanted.needs(0)) {
    out[0] = below.defined() ? where(below, Scalar(0), g) : g;
    if (above.defined()) out[0] = where(above, Scalar(0), out[0]);
  }
  if (wanted.needs(1))
    out[1] =
        where(crossed.defined() ? below.logical_and(crossed.logical_not()) : below, g, Scalar(0));
  if (wanted.needs(2))
    out[2] = where(crossed.defined() ? above.logical_or(crossed) : above, g, Scalar(0));
  return out;
}

}  // namespace

Tensor clamp(const Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max) {
  check_defined("clamp", x, "input");
  check_bounds(min || max);
  const Tensor low = min.value_or(Tensor()), high = max.value_or(Tensor());
  Tensor y = x;
  {
    const NoGradGuard values_only;
    if (min) y = maximum(y, low);
    if (max) y = minimum(y, high);
  }
  if (needs_grad(x, low, high))
    record("ClampBackward0", y, {x, low, high},
           [x = saved(x), low = saved(low), high = saved(high)](autograd::Grads& g) {
             std::array<Tensor, 3> out;
             out = clamp_gradients(g[0], x.get(), low.get(), high.get(), g);
             const std::array<Tensor, 3> inputs{x.get(), low.get(), high.get()};
             for (size_t i = 0; i < 3; ++i)
               if (out[i].defined()) out[i] = detail::InputForm(inputs[i])(out[i]);
             return out;
           });
  return y;
}

Tensor clamp_min(const Tensor& x, const Scalar& min) { return clamp(x, optional<Scalar>(min)); }
Tensor clamp_max(const Tensor& x, const Scalar& max) {
  return clamp(x, optional<Scalar>(), optional<Scalar>(max));
}
Tensor& clamp_min_(Tensor& x, const Scalar& min) { return clamp_(x, min); }
Tensor& clamp_max_(Tensor& x, const Scalar& max) { return clamp_(x, nullopt, max); }

Tensor Tensor::clamp(const optional<Scalar>& min, const optional<Scalar>& max) const {
  return taper::clamp(*this, min, max);
}
Tensor Tensor::clamp(const optional<Tensor>& min, const optional<Tensor>& max) const {
  return taper::clamp(*this, min, max);
}
Tensor& Tensor::clamp_(const optional<Scalar>& min, const optional<Scalar>& max) const {
  return taper::clamp_(const_cast<Tensor&>(*this), min, max);
}
Tensor& Tensor::clamp_(const optional<Tensor>& min, const optional<Tensor>& max) const {
  // The derivative keeps the values that are overwritten here.
  return copy_(taper::clamp(needs_grad(*this) ? clone() : *this, min, max));
}
Tensor Tensor::clamp_min(const Scalar& min) const { return taper::clamp_min(*this, min); }
Tensor Tensor::clamp_min(const Tensor& min) const {
  return taper::clamp(*this, optional<Tensor>(min));
}
Tensor& Tensor::clamp_min_(const Scalar& min) const { return clamp_(min, nullopt); }
Tensor Tensor::clamp_max(const Scalar& max) const { return taper::clamp_max(*this, max); }
Tensor Tensor::clamp_max(const Tensor& max) const {
  return taper::clamp(*this, optional<Tensor>(), optional<Tensor>(max));
}
Tensor& Tensor::clamp_max_(const Scalar& max) const {
  return clamp_(optional<Scalar>(), optional<Scalar>(max));
}

// ---------------------------------------------------------------- nan_to_num
namespace {

double largest(ScalarType t) {
  double v = 0;
  TAPER_SWITCH(t, "nan_to_num", TAPER_FLOATING_DTYPES,
               [&] { v = static_cast<double>(std::numeric_limits<scalar_t>::max()); });
  return v;
}

}  // namespace

Tensor nan_to_num(const Tensor& x, optional<double> nan, optional<double> posinf,
                  optional<double> neginf) {
  check_defined("nan_to_num", x, "input");
  if (!x.is_floating_point()) return x.clone();
  const double high = posinf.value_or(largest(x.scalar_type()));
  const double low = neginf.value_or(-largest(x.scalar_type()));
  const Tensor infinite = isinf(x);
  Tensor y = where(isnan(x), Scalar(nan.value_or(0)), x);
  y = where(infinite.logical_and(x.gt(0)), Scalar(high), y);
  return where(infinite.logical_and(x.lt(0)), Scalar(low), y);
}
Tensor Tensor::nan_to_num(optional<double> nan, optional<double> posinf,
                          optional<double> neginf) const {
  return taper::nan_to_num(*this, nan, posinf, neginf);
}

}  // namespace taper
