// The pointwise ops by name and kind, each with its documentation. ops/ defines functions and
// kernels from these lists; `./dev declarations` writes the declarations of functions
// (ops/elementwise/unary.h, binary.h) and of Tensor's methods (framework/core/tensor_methods.inc)
// from them.
//
// X(name, kind) for one operand gives  Tensor name() const;  Tensor& name_() const;  and in ops/
// Tensor name(const Tensor&), Tensor& name_(Tensor&), Tensor& name_out(Tensor&, const Tensor&).
#pragma once

// clang-format off

/// Kinds: `floating` results (integers and bools become the default dtype); the `same` dtype as the
/// input; `test`, with bool results and no gradient (and no in-place form: the dtype would change).
#define TAPER_UNARY_OPS(X) \
  X(exp, floating)                /* e^x. */ \
  X(exp2, floating)               /* 2^x. */ \
  X(expm1, floating)              /* e^x - 1, accurate near 0. */ \
  X(log, floating)                /* The natural logarithm of x. */ \
  X(log2, floating)               /* The logarithm of x to base 2. */ \
  X(log10, floating)              /* The logarithm of x to base 10. */ \
  X(log1p, floating)              /* log(1 + x), accurate near 0. */ \
  X(sqrt, floating)               /* The square root of x. */ \
  X(rsqrt, floating)              /* 1 / sqrt(x). */ \
  X(reciprocal, floating)         /* 1 / x. */ \
  X(sin, floating)                /* The sine of x, in radians. */ \
  X(cos, floating)                /* The cosine of x, in radians. */ \
  X(tan, floating)                /* The tangent of x, in radians. */ \
  X(asin, floating)               /* The angle in [-pi/2, pi/2] whose sine is x. */ \
  X(acos, floating)               /* The angle in [0, pi] whose cosine is x. */ \
  X(atan, floating)               /* The angle in (-pi/2, pi/2) whose tangent is x. */ \
  X(sinh, floating)               /* (e^x - e^-x) / 2. */ \
  X(cosh, floating)               /* (e^x + e^-x) / 2. */ \
  X(tanh, floating)               /* sinh(x) / cosh(x). */ \
  X(asinh, floating)              /* The number whose sinh is x. */ \
  X(acosh, floating)              /* The number from 0 on whose cosh is x. */ \
  X(atanh, floating)              /* The number whose tanh is x. */ \
  X(erf, floating)                /* The error function: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. */ \
  X(erfc, floating)               /* 1 - erf(x), accurate where that is small. */ \
  X(sigmoid, floating)            /* 1 / (1 + e^-x). */ \
  X(neg, same)                    /* -x. */ \
  X(abs, same)                    /* |x|; of complex numbers the magnitude, which is real. */ \
  X(sign, same)                   /* -1, 0 or 1 as x is negative, zero or positive. */ \
  X(square, same)                 /* x * x. */ \
  X(floor, same)                  /* The largest whole number that is not above x. */ \
  X(ceil, same)                   /* The smallest whole number that is not below x. */ \
  X(round, same)                  /* The nearest whole number; of two the even one. */ \
  X(trunc, same)                  /* x without its fraction. */ \
  X(frac, same)                   /* x - trunc(x). */ \
  X(relu, same)                   /* max(x, 0). */ \
  X(isnan, test)                  /* Whether x is NaN; bool. */ \
  X(isinf, test)                  /* Whether x is infinite; bool. */ \
  X(isfinite, test)               /* Whether x is neither infinite nor NaN; bool. */

/// Second names of the ops above: X(alias, name).
#define TAPER_UNARY_ALIASES(X)                                                         \
  X(absolute, abs) X(negative, neg) X(arccos, acos) X(arcsin, asin) X(arctan, atan)    \
  X(arccosh, acosh) X(arcsinh, asinh) X(arctanh, atanh) X(fix, trunc)

// X(name, kind) for two operands gives x.name(y), x.name_(y), name(x, y) and name_out(out, x, y).
/// Kinds: `with_numbers`, whose second operand is a tensor or a number; `number_first`, whose first one
/// may be a number too: name(number, y), name_out(out, number, y); `comparison`, with numbers and with
/// bool results; `tensors`, of tensors alone; `test_of_tensors`, with bool results; `extremum`, of tensors and without an in-place form.
#define TAPER_BINARY_OPS(X) \
  X(floor_divide, with_numbers)   /* floor(x / y), without a gradient. Errors: "ZeroDivisionError" for integers by zero. */ \
  X(remainder, number_first)      /* x - y * floor(x / y), with the sign of y (Python's %). Errors: as floor_divide. */ \
  X(fmod, with_numbers)           /* x - y * trunc(x / y), with the sign of x (C's fmod). Errors: as floor_divide. */ \
  X(pow, number_first)            /* x to the power y. Errors: Error for integers to a negative whole number. */ \
  X(copysign, with_numbers)       /* |x| with the sign of y, also that of -0. The gradient is 0 where x is 0, and 0 for y. */ \
  X(bitwise_and, number_first)    /* The bits that both have. Errors: NotImplementedError for floating dtypes. */ \
  X(bitwise_or, number_first)     /* The bits that either has. Errors: as bitwise_and. */ \
  X(bitwise_xor, number_first)    /* The bits that just one has. Errors: as bitwise_and. */ \
  X(eq, comparison)               /* Whether x == y; bool. In place 0 or 1 in x's dtype, with a gradient of 0. */ \
  X(ne, comparison)               /* Whether x != y, true where either is NaN; in place as eq. */ \
  X(lt, comparison)               /* Whether x < y; in place as eq. */ \
  X(le, comparison)               /* Whether x <= y; in place as eq. */ \
  X(gt, comparison)               /* Whether x > y; in place as eq. */ \
  X(ge, comparison)               /* Whether x >= y; in place as eq. */ \
  X(atan2, tensors)               /* The angle, in (-pi, pi], of the point at height x above the place y of the axis. */ \
  X(logical_and, test_of_tensors) /* Whether both x and y are other than 0; bool. */ \
  X(logical_or, test_of_tensors)  /* Whether x or y is other than 0; bool. */ \
  X(logical_xor, test_of_tensors) /* Whether just one of x and y is other than 0; bool. */ \
  X(maximum, extremum)            /* The larger of x and y, NaN if either is; equal ones share the gradient. */ \
  X(minimum, extremum)            /* The smaller of x and y, NaN if either is; equal ones share the gradient. */

/// Second names of all forms: X(alias, name).
#define TAPER_BINARY_ALIASES(X)                                                        \
  X(multiply, mul) X(divide, div) X(true_divide, div)                                  \
  X(not_equal, ne) X(less, lt) X(less_equal, le) X(greater, gt) X(greater_equal, ge)
// clang-format on
