// Special functions and rarer pointwise ones. Operands broadcast and promote; integers become the
// default dtype where the result is not whole. Each has a form f_out(out, ...), which resizes out
// and records nothing. Gradients are sums of the same functions, where nothing else is said.
#pragma once

#include <taper/framework/tensor.h>
#include <taper/ops/elementwise/activation.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/reduce/reduce_norm.h>

#pragma GCC visibility push(default)

namespace taper {

#define TAPER_DECLARE_SPECIAL(name) \
  Tensor name(const Tensor& x);     \
  Tensor& name##_out(Tensor& out, const Tensor& x);
/// log |Gamma(x)|, its derivative, the inverse of erf, the modified Bessel functions I0 and I1.
TAPER_DECLARE_SPECIAL(lgamma)
TAPER_DECLARE_SPECIAL(digamma)
TAPER_DECLARE_SPECIAL(erfinv)
TAPER_DECLARE_SPECIAL(i0)
/// sin(pi x) / (pi x), 1 at 0.
TAPER_DECLARE_SPECIAL(sinc)
/// x in radians (degrees), given in degrees (radians).
TAPER_DECLARE_SPECIAL(deg2rad)
TAPER_DECLARE_SPECIAL(rad2deg)
/// Whether the sign is negative, that of -0 too; bool.
TAPER_DECLARE_SPECIAL(signbit)
#undef TAPER_DECLARE_SPECIAL
/// The n-th derivative of digamma; n >= 0.
Tensor polygamma(int64_t n, const Tensor& x);
Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self);
/// The logarithm of the multivariate gamma function of p dimensions, which is defined above
/// (p - 1) / 2; elsewhere the same sum of lgamma, as in LibTorch.
Tensor mvlgamma(const Tensor& x, int64_t p);
Tensor& mvlgamma_out(Tensor& out, const Tensor& self, int64_t p);

#define TAPER_DECLARE_SPECIAL(name)              \
  Tensor name(const Tensor& x, const Tensor& y); \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& y);
/// log(exp(x) + exp(y)), log2(2^x + 2^y), sqrt(x^2 + y^2), without overflow.
TAPER_DECLARE_SPECIAL(logaddexp)
TAPER_DECLARE_SPECIAL(logaddexp2)
TAPER_DECLARE_SPECIAL(hypot)
/// The larger (smaller) of two; a NaN counts for nothing. The gradient of equals goes to x.
TAPER_DECLARE_SPECIAL(fmax)
TAPER_DECLARE_SPECIAL(fmin)
/// x log(y); 0 where x is 0 and y no NaN.
TAPER_DECLARE_SPECIAL(xlogy)
/// 0 for x < 0, y for x = 0, 1 for x > 0. Both of one dtype. No gradient.
TAPER_DECLARE_SPECIAL(heaviside)
/// The next number after x towards y; f32, f64 and bf16. No gradient.
TAPER_DECLARE_SPECIAL(nextafter)
/// The greatest common divisor, the least common multiple; integers.
TAPER_DECLARE_SPECIAL(gcd)
TAPER_DECLARE_SPECIAL(lcm)
/// x * 2^y and its inverse, of integers, by bits.
TAPER_DECLARE_SPECIAL(bitwise_left_shift)
TAPER_DECLARE_SPECIAL(bitwise_right_shift)
/// x * 2^y.
TAPER_DECLARE_SPECIAL(ldexp)
/// x^y in double.
TAPER_DECLARE_SPECIAL(float_power)
#undef TAPER_DECLARE_SPECIAL
#define TAPER_DECLARE_NUMBERS(name)              \
  Tensor name(const Tensor& x, const Scalar& y); \
  Tensor name(const Scalar& x, const Tensor& y);
TAPER_DECLARE_NUMBERS(xlogy)
TAPER_DECLARE_NUMBERS(bitwise_left_shift)
TAPER_DECLARE_NUMBERS(bitwise_right_shift)
TAPER_DECLARE_NUMBERS(float_power)
#undef TAPER_DECLARE_NUMBERS

/// The names of torch.special.
namespace special {

inline Tensor gammaln(const Tensor& x) { return lgamma(x); }
inline Tensor multigammaln(const Tensor& x, int64_t p) { return mvlgamma(x, p); }
inline Tensor digamma(const Tensor& x) { return taper::digamma(x); }
inline Tensor psi(const Tensor& x) { return taper::digamma(x); }
inline Tensor polygamma(int64_t n, const Tensor& x) { return taper::polygamma(n, x); }
inline Tensor erf(const Tensor& x) { return taper::erf(x); }
inline Tensor erfc(const Tensor& x) { return taper::erfc(x); }
inline Tensor erfinv(const Tensor& x) { return taper::erfinv(x); }
inline Tensor exp2(const Tensor& x) { return taper::exp2(x); }
inline Tensor expm1(const Tensor& x) { return taper::expm1(x); }
inline Tensor log1p(const Tensor& x) { return taper::log1p(x); }
inline Tensor expit(const Tensor& x) { return sigmoid(x); }
inline Tensor logit(const Tensor& x, optional<double> eps = nullopt) {
  return taper::logit(x, eps);
}
inline Tensor sinc(const Tensor& x) { return taper::sinc(x); }
inline Tensor round(const Tensor& x, int64_t decimals = 0) { return taper::round(x, decimals); }
inline Tensor& round_out(Tensor& out, const Tensor& x, int64_t decimals = 0) {
  return taper::round_out(out, x, decimals);
}
inline Tensor i0(const Tensor& x) { return taper::i0(x); }
Tensor i1(const Tensor& x);
inline Tensor xlogy(const Tensor& x, const Tensor& y) { return taper::xlogy(x, y); }
inline Tensor xlogy(const Tensor& x, const Scalar& y) { return taper::xlogy(x, y); }
inline Tensor xlogy(const Scalar& x, const Tensor& y) { return taper::xlogy(x, y); }
/// x log(1 + y); 0 where x is 0.
Tensor xlog1py(const Tensor& x, const Tensor& y);
Tensor xlog1py(const Tensor& x, const Scalar& y);
Tensor xlog1py(const Scalar& x, const Tensor& y);
/// -x log(x); 0 at 0, minus infinity below.
Tensor entr(const Tensor& x);
/// The area below x of the normal distribution.
Tensor ndtr(const Tensor& x);
inline Tensor logsumexp(const Tensor& x, IntArrayRef dim, bool keepdim = false) {
  return taper::logsumexp(x, dim, keepdim);
}
inline Tensor softmax(const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt) {
  return taper::softmax(x, dim, dtype);
}
inline Tensor log_softmax(const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt) {
  return taper::log_softmax(x, dim, dtype);
}

// ---------------------------------------------------------------- out forms
// clang-format off
#define TAPER_SPECIAL_OF_ONE(X)                                                                    \
  X(gammaln) X(digamma) X(psi) X(erf) X(erfc) X(erfinv) X(exp2) X(expm1) X(log1p) X(expit) X(sinc) \
  X(i0) X(i1) X(entr) X(ndtr)
// clang-format on
#define TAPER_DECLARE(name) Tensor& name##_out(Tensor& out, const Tensor& self);
TAPER_SPECIAL_OF_ONE(TAPER_DECLARE)
#undef TAPER_DECLARE
Tensor& xlogy_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& xlog1py_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& logit_out(Tensor& out, const Tensor& self, optional<double> eps = nullopt);
Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self);
Tensor& multigammaln_out(Tensor& out, const Tensor& self, int64_t p);
inline Tensor& logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim,
                             bool keepdim = false) {
  return taper::logsumexp_out(out, self, dim, keepdim);
}

}  // namespace special

inline Tensor& deg2rad_(Tensor& self) { return self.deg2rad_(); }
inline Tensor& rad2deg_(Tensor& self) { return self.rad2deg_(); }
inline Tensor& i0_(Tensor& self) { return self.i0_(); }
inline Tensor& sinc_(Tensor& self) { return self.sinc_(); }
inline Tensor& gcd_(Tensor& self, const Tensor& other) { return self.gcd_(other); }
inline Tensor& lcm_(Tensor& self, const Tensor& other) { return self.lcm_(other); }
inline Tensor& ldexp_(Tensor& self, const Tensor& other) { return self.ldexp_(other); }
inline Tensor& xlogy_(Tensor& self, const Tensor& other) { return self.xlogy_(other); }
inline Tensor& xlogy_(Tensor& self, const Scalar& other) { return self.xlogy_(other); }

}  // namespace taper

#pragma GCC visibility pop
