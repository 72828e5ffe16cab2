#include <taper/ops/elementwise/special_bessel.h>

#include <cmath>

#include <taper/framework/autograd/door.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/binary_compute.h>
#include <taper/ops/elementwise/compare.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/special_bessel_functors.h>
#include <taper/ops/elementwise/special_bessel_kernels.h>
#include <taper/ops/elementwise/where.h>
#include <taper/ops/shared/no_derivative.h>
#include <taper/ops/shared/out_define.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {

using detail::BinaryOp;
using detail::compute_binary;
using detail::InputForm;

namespace {

constexpr double kPi = 3.14159265358979323846;

Tensor compute(const char* op, SpecialOfOne f, const Tensor& x) {
  check_defined(op, x, "input");
  Tensor y = detail::make_like(x, x.scalar_type());
  if (y.numel() > 0) TAPER_ON_DEVICE(x, special_of_one, y, x, f);
  return y;
}

/// Returns a / x, or 0 if x is 0.
Tensor over(const Tensor& a, const Tensor& x) {
  return (a / x.masked_fill(x.eq(0), 1)).masked_fill(x.eq(0), 0);
}
/// Returns y / x for an odd function y with the derivative `slope` at 0.
Tensor over(const Tensor& y, const Tensor& x, double slope) {
  return where(x.eq(0), Scalar(slope), y / x.masked_fill(x.eq(0), 1));
}

/// Stands for a missing derivative.
[[noreturn]] Tensor no_derivative(const char* op) { taper::detail::throw_no_derivative(op); }

}  // namespace

namespace special {

/// Defines y = f(x) with the derivative dy / dx, an expression of x and y.
#define TAPER_DEFINE(name, derivative)                                               \
  Tensor name(const Tensor& given) {                                                 \
    if (auto done = at_door<"special_" #name>(given)) return done;                   \
    check_defined("special_" #name, given, "input");                                 \
    if (given.is_complex())                                                          \
      taper::detail::unsupported_dtype("special_" #name, given.scalar_type());       \
    const Tensor in = given.is_floating_point() ? given : given.to(default_dtype()); \
    Tensor out = compute("special_" #name, SpecialOfOne::name, in);                  \
    if (needs_grad(in))                                                              \
      record("Special_" #name "Backward0", out, {in},                                \
             [in = saved(in), out = saved_output(out)](const Tensor& g) -> Tensor {  \
               const Tensor x = in.get(), y = out.get();                             \
               (void)x;                                                              \
               (void)y;                                                              \
               return g * (derivative);                                              \
             });                                                                     \
    return out;                                                                      \
  }                                                                                  \
  Tensor& name##_out(Tensor& out, const Tensor& x) {                                 \
    if (at_door<"special_" #name "_out">(out, x)) return out;                        \
    return store_out("special_" #name, out, name(x.detach()), {x});                  \
  }

TAPER_DEFINE(erfcx, x* y * 2 - 2 / std::sqrt(kPi))
TAPER_DEFINE(log_ndtr, std::sqrt(2 / kPi) / erfcx(x * -std::sqrt(0.5)))
TAPER_DEFINE(ndtri, (y.square() / 2).exp() * std::sqrt(2 * kPi))
TAPER_DEFINE(i0e, i1e(x) - x.sign() * y)
TAPER_DEFINE(i1e, i0e(x) - x.sign() * y - over(y, x, 0.5))
TAPER_DEFINE(bessel_j0, -bessel_j1(x))
TAPER_DEFINE(bessel_j1, bessel_j0(x) - over(y, x, 0.5))
TAPER_DEFINE(bessel_y0, -bessel_y1(x))
TAPER_DEFINE(bessel_y1, bessel_y0(x) - y / x)
TAPER_DEFINE(modified_bessel_i0, modified_bessel_i1(x))
TAPER_DEFINE(modified_bessel_i1, modified_bessel_i0(x) - over(y, x, 0.5))
TAPER_DEFINE(modified_bessel_k0, -modified_bessel_k1(x))
TAPER_DEFINE(modified_bessel_k1, -modified_bessel_k0(x) - y / x)
TAPER_DEFINE(scaled_modified_bessel_k0, y - scaled_modified_bessel_k1(x))
TAPER_DEFINE(scaled_modified_bessel_k1, y - scaled_modified_bessel_k0(x) - y / x)
TAPER_DEFINE(spherical_bessel_j0, over(x.cos() - y, x))
TAPER_DEFINE(airy_ai, no_derivative("special_airy_ai"))
#undef TAPER_DEFINE

}  // namespace special

// ---------------------------------------------------------------------- of two
namespace {

template <SpecialOfTwo F>
constexpr BinaryOp op_of(const char* name) {
  return BinaryOp{name,
                  [](const Tensor& y, const In& a, const In& b) {
                    TAPER_ON_DEVICE(y, special_of_two, y, a, b, F);
                  },
                  [](const Tensor& y, const Tensor& a, const Tensor& b) {
                    TAPER_ON_DEVICE(y, special_of_two, y, a, b, F);
                  },
                  /*floats=*/true};
}

/// Computes y = op(a, b) with the derivative dy / db, if there is one. dy / da is not known.
using Derivative = Tensor (*)(const Tensor& a, const Tensor& b);
Tensor of_two(const BinaryOp& op, const char* node, const Tensor& a, const Tensor& b,
              Derivative of_second) {
  check_defined(op.name, a, "input");
  check_defined(op.name, b, "other");
  Tensor y = compute_binary(op, a, b);
  if (needs_grad(a, b))
    record(node, y, {a, b},
           [f = InputForm(b), a = saved(a), b = saved(b), name = op.name, of_second](Grads& g) {
             std::array<Tensor, 2> out;
             if (g.needs(0) || !of_second) no_derivative(name);
             if (g.needs(1)) out[1] = f(g[0] * of_second(a.get(), b.get()));
             return out;
           });
  return y;
}

/// Returns a number as a tensor that does not change the dtype of t.
Tensor beside(const Scalar& v, const Tensor& t) {
  return full(
      {}, v,
      TensorOptions(t.is_floating_point() ? t.scalar_type() : default_dtype()).device(t.device()));
}

/// Returns d igamma / dx.
Tensor igamma_slope(const Tensor& a, const Tensor& x) {
  return ((a - 1) * x.log() - x - lgamma(a)).exp();
}

}  // namespace

#define TAPER_DEFINE_OUT(prefix, name)                                  \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& n) {   \
    if (at_door<prefix #name "_out">(out, x, n)) return out;            \
    return store_out(#name, out, name(x.detach(), n.detach()), {x, n}); \
  }

Tensor igamma(const Tensor& a, const Tensor& x) {
  if (auto done = at_door<"igamma">(a, x)) return done;
  return of_two(op_of<SpecialOfTwo::igamma>("igamma"), "IgammaBackward0", a, x, &igamma_slope);
}
Tensor igammac(const Tensor& a, const Tensor& x) {
  if (auto done = at_door<"igammac">(a, x)) return done;
  return of_two(op_of<SpecialOfTwo::igammac>("igammac"), "IgammacBackward0", a, x,
                [](const Tensor& s, const Tensor& v) { return -igamma_slope(s, v); });
}
TAPER_DEFINE_OUT("", igamma)
TAPER_DEFINE_OUT("", igammac)

std::tuple<Tensor, Tensor> frexp(const Tensor& given) {
  if (auto done = at_door<"frexp">(given)) return done;
  check_defined("frexp", given, "self");
  TAPER_CHECK(given.is_floating_point(), "torch.frexp() only supports floating-point dtypes");
  const Tensor x = given.contiguous();
  const Tensor mantissa = detail::make_tensor(x.sizes(), x.scalar_type(), x.device());
  const Tensor exponent = detail::make_tensor(x.sizes(), kInt, x.device());
  if (x.numel() > 0) TAPER_ON_DEVICE(x, frexp, mantissa, exponent, x);
  if (needs_grad(given))
    record("FrexpBackward0", mantissa, {given}, [exponent = saved(exponent)](const Tensor& g) {
      return g / exponent.get().to(g.scalar_type()).exp2();
    });
  return {mantissa, exponent};
}

// ---------------------------------------------------------------------- methods
#define TAPER_METHODS(name)                                                            \
  Tensor Tensor::name(const Tensor& other) const { return taper::name(*this, other); } \
  Tensor& Tensor::name##_(const Tensor& other) const {                                 \
    if (at_door<#name "_">(*this, other)) return detail::as_mutable(*this);            \
    return pointwise_in_place(#name "_", *this, {other},                               \
                              [&](const Tensor& x) { return taper::name(x, other); }); \
  }
TAPER_METHODS(igamma)
TAPER_METHODS(igammac)
#undef TAPER_METHODS
std::tuple<Tensor, Tensor> Tensor::frexp() const { return taper::frexp(*this); }

namespace special {

#define TAPER_DEFINE_NUMBERS(name)                                \
  Tensor name(const Tensor& x, const Scalar& n) {                 \
    if (auto done = at_door<"special_" #name>(x, n)) return done; \
    return name(x, beside(n, x));                                 \
  }                                                               \
  Tensor name(const Scalar& x, const Tensor& n) {                 \
    if (auto done = at_door<"special_" #name>(x, n)) return done; \
    return name(beside(x, n), n);                                 \
  }
#define TAPER_DEFINE(name)                                                                         \
  Tensor name(const Tensor& x, const Tensor& n) {                                                  \
    if (auto done = at_door<"special_" #name>(x, n)) return done;                                  \
    return of_two(op_of<SpecialOfTwo::name>("special_" #name), "Special_" #name "Backward0", x, n, \
                  nullptr);                                                                        \
  }                                                                                                \
  TAPER_DEFINE_NUMBERS(name)                                                                       \
  TAPER_DEFINE_OUT("special_", name)
TAPER_DEFINE(chebyshev_polynomial_t)
TAPER_DEFINE(chebyshev_polynomial_u)
TAPER_DEFINE(chebyshev_polynomial_v)
TAPER_DEFINE(chebyshev_polynomial_w)
TAPER_DEFINE(shifted_chebyshev_polynomial_t)
TAPER_DEFINE(shifted_chebyshev_polynomial_u)
TAPER_DEFINE(shifted_chebyshev_polynomial_v)
TAPER_DEFINE(shifted_chebyshev_polynomial_w)
TAPER_DEFINE(hermite_polynomial_h)
TAPER_DEFINE(hermite_polynomial_he)
TAPER_DEFINE(laguerre_polynomial_l)
TAPER_DEFINE(legendre_polynomial_p)
#undef TAPER_DEFINE

Tensor zeta(const Tensor& x, const Tensor& n) {
  if (auto done = at_door<"special_zeta">(x, n)) return done;
  return of_two(op_of<SpecialOfTwo::zeta>("special_zeta"), "SpecialZetaBackward0", x, n,
                [](const Tensor& s, const Tensor& q) { return -s * zeta(s + 1, q); });
}
TAPER_DEFINE_NUMBERS(zeta)
TAPER_DEFINE_OUT("special_", zeta)
#undef TAPER_DEFINE_NUMBERS
#undef TAPER_DEFINE_OUT

#define TAPER_OF_TWO(name)                                            \
  Tensor& name##_out(Tensor& out, const Tensor& a, const Tensor& x) { \
    if (at_door<"special_" #name "_out">(out, a, x)) return out;      \
    check_out_gradient(#name, out, {a, x});                           \
    const ValuesOnly values_only;                                     \
    return store_out(#name, out, special::name(a, x), {a, x});        \
  }
TAPER_OF_TWO(gammainc)
TAPER_OF_TWO(gammaincc)
TAPER_OF_TWO(xlogy)
TAPER_OF_TWO(xlog1py)
#undef TAPER_OF_TWO

}  // namespace special
}  // namespace torch::taper
