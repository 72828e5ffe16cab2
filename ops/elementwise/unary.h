// Pointwise functions of one tensor.
//
// Each comes as f(x), as the in-place x.f_() (and f_(x)), and as f_out(out, x). Results have the
// shape of x. The floating functions turn integers and bools into the default dtype; the others
// keep the dtype. The lists are in framework/kernel/op_lists.h; formulas and derivatives are in
// unary.cpp and unary_functors.h.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

// from op_lists.h: of one
/// e^x.
Tensor exp(const Tensor& x);
Tensor& exp_(Tensor& x);
Tensor& exp_out(Tensor& out, const Tensor& x);
/// 2^x.
Tensor exp2(const Tensor& x);
Tensor& exp2_(Tensor& x);
Tensor& exp2_out(Tensor& out, const Tensor& x);
/// e^x - 1, accurate near 0.
Tensor expm1(const Tensor& x);
Tensor& expm1_(Tensor& x);
Tensor& expm1_out(Tensor& out, const Tensor& x);
/// The natural logarithm of x.
Tensor log(const Tensor& x);
Tensor& log_(Tensor& x);
Tensor& log_out(Tensor& out, const Tensor& x);
/// The logarithm of x to base 2.
Tensor log2(const Tensor& x);
Tensor& log2_(Tensor& x);
Tensor& log2_out(Tensor& out, const Tensor& x);
/// The logarithm of x to base 10.
Tensor log10(const Tensor& x);
Tensor& log10_(Tensor& x);
Tensor& log10_out(Tensor& out, const Tensor& x);
/// log(1 + x), accurate near 0.
Tensor log1p(const Tensor& x);
Tensor& log1p_(Tensor& x);
Tensor& log1p_out(Tensor& out, const Tensor& x);
/// The square root of x.
Tensor sqrt(const Tensor& x);
Tensor& sqrt_(Tensor& x);
Tensor& sqrt_out(Tensor& out, const Tensor& x);
/// 1 / sqrt(x).
Tensor rsqrt(const Tensor& x);
Tensor& rsqrt_(Tensor& x);
Tensor& rsqrt_out(Tensor& out, const Tensor& x);
/// 1 / x.
Tensor reciprocal(const Tensor& x);
Tensor& reciprocal_(Tensor& x);
Tensor& reciprocal_out(Tensor& out, const Tensor& x);
/// The sine of x, in radians.
Tensor sin(const Tensor& x);
Tensor& sin_(Tensor& x);
Tensor& sin_out(Tensor& out, const Tensor& x);
/// The cosine of x, in radians.
Tensor cos(const Tensor& x);
Tensor& cos_(Tensor& x);
Tensor& cos_out(Tensor& out, const Tensor& x);
/// The tangent of x, in radians.
Tensor tan(const Tensor& x);
Tensor& tan_(Tensor& x);
Tensor& tan_out(Tensor& out, const Tensor& x);
/// The angle in [-pi/2, pi/2] whose sine is x.
Tensor asin(const Tensor& x);
Tensor& asin_(Tensor& x);
Tensor& asin_out(Tensor& out, const Tensor& x);
/// The angle in [0, pi] whose cosine is x.
Tensor acos(const Tensor& x);
Tensor& acos_(Tensor& x);
Tensor& acos_out(Tensor& out, const Tensor& x);
/// The angle in (-pi/2, pi/2) whose tangent is x.
Tensor atan(const Tensor& x);
Tensor& atan_(Tensor& x);
Tensor& atan_out(Tensor& out, const Tensor& x);
/// (e^x - e^-x) / 2.
Tensor sinh(const Tensor& x);
Tensor& sinh_(Tensor& x);
Tensor& sinh_out(Tensor& out, const Tensor& x);
/// (e^x + e^-x) / 2.
Tensor cosh(const Tensor& x);
Tensor& cosh_(Tensor& x);
Tensor& cosh_out(Tensor& out, const Tensor& x);
/// sinh(x) / cosh(x).
Tensor tanh(const Tensor& x);
Tensor& tanh_(Tensor& x);
Tensor& tanh_out(Tensor& out, const Tensor& x);
/// The number whose sinh is x.
Tensor asinh(const Tensor& x);
Tensor& asinh_(Tensor& x);
Tensor& asinh_out(Tensor& out, const Tensor& x);
/// The number from 0 on whose cosh is x.
Tensor acosh(const Tensor& x);
Tensor& acosh_(Tensor& x);
Tensor& acosh_out(Tensor& out, const Tensor& x);
/// The number whose tanh is x.
Tensor atanh(const Tensor& x);
Tensor& atanh_(Tensor& x);
Tensor& atanh_out(Tensor& out, const Tensor& x);
/// The error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x.
Tensor erf(const Tensor& x);
Tensor& erf_(Tensor& x);
Tensor& erf_out(Tensor& out, const Tensor& x);
/// 1 - erf(x), accurate where that is small.
Tensor erfc(const Tensor& x);
Tensor& erfc_(Tensor& x);
Tensor& erfc_out(Tensor& out, const Tensor& x);
/// 1 / (1 + e^-x).
Tensor sigmoid(const Tensor& x);
Tensor& sigmoid_(Tensor& x);
Tensor& sigmoid_out(Tensor& out, const Tensor& x);
/// -x.
Tensor neg(const Tensor& x);
Tensor& neg_(Tensor& x);
Tensor& neg_out(Tensor& out, const Tensor& x);
/// |x|; of complex numbers the magnitude, which is real.
Tensor abs(const Tensor& x);
Tensor& abs_(Tensor& x);
Tensor& abs_out(Tensor& out, const Tensor& x);
/// -1, 0 or 1 as x is negative, zero or positive.
Tensor sign(const Tensor& x);
Tensor& sign_(Tensor& x);
Tensor& sign_out(Tensor& out, const Tensor& x);
/// x * x.
Tensor square(const Tensor& x);
Tensor& square_(Tensor& x);
Tensor& square_out(Tensor& out, const Tensor& x);
/// The largest whole number that is not above x.
Tensor floor(const Tensor& x);
Tensor& floor_(Tensor& x);
Tensor& floor_out(Tensor& out, const Tensor& x);
/// The smallest whole number that is not below x.
Tensor ceil(const Tensor& x);
Tensor& ceil_(Tensor& x);
Tensor& ceil_out(Tensor& out, const Tensor& x);
/// The nearest whole number; of two the even one.
Tensor round(const Tensor& x);
Tensor& round_(Tensor& x);
Tensor& round_out(Tensor& out, const Tensor& x);
/// x without its fraction.
Tensor trunc(const Tensor& x);
Tensor& trunc_(Tensor& x);
Tensor& trunc_out(Tensor& out, const Tensor& x);
/// x - trunc(x).
Tensor frac(const Tensor& x);
Tensor& frac_(Tensor& x);
Tensor& frac_out(Tensor& out, const Tensor& x);
/// max(x, 0).
Tensor relu(const Tensor& x);
Tensor& relu_(Tensor& x);
Tensor& relu_out(Tensor& out, const Tensor& x);
/// abs() by another name.
Tensor absolute(const Tensor& x);
Tensor& absolute_(Tensor& x);
Tensor& absolute_out(Tensor& out, const Tensor& x);
/// neg() by another name.
Tensor negative(const Tensor& x);
Tensor& negative_(Tensor& x);
Tensor& negative_out(Tensor& out, const Tensor& x);
/// acos() by another name.
Tensor arccos(const Tensor& x);
Tensor& arccos_(Tensor& x);
Tensor& arccos_out(Tensor& out, const Tensor& x);
/// asin() by another name.
Tensor arcsin(const Tensor& x);
Tensor& arcsin_(Tensor& x);
Tensor& arcsin_out(Tensor& out, const Tensor& x);
/// atan() by another name.
Tensor arctan(const Tensor& x);
Tensor& arctan_(Tensor& x);
Tensor& arctan_out(Tensor& out, const Tensor& x);
/// acosh() by another name.
Tensor arccosh(const Tensor& x);
Tensor& arccosh_(Tensor& x);
Tensor& arccosh_out(Tensor& out, const Tensor& x);
/// asinh() by another name.
Tensor arcsinh(const Tensor& x);
Tensor& arcsinh_(Tensor& x);
Tensor& arcsinh_out(Tensor& out, const Tensor& x);
/// atanh() by another name.
Tensor arctanh(const Tensor& x);
Tensor& arctanh_(Tensor& x);
Tensor& arctanh_out(Tensor& out, const Tensor& x);
/// trunc() by another name.
Tensor fix(const Tensor& x);
Tensor& fix_(Tensor& x);
Tensor& fix_out(Tensor& out, const Tensor& x);
/// Whether x is NaN; bool.
Tensor isnan(const Tensor& x);
/// Whether x is infinite; bool.
Tensor isinf(const Tensor& x);
/// Whether x is neither infinite nor NaN; bool.
Tensor isfinite(const Tensor& x);
// (end)

/// True where x is 0; a bool tensor. In place, 1 or 0 in x's dtype, with a gradient of 0.
Tensor logical_not(const Tensor& x);
Tensor& logical_not_out(Tensor& out, const Tensor& x);
/// Bits inverted; for bools the same as logical_not. Throws for floating dtypes.
Tensor bitwise_not(const Tensor& x);
Tensor& bitwise_not_out(Tensor& out, const Tensor& x);

/// x rounded to so many decimals (negative ones: to tens, hundreds ...), to even on ties. Floating
/// dtypes, integers only with decimals == 0; the gradient is 0.
/// Errors: NotImplementedError "\"round_cpu\" not implemented for 'Long'".
Tensor round(const Tensor& x, int64_t decimals);
Tensor& round_(Tensor& x, int64_t decimals);
Tensor& round_out(Tensor& out, const Tensor& x, int64_t decimals);
/// NaN, +inf, -inf replaced: by default 0 and the largest and smallest finite numbers. The gradient
/// is 0 there. Of a complex number each part is replaced by itself.
Tensor nan_to_num(const Tensor& x, optional<double> nan = nullopt,
                  optional<double> posinf = nullopt, optional<double> neginf = nullopt);
Tensor& nan_to_num_(Tensor& x, optional<double> nan = nullopt, optional<double> posinf = nullopt,
                    optional<double> neginf = nullopt);
Tensor& nan_to_num_out(Tensor& out, const Tensor& x, optional<double> nan = nullopt,
                       optional<double> posinf = nullopt, optional<double> neginf = nullopt);

}  // namespace torch::taper

#pragma GCC visibility pop
