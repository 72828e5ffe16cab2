// Kernels of complex arithmetic. Not installed.
#pragma once

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

// clang-format off
/// Functions of one complex number. The names are the names of the ops.
#define TAPER_COMPLEX_UNARY(X)                                                         \
  X(exp) X(log) X(sqrt) X(reciprocal) X(sin) X(cos) X(tan) X(sinh) X(cosh) X(tanh)     \
  X(asin) X(acos) X(atan) X(asinh) X(acosh) X(atanh) X(log2) X(log10) X(rsqrt)         \
  X(sigmoid) X(square) X(neg) X(sgn) X(conj) X(exp2) X(expm1) X(log1p)
/// Functions of two complex numbers.
#define TAPER_COMPLEX_BINARY(X) X(add) X(sub) X(mul) X(div) X(pow) X(eq) X(ne) X(logaddexp)
// clang-format on

#define TAPER_ENUMERATOR(name) name,
enum class ComplexUnary : int8_t { TAPER_COMPLEX_UNARY(TAPER_ENUMERATOR) };
enum class ComplexBinary : int8_t { TAPER_COMPLEX_BINARY(TAPER_ENUMERATOR) };
#undef TAPER_ENUMERATOR

/// Computes y = f(x). x and y have one complex dtype, equal shapes and any strides.
TAPER_KERNEL(complex_unary, Out y, In x, ComplexUnary f)
/// Computes y = f(a, b) in one complex dtype. For eq and ne, y is bool. a and b broadcast to y's
/// shape.
TAPER_KERNEL(complex_binary, Out y, In a, In b, ComplexBinary f)
/// Computes z = re + i im. re and im have z's real dtype and broadcast to z.
TAPER_KERNEL(complex_of_parts, Out z, In re, In im)

namespace detail {

/// Runs the kernel of the op named `op` for complex operands. Throws NotImplementedError if there
/// is no kernel.
void run_complex_unary(const char* op, const Tensor& y, const Tensor& x);
void run_complex_binary(const char* op, const Tensor& y, const In& a, const In& b);

}  // namespace detail
}  // namespace torch::taper
