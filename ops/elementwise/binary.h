// Pointwise functions of two tensors, or of a tensor and a number.
//
// Shapes broadcast. Dtypes promote as in PyTorch: a number, or a 0-dim tensor beside a tensor with
// dimensions, changes the dtype only when it is of a higher category (bool < integral < floating).
// In-place forms keep x's shape and dtype and throw when the result does not fit. `out` forms write
// into a given tensor. All throw when the tensors are on different devices (a 0-dim CPU tensor may
// mix).
#pragma once

#include <string_view>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// x + alpha * y, x - alpha * y. Throws for a floating alpha with integral tensors, for a bool one
/// unless the result is bool; sub also for bool tensors.
#define TAPER_DECLARE_SCALED(name)                                                            \
  Tensor name(const Tensor& x, const Tensor& y, const Scalar& alpha = 1);                     \
  Tensor name(const Tensor& x, const Scalar& y, const Scalar& alpha = 1);                     \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha = 1); \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
TAPER_DECLARE_SCALED(add)
TAPER_DECLARE_SCALED(sub)
TAPER_DECLARE_SCALED(subtract)
/// y - alpha * x.
TAPER_DECLARE_SCALED(rsub)
#undef TAPER_DECLARE_SCALED

#define TAPER_DECLARE_BINARY(name)                                   \
  Tensor name(const Tensor& x, const Tensor& y);                     \
  Tensor name(const Tensor& x, const Scalar& y);                     \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& y); \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Scalar& y);
#define TAPER_DECLARE_ALIAS(alias, name) TAPER_DECLARE_BINARY(alias)
/// x * y. x / y: integers give the default dtype.
TAPER_DECLARE_BINARY(mul)
TAPER_DECLARE_BINARY(div)
TAPER_ARITHMETIC_ALIASES(TAPER_DECLARE_ALIAS)
/// x / y rounded as `rounding_mode` says: "trunc" or "floor" (integral dtypes stay, and an integer
/// divided by zero is the error "ZeroDivisionError"), or not at all without one.
#define TAPER_DECLARE_ROUNDED(name)                                                        \
  Tensor name(const Tensor& x, const Tensor& y, optional<std::string_view> rounding_mode); \
  Tensor name(const Tensor& x, const Scalar& y, optional<std::string_view> rounding_mode); \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& y,                        \
                     optional<std::string_view> rounding_mode);                            \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Scalar& y,                        \
                     optional<std::string_view> rounding_mode);
TAPER_DECLARE_ROUNDED(div)
TAPER_DECLARE_ROUNDED(divide)
#undef TAPER_DECLARE_ROUNDED

/// floor_divide: floor(x / y), without a gradient.
/// remainder: x - y * floor(x / y), with the sign of y (Python's %); fmod has the sign of x (C's).
/// All three throw "ZeroDivisionError" for integers divided by zero.
/// pow: x to the power y. Throws for integers to a negative integer number.
/// copysign: the size of x with the sign of y, also that of -0. The gradient is 0 where x is 0, and
/// 0 for y.
/// bitwise_and, bitwise_or, bitwise_xor: bits combined; throw for floating dtypes.
TAPER_BINARY_OPS(TAPER_DECLARE_BINARY)
/// eq, ne, lt, le, gt, ge: x == y, x != y, x < y, ...: bool tensors; false (ne: true) where either
/// is NaN. In place, the truth as 0 or 1 in x's dtype, with a gradient of 0.
TAPER_COMPARE_OPS(TAPER_DECLARE_BINARY)
TAPER_COMPARE_ALIASES(TAPER_DECLARE_ALIAS)
#undef TAPER_DECLARE_ALIAS
#undef TAPER_DECLARE_BINARY

#define TAPER_DECLARE_NUMBER_FIRST(name)         \
  Tensor name(const Scalar& x, const Tensor& y); \
  Tensor& name##_out(Tensor& out, const Scalar& x, const Tensor& y);
TAPER_NUMBER_FIRST_OPS(TAPER_DECLARE_NUMBER_FIRST)
#undef TAPER_DECLARE_NUMBER_FIRST

#define TAPER_DECLARE_OF_TENSORS(name)           \
  Tensor name(const Tensor& x, const Tensor& y); \
  Tensor& name##_out(Tensor& out, const Tensor& x, const Tensor& y);
/// atan2(y, x), arctan2: the angle of the point (x, y).
/// logical_and, logical_or, logical_xor: truth values combined; bool tensors.
TAPER_BINARY_TENSOR_OPS(TAPER_DECLARE_OF_TENSORS)
TAPER_DECLARE_OF_TENSORS(arctan2)
/// The larger, the smaller of two; NaN if either is. At ties the gradient is halved.
TAPER_EXTREMUM_OPS(TAPER_DECLARE_OF_TENSORS)
#undef TAPER_DECLARE_OF_TENSORS

/// g where y > 0, else 0: the gradient of relu from its output.
Tensor relu_backward(const Tensor& g, const Tensor& y);
/// g * (1 - y^2): the gradient of tanh from its output.
Tensor tanh_backward(const Tensor& g, const Tensor& y);
/// g * y * (1 - y): the gradient of sigmoid from its output.
Tensor sigmoid_backward(const Tensor& g, const Tensor& y);

/// The dtype that an op on these gives, by PyTorch's promotion rules.
ScalarType result_type(const Tensor& x, const Tensor& y);
ScalarType result_type(const Tensor& x, const Scalar& y);
ScalarType result_type(const Scalar& x, const Tensor& y);
ScalarType result_type(const Scalar& x, const Scalar& y);

// ---------------------------------------------------------------------- operators
#define TAPER_OPERATOR(symbol, function)                                                     \
  inline Tensor operator symbol(const Tensor& x, const Tensor& y) { return function(x, y); } \
  inline Tensor operator symbol(const Tensor& x, const Scalar& y) { return function(x, y); }
TAPER_OPERATOR(+, add)
TAPER_OPERATOR(-, sub)
TAPER_OPERATOR(*, mul)
TAPER_OPERATOR(/, div)
TAPER_OPERATOR(%, remainder)
TAPER_OPERATOR(&, bitwise_and)
TAPER_OPERATOR(|, bitwise_or)
TAPER_OPERATOR(^, bitwise_xor)
TAPER_OPERATOR(==, eq)
TAPER_OPERATOR(!=, ne)
TAPER_OPERATOR(<, lt)
TAPER_OPERATOR(<=, le)
TAPER_OPERATOR(>, gt)
TAPER_OPERATOR(>=, ge)
#undef TAPER_OPERATOR
#define TAPER_OPERATOR(symbol, mirrored) \
  inline Tensor operator symbol(const Scalar& x, const Tensor& y) { return mirrored(y, x); }
TAPER_OPERATOR(+, add)
TAPER_OPERATOR(*, mul)
TAPER_OPERATOR(&, bitwise_and)
TAPER_OPERATOR(|, bitwise_or)
TAPER_OPERATOR(^, bitwise_xor)
TAPER_OPERATOR(==, eq)
TAPER_OPERATOR(!=, ne)
TAPER_OPERATOR(<, gt)
TAPER_OPERATOR(<=, ge)
TAPER_OPERATOR(>, lt)
TAPER_OPERATOR(>=, le)
#undef TAPER_OPERATOR
Tensor operator-(const Scalar& x, const Tensor& y);
Tensor operator/(const Scalar& x, const Tensor& y);
inline Tensor operator%(const Scalar& x, const Tensor& y) { return remainder(x, y); }
inline Tensor operator&&(const Tensor& x, const Tensor& y) { return logical_and(x, y); }
inline Tensor operator||(const Tensor& x, const Tensor& y) { return logical_or(x, y); }
inline Tensor operator!(const Tensor& x) { return x.logical_not(); }

}  // namespace taper

#pragma GCC visibility pop
