// The pointwise ops by name, each with its documentation. ops/ defines functions and kernels from
// these lists; `./dev declarations` writes the declarations of functions (ops/elementwise/unary.h,
// binary.h) and of Tensor's methods (framework/tensor_methods.inc) from them.
//
// X(name) for one operand gives  Tensor name() const;  Tensor& name_() const;  and in ops/
// Tensor name(const Tensor&), Tensor& name_(Tensor&), Tensor& name_out(Tensor&, const Tensor&).
#pragma once

// clang-format off

/// Floating results; integers and bools become the default dtype.
#define TAPER_UNARY_FLOAT_OPS(X) \
  X(exp)           /* e^x. */ \
  X(exp2)          /* 2^x. */ \
  X(expm1)         /* e^x - 1, accurate near 0. */ \
  X(log)           /* The natural logarithm of x. */ \
  X(log2)          /* The logarithm of x to base 2. */ \
  X(log10)         /* The logarithm of x to base 10. */ \
  X(log1p)         /* log(1 + x), accurate near 0. */ \
  X(sqrt)          /* The square root of x. */ \
  X(rsqrt)         /* 1 / sqrt(x). */ \
  X(reciprocal)    /* 1 / x. */ \
  X(sin)           /* The sine of x, in radians. */ \
  X(cos)           /* The cosine of x, in radians. */ \
  X(tan)           /* The tangent of x, in radians. */ \
  X(asin)          /* The angle in [-pi/2, pi/2] whose sine is x. */ \
  X(acos)          /* The angle in [0, pi] whose cosine is x. */ \
  X(atan)          /* The angle in (-pi/2, pi/2) whose tangent is x. */ \
  X(sinh)          /* (e^x - e^-x) / 2. */ \
  X(cosh)          /* (e^x + e^-x) / 2. */ \
  X(tanh)          /* sinh(x) / cosh(x). */ \
  X(asinh)         /* The number whose sinh is x. */ \
  X(acosh)         /* The number from 0 on whose cosh is x. */ \
  X(atanh)         /* The number whose tanh is x. */ \
  X(erf)           /* The error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. */ \
  X(erfc)          /* 1 - erf(x), accurate where that is small. */ \
  X(sigmoid)       /* 1 / (1 + e^-x). */

/// Same dtype as the input.
#define TAPER_UNARY_SAME_OPS(X) \
  X(neg)           /* -x. */ \
  X(abs)           /* |x|; of complex numbers the magnitude, which is real. */ \
  X(sign)          /* -1, 0 or 1 as x is negative, zero or positive. */ \
  X(square)        /* x * x. */ \
  X(floor)         /* The largest whole number that is not above x. */ \
  X(ceil)          /* The smallest whole number that is not below x. */ \
  X(round)         /* The nearest whole number; of two the even one. */ \
  X(trunc)         /* x without its fraction. */ \
  X(frac)          /* x - trunc(x). */ \
  X(relu)          /* max(x, 0). */

/// Bool results; no gradient. (No in-place form: the dtype would change.)
#define TAPER_UNARY_BOOL_OPS(X) \
  X(isnan)         /* Whether x is NaN; bool. */ \
  X(isinf)         /* Whether x is infinite; bool. */ \
  X(isfinite)      /* Whether x is neither infinite nor NaN; bool. */

/// Second names of the ops above: X(alias, name).
#define TAPER_UNARY_ALIASES(X)                                                         \
  X(absolute, abs) X(negative, neg) X(arccos, acos) X(arcsin, asin) X(arctan, atan)    \
  X(arccosh, acosh) X(arcsinh, asinh) X(arctanh, atanh) X(fix, trunc)

// X(name) for two operands gives x.name(y), x.name_(y), name(x, y) and name_out(out, x, y).
/// The second operand is a tensor or a number.
#define TAPER_BINARY_OPS(X) \
  X(floor_divide)  /* floor(x / y), without a gradient. Errors: "ZeroDivisionError" for integers by zero. */ \
  X(remainder)     /* x - y * floor(x / y), with the sign of y (Python's %). Errors: as floor_divide. */ \
  X(fmod)          /* x - y * trunc(x / y), with the sign of x (C's fmod). Errors: as floor_divide. */ \
  X(pow)           /* x to the power y. Errors: Error for integers to a negative whole number. */ \
  X(copysign)      /* |x| with the sign of y, also that of -0. The gradient is 0 where x is 0, and 0 for y. */ \
  X(bitwise_and)   /* The bits that both have. Errors: NotImplementedError for floating dtypes. */ \
  X(bitwise_or)    /* The bits that either has. Errors: as bitwise_and. */ \
  X(bitwise_xor)   /* The bits that just one has. Errors: as bitwise_and. */
/// Comparisons, of the same forms: bool results.
#define TAPER_COMPARE_OPS(X) \
  X(eq)            /* Whether x == y; bool. In place 0 or 1 in x's dtype, with a gradient of 0. */ \
  X(ne)            /* Whether x != y, true where either is NaN; in place as eq. */ \
  X(lt)            /* Whether x < y; in place as eq. */ \
  X(le)            /* Whether x <= y; in place as eq. */ \
  X(gt)            /* Whether x > y; in place as eq. */ \
  X(ge)            /* Whether x >= y; in place as eq. */
/// Both operands are tensors.
#define TAPER_BINARY_TENSOR_OPS(X) \
  X(atan2)         /* The angle, in (-pi, pi], of the point at height x above the place y of the axis. */ \
  X(logical_and)   /* Whether both x and y are other than 0; bool. */ \
  X(logical_or)    /* Whether x or y is other than 0; bool. */ \
  X(logical_xor)   /* Whether just one of x and y is other than 0; bool. */
/// Both operands are tensors, and there is no in-place form.
#define TAPER_EXTREMUM_OPS(X) \
  X(maximum)       /* The larger of x and y, NaN if either is; equal ones share the gradient. */ \
  X(minimum)       /* The smaller of x and y, NaN if either is; equal ones share the gradient. */
/// The first operand may be a number too: name(number, y), name_out(out, number, y).
#define TAPER_NUMBER_FIRST_OPS(X)                                                      \
  X(remainder) X(pow) X(bitwise_and) X(bitwise_or) X(bitwise_xor)

/// Second names of all forms: X(alias, name).
#define TAPER_COMPARE_ALIASES(X)                                                       \
  X(not_equal, ne) X(less, lt) X(less_equal, le) X(greater, gt) X(greater_equal, ge)
#define TAPER_ARITHMETIC_ALIASES(X) X(multiply, mul) X(divide, div) X(true_divide, div)
// clang-format on
