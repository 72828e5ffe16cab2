// The pointwise ops by name and kind, each with its documentation. ops/ defines functions and
// kernels from these lists. `./dev declarations` writes the declarations of functions
// (ops/elementwise/unary.h, binary.h) and of Tensor's methods (framework/core/tensor_methods.inc)
// from them.
//
// X(name, kind) for one operand gives  Tensor name() const;  Tensor& name_() const;  and in ops/
// Tensor name(const Tensor&), Tensor& name_(Tensor&), Tensor& name_out(Tensor&, const Tensor&).
#pragma once

// clang-format off

/// Kinds: `floating` has floating results (integers and bools become the default dtype). `same`
/// keeps the dtype of the input. `test` has bool results and no gradient. It has no in-place form,
/// because this would change the dtype.
#define TAPER_UNARY_OPS(X) \
  X(exp, floating)                /* Returns e^x. */ \
  X(exp2, floating)               /* Returns 2^x. */ \
  X(expm1, floating)              /* Returns e^x - 1, accurately near 0. */ \
  X(log, floating)                /* Returns the natural logarithm of x. */ \
  X(log2, floating)               /* Returns the logarithm of x to base 2. */ \
  X(log10, floating)              /* Returns the logarithm of x to base 10. */ \
  X(log1p, floating)              /* Returns log(1 + x), accurately near 0. */ \
  X(sqrt, floating)               /* Returns the square root of x. */ \
  X(rsqrt, floating)              /* Returns 1 / sqrt(x). */ \
  X(reciprocal, floating)         /* Returns 1 / x. */ \
  X(sin, floating)                /* Returns the sine of x, in radians. */ \
  X(cos, floating)                /* Returns the cosine of x, in radians. */ \
  X(tan, floating)                /* Returns the tangent of x, in radians. */ \
  X(asin, floating)               /* Returns the angle in [-pi/2, pi/2] whose sine is x. */ \
  X(acos, floating)               /* Returns the angle in [0, pi] whose cosine is x. */ \
  X(atan, floating)               /* Returns the angle in (-pi/2, pi/2) whose tangent is x. */ \
  X(sinh, floating)               /* Returns the hyperbolic sine, (e^x - e^-x) / 2. */ \
  X(cosh, floating)               /* Returns the hyperbolic cosine, (e^x + e^-x) / 2. */ \
  X(tanh, floating)               /* Returns the hyperbolic tangent, sinh(x) / cosh(x). */ \
  X(asinh, floating)              /* Returns the number whose sinh is x. */ \
  X(acosh, floating)              /* Returns the non-negative number whose cosh is x. */ \
  X(atanh, floating)              /* Returns the number whose tanh is x. */ \
  X(erf, floating)                /* Returns the error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. */ \
  X(erfc, floating)               /* Returns 1 - erf(x), accurately even if the difference is small. */ \
  X(sigmoid, floating)            /* Returns 1 / (1 + e^-x). */ \
  X(neg, same)                    /* Returns -x. */ \
  X(abs, same)                    /* Returns |x|. The magnitude of a complex number is real. */ \
  X(sign, same)                   /* Returns -1, 0 or 1 for a negative, zero or positive x. */ \
  X(square, same)                 /* Returns x * x. */ \
  X(floor, same)                  /* Returns the largest integer that is not above x. */ \
  X(ceil, same)                   /* Returns the smallest integer that is not below x. */ \
  X(round, same)                  /* Returns the nearest integer. Of two equally near integers, it returns the even one. */ \
  X(trunc, same)                  /* Returns x rounded toward 0. */ \
  X(frac, same)                   /* Returns x - trunc(x). */ \
  X(relu, same)                   /* Returns max(x, 0). */ \
  X(isnan, test)                  /* Tests whether x is NaN. Returns bools. */ \
  X(isinf, test)                  /* Tests whether x is infinite. Returns bools. */ \
  X(isfinite, test)               /* Tests whether x is neither infinite nor NaN. Returns bools. */

/// Second names of the ops above: X(alias, name).
#define TAPER_UNARY_ALIASES(X)                                                         \
  X(absolute, abs) X(negative, neg) X(arccos, acos) X(arcsin, asin) X(arctan, atan)    \
  X(arccosh, acosh) X(arcsinh, asinh) X(arctanh, atanh) X(fix, trunc)

// X(name, kind) for two operands gives x.name(y), x.name_(y), name(x, y) and name_out(out, x, y).
/// Kinds: `with_numbers` takes a tensor or a number as second operand. `number_first` also takes a
/// number as first operand: name(number, y), name_out(out, number, y). `comparison` takes numbers
/// and has bool results. `tensors` takes tensors only. `test_of_tensors` takes tensors only and has
/// bool results. `extremum` takes tensors only and has no in-place form.
#define TAPER_BINARY_OPS(X) \
  X(floor_divide, with_numbers)   /* Returns floor(x / y) without gradient. Errors: "ZeroDivisionError" if an integer y is 0. */ \
  X(remainder, number_first)      /* Returns x - y * floor(x / y), with y's sign (Python's %). Throws like floor_divide. */ \
  X(fmod, with_numbers)           /* Returns x - y * trunc(x / y), with x's sign (C's fmod). Throws like floor_divide. */ \
  X(pow, number_first)            /* Returns x^y. Throws if x is integral and y is an integer number (no tensor) below 0. */ \
  X(copysign, with_numbers)       /* Returns |x| with the sign bit of y. x has gradient 0 if x is 0. y always has gradient 0. */ \
  X(bitwise_and, number_first)    /* Returns the bits set in both x and y. Errors: NotImplementedError for floating dtypes. */ \
  X(bitwise_or, number_first)     /* Returns the bits set in x or y. Throws like bitwise_and. */ \
  X(bitwise_xor, number_first)    /* Returns the bits set in exactly one of x and y. Throws like bitwise_and. */ \
  X(eq, comparison)               /* Tests x == y. Returns bools. The in-place form writes 0 or 1 and has gradient 0. */ \
  X(ne, comparison)               /* Tests x != y. Returns true if x or y is NaN. The in-place form writes 0 or 1, like eq_. */ \
  X(lt, comparison)               /* Tests x < y. The in-place form writes 0 or 1, like eq_. */ \
  X(le, comparison)               /* Tests x <= y. The in-place form writes 0 or 1, like eq_. */ \
  X(gt, comparison)               /* Tests x > y. The in-place form writes 0 or 1, like eq_. */ \
  X(ge, comparison)               /* Tests x >= y. The in-place form writes 0 or 1, like eq_. */ \
  X(atan2, tensors)               /* Returns the angle in (-pi, pi] of the point (y, x). Its tangent is x / y. */ \
  X(logical_and, test_of_tensors) /* Tests whether both x and y are nonzero. Returns bools. */ \
  X(logical_or, test_of_tensors)  /* Tests whether x or y is nonzero. Returns bools. */ \
  X(logical_xor, test_of_tensors) /* Tests whether exactly one of x and y is nonzero. Returns bools. */ \
  X(maximum, extremum)            /* Returns the larger of x and y, or NaN if one is NaN. Equal elements share the gradient. */ \
  X(minimum, extremum)            /* Returns the smaller of x and y, or NaN if one is NaN. Equal elements share the gradient. */

/// Second names of binary ops, for all their forms: X(alias, name).
#define TAPER_BINARY_ALIASES(X)                                                        \
  X(multiply, mul) X(divide, div) X(true_divide, div)                                  \
  X(not_equal, ne) X(less, lt) X(less_equal, le) X(greater, gt) X(greater_equal, ge)
// clang-format on
