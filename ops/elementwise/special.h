// Special functions and rare pointwise functions. Operands broadcast and promote. Integers become
// the default dtype if the result is not an integer. Each function f has a form f_out(out, ...),
// which resizes `out` and records nothing. Gradients are made of public ops unless a comment says
// otherwise.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/nn/softmax.h>
#include <taper/ops/reduce/reduce_norm.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns log |Gamma(x)| (lgamma), its derivative (digamma), the inverse of erf (erfinv), or the
/// modified Bessel function I0 (i0).
Tensor lgamma(const Tensor& x);
Tensor& lgamma_out(Tensor& out, const Tensor& x);
Tensor digamma(const Tensor& x);
Tensor& digamma_out(Tensor& out, const Tensor& x);
Tensor erfinv(const Tensor& x);
Tensor& erfinv_out(Tensor& out, const Tensor& x);
Tensor i0(const Tensor& x);
Tensor& i0_out(Tensor& out, const Tensor& x);
/// Returns sin(pi x) / (pi x), which is 1 at 0.
Tensor sinc(const Tensor& x);
Tensor& sinc_out(Tensor& out, const Tensor& x);
/// Converts x from degrees to radians (deg2rad) or from radians to degrees (rad2deg).
Tensor deg2rad(const Tensor& x);
Tensor& deg2rad_out(Tensor& out, const Tensor& x);
Tensor rad2deg(const Tensor& x);
Tensor& rad2deg_out(Tensor& out, const Tensor& x);
/// Tests whether the sign bit is set, which includes -0. Returns bools.
Tensor signbit(const Tensor& x);
Tensor& signbit_out(Tensor& out, const Tensor& x);
/// Returns the n-th derivative of digamma, for n >= 0.
Tensor polygamma(int64_t n, const Tensor& x);
Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self);
/// Returns the logarithm of the multivariate gamma function of p dimensions (DLMF 35.3.4,
/// https://dlmf.nist.gov). It is defined for x above (p - 1) / 2. For a smaller x, the same formula
/// with lgamma is used, as in LibTorch.
Tensor mvlgamma(const Tensor& x, int64_t p);
Tensor& mvlgamma_out(Tensor& out, const Tensor& self, int64_t p);

/// Returns log(exp(x) + exp(y)) (logaddexp), log2(2^x + 2^y) (logaddexp2) or sqrt(x^2 + y^2)
/// (hypot), without overflow.
Tensor logaddexp(const Tensor& x, const Tensor& y);
Tensor& logaddexp_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor logaddexp2(const Tensor& x, const Tensor& y);
Tensor& logaddexp2_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor hypot(const Tensor& x, const Tensor& y);
Tensor& hypot_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Returns the larger (fmax) or smaller (fmin) of x and y. If one operand is NaN, returns the other
/// operand. If x equals y, x gets the gradient.
Tensor fmax(const Tensor& x, const Tensor& y);
Tensor& fmax_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor fmin(const Tensor& x, const Tensor& y);
Tensor& fmin_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Returns x log(y), or 0 if x is 0 and y is not NaN.
Tensor xlogy(const Tensor& x, const Tensor& y);
Tensor& xlogy_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Returns 0 for x < 0, y for x = 0 and 1 for x > 0. x and y must have one dtype. There is no
/// gradient.
Tensor heaviside(const Tensor& x, const Tensor& y);
Tensor& heaviside_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Returns the floating number next to x in the direction of y. Takes floating dtypes. The
/// derivative by x is 1 if x != y, else 0. The derivative by y is 0.
Tensor nextafter(const Tensor& x, const Tensor& y);
Tensor& nextafter_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Returns the greatest common divisor (gcd) or the least common multiple (lcm) of integers.
Tensor gcd(const Tensor& x, const Tensor& y);
Tensor& gcd_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor lcm(const Tensor& x, const Tensor& y);
Tensor& lcm_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Shifts the bits of integers: x * 2^y (left) or floor(x / 2^y) (right).
Tensor bitwise_left_shift(const Tensor& x, const Tensor& y);
Tensor& bitwise_left_shift_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor bitwise_right_shift(const Tensor& x, const Tensor& y);
Tensor& bitwise_right_shift_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Returns x * 2^y.
Tensor ldexp(const Tensor& x, const Tensor& y);
Tensor& ldexp_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Returns x^y, computed in double.
Tensor float_power(const Tensor& x, const Tensor& y);
Tensor& float_power_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor xlogy(const Tensor& x, const Scalar& y);                ///< Returns x log(y)
Tensor xlogy(const Scalar& x, const Tensor& y);                ///< Returns x log(y)
Tensor bitwise_left_shift(const Tensor& x, const Scalar& y);   ///< Returns x * 2^y
Tensor bitwise_left_shift(const Scalar& x, const Tensor& y);   ///< Returns x * 2^y
Tensor bitwise_right_shift(const Tensor& x, const Scalar& y);  ///< Returns floor(x / 2^y)
Tensor bitwise_right_shift(const Scalar& x, const Tensor& y);  ///< Returns floor(x / 2^y)
Tensor float_power(const Tensor& x, const Scalar& y);          ///< Returns x^y in double
Tensor float_power(const Scalar& x, const Tensor& y);          ///< Returns x^y in double

/// The functions of torch.special.
namespace special {

/// Calls taper's function under torch.special's name. gammaln is lgamma, multigammaln is mvlgamma,
/// psi is digamma and expit is sigmoid. The other functions have equal names.
///@{
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
///@}
/// Returns the modified Bessel function of the first kind and order 1.
Tensor i1(const Tensor& x);
/// Calls taper::xlogy: x log(y), or 0 if x is 0 and y is not NaN.
///@{
inline Tensor xlogy(const Tensor& x, const Tensor& y) { return taper::xlogy(x, y); }
inline Tensor xlogy(const Tensor& x, const Scalar& y) { return taper::xlogy(x, y); }
inline Tensor xlogy(const Scalar& x, const Tensor& y) { return taper::xlogy(x, y); }
///@}
/// Returns x log(1 + y), or 0 if x is 0 and y is not NaN.
///@{
Tensor xlog1py(const Tensor& x, const Tensor& y);
Tensor xlog1py(const Tensor& x, const Scalar& y);
Tensor xlog1py(const Scalar& x, const Tensor& y);
///@}
/// Returns -x log(x), which is 0 for x = 0 and minus infinity for x < 0.
Tensor entr(const Tensor& x);
/// Returns the cumulative distribution function of the standard normal distribution at x.
Tensor ndtr(const Tensor& x);
/// Calls taper's function of this name.
///@{
inline Tensor logsumexp(const Tensor& x, IntArrayRef dim, bool keepdim = false) {
  return taper::logsumexp(x, dim, keepdim);
}
inline Tensor softmax(const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt) {
  return taper::softmax(x, dim, dtype);
}
inline Tensor log_softmax(const Tensor& x, int64_t dim, optional<ScalarType> dtype = nullopt) {
  return taper::log_softmax(x, dim, dtype);
}
///@}

// ---------------------------------------------------------------- out forms
/// Call the function whose name has no `_out`, and write its result into `out`, which is resized.
/// No gradient is recorded. ops/shared/out.h has the rules.
///@{
Tensor& gammaln_out(Tensor& out, const Tensor& self);
Tensor& digamma_out(Tensor& out, const Tensor& self);
Tensor& psi_out(Tensor& out, const Tensor& self);
Tensor& erf_out(Tensor& out, const Tensor& self);
Tensor& erfc_out(Tensor& out, const Tensor& self);
Tensor& erfinv_out(Tensor& out, const Tensor& self);
Tensor& exp2_out(Tensor& out, const Tensor& self);
Tensor& expm1_out(Tensor& out, const Tensor& self);
Tensor& log1p_out(Tensor& out, const Tensor& self);
Tensor& expit_out(Tensor& out, const Tensor& self);
Tensor& sinc_out(Tensor& out, const Tensor& self);
Tensor& i0_out(Tensor& out, const Tensor& self);
Tensor& i1_out(Tensor& out, const Tensor& self);
Tensor& entr_out(Tensor& out, const Tensor& self);
Tensor& ndtr_out(Tensor& out, const Tensor& self);
Tensor& xlogy_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& xlog1py_out(Tensor& out, const Tensor& self, const Tensor& other);
Tensor& logit_out(Tensor& out, const Tensor& self, optional<double> eps = nullopt);
Tensor& polygamma_out(Tensor& out, int64_t n, const Tensor& self);
Tensor& multigammaln_out(Tensor& out, const Tensor& self, int64_t p);
inline Tensor& logsumexp_out(Tensor& out, const Tensor& self, IntArrayRef dim,
                             bool keepdim = false) {
  return taper::logsumexp_out(out, self, dim, keepdim);
}
///@}

}  // namespace special

/// Compute in place: self becomes the result of the function whose name has no `_` at the end.
/// Throw Error before any change if the shape or dtype of the result does not fit self.
inline Tensor& deg2rad_(Tensor& self) { return self.deg2rad_(); }
inline Tensor& rad2deg_(Tensor& self) { return self.rad2deg_(); }
inline Tensor& i0_(Tensor& self) { return self.i0_(); }
inline Tensor& sinc_(Tensor& self) { return self.sinc_(); }
inline Tensor& gcd_(Tensor& self, const Tensor& other) { return self.gcd_(other); }
inline Tensor& lcm_(Tensor& self, const Tensor& other) { return self.lcm_(other); }
inline Tensor& ldexp_(Tensor& self, const Tensor& other) { return self.ldexp_(other); }
inline Tensor& xlogy_(Tensor& self, const Tensor& other) { return self.xlogy_(other); }
inline Tensor& xlogy_(Tensor& self, const Scalar& other) { return self.xlogy_(other); }

}  // namespace torch::taper

#pragma GCC visibility pop
