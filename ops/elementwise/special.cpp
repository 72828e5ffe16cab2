#include <taper/ops/elementwise/special.h>

#include <cmath>
#include <type_traits>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/binary_compute.h>
#include <taper/ops/elementwise/special_bessel_functors.h>
#include <taper/ops/elementwise/special_kernels.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/no_derivative.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/view.h>

namespace torch::taper {

using detail::BinaryOp;
using detail::BinaryOperand;
using detail::compute_binary;
using detail::InputForm;

namespace {

constexpr double kPi = 3.14159265358979323846;

Tensor in_floats(const char* op, const Tensor& x) {
  check_defined(op, x, "input");
  if (x.is_complex()) detail::unsupported_dtype(op, x.scalar_type());
  return x.is_floating_point() ? x : x.to(default_dtype());
}

// Computes y = run(x) with the derivative gradient(gy, x) or gradient(gy, x, y). The result is kept
// only for the second kind. A result that is not kept may be changed in place.
template <class Run, class Gradient>
Tensor unary(const char* op, const char* node, const Tensor& given, const Run& run,
             const Gradient& gradient) {
  const Tensor x = in_floats(op, given);
  Tensor y = detail::make_like(x, x.scalar_type());
  if (y.numel() > 0) run(y, x);
  if (!needs_grad(x)) return y;
  if constexpr (std::is_invocable_v<Gradient, const Tensor&, const Tensor&>)
    record(node, y, {x},
           [x = saved(x), gradient](const Tensor& g) { return gradient(g, x.get()); });
  else
    record(node, y, {x}, [x = saved(x), y = saved_output(y), gradient](const Tensor& g) {
      return gradient(g, x.get(), y.get());
    });
  return y;
}

/// Returns results of f without history, for the `out` forms.
template <class F>
Tensor without_history(const F& f) {
  const NoGradGuard values_only;
  return f();
}

}  // namespace

// ---------------------------------------------------------------------- of one tensor
#define TAPER_DEFINE_SPECIAL(name, node, gradient)                                \
  Tensor name(const Tensor& given) {                                              \
    if (auto done = at_door<#name>(given)) return done;                           \
    return unary(                                                                 \
        #name, node, given,                                                       \
        [](const Tensor& y, const Tensor& x) { TAPER_ON_DEVICE(x, name, y, x); }, \
        [](const Tensor& g, const Tensor& x) { return gradient; });               \
  }
TAPER_DEFINE_SPECIAL(lgamma, "LgammaBackward0", g* digamma(x))
TAPER_DEFINE_SPECIAL(digamma, "DigammaBackward0", g* polygamma(1, x))
TAPER_DEFINE_SPECIAL(i0, "I0Backward0", g* special::i1(x))
#undef TAPER_DEFINE_SPECIAL

// The derivative of I1 is I0 - I1 / x, and 1/2 at 0.
Tensor special::i1(const Tensor& given) {
  if (auto done = at_door<"special_i1">(given)) return done;
  return unary(
      "i1", "SpecialI1Backward0", given,
      [](const Tensor& y, const Tensor& x) { TAPER_ON_DEVICE(x, i1, y, x); },
      [](const Tensor& g, const Tensor& x, const Tensor& y) {
        const Tensor zero = x.eq(0);
        return g * where(zero, Scalar(0.5), taper::i0(x) - y / x.masked_fill(zero, 1));
      });
}

Tensor erfinv(const Tensor& given) {
  if (auto done = at_door<"erfinv">(given)) return done;
  return unary(
      "erfinv", "ErfinvBackward0", given,
      [](const Tensor& y, const Tensor& x) { TAPER_ON_DEVICE(x, erfinv, y, x); },
      [](const Tensor& g, const Tensor& x) {
        return g * (erfinv(x).square().exp() * (std::sqrt(kPi) / 2));
      });
}

Tensor polygamma(int64_t n, const Tensor& given) {
  if (auto done = at_door<"polygamma">(n, given)) return done;
  TAPER_CHECK(n >= 0, "polygamma(n, x) does not support negative n.");
  if (n == 0) return digamma(given);
  return unary(
      "polygamma", "PolygammaBackward0", given,
      [n](const Tensor& y, const Tensor& x) { TAPER_ON_DEVICE(x, polygamma, y, x, n); },
      [n](const Tensor& g, const Tensor& x) { return g * polygamma(n + 1, x); });
}

Tensor mvlgamma(const Tensor& given, int64_t p) {
  if (auto done = at_door<"mvlgamma">(given, p)) return done;
  TAPER_CHECK(p >= 1, "mvlgamma: p has to be greater than or equal to 1");
  const Tensor x = in_floats("mvlgamma", given);
  Tensor sum = lgamma(x);
  for (int64_t j = 1; j < p; ++j) sum = sum + lgamma(x - 0.5 * static_cast<double>(j));
  return sum + static_cast<double>(p * (p - 1)) / 4 * std::log(kPi);
}

Tensor sinc(const Tensor& given) {
  if (auto done = at_door<"sinc">(given)) return done;
  check_defined("sinc", given, "input");
  const Tensor x = given.is_complex() ? given : in_floats("sinc", given),
               zero = x.detach().square().eq(0);
  // The rounding of a 16-bit angle would exceed the sine near a zero.
  const Tensor wide = isReducedFloatingType(x.scalar_type()) ? x.to(kFloat) : x;
  const Tensor angle = wide.masked_fill(zero, 1) * kPi;
  return where(zero, Scalar(1), angle.sin() / angle).to(x.scalar_type());
}

namespace {

Tensor scaled_angle(const char* op, const Tensor& x, double scale) {
  check_defined(op, x, "input");
  TAPER_CHECK(!x.is_complex(), op, " is not supported for complex tensors.");
  return in_floats(op, x) * scale;
}

}  // namespace

Tensor deg2rad(const Tensor& x) {
  if (auto done = at_door<"deg2rad">(x)) return done;
  return scaled_angle("deg2rad", x, kPi / 180);
}
Tensor rad2deg(const Tensor& x) {
  if (auto done = at_door<"rad2deg">(x)) return done;
  return scaled_angle("rad2deg", x, 180 / kPi);
}
Tensor signbit(const Tensor& x) {
  if (auto done = at_door<"signbit">(x)) return done;
  check_defined("signbit", x, "input");
  const Tensor v = x.detach();
  if (v.scalar_type() == kBool) return v.logical_and(v.logical_not());
  return v.is_floating_point() ? copysign(v.new_ones({}), v).lt(0) : v.lt(0);
}

#define TAPER_DEFINE_OUT(name)                                                   \
  Tensor& name##_out(Tensor& out, const Tensor& x) {                             \
    if (at_door<#name "_out">(out, x)) return out;                               \
    return store_out(#name, out, without_history([&] { return name(x); }), {x}); \
  }
TAPER_DEFINE_OUT(lgamma)
TAPER_DEFINE_OUT(digamma)
TAPER_DEFINE_OUT(erfinv)
TAPER_DEFINE_OUT(i0)
TAPER_DEFINE_OUT(sinc)
TAPER_DEFINE_OUT(deg2rad)
TAPER_DEFINE_OUT(rad2deg)
TAPER_DEFINE_OUT(signbit)
#undef TAPER_DEFINE_OUT

// ---------------------------------------------------------------------- of two tensors
namespace {

void check_integers(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  const ScalarType t = detail::promoted_dtype(a, b);
  if (!isIntegralType(t, false))
    detail::unsupported_dtype((std::string(op.name) + "_cpu").c_str(), t);
}
void check_same_dtype(const BinaryOp& op, const BinaryOperand& a, const BinaryOperand& b) {
  TAPER_CHECK(a.tensor->scalar_type() == b.tensor->scalar_type(), op.name,
              " is not yet implemented for tensors with different dtypes.");
}
void check_f32_or_f64(const BinaryOp&, const BinaryOperand& a, const BinaryOperand& b) {
  const ScalarType t = detail::promoted_dtype(a, b);
  if (t != kFloat && t != kDouble) detail::unsupported_dtype("nextafter_cpu", t);
}

#define TAPER_SPECIAL_OP(name, floats, check)                                               \
  constexpr BinaryOp name##_op{                                                             \
      #name,                                                                                \
      [](const Tensor& y, const In& a, const In& b) { TAPER_ON_DEVICE(y, name, y, a, b); }, \
      [](const Tensor& y, const Tensor& a, const Tensor& b) {                               \
        TAPER_ON_DEVICE(y, name, y, a, b);                                                  \
      },                                                                                    \
      floats,                                                                               \
      false,                                                                                \
      check};
TAPER_SPECIAL_OP(logaddexp, true, nullptr)
TAPER_SPECIAL_OP(logaddexp2, true, nullptr)
TAPER_SPECIAL_OP(hypot, true, nullptr)
TAPER_SPECIAL_OP(xlogy, true, nullptr)
TAPER_SPECIAL_OP(fmax, false, nullptr)
TAPER_SPECIAL_OP(fmin, false, nullptr)
TAPER_SPECIAL_OP(heaviside, false, check_same_dtype)
TAPER_SPECIAL_OP(nextafter, false, check_f32_or_f64)
TAPER_SPECIAL_OP(gcd, false, check_integers)
TAPER_SPECIAL_OP(lcm, false, check_integers)
TAPER_SPECIAL_OP(bitwise_left_shift, false, check_integers)
TAPER_SPECIAL_OP(bitwise_right_shift, false, check_integers)
#undef TAPER_SPECIAL_OP

// Computes y = op(a, b) with two derivatives of (g, a, b, y). A saved tensor may not change before
// backward, so y is saved only if a derivative reads it.
enum class Saves { kInputs, kOutputToo };
using Derivative = Tensor (*)(const Tensor& g, const Tensor& a, const Tensor& b, const Tensor& y);
Tensor binary(const BinaryOp& op, const char* node, const Tensor& a, const Tensor& b, Saves saves,
              Derivative da, Derivative db) {
  check_defined(op.name, a, "input");
  check_defined(op.name, b, "other");
  Tensor y = compute_binary(op, a, b);
  if (!needs_grad(a, b) || !isFloatingOrComplexType(y.scalar_type())) return y;
  record(node, y, {a, b},
         [fa = InputForm(a), fb = InputForm(b), a = saved(a), b = saved(b),
          y = saves == Saves::kOutputToo ? saved_output(y) : saved(Tensor()), da, db](Grads& g) {
           const Tensor result = y.get();
           std::array<Tensor, 2> out;
           if (g.needs(0)) out[0] = fa(da(g[0], a.get(), b.get(), result));
           if (g.needs(1)) out[1] = fb(db(g[0], a.get(), b.get(), result));
           return out;
         });
  return y;
}

#define TAPER_DERIVATIVE(expression)                                                 \
  [](const Tensor& g, const Tensor& a, const Tensor& b, const Tensor& y) -> Tensor { \
    (void)a;                                                                         \
    (void)b;                                                                         \
    (void)y;                                                                         \
    return expression;                                                               \
  }

bool are_bools(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && a.scalar_type() == kBool && b.scalar_type() == kBool;
}

// Tests which operand fmax and fmin took: a if true, else b.
Tensor a_is_taken(const Tensor& a_wins, const Tensor& b) { return a_wins.logical_or(b.isnan()); }

}  // namespace

Tensor logaddexp(const Tensor& a, const Tensor& b) {
  if (auto done = at_door<"logaddexp">(a, b)) return done;
  return binary(logaddexp_op, "LogaddexpBackward0", a, b,
                a.is_complex() || b.is_complex() ? Saves::kOutputToo : Saves::kInputs,
                TAPER_DERIVATIVE(y.defined() ? g * (a - y).exp().conj() : g * sigmoid(a - b)),
                TAPER_DERIVATIVE(y.defined() ? g * (b - y).exp().conj() : g * sigmoid(b - a)));
}
Tensor logaddexp2(const Tensor& a, const Tensor& b) {
  if (auto done = at_door<"logaddexp2">(a, b)) return done;
  return binary(logaddexp2_op, "Logaddexp2Backward0", a, b, Saves::kInputs,
                TAPER_DERIVATIVE(g * sigmoid((a - b) * std::log(2.0))),
                TAPER_DERIVATIVE(g * sigmoid((b - a) * std::log(2.0))));
}
Tensor hypot(const Tensor& a, const Tensor& b) {
  if (auto done = at_door<"hypot">(a, b)) return done;
  return binary(hypot_op, "HypotBackward0", a, b, Saves::kOutputToo, TAPER_DERIVATIVE(g * (a / y)),
                TAPER_DERIVATIVE(g * (b / y)));
}
Tensor xlogy(const Tensor& a, const Tensor& b) {
  if (auto done = at_door<"xlogy">(a, b)) return done;
  return binary(
      xlogy_op, "XlogyBackward0", a, b, Saves::kInputs,
      TAPER_DERIVATIVE(
          g * where(a.eq(0).logical_and(b.le(0)), Scalar(0),
                    b.masked_fill(b.le(0).logical_and(a.eq(0)), 1).to(g.scalar_type()).log())),
      TAPER_DERIVATIVE(g * a / b));
}
Tensor fmax(const Tensor& a, const Tensor& b) {
  if (auto done = at_door<"fmax">(a, b)) return done;
  if (are_bools(a, b)) return maximum(a, b);
  return binary(fmax_op, "FmaxBackward0", a, b, Saves::kInputs,
                TAPER_DERIVATIVE(where(a_is_taken(a.ge(b), b), g, Scalar(0))),
                TAPER_DERIVATIVE(where(a_is_taken(a.ge(b), b), Scalar(0), g)));
}
Tensor fmin(const Tensor& a, const Tensor& b) {
  if (auto done = at_door<"fmin">(a, b)) return done;
  if (are_bools(a, b)) return minimum(a, b);
  return binary(fmin_op, "FminBackward0", a, b, Saves::kInputs,
                TAPER_DERIVATIVE(where(a_is_taken(a.le(b), b), g, Scalar(0))),
                TAPER_DERIVATIVE(where(a_is_taken(a.le(b), b), Scalar(0), g)));
}
#undef TAPER_DERIVATIVE

#define TAPER_DEFINE_PLAIN(name)                       \
  Tensor name(const Tensor& a, const Tensor& b) {      \
    if (auto done = at_door<#name>(a, b)) return done; \
    check_defined(#name, a, "input");                  \
    check_defined(#name, b, "other");                  \
    return compute_binary(name##_op, a, b);            \
  }
Tensor heaviside(const Tensor& a, const Tensor& b) {
  if (auto done = at_door<"heaviside">(a, b)) return done;
  check_defined("heaviside", a, "input");
  check_defined("heaviside", b, "other");
  if (are_bools(a, b)) return logical_or(a, b);
  return detail::without_derivative("heaviside", compute_binary(heaviside_op, a, b), {a, b});
}

namespace {

// Steps 16-bit floats by their bits, which count up with the magnitude.
Tensor nextafter_by_bits(const Tensor& x, const Tensor& y) {
  const Tensor bits = x.view(kShort);
  const Tensor grows = y.gt(x).eq(x.gt(0));
  const Tensor moved = where(grows, bits.add(1), bits.sub(1)).view(x.scalar_type());
  const double smallest = x.scalar_type() == kHalf ? 0x1p-24 : 0x1p-133;
  const Tensor least = full({}, smallest, x.options()).copysign(y);
  const Tensor next = where(x.eq(0), least, moved);
  return where(x.isnan().logical_or(y.isnan()), x.add(y), where(x.eq(y), y, next));
}

Tensor next_after(const Tensor& a, const Tensor& b) {
  const ScalarType t = result_type(a, b);
  if (!isReducedFloatingType(t)) return compute_binary(nextafter_op, a, b);
  const std::vector<Tensor> both = broadcast_tensors({a.detach().to(t), b.detach().to(t)});
  return nextafter_by_bits(both[0].contiguous(), both[1].contiguous());
}

}  // namespace

// The result is one step from a. As in PyTorch 2.15, the derivative by a is 1 if a moves. By b it
// is 0.
Tensor nextafter(const Tensor& a, const Tensor& b) {
  if (auto done = at_door<"nextafter">(a, b)) return done;
  check_defined("nextafter", a, "input");
  check_defined("nextafter", b, "other");
  const Tensor y = next_after(a, b);
  if (needs_grad(a, b))
    record("NextafterBackward0", y, {a, b},
           [fa = InputForm(a), fb = InputForm(b), moves = a.detach().ne(b.detach())](Grads& g) {
             return std::array<Tensor, 2>{fa(g[0] * moves), fb(g[0] * 0)};
           });
  return y;
}
TAPER_DEFINE_PLAIN(gcd)
TAPER_DEFINE_PLAIN(lcm)
TAPER_DEFINE_PLAIN(bitwise_left_shift)
TAPER_DEFINE_PLAIN(bitwise_right_shift)
#undef TAPER_DEFINE_PLAIN

Tensor ldexp(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"ldexp">(x, y)) return done;
  check_defined("ldexp", x, "input");
  check_defined("ldexp", y, "other");
  return x * pow(Scalar(2.0), y);
}
namespace {

Tensor widest(const Tensor& x) { return x.to(x.is_complex() ? kComplexDouble : kDouble); }
Scalar widest(const Scalar& x) { return x.isComplex() ? x : Scalar(x.to<double>()); }

}  // namespace

Tensor float_power(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"float_power">(x, y)) return done;
  return pow(widest(x), widest(y));
}
Tensor float_power(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"float_power">(x, y)) return done;
  return pow(widest(x), widest(y));
}
Tensor float_power(const Scalar& x, const Tensor& y) {
  if (auto done = at_door<"float_power">(x, y)) return done;
  return pow(widest(x), widest(y));
}

#define TAPER_DEFINE_OUT(name)                                                         \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& y) {                  \
    if (at_door<#name "_out">(out, x, y)) return out;                                  \
    return store_out(#name, out, without_history([&] { return name(x, y); }), {x, y}); \
  }
TAPER_DEFINE_OUT(logaddexp)
TAPER_DEFINE_OUT(logaddexp2)
TAPER_DEFINE_OUT(hypot)
TAPER_DEFINE_OUT(fmax)
TAPER_DEFINE_OUT(fmin)
TAPER_DEFINE_OUT(xlogy)
TAPER_DEFINE_OUT(heaviside)
TAPER_DEFINE_OUT(nextafter)
TAPER_DEFINE_OUT(gcd)
TAPER_DEFINE_OUT(lcm)
TAPER_DEFINE_OUT(bitwise_left_shift)
TAPER_DEFINE_OUT(bitwise_right_shift)
TAPER_DEFINE_OUT(ldexp)
TAPER_DEFINE_OUT(float_power)
#undef TAPER_DEFINE_OUT

// A number beside a tensor becomes a 0-dim tensor, and promotes as a number of its kind.
namespace {

Tensor as_tensor(const Scalar& v, const Tensor& beside) {
  const ScalarType t = v.isIntegral(true)                              ? v.type()
                       : isFloatingOrComplexType(beside.scalar_type()) ? kDouble
                                                                       : default_dtype();
  const Tensor y = beside.detach().new_empty({}, TensorOptions(t)).fill_(v);
  y.impl().wrapped_number = true;
  return y;
}

}  // namespace

#define TAPER_DEFINE_NUMBERS(name)                     \
  Tensor name(const Tensor& x, const Scalar& y) {      \
    if (auto done = at_door<#name>(x, y)) return done; \
    return name(x, as_tensor(y, x));                   \
  }                                                    \
  Tensor name(const Scalar& x, const Tensor& y) {      \
    if (auto done = at_door<#name>(x, y)) return done; \
    return name(as_tensor(x, y), y);                   \
  }
TAPER_DEFINE_NUMBERS(xlogy)
TAPER_DEFINE_NUMBERS(bitwise_left_shift)
TAPER_DEFINE_NUMBERS(bitwise_right_shift)
#undef TAPER_DEFINE_NUMBERS

// ---------------------------------------------------------------------- torch.special
namespace special {

Tensor xlog1py(const Tensor& x, const Tensor& y) {
  if (auto done = at_door<"special_xlog1py">(x, y)) return done;
  check_defined("special_xlog1py", x, "input");
  check_defined("special_xlog1py", y, "other");
  const ScalarType common = result_type(x, y);
  if (isComplexType(common)) detail::unsupported_dtype("special_xlog1py", common);
  const ScalarType t = isFloatingType(common) ? common : default_dtype();
  // The product is 0 if x is 0, even at a pole of the logarithm. The derivative by x is log1p(y).
  const Tensor pole = x.eq(0).logical_and(y.le(-1).logical_or(y.eq(INFINITY)));
  return x.to(t) * taper::log1p(where(pole, Scalar(0), y.to(t)));
}
Tensor xlog1py(const Tensor& x, const Scalar& y) {
  if (auto done = at_door<"special_xlog1py">(x, y)) return done;
  const Tensor floats = in_floats("special_xlog1py", x);
  return xlog1py(floats, floats.new_full({}, y));
}
Tensor xlog1py(const Scalar& x, const Tensor& y) {
  if (auto done = at_door<"special_xlog1py">(x, y)) return done;
  const Tensor floats = in_floats("special_xlog1py", y);
  return xlog1py(floats.new_full({}, x), floats);
}
Tensor entr(const Tensor& given) {
  if (auto done = at_door<"special_entr">(given)) return done;
  return unary(
      "special_entr", "SpecialEntrBackward0", given,
      [](const Tensor& y, const Tensor& x) {
        const NoGradGuard values_only;
        y.copy_(-(x * taper::log(x)));
        y.masked_fill_(x.eq(0), 0);
        y.masked_fill_(x.lt(0), -std::numeric_limits<double>::infinity());
      },
      [](const Tensor& g, const Tensor& x) { return g * (-1 - taper::log(x)); });
}
Tensor ndtr(const Tensor& x) {
  if (auto done = at_door<"special_ndtr">(x)) return done;
  return taper::erfc(in_floats("special_ndtr", x) * -std::sqrt(0.5)) * 0.5;
}

}  // namespace special
// ---------------------------------------------------------------- methods
#define TAPER_METHODS(name)                                                    \
  Tensor Tensor::name() const { return taper::name(*this); }                   \
  Tensor& Tensor::name##_() const {                                            \
    if (at_door<#name "_">(*this)) return detail::as_mutable(*this);           \
    return pointwise_in_place(#name "_", *this, {},                            \
                              [](const Tensor& x) { return taper::name(x); }); \
  }
TAPER_METHODS(lgamma)
TAPER_METHODS(digamma)
TAPER_METHODS(erfinv)
TAPER_METHODS(i0)
TAPER_METHODS(sinc)
TAPER_METHODS(deg2rad)
TAPER_METHODS(rad2deg)
#undef TAPER_METHODS
Tensor Tensor::signbit() const { return taper::signbit(*this); }
Tensor Tensor::polygamma(int64_t n) const {
  if (auto done = at_door<"polygamma">(*this, n)) return done;
  return taper::polygamma(n, *this);
}
Tensor Tensor::mvlgamma(int64_t p) const { return taper::mvlgamma(*this, p); }
#define TAPER_METHODS(name)                                                            \
  Tensor Tensor::name(const Tensor& other) const { return taper::name(*this, other); } \
  Tensor& Tensor::name##_(const Tensor& other) const {                                 \
    if (at_door<#name "_">(*this, other)) return detail::as_mutable(*this);            \
    return pointwise_in_place(#name "_", *this, {other},                               \
                              [&](const Tensor& x) { return taper::name(x, other); }); \
  }
TAPER_METHODS(hypot)
TAPER_METHODS(xlogy)
TAPER_METHODS(heaviside)
TAPER_METHODS(nextafter)
TAPER_METHODS(gcd)
TAPER_METHODS(lcm)
TAPER_METHODS(bitwise_left_shift)
TAPER_METHODS(bitwise_right_shift)
TAPER_METHODS(ldexp)
#undef TAPER_METHODS
#define TAPER_METHODS(name)                                                            \
  Tensor Tensor::name(const Scalar& other) const { return taper::name(*this, other); } \
  Tensor& Tensor::name##_(const Scalar& other) const {                                 \
    if (at_door<#name "_">(*this, other)) return detail::as_mutable(*this);            \
    return pointwise_in_place(#name "_", *this, {},                                    \
                              [&](const Tensor& x) { return taper::name(x, other); }); \
  }
TAPER_METHODS(xlogy)
TAPER_METHODS(bitwise_left_shift)
TAPER_METHODS(bitwise_right_shift)
#undef TAPER_METHODS

namespace {

void check_power_in_place(const Tensor& x, bool complex_exponent) {
  const ScalarType t = x.is_complex() || complex_exponent ? kComplexDouble : kDouble;
  TAPER_CHECK(x.scalar_type() == t, "float_power_: the base given to float_power_ has dtype ",
              toString(x.scalar_type()), " but the operation's result requires dtype ",
              toString(t));
}

}  // namespace

Tensor Tensor::float_power(const Tensor& other) const { return taper::float_power(*this, other); }
Tensor Tensor::float_power(const Scalar& other) const { return taper::float_power(*this, other); }
Tensor& Tensor::float_power_(const Tensor& other) const {
  if (at_door<"float_power_">(*this, other)) return detail::as_mutable(*this);
  check_power_in_place(*this, other.is_complex());
  return pointwise_in_place("float_power_", *this, {other},
                            [&](const Tensor& x) { return taper::float_power(x, other); });
}
Tensor& Tensor::float_power_(const Scalar& other) const {
  if (at_door<"float_power_">(*this, other)) return detail::as_mutable(*this);
  check_power_in_place(*this, other.isComplex());
  return pointwise_in_place("float_power_", *this, {},
                            [&](const Tensor& x) { return taper::float_power(x, other); });
}
Tensor Tensor::logaddexp(const Tensor& other) const { return taper::logaddexp(*this, other); }
Tensor Tensor::logaddexp2(const Tensor& other) const { return taper::logaddexp2(*this, other); }
Tensor Tensor::fmax(const Tensor& other) const { return taper::fmax(*this, other); }
Tensor Tensor::fmin(const Tensor& other) const { return taper::fmin(*this, other); }

Tensor& Tensor::mvlgamma_(int64_t p) const {
  if (at_door<"mvlgamma_">(*this, p)) return detail::as_mutable(*this);
  return pointwise_in_place("mvlgamma_", *this, {},
                            [&](const Tensor& x) { return taper::mvlgamma(x, p); });
}

Tensor& Tensor::polygamma_(int64_t n) const {
  if (at_door<"polygamma_">(*this, n)) return detail::as_mutable(*this);
  return pointwise_in_place("polygamma_", *this, {},
                            [&](const Tensor& x) { return taper::polygamma(n, x); });
}

// ---------------------------------------------------------------- out forms
TAPER_OUT(polygamma, (out, n, self), polygamma(n, self), (self), int64_t n, const Tensor& self)
TAPER_OUT(mvlgamma, (out, self, p), mvlgamma(self, p), (self), const Tensor& self, int64_t p)

namespace special {

// clang-format off
#define TAPER_SPECIAL_OF_ONE(X)                                                                    \
  X(gammaln) X(digamma) X(psi) X(erf) X(erfc) X(erfinv) X(exp2) X(expm1) X(log1p) X(expit) X(sinc) \
  X(i0) X(i1) X(entr) X(ndtr)
// clang-format on
#define TAPER_OF_ONE(name)                                       \
  Tensor& name##_out(Tensor& out, const Tensor& self) {          \
    if (at_door<"special_" #name "_out">(out, self)) return out; \
    check_out_gradient(#name, out, {self});                      \
    const ValuesOnly values_only;                                \
    return store_out(#name, out, special::name(self), {self});   \
  }
TAPER_SPECIAL_OF_ONE(TAPER_OF_ONE)
#undef TAPER_SPECIAL_OF_ONE
#undef TAPER_OF_ONE

Tensor& logit_out(Tensor& out, const Tensor& self, optional<double> eps) {
  if (at_door<"special_logit_out">(out, self, eps)) return out;
  return taper::logit_out(out, self, eps);
}
Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self) {
  if (at_door<"special_polygamma_out">(out, n, self)) return out;
  return taper::polygamma_out(out, n, self);
}
Tensor& multigammaln_out(Tensor& out, const Tensor& self, int64_t p) {
  if (at_door<"special_multigammaln_out">(out, self, p)) return out;
  return mvlgamma_out(out, self, p);
}

}  // namespace special
}  // namespace torch::taper
