// Declares math functions that the compiler may call on whole vectors.
//
// glibc's libmvec has vector versions of these functions, with an error of at most 4 units in the
// last place. The attribute tells the compiler about the vector versions. Without the attribute,
// the compiler uses them only under -ffast-math. A plain loop over `y[i] = std::exp(x[i])` in an
// *_isa.inc file becomes vector code of each instruction set.
#pragma once

#include <cmath>

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(__CUDACC__) && \
    (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 35)
#define TAPER_VECTOR_MATH(name)                                                 \
  extern "C" __attribute__((simd("notinbranch"))) double name(double) noexcept; \
  extern "C" __attribute__((simd("notinbranch"))) float name##f(float) noexcept;
TAPER_VECTOR_MATH(exp)
TAPER_VECTOR_MATH(exp2)
TAPER_VECTOR_MATH(expm1)
TAPER_VECTOR_MATH(log)
TAPER_VECTOR_MATH(log2)
TAPER_VECTOR_MATH(log10)
TAPER_VECTOR_MATH(log1p)
TAPER_VECTOR_MATH(sin)
TAPER_VECTOR_MATH(cos)
TAPER_VECTOR_MATH(tan)
TAPER_VECTOR_MATH(asin)
TAPER_VECTOR_MATH(acos)
TAPER_VECTOR_MATH(atan)
TAPER_VECTOR_MATH(sinh)
TAPER_VECTOR_MATH(cosh)
TAPER_VECTOR_MATH(tanh)
TAPER_VECTOR_MATH(asinh)
TAPER_VECTOR_MATH(acosh)
TAPER_VECTOR_MATH(atanh)
TAPER_VECTOR_MATH(erf)
TAPER_VECTOR_MATH(erfc)
#undef TAPER_VECTOR_MATH
#define TAPER_VECTOR_MATH(name)                                                         \
  extern "C" __attribute__((simd("notinbranch"))) double name(double, double) noexcept; \
  extern "C" __attribute__((simd("notinbranch"))) float name##f(float, float) noexcept;
TAPER_VECTOR_MATH(pow)
TAPER_VECTOR_MATH(atan2)
TAPER_VECTOR_MATH(hypot)
#undef TAPER_VECTOR_MATH
#endif
