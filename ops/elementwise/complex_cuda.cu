#include <taper/framework/cuda/map.h>
#include <taper/ops/elementwise/complex_functors.h>
#include <taper/ops/elementwise/complex_kernels.h>

namespace torch::taper::cuda {
namespace {

using complex_functor::Complex;

template <class C>
void unary_of(const Out& y, const In& x, ComplexUnary f) {
  switch (f) {
#define TAPER_CASE(name)   \
  case ComplexUnary::name: \
    return map<C, C>(y, x, complex_functor::name());
    TAPER_COMPLEX_UNARY(TAPER_CASE)
#undef TAPER_CASE
  }
}

template <class C>
void binary_of(const Out& y, const In& a, const In& b, ComplexBinary f) {
  switch (f) {
    case ComplexBinary::eq:
      return map2<bool, C>(y, a, b, complex_functor::eq());
    case ComplexBinary::ne:
      return map2<bool, C>(y, a, b, complex_functor::ne());
    case ComplexBinary::add:
      return map2<C, C>(y, a, b, complex_functor::add());
    case ComplexBinary::sub:
      return map2<C, C>(y, a, b, complex_functor::sub());
    case ComplexBinary::mul:
      return map2<C, C>(y, a, b, complex_functor::mul());
    case ComplexBinary::div:
      return map2<C, C>(y, a, b, complex_functor::div());
    case ComplexBinary::pow:
      return map2<C, C>(y, a, b, complex_functor::pow());
    case ComplexBinary::logaddexp:
      return map2<C, C>(y, a, b, complex_functor::logaddexp());
  }
}

}  // namespace

void complex_of_parts(Out z, In re, In im) {
  if (z.dtype == kComplexDouble)
    return map2<Complex<double>, double>(z, re, im, complex_functor::of_parts());
  map2<Complex<float>, float>(z, re, im, complex_functor::of_parts());
}

void complex_unary(Out y, In x, ComplexUnary f) {
  if (x.dtype == kComplexDouble) return unary_of<Complex<double>>(y, x, f);
  unary_of<Complex<float>>(y, x, f);
}

void complex_binary(Out y, In a, In b, ComplexBinary f) {
  if (a.dtype == kComplexDouble) return binary_of<Complex<double>>(y, a, b, f);
  binary_of<Complex<float>>(y, a, b, f);
}

}  // namespace torch::taper::cuda
