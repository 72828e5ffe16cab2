// The pointwise ops by name. Tensor's methods are declared from these lists, and ops/ defines the
// functions from the same lists, so that a name is typed once.
//
// X(name) gives  Tensor name() const;  Tensor& name_() const;  and in ops/
// Tensor name(const Tensor&), Tensor& name_(Tensor&), Tensor& name_out(Tensor&, const Tensor&).
#pragma once

// clang-format off
/// Floating results; integers and bools become the default dtype.
#define TAPER_UNARY_FLOAT_OPS(X)                                                       \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(sqrt) X(rsqrt)            \
  X(reciprocal) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh)   \
  X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(sigmoid)
// clang-format on

/// Same dtype as the input.
#define TAPER_UNARY_SAME_OPS(X) \
  X(neg) X(abs) X(sign) X(square) X(floor) X(ceil) X(round) X(trunc) X(frac) X(relu)

/// Bool results; no gradient. (No in-place form: the dtype would change.)
#define TAPER_UNARY_BOOL_OPS(X) X(isnan) X(isinf) X(isfinite)

/// Comparisons: bool results; each takes a tensor or a number.
#define TAPER_COMPARE_OPS(X) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)
