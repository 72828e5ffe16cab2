// Kernels of complex arithmetic. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

// clang-format off
/// Functions of one complex number; the names are those of the ops.
#define TAPER_COMPLEX_UNARY(X)                                                         \
  X(exp) X(log) X(sqrt) X(reciprocal) X(sin) X(cos) X(tan) X(sinh) X(cosh) X(tanh)     \
  X(asin) X(acos) X(atan) X(asinh) X(acosh) X(atanh) X(log2) X(log10) X(rsqrt)         \
  X(sigmoid) X(square) X(neg) X(sgn) X(conj) X(exp2) X(expm1) X(log1p)
/// Functions of two.
#define TAPER_COMPLEX_BINARY(X) X(add) X(sub) X(mul) X(div) X(pow) X(eq) X(ne) X(logaddexp)
// clang-format on

#define TAPER_ENUMERATOR(name) name,
enum class ComplexUnary : int8_t { TAPER_COMPLEX_UNARY(TAPER_ENUMERATOR) };
enum class ComplexBinary : int8_t { TAPER_COMPLEX_BINARY(TAPER_ENUMERATOR) };
#undef TAPER_ENUMERATOR

/// y = f(x), of one complex dtype and equal shapes, any strides.
TAPER_KERNEL(complex_unary, Out y, In x, ComplexUnary f)
/// y = f(a, b), of one complex dtype (y bool for eq and ne); a and b broadcast to y.
TAPER_KERNEL(complex_binary, Out y, In a, In b, ComplexBinary f)
/// z = re + i im, which are of z's real dtype and broadcast to it.
TAPER_KERNEL(complex_of_parts, Out z, In re, In im)

namespace detail {

/// Runs the kernel of the op of this name, for complex y and x (a and b). Throws
/// NotImplementedError where there is none.
void run_complex_unary(const char* op, const Tensor& y, const Tensor& x);
void run_complex_binary(const char* op, const Tensor& y, const In& a, const In& b);

}  // namespace detail
}  // namespace torch::taper
