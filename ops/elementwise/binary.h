// Pointwise functions of two tensors, or of a tensor and a number.
//
// Shapes broadcast. Dtypes promote as in PyTorch, by category: bool < integral < floating. A number
// changes the dtype only if its category is higher. A 0-dim tensor is treated as a number if the
// other operand has dimensions. In-place forms keep x's shape and dtype. They throw if the result's
// shape differs or its dtype cannot be converted. `out` forms write into a given tensor. All forms
// throw if the tensors are on different devices. A 0-dim CPU tensor may be combined with tensors of
// any device.
#pragma once

#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Returns x + alpha * y (add) or x - alpha * y (sub). Throws for a floating alpha with integral
/// tensors, and for a bool alpha unless the result is bool. sub also throws for bool tensors.
Tensor add(const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor add(const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
Tensor& add_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor& add_out(Tensor& out, const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
Tensor sub(const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor sub(const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
Tensor& sub_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor& sub_out(Tensor& out, const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
Tensor subtract(const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor subtract(const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
Tensor& subtract_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor& subtract_out(Tensor& out, const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
/// Returns y - alpha * x.
Tensor rsub(const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor rsub(const Tensor& x, const Scalar& y, const Scalar& alpha = 1);
Tensor& rsub_out(Tensor& out, const Tensor& x, const Tensor& y, const Scalar& alpha = 1);
Tensor& rsub_out(Tensor& out, const Tensor& x, const Scalar& y, const Scalar& alpha = 1);

/// Returns x * y.
Tensor mul(const Tensor& x, const Tensor& y);
Tensor mul(const Tensor& x, const Scalar& y);
Tensor& mul_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& mul_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Returns x / y. Integers become the default dtype.
Tensor div(const Tensor& x, const Tensor& y);
Tensor div(const Tensor& x, const Scalar& y);
Tensor& div_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& div_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Returns x / y. `rounding_mode` rounds the quotient: "trunc" toward zero, "floor" toward minus
/// infinity. Without a mode, the quotient is not rounded. A rounded quotient of integers keeps
/// their dtype. Errors: "ZeroDivisionError" if a rounded quotient of integers has a divisor of 0.
Tensor div(const Tensor& x, const Tensor& y, optional<std::string_view> rounding_mode);
Tensor div(const Tensor& x, const Scalar& y, optional<std::string_view> rounding_mode);
Tensor& div_out(Tensor& out, const Tensor& x, const Tensor& y,
                optional<std::string_view> rounding_mode);
Tensor& div_out(Tensor& out, const Tensor& x, const Scalar& y,
                optional<std::string_view> rounding_mode);
Tensor divide(const Tensor& x, const Tensor& y, optional<std::string_view> rounding_mode);
Tensor divide(const Tensor& x, const Scalar& y, optional<std::string_view> rounding_mode);
Tensor& divide_out(Tensor& out, const Tensor& x, const Tensor& y,
                   optional<std::string_view> rounding_mode);
Tensor& divide_out(Tensor& out, const Tensor& x, const Scalar& y,
                   optional<std::string_view> rounding_mode);

// from op_lists.h: of two
/// Returns floor(x / y) without gradient. Errors: "ZeroDivisionError" if an integer y is 0.
Tensor floor_divide(const Tensor& x, const Tensor& y);
Tensor floor_divide(const Tensor& x, const Scalar& y);
Tensor& floor_divide_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& floor_divide_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Returns x - y * floor(x / y), with y's sign (Python's %). Throws like floor_divide.
Tensor remainder(const Tensor& x, const Tensor& y);
Tensor remainder(const Tensor& x, const Scalar& y);
Tensor& remainder_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& remainder_out(Tensor& out, const Tensor& x, const Scalar& y);
Tensor remainder(const Scalar& x, const Tensor& y);
Tensor& remainder_out(Tensor& out, const Scalar& x, const Tensor& y);
/// Returns x - y * trunc(x / y), with x's sign (C's fmod). Throws like floor_divide.
Tensor fmod(const Tensor& x, const Tensor& y);
Tensor fmod(const Tensor& x, const Scalar& y);
Tensor& fmod_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& fmod_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Returns x^y. Throws if x is integral and y is an integer number (no tensor) below 0.
Tensor pow(const Tensor& x, const Tensor& y);
Tensor pow(const Tensor& x, const Scalar& y);
Tensor& pow_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& pow_out(Tensor& out, const Tensor& x, const Scalar& y);
Tensor pow(const Scalar& x, const Tensor& y);
Tensor& pow_out(Tensor& out, const Scalar& x, const Tensor& y);
/// Returns |x| with the sign bit of y. x has gradient 0 if x is 0. y always has gradient 0.
Tensor copysign(const Tensor& x, const Tensor& y);
Tensor copysign(const Tensor& x, const Scalar& y);
Tensor& copysign_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& copysign_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Returns the bits set in both x and y. Errors: NotImplementedError for floating dtypes.
Tensor bitwise_and(const Tensor& x, const Tensor& y);
Tensor bitwise_and(const Tensor& x, const Scalar& y);
Tensor& bitwise_and_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& bitwise_and_out(Tensor& out, const Tensor& x, const Scalar& y);
Tensor bitwise_and(const Scalar& x, const Tensor& y);
Tensor& bitwise_and_out(Tensor& out, const Scalar& x, const Tensor& y);
/// Returns the bits set in x or y. Throws like bitwise_and.
Tensor bitwise_or(const Tensor& x, const Tensor& y);
Tensor bitwise_or(const Tensor& x, const Scalar& y);
Tensor& bitwise_or_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& bitwise_or_out(Tensor& out, const Tensor& x, const Scalar& y);
Tensor bitwise_or(const Scalar& x, const Tensor& y);
Tensor& bitwise_or_out(Tensor& out, const Scalar& x, const Tensor& y);
/// Returns the bits set in exactly one of x and y. Throws like bitwise_and.
Tensor bitwise_xor(const Tensor& x, const Tensor& y);
Tensor bitwise_xor(const Tensor& x, const Scalar& y);
Tensor& bitwise_xor_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& bitwise_xor_out(Tensor& out, const Tensor& x, const Scalar& y);
Tensor bitwise_xor(const Scalar& x, const Tensor& y);
Tensor& bitwise_xor_out(Tensor& out, const Scalar& x, const Tensor& y);
/// Tests x == y. Returns bools. The in-place form writes 0 or 1 and has gradient 0.
Tensor eq(const Tensor& x, const Tensor& y);
Tensor eq(const Tensor& x, const Scalar& y);
Tensor& eq_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& eq_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Tests x != y. Returns true if x or y is NaN. The in-place form writes 0 or 1, like eq_.
Tensor ne(const Tensor& x, const Tensor& y);
Tensor ne(const Tensor& x, const Scalar& y);
Tensor& ne_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& ne_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Tests x < y. The in-place form writes 0 or 1, like eq_.
Tensor lt(const Tensor& x, const Tensor& y);
Tensor lt(const Tensor& x, const Scalar& y);
Tensor& lt_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& lt_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Tests x <= y. The in-place form writes 0 or 1, like eq_.
Tensor le(const Tensor& x, const Tensor& y);
Tensor le(const Tensor& x, const Scalar& y);
Tensor& le_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& le_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Tests x > y. The in-place form writes 0 or 1, like eq_.
Tensor gt(const Tensor& x, const Tensor& y);
Tensor gt(const Tensor& x, const Scalar& y);
Tensor& gt_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& gt_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Tests x >= y. The in-place form writes 0 or 1, like eq_.
Tensor ge(const Tensor& x, const Tensor& y);
Tensor ge(const Tensor& x, const Scalar& y);
Tensor& ge_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& ge_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Calls mul().
Tensor multiply(const Tensor& x, const Tensor& y);
Tensor multiply(const Tensor& x, const Scalar& y);
Tensor& multiply_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& multiply_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Calls div().
Tensor divide(const Tensor& x, const Tensor& y);
Tensor divide(const Tensor& x, const Scalar& y);
Tensor& divide_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& divide_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Calls div().
Tensor true_divide(const Tensor& x, const Tensor& y);
Tensor true_divide(const Tensor& x, const Scalar& y);
Tensor& true_divide_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& true_divide_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Calls ne().
Tensor not_equal(const Tensor& x, const Tensor& y);
Tensor not_equal(const Tensor& x, const Scalar& y);
Tensor& not_equal_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& not_equal_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Calls lt().
Tensor less(const Tensor& x, const Tensor& y);
Tensor less(const Tensor& x, const Scalar& y);
Tensor& less_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& less_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Calls le().
Tensor less_equal(const Tensor& x, const Tensor& y);
Tensor less_equal(const Tensor& x, const Scalar& y);
Tensor& less_equal_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& less_equal_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Calls gt().
Tensor greater(const Tensor& x, const Tensor& y);
Tensor greater(const Tensor& x, const Scalar& y);
Tensor& greater_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& greater_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Calls ge().
Tensor greater_equal(const Tensor& x, const Tensor& y);
Tensor greater_equal(const Tensor& x, const Scalar& y);
Tensor& greater_equal_out(Tensor& out, const Tensor& x, const Tensor& y);
Tensor& greater_equal_out(Tensor& out, const Tensor& x, const Scalar& y);
/// Returns the angle in (-pi, pi] of the point (y, x). Its tangent is x / y.
Tensor atan2(const Tensor& x, const Tensor& y);
Tensor& atan2_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Tests whether both x and y are nonzero. Returns bools.
Tensor logical_and(const Tensor& x, const Tensor& y);
Tensor& logical_and_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Tests whether x or y is nonzero. Returns bools.
Tensor logical_or(const Tensor& x, const Tensor& y);
Tensor& logical_or_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Tests whether exactly one of x and y is nonzero. Returns bools.
Tensor logical_xor(const Tensor& x, const Tensor& y);
Tensor& logical_xor_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Returns the larger of x and y, or NaN if one is NaN. Equal elements share the gradient.
Tensor maximum(const Tensor& x, const Tensor& y);
Tensor& maximum_out(Tensor& out, const Tensor& x, const Tensor& y);
/// Returns the smaller of x and y, or NaN if one is NaN. Equal elements share the gradient.
Tensor minimum(const Tensor& x, const Tensor& y);
Tensor& minimum_out(Tensor& out, const Tensor& x, const Tensor& y);
// (end)
/// Calls atan2().
Tensor arctan2(const Tensor& x, const Tensor& y);
Tensor& arctan2_out(Tensor& out, const Tensor& x, const Tensor& y);

/// Returns the gradient of relu's input: 0 if y <= 0, else g. y is the output, and g the gradient
/// of y. If y is NaN, it returns g.
Tensor relu_backward(const Tensor& g, const Tensor& y);
/// Returns the gradient of tanh's input: g * (1 - y^2). y is the output, and g the gradient of y.
Tensor tanh_backward(const Tensor& g, const Tensor& y);
/// Returns the gradient of sigmoid's input: g * y * (1 - y). y is the output, and g the gradient of
/// y.
Tensor sigmoid_backward(const Tensor& g, const Tensor& y);

/// Returns the dtype of an op on x and y, by PyTorch's promotion rules.
ScalarType result_type(const Tensor& x, const Tensor& y);
ScalarType result_type(const Tensor& x, const Scalar& y);
ScalarType result_type(const Scalar& x, const Tensor& y);
ScalarType result_type(const Scalar& x, const Scalar& y);

// ---------------------------------------------------------------------- operators
inline Tensor operator+(const Tensor& x, const Tensor& y) { return add(x, y); }  ///< add()
inline Tensor operator+(const Tensor& x, const Scalar& y) { return add(x, y); }  ///< add()
inline Tensor operator-(const Tensor& x, const Tensor& y) { return sub(x, y); }  ///< sub()
inline Tensor operator-(const Tensor& x, const Scalar& y) { return sub(x, y); }  ///< sub()
inline Tensor operator*(const Tensor& x, const Tensor& y) { return mul(x, y); }  ///< mul()
inline Tensor operator*(const Tensor& x, const Scalar& y) { return mul(x, y); }  ///< mul()
inline Tensor operator/(const Tensor& x, const Tensor& y) { return div(x, y); }  ///< div()
inline Tensor operator/(const Tensor& x, const Scalar& y) { return div(x, y); }  ///< div()
/// Calls remainder(): x - y * floor(x / y), which has the sign of y.
inline Tensor operator%(const Tensor& x, const Tensor& y) { return remainder(x, y); }
inline Tensor operator%(const Tensor& x, const Scalar& y) { return remainder(x, y); }
/// Calls bitwise_and(), for integers and bools.
inline Tensor operator&(const Tensor& x, const Tensor& y) { return bitwise_and(x, y); }
inline Tensor operator&(const Tensor& x, const Scalar& y) { return bitwise_and(x, y); }
/// Calls bitwise_or(), for integers and bools.
inline Tensor operator|(const Tensor& x, const Tensor& y) { return bitwise_or(x, y); }
inline Tensor operator|(const Tensor& x, const Scalar& y) { return bitwise_or(x, y); }
/// Calls bitwise_xor(), for integers and bools.
inline Tensor operator^(const Tensor& x, const Tensor& y) { return bitwise_xor(x, y); }
inline Tensor operator^(const Tensor& x, const Scalar& y) { return bitwise_xor(x, y); }
inline Tensor operator==(const Tensor& x, const Tensor& y) { return eq(x, y); }  ///< eq()
inline Tensor operator==(const Tensor& x, const Scalar& y) { return eq(x, y); }  ///< eq()
inline Tensor operator!=(const Tensor& x, const Tensor& y) { return ne(x, y); }  ///< ne()
inline Tensor operator!=(const Tensor& x, const Scalar& y) { return ne(x, y); }  ///< ne()
inline Tensor operator<(const Tensor& x, const Tensor& y) { return lt(x, y); }   ///< lt()
inline Tensor operator<(const Tensor& x, const Scalar& y) { return lt(x, y); }   ///< lt()
inline Tensor operator<=(const Tensor& x, const Tensor& y) { return le(x, y); }  ///< le()
inline Tensor operator<=(const Tensor& x, const Scalar& y) { return le(x, y); }  ///< le()
inline Tensor operator>(const Tensor& x, const Tensor& y) { return gt(x, y); }   ///< gt()
inline Tensor operator>(const Tensor& x, const Scalar& y) { return gt(x, y); }   ///< gt()
inline Tensor operator>=(const Tensor& x, const Tensor& y) { return ge(x, y); }  ///< ge()
inline Tensor operator>=(const Tensor& x, const Scalar& y) { return ge(x, y); }  ///< ge()
inline Tensor operator+(const Scalar& x, const Tensor& y) { return add(y, x); }  ///< add()
inline Tensor operator*(const Scalar& x, const Tensor& y) { return mul(y, x); }  ///< mul()
/// Calls bitwise_and(), for integers and bools.
inline Tensor operator&(const Scalar& x, const Tensor& y) { return bitwise_and(y, x); }
/// Calls bitwise_or(), for integers and bools.
inline Tensor operator|(const Scalar& x, const Tensor& y) { return bitwise_or(y, x); }
/// Calls bitwise_xor(), for integers and bools.
inline Tensor operator^(const Scalar& x, const Tensor& y) { return bitwise_xor(y, x); }
inline Tensor operator==(const Scalar& x, const Tensor& y) { return eq(y, x); }  ///< eq()
inline Tensor operator!=(const Scalar& x, const Tensor& y) { return ne(y, x); }  ///< ne()
inline Tensor operator<(const Scalar& x, const Tensor& y) { return gt(y, x); }   ///< gt()
inline Tensor operator<=(const Scalar& x, const Tensor& y) { return ge(y, x); }  ///< ge()
inline Tensor operator>(const Scalar& x, const Tensor& y) { return lt(y, x); }   ///< lt()
inline Tensor operator>=(const Scalar& x, const Tensor& y) { return le(y, x); }  ///< le()
Tensor operator-(const Scalar& x, const Tensor& y);                              ///< sub()
Tensor operator/(const Scalar& x, const Tensor& y);                              ///< div()
/// Calls remainder(): x - y * floor(x / y), which has the sign of y.
inline Tensor operator%(const Scalar& x, const Tensor& y) { return remainder(x, y); }
/// Calls logical_and(): tests whether both x and y are nonzero.
inline Tensor operator&&(const Tensor& x, const Tensor& y) { return logical_and(x, y); }
/// Calls logical_or(): tests whether x or y is nonzero.
inline Tensor operator||(const Tensor& x, const Tensor& y) { return logical_or(x, y); }
inline Tensor operator!(const Tensor& x) { return x.logical_not(); }  ///< logical_not()

}  // namespace torch::taper

#pragma GCC visibility pop
