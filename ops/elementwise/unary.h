// Pointwise functions of one tensor.
//
// Each function has three forms: f(x), the in-place x.f_() (also f_(x)), and f_out(out, x). Results
// have the shape of x. Floating functions convert integers and bools to the default dtype. Other
// functions keep the dtype. framework/kernel/op_lists.h has the lists. Formulas and derivatives are
// in unary_functors.h and unary.cpp.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

// from op_lists.h: of one
/// Returns e^x.
Tensor exp(const Tensor& x);
Tensor& exp_(Tensor& x);
Tensor& exp_out(Tensor& out, const Tensor& x);
/// Returns 2^x.
Tensor exp2(const Tensor& x);
Tensor& exp2_(Tensor& x);
Tensor& exp2_out(Tensor& out, const Tensor& x);
/// Returns e^x - 1, accurately near 0.
Tensor expm1(const Tensor& x);
Tensor& expm1_(Tensor& x);
Tensor& expm1_out(Tensor& out, const Tensor& x);
/// Returns the natural logarithm of x.
Tensor log(const Tensor& x);
Tensor& log_(Tensor& x);
Tensor& log_out(Tensor& out, const Tensor& x);
/// Returns the logarithm of x to base 2.
Tensor log2(const Tensor& x);
Tensor& log2_(Tensor& x);
Tensor& log2_out(Tensor& out, const Tensor& x);
/// Returns the logarithm of x to base 10.
Tensor log10(const Tensor& x);
Tensor& log10_(Tensor& x);
Tensor& log10_out(Tensor& out, const Tensor& x);
/// Returns log(1 + x), accurately near 0.
Tensor log1p(const Tensor& x);
Tensor& log1p_(Tensor& x);
Tensor& log1p_out(Tensor& out, const Tensor& x);
/// Returns the square root of x.
Tensor sqrt(const Tensor& x);
Tensor& sqrt_(Tensor& x);
Tensor& sqrt_out(Tensor& out, const Tensor& x);
/// Returns 1 / sqrt(x).
Tensor rsqrt(const Tensor& x);
Tensor& rsqrt_(Tensor& x);
Tensor& rsqrt_out(Tensor& out, const Tensor& x);
/// Returns 1 / x.
Tensor reciprocal(const Tensor& x);
Tensor& reciprocal_(Tensor& x);
Tensor& reciprocal_out(Tensor& out, const Tensor& x);
/// Returns the sine of x, in radians.
Tensor sin(const Tensor& x);
Tensor& sin_(Tensor& x);
Tensor& sin_out(Tensor& out, const Tensor& x);
/// Returns the cosine of x, in radians.
Tensor cos(const Tensor& x);
Tensor& cos_(Tensor& x);
Tensor& cos_out(Tensor& out, const Tensor& x);
/// Returns the tangent of x, in radians.
Tensor tan(const Tensor& x);
Tensor& tan_(Tensor& x);
Tensor& tan_out(Tensor& out, const Tensor& x);
/// Returns the angle in [-pi/2, pi/2] whose sine is x.
Tensor asin(const Tensor& x);
Tensor& asin_(Tensor& x);
Tensor& asin_out(Tensor& out, const Tensor& x);
/// Returns the angle in [0, pi] whose cosine is x.
Tensor acos(const Tensor& x);
Tensor& acos_(Tensor& x);
Tensor& acos_out(Tensor& out, const Tensor& x);
/// Returns the angle in (-pi/2, pi/2) whose tangent is x.
Tensor atan(const Tensor& x);
Tensor& atan_(Tensor& x);
Tensor& atan_out(Tensor& out, const Tensor& x);
/// Returns the hyperbolic sine, (e^x - e^-x) / 2.
Tensor sinh(const Tensor& x);
Tensor& sinh_(Tensor& x);
Tensor& sinh_out(Tensor& out, const Tensor& x);
/// Returns the hyperbolic cosine, (e^x + e^-x) / 2.
Tensor cosh(const Tensor& x);
Tensor& cosh_(Tensor& x);
Tensor& cosh_out(Tensor& out, const Tensor& x);
/// Returns the hyperbolic tangent, sinh(x) / cosh(x).
Tensor tanh(const Tensor& x);
Tensor& tanh_(Tensor& x);
Tensor& tanh_out(Tensor& out, const Tensor& x);
/// Returns the number whose sinh is x.
Tensor asinh(const Tensor& x);
Tensor& asinh_(Tensor& x);
Tensor& asinh_out(Tensor& out, const Tensor& x);
/// Returns the non-negative number whose cosh is x.
Tensor acosh(const Tensor& x);
Tensor& acosh_(Tensor& x);
Tensor& acosh_out(Tensor& out, const Tensor& x);
/// Returns the number whose tanh is x.
Tensor atanh(const Tensor& x);
Tensor& atanh_(Tensor& x);
Tensor& atanh_out(Tensor& out, const Tensor& x);
/// Returns the error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
Tensor erf(const Tensor& x);
Tensor& erf_(Tensor& x);
Tensor& erf_out(Tensor& out, const Tensor& x);
/// Returns 1 - erf(x), accurately even if the difference is small.
Tensor erfc(const Tensor& x);
Tensor& erfc_(Tensor& x);
Tensor& erfc_out(Tensor& out, const Tensor& x);
/// Returns 1 / (1 + e^-x).
Tensor sigmoid(const Tensor& x);
Tensor& sigmoid_(Tensor& x);
Tensor& sigmoid_out(Tensor& out, const Tensor& x);
/// Returns -x.
Tensor neg(const Tensor& x);
Tensor& neg_(Tensor& x);
Tensor& neg_out(Tensor& out, const Tensor& x);
/// Returns |x|. The magnitude of a complex number is real.
Tensor abs(const Tensor& x);
Tensor& abs_(Tensor& x);
Tensor& abs_out(Tensor& out, const Tensor& x);
/// Returns -1, 0 or 1 for a negative, zero or positive x.
Tensor sign(const Tensor& x);
Tensor& sign_(Tensor& x);
Tensor& sign_out(Tensor& out, const Tensor& x);
/// Returns x * x.
Tensor square(const Tensor& x);
Tensor& square_(Tensor& x);
Tensor& square_out(Tensor& out, const Tensor& x);
/// Returns the largest integer that is not above x.
Tensor floor(const Tensor& x);
Tensor& floor_(Tensor& x);
Tensor& floor_out(Tensor& out, const Tensor& x);
/// Returns the smallest integer that is not below x.
Tensor ceil(const Tensor& x);
Tensor& ceil_(Tensor& x);
Tensor& ceil_out(Tensor& out, const Tensor& x);
/// Returns the nearest integer. Of two equally near integers, it returns the even one.
Tensor round(const Tensor& x);
Tensor& round_(Tensor& x);
Tensor& round_out(Tensor& out, const Tensor& x);
/// Returns x rounded toward 0.
Tensor trunc(const Tensor& x);
Tensor& trunc_(Tensor& x);
Tensor& trunc_out(Tensor& out, const Tensor& x);
/// Returns x - trunc(x).
Tensor frac(const Tensor& x);
Tensor& frac_(Tensor& x);
Tensor& frac_out(Tensor& out, const Tensor& x);
/// Returns max(x, 0).
Tensor relu(const Tensor& x);
Tensor& relu_(Tensor& x);
Tensor& relu_out(Tensor& out, const Tensor& x);
/// Calls abs().
Tensor absolute(const Tensor& x);
Tensor& absolute_(Tensor& x);
Tensor& absolute_out(Tensor& out, const Tensor& x);
/// Calls neg().
Tensor negative(const Tensor& x);
Tensor& negative_(Tensor& x);
Tensor& negative_out(Tensor& out, const Tensor& x);
/// Calls acos().
Tensor arccos(const Tensor& x);
Tensor& arccos_(Tensor& x);
Tensor& arccos_out(Tensor& out, const Tensor& x);
/// Calls asin().
Tensor arcsin(const Tensor& x);
Tensor& arcsin_(Tensor& x);
Tensor& arcsin_out(Tensor& out, const Tensor& x);
/// Calls atan().
Tensor arctan(const Tensor& x);
Tensor& arctan_(Tensor& x);
Tensor& arctan_out(Tensor& out, const Tensor& x);
/// Calls acosh().
Tensor arccosh(const Tensor& x);
Tensor& arccosh_(Tensor& x);
Tensor& arccosh_out(Tensor& out, const Tensor& x);
/// Calls asinh().
Tensor arcsinh(const Tensor& x);
Tensor& arcsinh_(Tensor& x);
Tensor& arcsinh_out(Tensor& out, const Tensor& x);
/// Calls atanh().
Tensor arctanh(const Tensor& x);
Tensor& arctanh_(Tensor& x);
Tensor& arctanh_out(Tensor& out, const Tensor& x);
/// Calls trunc().
Tensor fix(const Tensor& x);
Tensor& fix_(Tensor& x);
Tensor& fix_out(Tensor& out, const Tensor& x);
/// Tests whether x is NaN. Returns bools.
Tensor isnan(const Tensor& x);
/// Tests whether x is infinite. Returns bools.
Tensor isinf(const Tensor& x);
/// Tests whether x is neither infinite nor NaN. Returns bools.
Tensor isfinite(const Tensor& x);
// (end)

/// Tests whether x is 0. Returns bools. The in-place form writes 1 or 0 in x's dtype, and has
/// gradient 0.
Tensor logical_not(const Tensor& x);
Tensor& logical_not_out(Tensor& out, const Tensor& x);
/// Inverts the bits. For bools this is logical_not. Throws for floating dtypes.
Tensor bitwise_not(const Tensor& x);
Tensor& bitwise_not_out(Tensor& out, const Tensor& x);

/// Rounds x to `decimals` decimals. A tie gives the even last digit. A negative `decimals` rounds
/// to tens, hundreds and so on. Takes floating dtypes, and integers if decimals == 0. The gradient
/// is 0. Errors: NotImplementedError "\"round_cpu\" not implemented for 'Long'".
Tensor round(const Tensor& x, int64_t decimals);
Tensor& round_(Tensor& x, int64_t decimals);
Tensor& round_out(Tensor& out, const Tensor& x, int64_t decimals);
/// Replaces NaN by `nan`, +inf by `posinf` and -inf by `neginf`. The defaults are 0 for `nan`, and
/// the largest and the lowest finite number for `posinf` and `neginf`. The gradient of a replaced
/// element is 0. Both parts of a complex number are replaced separately.
Tensor nan_to_num(const Tensor& x, optional<double> nan = nullopt,
                  optional<double> posinf = nullopt, optional<double> neginf = nullopt);
Tensor& nan_to_num_(Tensor& x, optional<double> nan = nullopt, optional<double> posinf = nullopt,
                    optional<double> neginf = nullopt);
Tensor& nan_to_num_out(Tensor& out, const Tensor& x, optional<double> nan = nullopt,
                       optional<double> posinf = nullopt, optional<double> neginf = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
