// The pointwise ops by name. Tensor's methods are declared from these lists, and ops/ defines the
// functions from the same lists, so that a name is typed once.
//
// X(name) for one operand gives  Tensor name() const;  Tensor& name_() const;  and in ops/
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

/// Second names of the ops above: X(alias, name).
// clang-format off
#define TAPER_UNARY_ALIASES(X)                                                         \
  X(absolute, abs) X(negative, neg) X(arccos, acos) X(arcsin, asin) X(arctan, atan)    \
  X(arccosh, acosh) X(arcsinh, asinh) X(arctanh, atanh) X(fix, trunc)
// clang-format on

// X(name) for two operands gives x.name(y), x.name_(y), name(x, y) and name_out(out, x, y).
// clang-format off
/// The second operand is a tensor or a number.
#define TAPER_BINARY_OPS(X)                                                            \
  X(floor_divide) X(remainder) X(fmod) X(pow) X(copysign)                              \
  X(bitwise_and) X(bitwise_or) X(bitwise_xor)
/// Comparisons, of the same forms: bool results.
#define TAPER_COMPARE_OPS(X) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)
/// Both operands are tensors.
#define TAPER_BINARY_TENSOR_OPS(X) X(atan2) X(logical_and) X(logical_or) X(logical_xor)
/// Both operands are tensors, and there is no in-place form.
#define TAPER_EXTREMUM_OPS(X) X(maximum) X(minimum)
/// The first operand may be a number too: name(number, y), name_out(out, number, y).
#define TAPER_NUMBER_FIRST_OPS(X)                                                      \
  X(remainder) X(pow) X(bitwise_and) X(bitwise_or) X(bitwise_xor)

/// Second names of all forms: X(alias, name).
#define TAPER_COMPARE_ALIASES(X)                                                       \
  X(not_equal, ne) X(less, lt) X(less_equal, le) X(greater, gt) X(greater_equal, ge)
#define TAPER_ARITHMETIC_ALIASES(X) X(multiply, mul) X(divide, div) X(true_divide, div)
// clang-format on
