// Pointwise functions of two tensors, or of a tensor and a number.
//
// Shapes broadcast. Dtypes promote as in PyTorch: a number, or a 0-dim tensor beside a tensor with
// dimensions, changes the dtype only when it is of a higher category (bool < integral < floating).
// In-place forms keep x's shape and dtype and throw when the result does not fit. `out` forms write
// into a given tensor. All throw when the tensors are on different devices (a 0-dim CPU tensor may
// mix).
#pragma once

#include <string>

#include <taper/framework/tensor.h>

namespace taper {

/// x + alpha * y, x - alpha * y. Throws for a floating alpha with integral tensors.
Tensor add(const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor add(const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
Tensor& add_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor sub(const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor sub(const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
Tensor& sub_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
/// y - alpha * x.
Tensor rsub(const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor rsub(const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
Tensor mul(const Tensor& x, const Tensor& y);
Tensor mul(const Tensor& x, const Scalar& y);
Tensor& mul_out(Tensor& out, const Tensor& x, const Tensor& y);
inline Tensor multiply(const Tensor& x, const Tensor& y) { return mul(x, y); }
inline Tensor subtract(const Tensor& x, const Tensor& y) { return sub(x, y); }
/// x / y; integers give the default dtype. rounding_mode "trunc" or "floor" rounds and keeps
/// integral dtypes (then division of an integer by zero throws).
Tensor div(const Tensor& x, const Tensor& y);
Tensor div(const Tensor& x, const Scalar& y);
Tensor div(const Tensor& x, const Tensor& y, optional<std::string> rounding_mode);
Tensor div(const Tensor& x, const Scalar& y, optional<std::string> rounding_mode);
Tensor& div_out(Tensor& out, const Tensor& x, const Tensor& y);
inline Tensor divide(const Tensor& x, const Tensor& y) { return div(x, y); }
inline Tensor true_divide(const Tensor& x, const Tensor& y) { return div(x, y); }
/// floor(x / y).
Tensor floor_divide(const Tensor& x, const Tensor& y);
Tensor floor_divide(const Tensor& x, const Scalar& y);
/// x - y * floor(x / y): the sign of y (Python's %); fmod has the sign of x (C's).
Tensor remainder(const Tensor& x, const Tensor& y);
Tensor remainder(const Tensor& x, const Scalar& y);
Tensor fmod(const Tensor& x, const Tensor& y);
Tensor fmod(const Tensor& x, const Scalar& y);
/// x to the power y. Throws for integers to negative integer numbers.
Tensor pow(const Tensor& x, const Tensor& y);
Tensor pow(const Tensor& x, const Scalar& y);
Tensor pow(const Scalar& x, const Tensor& y);
/// The angle of the point (y, x): atan2(y, x).
Tensor atan2(const Tensor& y, const Tensor& x);
/// The size of x with the sign of y, also that of -0. The gradient is 0 where x is 0.
Tensor copysign(const Tensor& x, const Tensor& y);
Tensor copysign(const Tensor& x, const Scalar& y);
/// The larger, the smaller of two; NaN if either is. At ties the gradient is halved.
Tensor maximum(const Tensor& x, const Tensor& y);
Tensor minimum(const Tensor& x, const Tensor& y);

/// Truth values combined; bool tensors.
Tensor logical_and(const Tensor& x, const Tensor& y);
Tensor logical_or(const Tensor& x, const Tensor& y);
Tensor logical_xor(const Tensor& x, const Tensor& y);
/// Bits combined; throws for floating dtypes.
Tensor bitwise_and(const Tensor& x, const Tensor& y);
Tensor bitwise_or(const Tensor& x, const Tensor& y);
Tensor bitwise_xor(const Tensor& x, const Tensor& y);

/// x == y, x != y, x < y, ...: bool tensors; false (ne: true) where either is NaN.
#define TAPER_DECLARE_COMPARE(name)              \
  Tensor name(const Tensor& x, const Tensor& y); \
  Tensor name(const Tensor& x, const Scalar& y);
TAPER_COMPARE_OPS(TAPER_DECLARE_COMPARE)
#undef TAPER_DECLARE_COMPARE
inline Tensor greater(const Tensor& x, const Tensor& y) { return gt(x, y); }
inline Tensor less(const Tensor& x, const Tensor& y) { return lt(x, y); }

/// x + value * a * b and x + value * a / b.
Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value = 1);
Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value = 1);
/// start + weight * (end - start).
Tensor lerp(const Tensor& start, const Tensor& end, const Scalar& weight);
Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight);

/// g where y > 0, else 0: the gradient of relu from its output.
Tensor relu_backward(const Tensor& g, const Tensor& y);
/// g * (1 - y^2): the gradient of tanh from its output.
Tensor tanh_backward(const Tensor& g, const Tensor& y);
/// g * y * (1 - y): the gradient of sigmoid from its output.
Tensor sigmoid_backward(const Tensor& g, const Tensor& y);

/// The dtype that an op on these gives, by PyTorch's promotion rules.
ScalarType result_type(const Tensor& x, const Tensor& y);
ScalarType result_type(const Tensor& x, const Scalar& y);

// ---------------------------------------------------------------------- operators
#define TAPER_OPERATOR(symbol, function)                                                     \
  inline Tensor operator symbol(const Tensor& x, const Tensor& y) { return function(x, y); } \
  inline Tensor operator symbol(const Tensor& x, const Scalar& y) { return function(x, y); }
TAPER_OPERATOR(+, add)
TAPER_OPERATOR(-, sub)
TAPER_OPERATOR(*, mul)
TAPER_OPERATOR(/, div)
TAPER_OPERATOR(%, remainder)
TAPER_OPERATOR(==, eq)
TAPER_OPERATOR(!=, ne)
TAPER_OPERATOR(<, lt)
TAPER_OPERATOR(<=, le)
TAPER_OPERATOR(>, gt)
TAPER_OPERATOR(>=, ge)
#undef TAPER_OPERATOR
inline Tensor operator+(const Scalar& x, const Tensor& y) { return add(y, x); }
inline Tensor operator-(const Scalar& x, const Tensor& y) { return rsub(y, x); }
inline Tensor operator*(const Scalar& x, const Tensor& y) { return mul(y, x); }
inline Tensor operator/(const Scalar& x, const Tensor& y) { return mul(y.reciprocal(), x); }
inline Tensor operator==(const Scalar& x, const Tensor& y) { return eq(y, x); }
inline Tensor operator!=(const Scalar& x, const Tensor& y) { return ne(y, x); }
inline Tensor operator<(const Scalar& x, const Tensor& y) { return gt(y, x); }
inline Tensor operator<=(const Scalar& x, const Tensor& y) { return ge(y, x); }
inline Tensor operator>(const Scalar& x, const Tensor& y) { return lt(y, x); }
inline Tensor operator>=(const Scalar& x, const Tensor& y) { return le(y, x); }
inline Tensor operator&(const Tensor& x, const Tensor& y) { return bitwise_and(x, y); }
inline Tensor operator|(const Tensor& x, const Tensor& y) { return bitwise_or(x, y); }
inline Tensor operator^(const Tensor& x, const Tensor& y) { return bitwise_xor(x, y); }
inline Tensor operator&&(const Tensor& x, const Tensor& y) { return logical_and(x, y); }
inline Tensor operator||(const Tensor& x, const Tensor& y) { return logical_or(x, y); }
inline Tensor operator!(const Tensor& x) { return x.logical_not(); }

}  // namespace taper
