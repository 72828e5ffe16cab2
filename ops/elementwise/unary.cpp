#include <taper/ops/elementwise/unary.h>

#include <cmath>
#include <limits>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/framework/memory/small_blocks.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/complex_kernels.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/unary_kernels.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/shared/in_place.h>
#include <taper/ops/shared/out.h>

namespace torch::taper {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;

// Runs a loop over a few floats without a launch, if it can. Both have one size and dtype.
bool run_of_floats(const Tensor& y, const Tensor& x, void (&loop)(void*, const void*, int64_t)) {
  const TensorImpl &to = *y.impl_ptr(), &from = *x.impl_ptr();
  if (from.dtype != kFloat || !from.contiguous || !detail::runs_without_launch(to)) return false;
  loop(to.data, from.data, to.numel);
  return true;
}

// Describes a unary op apart from its kernel: its names, the tensor that its gradient reads, and
// the gradient of public ops.
enum class Reads { kInput, kOutput, kNeither };

#define TAPER_UNARY(op, node_name, read, expression)                                             \
  struct op##_op {                                                                               \
    static constexpr const char* name = #op;                                                     \
    static constexpr const char* node = node_name;                                               \
    static constexpr Reads reads = Reads::read;                                                  \
    static void run(const Tensor& y, const Tensor& x) {                                          \
      if (run_of_floats(y, x, cpu::op##_of_floats)) return;                                      \
      if (__builtin_expect(x.is_complex(), 0)) return detail::run_complex_unary(name, y, x);     \
      TAPER_ON_DEVICE(x, op, y, x);                                                              \
    }                                                                                            \
    static Tensor gradient([[maybe_unused]] const Tensor& g, [[maybe_unused]] const Tensor& v) { \
      return expression;                                                                         \
    }                                                                                            \
  };

// The fused kernels take real numbers only.
Tensor tanh_gradient(const Tensor& g, const Tensor& y) {
  return y.is_complex() ? g * (1 - y * y) : tanh_backward(g, y);
}
Tensor sigmoid_gradient(const Tensor& g, const Tensor& y) {
  return y.is_complex() ? g * (y * (1 - y)) : sigmoid_backward(g, y);
}

// `v` is the input or the output, `g` the gradient of the output. A complex v is conjugated,
// because the derivatives of these functions commute with conjugation.
// clang-format off
TAPER_UNARY(exp, "ExpBackward0", kOutput, g * v)
TAPER_UNARY(exp2, "Exp2Backward0", kOutput, g * v * kLn2)
TAPER_UNARY(expm1, "Expm1Backward0", kOutput, g * (v + 1))
TAPER_UNARY(log, "LogBackward0", kInput, g / v)
TAPER_UNARY(log2, "Log2Backward0", kInput, g / (v * kLn2))
TAPER_UNARY(log10, "Log10Backward0", kInput, g / (v * kLn10))
TAPER_UNARY(log1p, "Log1PBackward0", kInput, g / (v + 1))
TAPER_UNARY(sqrt, "SqrtBackward0", kOutput, g / (v * 2))
TAPER_UNARY(rsqrt, "RsqrtBackward0", kOutput, g * v.pow(3) * -0.5)
TAPER_UNARY(reciprocal, "ReciprocalBackward0", kOutput, -g * v * v)
TAPER_UNARY(sin, "SinBackward0", kInput, g * v.cos())
TAPER_UNARY(cos, "CosBackward0", kInput, -g * v.sin())
TAPER_UNARY(tan, "TanBackward0", kOutput, g * (v * v + 1))
TAPER_UNARY(asin, "AsinBackward0", kInput, g * (-v * v + 1).rsqrt())
TAPER_UNARY(acos, "AcosBackward0", kInput, -g * (-v * v + 1).rsqrt())
TAPER_UNARY(atan, "AtanBackward0", kInput, g / (v * v + 1))
TAPER_UNARY(sinh, "SinhBackward0", kInput, g * v.cosh())
TAPER_UNARY(cosh, "CoshBackward0", kInput, g * v.sinh())
TAPER_UNARY(tanh, "TanhBackward0", kOutput, tanh_gradient(g, v))
TAPER_UNARY(asinh, "AsinhBackward0", kInput, g * (v * v + 1).rsqrt())
TAPER_UNARY(acosh, "AcoshBackward0", kInput, g * (v * v - 1).rsqrt())
TAPER_UNARY(atanh, "AtanhBackward0", kInput, g / (-v * v + 1))
TAPER_UNARY(erf, "ErfBackward0", kInput, g * ((-v * v).exp() * (2 / std::sqrt(kPi))))
TAPER_UNARY(erfc, "ErfcBackward0", kInput, g * ((-v * v).exp() * (-2 / std::sqrt(kPi))))
TAPER_UNARY(sigmoid, "SigmoidBackward0", kOutput, sigmoid_gradient(g, v))
TAPER_UNARY(neg, "NegBackward0", kNeither, -g)
TAPER_UNARY(abs, "AbsBackward0", kInput, g * v.sign())
TAPER_UNARY(square, "PowBackward0", kInput, g * (v * 2))
TAPER_UNARY(relu, "ReluBackward0", kOutput, relu_backward(g, v))
TAPER_UNARY(frac, "FracBackward0", kNeither, g)
// These functions are piecewise constant, so their gradient is zero.
TAPER_UNARY(sign, "SignBackward0", kNeither, g * 0)
TAPER_UNARY(floor, "FloorBackward0", kNeither, g * 0)
TAPER_UNARY(ceil, "CeilBackward0", kNeither, g * 0)
TAPER_UNARY(round, "RoundBackward0", kNeither, g * 0)
TAPER_UNARY(trunc, "TruncBackward0", kNeither, g * 0)
// clang-format on
#undef TAPER_UNARY

// Throws LibTorch's message if the op does not take the dtype.
void check_dtype(std::string_view op, ScalarType t) {
  if (isComplexType(t)) {
    TAPER_CHECK(
        op != "sign",
        "sign: Unlike NumPy, torch.sign doesn't support complex numbers; use torch.sgn() instead");
    const bool rounds = op == "floor" || op == "ceil" || op == "round" || op == "trunc";
    TAPER_CHECK(!rounds, op, " is not supported for complex inputs");
    if (op == "frac" || op == "relu") detail::unsupported_dtype(std::string(op).c_str(), t);
    return;
  }
  if (op == "frac" && !isFloatingType(t)) detail::unsupported_dtype("frac_cpu", t);
  if (t != kBool) return;
  TAPER_CHECK(
      op != "neg", op,
      ": Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
      "invert a mask, use the `~` or `logical_not()` operator instead.");
  TAPER_CHECK(op != "relu", op, ": Boolean inputs not supported for relu");
  const bool rounds = op == "floor" || op == "ceil" || op == "round" || op == "trunc";
  detail::unsupported_dtype((std::string(op) + (rounds ? "_vml_cpu" : "_cpu")).c_str(), t);
}

template <class Op>
void check_input(const Tensor& x, bool keeps_dtype) {
  check_defined(Op::name, x, "input");
  if (keeps_dtype && !x.is_floating_point()) check_dtype(Op::name, x.scalar_type());
}

template <class Op>
void record_unary(const Tensor& y, const Tensor& x) {
  if constexpr (Op::reads == Reads::kOutput)
    record(Op::node, y, {x},
           [v = saved_output(y)](const Tensor& g) { return Op::gradient(g, v.get().conj()); });
  else if constexpr (Op::reads == Reads::kInput)
    record(Op::node, y, {x},
           [v = saved(x)](const Tensor& g) { return Op::gradient(g, v.get().conj()); });
  else
    record(Op::node, y, {x}, [](const Tensor& g) { return Op::gradient(g, g); });
}

template <class Op>
Tensor unary(const Tensor& given, bool keeps_dtype) {
  check_input<Op>(given, keeps_dtype);
  const bool convert = !keeps_dtype && !isFloatingOrComplexType(given.scalar_type());
  const Tensor x = convert ? given.to(default_dtype()) : given;
  Tensor y = detail::make_like(x);
  if (y.numel() > 0) Op::run(y, x);
  if (needs_grad(x)) record_unary<Op>(y, x);
  return y;
}

template <class Op>
Tensor& unary_inplace(Tensor& x, bool keeps_dtype) {
  check_defined(Op::name, x, "input");
  check_inplace(Op::name, x);
  check_input<Op>(x, keeps_dtype);
  if (!keeps_dtype && !isFloatingOrComplexType(x.scalar_type()))
    check_result_cast(Op::name, default_dtype(), x.scalar_type());
  const bool recording = needs_grad(x);
  // The derivative may need the values that are about to be overwritten.
  const Tensor before =
      recording && Op::reads == Reads::kInput ? detail::before_change(x) : Tensor();
  if (x.numel() > 0) Op::run(x, x);
  mark_changed(x);
  if (!recording) return x;
  if constexpr (Op::reads == Reads::kOutput)
    record_inplace(Op::node, x, {x}, [v = saved_output(x)](const Tensor& g) {
      return Op::gradient(g, v.get().conj());
    });
  else if constexpr (Op::reads == Reads::kInput)
    record_inplace(Op::node, x, {x}, [v = saved(before)](const Tensor& g) {
      return Op::gradient(g, v.get().conj());
    });
  else
    record_inplace(Op::node, x, {x}, [](const Tensor& g) { return Op::gradient(g, g); });
  return x;
}

// Finishes an op that writes `out`, whose memory has been checked.
template <class Run>
Tensor& finish_out(const OutPlan& to, Tensor& out, const Tensor& x, ScalarType result,
                   const Run& run) {
  to.resize();
  if (to.apart && out.scalar_type() == result) {
    if (x.numel() > 0) run(out, x);
    mark_changed(out);
    return out;
  }
  const Tensor fresh = detail::make_like(x, result);
  if (x.numel() > 0) run(fresh, x);
  const NoGradGuard values_only;
  return out.copy_(fresh);
}

template <class Op>
Tensor& unary_out(Tensor& out, const Tensor& given, bool keeps_dtype) {
  check_input<Op>(given, keeps_dtype);
  check_out_gradient(Op::name, out, {given});
  const Tensor x = keeps_dtype || isFloatingOrComplexType(given.scalar_type())
                       ? given
                       : given.to(default_dtype());
  if (!out.defined()) out = detail::make_like(x);
  const OutPlan to = plan_out(Op::name, out, x.impl().sizes, {given});
  if (keeps_dtype)
    check_out_dtype(Op::name, out, x.scalar_type());
  else
    check_result_cast(Op::name, x.scalar_type(), out.scalar_type());
  return finish_out(to, out, x, x.scalar_type(),
                    [](const Tensor& y, const Tensor& v) { Op::run(y, v); });
}

}  // namespace

namespace {

Tensor magnitude(const Tensor& x) {
  Tensor y;
  {
    const NoGradGuard values_only;
    y = hypot(real(x), imag(x));
  }
  if (needs_grad(x))
    record("AbsBackward0", y, {x}, [x = saved(x)](const Tensor& g) { return g * sgn(x.get()); });
  return y;
}

// Of these functions only |z| makes a real number of a complex one.
template <class Op>
constexpr bool kIsAbs = std::is_same_v<Op, abs_op>;

// The sign of a bool is a bool. Its square is an integer.
template <class Op>
constexpr bool kIsSign = std::is_same_v<Op, sign_op>;
bool is_bool(const Tensor& x) { return x.defined() && x.scalar_type() == kBool; }

template <class Op>
Tensor unary_of_any(const Tensor& x, bool keeps_dtype) {
  if constexpr (kIsAbs<Op>)
    if (x.is_complex()) return magnitude(x);
  if constexpr (kIsSign<Op>)
    if (is_bool(x)) return x.clone();
  if constexpr (std::is_same_v<Op, square_op>)
    if (is_bool(x)) return x.to(kLong);
  return unary<Op>(x, keeps_dtype);
}
template <class Op>
Tensor& unary_inplace_of_any(Tensor& x, bool keeps_dtype) {
  TAPER_CHECK(!kIsAbs<Op> || !x.is_complex(),
              "abs_: In-place abs is not supported for complex tensors.");
  if constexpr (kIsSign<Op>)
    if (is_bool(x)) return x.copy_(x);
  return unary_inplace<Op>(x, keeps_dtype);
}
template <class Op>
Tensor& unary_out_of_any(Tensor& out, const Tensor& x, bool keeps_dtype) {
  if constexpr (kIsAbs<Op>)
    if (x.is_complex()) return store_out("abs", out, magnitude(x.detach()), {x});
  if constexpr (kIsSign<Op>)
    if (is_bool(x)) return store_out("sign", out, x.clone(), {x});
  if constexpr (std::is_same_v<Op, square_op>)
    if (is_bool(x)) {
      if (out.defined()) check_out_dtype("square", out, kLong);
      return store_out("square", out, x.to(kLong), {x});
    }
  return unary_out<Op>(out, x, keeps_dtype);
}

}  // namespace

#define TAPER_DEFINE_UNARY(name, keeps)                      \
  Tensor name(const Tensor& x) {                             \
    if (auto done = at_door<#name>(x)) return done;          \
    return unary_of_any<name##_op>(x, keeps);                \
  }                                                          \
  Tensor& name##_(Tensor& x) {                               \
    if (at_door<#name "_">(x)) return x;                     \
    return unary_inplace_of_any<name##_op>(x, keeps);        \
  }                                                          \
  Tensor& name##_out(Tensor& out, const Tensor& x) {         \
    if (at_door<#name "_out">(out, x)) return out;           \
    return unary_out_of_any<name##_op>(out, x, keeps);       \
  }                                                          \
  Tensor Tensor::name() const { return taper::name(*this); } \
  Tensor& Tensor::name##_() const { return taper::name##_(detail::as_mutable(*this)); }
#define TAPER_DEFINE_floating(name) TAPER_DEFINE_UNARY(name, false)
#define TAPER_DEFINE_same(name) TAPER_DEFINE_UNARY(name, true)
// ---------------------------------------------------------------- no gradient
namespace {

Tensor isnan_of_complex(const Tensor& x) { return view_as_real(x.detach()).isnan().any(-1); }
Tensor isinf_of_complex(const Tensor& x) { return view_as_real(x.detach()).isinf().any(-1); }
Tensor isfinite_of_complex(const Tensor& x) { return view_as_real(x.detach()).isfinite().all(-1); }
Tensor logical_not_of_complex(const Tensor& x) { return x.eq(0); }

}  // namespace

#define TAPER_DEFINE_test(name)                                       \
  Tensor name(const Tensor& x) {                                      \
    if (auto done = at_door<#name>(x)) return done;                   \
    check_defined(#name, x, "input");                                 \
    if (x.is_complex()) return name##_of_complex(x);                  \
    Tensor y = detail::make_like(x, kBool);                           \
    if (y.numel() > 0 && !run_of_floats(y, x, cpu::name##_of_floats)) \
      TAPER_ON_DEVICE(x, name, y, x);                                 \
    return y;                                                         \
  }                                                                   \
  Tensor Tensor::name() const { return taper::name(*this); }
#define TAPER_DEFINE(name, kind) TAPER_DEFINE_##kind(name)
TAPER_UNARY_OPS(TAPER_DEFINE)
#undef TAPER_DEFINE
TAPER_DEFINE_test(logical_not)
#undef TAPER_DEFINE_test
#undef TAPER_DEFINE_same
#undef TAPER_DEFINE_floating
#undef TAPER_DEFINE_UNARY

Tensor& logical_not_out(Tensor& out, const Tensor& x) {
  if (at_door<"logical_not_out">(out, x)) return out;
  check_defined("logical_not", x, "input");
  if (!out.defined()) return out = logical_not(x);
  if (x.is_complex()) return store_out("logical_not", out, logical_not(x), {x});
  return finish_out(
      plan_out("logical_not", out, x.impl().sizes, {x}), out, x, kBool,
      [](const Tensor& y, const Tensor& v) { TAPER_ON_DEVICE(v, logical_not, y, v); });
}
// The result is constant almost everywhere, so the gradient is zero.
Tensor& Tensor::logical_not_() const {
  if (at_door<"logical_not_">(*this)) return detail::as_mutable(*this);
  check_inplace("logical_not", *this);
  {
    const NoGradGuard values_only;
    copy_(taper::logical_not(*this));
  }
  if (needs_grad(*this))
    record_inplace("LogicalNotBackward0", *this, {*this}, [](const Tensor& g) { return g * 0; });
  return detail::as_mutable(*this);
}

#define TAPER_DEFINE_ALIAS(alias, name)               \
  Tensor alias(const Tensor& x) {                     \
    if (auto done = at_door<#alias>(x)) return done;  \
    return name(x);                                   \
  }                                                   \
  Tensor& alias##_(Tensor& x) {                       \
    if (at_door<#alias "_">(x)) return x;             \
    return name##_(x);                                \
  }                                                   \
  Tensor& alias##_out(Tensor& out, const Tensor& x) { \
    if (at_door<#alias "_out">(out, x)) return out;   \
    return name##_out(out, x);                        \
  }
TAPER_UNARY_ALIASES(TAPER_DEFINE_ALIAS)
#undef TAPER_DEFINE_ALIAS

namespace {

void check_bits(const Tensor& x) {
  check_defined("bitwise_not", x, "input");
  if (isFloatingType(x.scalar_type()))
    detail::unsupported_dtype("bitwise_not_cpu", x.scalar_type());
}

void run_bitwise_not(const Tensor& y, const Tensor& x) {
  if (y.numel() > 0) TAPER_ON_DEVICE(x, bitwise_not, y, x);
}

}  // namespace

Tensor bitwise_not(const Tensor& x) {
  if (auto done = at_door<"bitwise_not">(x)) return done;
  check_bits(x);
  Tensor y = detail::make_like(x);
  run_bitwise_not(y, x);
  return y;
}
Tensor& bitwise_not_out(Tensor& out, const Tensor& x) {
  if (at_door<"bitwise_not_out">(out, x)) return out;
  check_bits(x);
  if (!out.defined()) return out = bitwise_not(x);
  const OutPlan to = plan_out("bitwise_not", out, x.impl().sizes, {x});
  check_out_dtype("bitwise_not", out, x.scalar_type());
  return finish_out(to, out, x, x.scalar_type(), run_bitwise_not);
}
Tensor Tensor::bitwise_not() const { return taper::bitwise_not(*this); }
Tensor& Tensor::bitwise_not_() const {
  if (at_door<"bitwise_not_">(*this)) return detail::as_mutable(*this);
  check_inplace("bitwise_not", *this);
  check_bits(*this);
  run_bitwise_not(*this, *this);
  mark_changed(*this);
  return detail::as_mutable(*this);
}
Tensor Tensor::operator~() const { return taper::bitwise_not(*this); }
Tensor Tensor::operator-() const { return taper::neg(*this); }

// ---------------------------------------------------------------- round
namespace {

Tensor rounded(const Tensor& x, int64_t decimals) {
  check_defined("round", x, "input");
  const NoGradGuard values_only;
  if (decimals == 0) return round(x);
  if (!x.is_floating_point()) detail::unsupported_dtype("round_cpu", x.scalar_type());
  if (isReducedFloatingType(x.scalar_type()))
    return rounded(x.to(kFloat), decimals).to(x.scalar_type());
  const Scalar scale(std::pow(10.0, static_cast<double>(std::abs(decimals))));
  return decimals > 0 ? round(x * scale) / scale : round(x / scale) * scale;
}

}  // namespace

Tensor round(const Tensor& x, int64_t decimals) {
  if (auto done = at_door<"round">(x, decimals)) return done;
  Tensor y = rounded(x, decimals);
  if (needs_grad(x)) record("RoundBackward1", y, {x}, [](const Tensor& g) { return g * 0; });
  return y;
}
Tensor& round_(Tensor& x, int64_t decimals) {
  if (at_door<"round_">(x, decimals)) return x;
  return in_place("round_", x, {}, [&](const Tensor& v) { return round(v, decimals); });
}
Tensor& round_out(Tensor& out, const Tensor& x, int64_t decimals) {
  if (at_door<"round_out">(out, x, decimals)) return out;
  return store_out("round", out, rounded(x, decimals), {x});
}
Tensor Tensor::round(int64_t decimals) const { return taper::round(*this, decimals); }
Tensor& Tensor::round_(int64_t decimals) const {
  return taper::round_(detail::as_mutable(*this), decimals);
}

// ---------------------------------------------------------------- nan_to_num
namespace {

double largest(ScalarType t) {
  double v = 0;
  switch_dtype<dtypes::Floating>(t, "nan_to_num", [&]<class scalar_t>() {
    v = static_cast<double>(std::numeric_limits<scalar_t>::max());
  });
  return v;
}

}  // namespace

namespace {

Tensor finite_values(const Tensor& x, optional<double> nan, optional<double> posinf,
                     optional<double> neginf) {
  check_defined("nan_to_num", x, "input");
  const NoGradGuard values_only;
  if (x.is_complex())
    return detail::of_parts(
        x, [&](const Tensor& part) { return finite_values(part, nan, posinf, neginf); });
  if (!x.is_floating_point()) return x.clone();
  const double most = largest(x.scalar_type());
  const Scalar number(nan.value_or(0));  // it may be infinite, and then stays so
  if (!posinf && !neginf) return where(isnan(x), number, x.clamp(Scalar(-most), Scalar(most)));
  Tensor y = where(isnan(x), number, x);
  const double high = posinf.value_or(most), low = neginf.value_or(-most);
  const Tensor infinite = isinf(x);
  y = where(infinite.logical_and(x.gt(0)), Scalar(high), y);
  return where(infinite.logical_and(x.lt(0)), Scalar(low), y);
}

}  // namespace

Tensor nan_to_num(const Tensor& x, optional<double> nan, optional<double> posinf,
                  optional<double> neginf) {
  if (auto done = at_door<"nan_to_num">(x, nan, posinf, neginf)) return done;
  Tensor y = finite_values(x, nan, posinf, neginf);
  if (needs_grad(x))
    record("NanToNumBackward0", y, {x},
           [x = saved(x)](const Tensor& g) { return where(isfinite(x.get()), g, Scalar(0)); });
  return y;
}
Tensor& nan_to_num_(Tensor& x, optional<double> nan, optional<double> posinf,
                    optional<double> neginf) {
  if (at_door<"nan_to_num_">(x, nan, posinf, neginf)) return x;
  return in_place("nan_to_num", x, {},
                  [&](const Tensor& v) { return nan_to_num(v, nan, posinf, neginf); });
}
Tensor& nan_to_num_out(Tensor& out, const Tensor& x, optional<double> nan, optional<double> posinf,
                       optional<double> neginf) {
  if (at_door<"nan_to_num_out">(out, x, nan, posinf, neginf)) return out;
  check_defined("nan_to_num", x, "input");
  TAPER_CHECK(!out.defined() || out.scalar_type() == x.scalar_type(),
              "nan_to_num: dtype of out: ", toString(out.scalar_type()),
              " should be same as input: ", toString(x.scalar_type()));
  return store_out("nan_to_num", out, finite_values(x, nan, posinf, neginf), {x});
}
Tensor Tensor::nan_to_num(optional<double> nan, optional<double> posinf,
                          optional<double> neginf) const {
  return taper::nan_to_num(*this, nan, posinf, neginf);
}
Tensor& Tensor::nan_to_num_(optional<double> nan, optional<double> posinf,
                            optional<double> neginf) const {
  return taper::nan_to_num_(detail::as_mutable(*this), nan, posinf, neginf);
}

}  // namespace torch::taper
