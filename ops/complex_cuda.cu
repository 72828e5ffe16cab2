#include <taper/framework/cuda/map.h>
#include <taper/ops/complex_functors.h>
#include <taper/ops/complex_kernels.h>

namespace taper::cuda {
namespace {

using complex_functor::Complex;

template <class C, class F>
struct Map {
  char* y;
  Source<C> x;
  F f;
  TAPER_DEVICE void operator()(const int64_t (&at)[2]) const {
    *reinterpret_cast<C*>(y + at[0]) = f(x.at(at[1]));
  }
};

template <class To, class C, class F>
struct Map2 {
  char* y;
  Source<C> a, b;
  F f;
  TAPER_DEVICE void operator()(const int64_t (&at)[3]) const {
    *reinterpret_cast<To*>(y + at[0]) = f(a.at(at[1]), b.at(at[2]));
  }
};

template <class To, class C, class F>
void map2(const Out& y, const In& a, const In& b, const F& f) {
  for_each_place(plan_over(y.sizes, y, a, b),
                 Map2<To, C, F>{y.as<char>(), Source<C>(a), Source<C>(b), f});
}

template <class C>
void unary_of(const Out& y, const In& x, ComplexUnary f) {
  const auto plan = plan_over(y.sizes, y, x);
  switch (f) {
#define TAPER_CASE(name)   \
  case ComplexUnary::name: \
    return for_each_place( \
        plan, Map<C, complex_functor::name>{y.as<char>(), Source<C>(x), complex_functor::name()});
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
  }
}

}  // namespace

void complex_unary(Out y, In x, ComplexUnary f) {
  if (x.dtype == kComplexDouble) return unary_of<Complex<double>>(y, x, f);
  unary_of<Complex<float>>(y, x, f);
}

void complex_binary(Out y, In a, In b, ComplexBinary f) {
  if (a.dtype == kComplexDouble) return binary_of<Complex<double>>(y, a, b, f);
  binary_of<Complex<float>>(y, a, b, f);
}

}  // namespace taper::cuda
