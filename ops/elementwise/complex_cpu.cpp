#define TAPER_ISA_UP_TO_AVX2

#include <cmath>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/kernel/loops.h>
#include <taper/framework/kernel/vector_exp.h>
#include <taper/ops/elementwise/complex_functors.h>
#include <taper/ops/elementwise/complex_kernels.h>
#include <taper/ops/elementwise/functor.h>

// Complex arithmetic on separate real and imaginary parts, for the CPU's vector loops. It has no
// branches and calls only functions with vector forms.
namespace torch::taper::complex_split {

template <class T>
struct Parts {
  T re, im;
};

/// Returns |z|. No square overflows or underflows.
TAPER_INLINE float size_of(Parts<float> z) {
  const double re = z.re, im = z.im;
  return static_cast<float>(std::sqrt(re * re + im * im));
}
TAPER_INLINE double size_of(Parts<double> z) { return std::hypot(z.re, z.im); }

TAPER_FUNCTOR(TAPER_INLINE, add, (Parts<T> a, Parts<T> b), Parts<T>{a.re + b.re, a.im + b.im})
TAPER_FUNCTOR(TAPER_INLINE, sub, (Parts<T> a, Parts<T> b), Parts<T>{a.re - b.re, a.im - b.im})
TAPER_FUNCTOR(TAPER_INLINE, mul, (Parts<T> a, Parts<T> b),
              Parts<T>{a.re * b.re - a.im * b.im, a.re* b.im + a.im* b.re})
// Smith's method scales by the larger part of b, so that nothing overflows. A NaN counts as
// larger, so that it spreads to the result.
struct div {
  template <class T>
  TAPER_INLINE Parts<T> operator()(Parts<T> a, Parts<T> b) const {
    const bool first = !(std::fabs(b.re) < std::fabs(b.im));
    const T large = first ? b.re : b.im, small = first ? b.im : b.re;
    const T p = first ? a.re : a.im, q = first ? a.im : a.re;
    const T divided = small / large, ratio = large == 0 ? T(0) : divided;
    const T scale = T(1) / (large == 0 ? std::fabs(small) : large + small * ratio);
    const T across = (q - p * ratio) * scale;
    return {(p + q * ratio) * scale, first ? across : -across};
  }
};
TAPER_FUNCTOR(TAPER_INLINE, neg, (Parts<T> z), Parts<T>{-z.re, -z.im})
TAPER_FUNCTOR(TAPER_INLINE, conj, (Parts<T> z), Parts<T>{z.re, -z.im})
TAPER_FUNCTOR(TAPER_INLINE, square, (Parts<T> z),
              Parts<T>{z.re * z.re - z.im * z.im, 2 * z.re* z.im})
TAPER_FUNCTOR(TAPER_INLINE, reciprocal, (Parts<T> z), div()(Parts<T>{1, 0}, z))

// Functors that divide z by a real number define it as `divisor`. It may be 0 if z is 0.
struct sgn {
  template <class T>
  TAPER_INLINE static T divisor(Parts<T> z) {
    return size_of(z);
  }
};

// Functors of exponentials define `exponent` of z, and the result from z and e = exp(exponent).
struct exp {
  template <class T>
  TAPER_INLINE static Parts<T> exponent(Parts<T> z) {
    return z;
  }
  template <class T>
  TAPER_INLINE static Parts<T> of_exp(Parts<T>, Parts<T> e) {
    return e;
  }
};
// Uses the exponential whose magnitude is at most 1.
struct sigmoid {
  template <class T>
  TAPER_INLINE static Parts<T> exponent(Parts<T> z) {
    return {z.re < 0 ? z.re : -z.re, z.re < 0 ? z.im : -z.im};
  }
  template <class T>
  TAPER_INLINE static Parts<T> of_exp(Parts<T> z, Parts<T> e) {
    const Parts<T> above{z.re < 0 ? e.re : T(1), z.re < 0 ? e.im : T(0)};
    return div()(above, Parts<T>{1 + e.re, e.im});
  }
};

}  // namespace torch::taper::complex_split

#define TAPER_ISA_FILE <taper/ops/elementwise/complex_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

// Returns false if there is no vector loop for f.
bool split_unary(const Out& y, const In& x, ComplexUnary f) {
  return TAPER_BY_ISA(split_unary, y, x, f);
}
bool split_binary(const Out& y, const In& a, const In& b, ComplexBinary f) {
  return TAPER_BY_ISA(split_binary, y, a, b, f);
}

bool is_two(const In& x) {
  if (x.numel != 1) return false;
  if (x.dtype == kComplexDouble) return *x.as<std::complex<double>>() == 2.0;
  return *x.as<std::complex<float>>() == 2.0f;
}

// One call of the library's functions costs as much as tens of elements of a cheap op.
constexpr int64_t kComplexGrain = kGrain / 8;

template <class C, class F>
void map(const Out& y, const In& x, const F& f) {
  const auto plan = plan_over(y.sizes, y, x);
  parallel_for(0, plan.numel, kComplexGrain, [&](int64_t begin, int64_t end) {
    for_each_row(plan, begin, end, [&](char* const* p, const int64_t* s, int64_t n) {
      for (int64_t i = 0; i < n; ++i)
        *reinterpret_cast<C*>(p[0] + i * s[0]) = f(*reinterpret_cast<const C*>(p[1] + i * s[1]));
    });
  });
}

template <class To, class C, class F>
void map2(const Out& y, const In& a, const In& b, const F& f) {
  const auto plan = plan_over(y.sizes, y, a, b);
  parallel_for(0, plan.numel, kComplexGrain, [&](int64_t begin, int64_t end) {
    for_each_row(plan, begin, end, [&](char* const* p, const int64_t* s, int64_t n) {
      constexpr int64_t size = sizeof(C);
      if (s[0] == int64_t{sizeof(To)} && s[1] == size && s[2] == size) {
        To* to = reinterpret_cast<To*>(p[0]);
        const C *u = reinterpret_cast<const C*>(p[1]), *v = reinterpret_cast<const C*>(p[2]);
        for (int64_t i = 0; i < n; ++i) to[i] = f(u[i], v[i]);
        return;
      }
      for (int64_t i = 0; i < n; ++i)
        *reinterpret_cast<To*>(p[0] + i * s[0]) = f(*reinterpret_cast<const C*>(p[1] + i * s[1]),
                                                    *reinterpret_cast<const C*>(p[2] + i * s[2]));
    });
  });
}

template <class C>
void unary_of(const Out& y, const In& x, ComplexUnary f) {
  switch (f) {
#define TAPER_CASE(name)   \
  case ComplexUnary::name: \
    return map<C>(y, x, complex_functor::name());
    TAPER_COMPLEX_UNARY(TAPER_CASE)
#undef TAPER_CASE
  }
}

template <class C>
void binary_of(const Out& y, const In& a, const In& b, ComplexBinary f) {
  switch (f) {
#define TAPER_CASE(name)                                                                \
  case ComplexBinary::name: {                                                           \
    using To = decltype(complex_functor::name()(std::declval<C>(), std::declval<C>())); \
    return map2<To, C>(y, a, b, complex_functor::name());                               \
  }
    TAPER_COMPLEX_BINARY(TAPER_CASE)
#undef TAPER_CASE
  }
}

}  // namespace

void complex_of_parts(Out z, In re, In im) { return TAPER_BY_ISA(complex_of_parts, z, re, im); }

void complex_unary(Out y, In x, ComplexUnary f) {
  if (split_unary(y, x, f)) return;
  if (x.dtype == kComplexDouble) return unary_of<complex_functor::Complex<double>>(y, x, f);
  unary_of<complex_functor::Complex<float>>(y, x, f);
}

void complex_binary(Out y, In a, In b, ComplexBinary f) {
  if (f == ComplexBinary::pow && is_two(b) && split_binary(y, a, a, ComplexBinary::mul)) return;
  if (split_binary(y, a, b, f)) return;
  if (a.dtype == kComplexDouble) return binary_of<complex_functor::Complex<double>>(y, a, b, f);
  binary_of<complex_functor::Complex<float>>(y, a, b, f);
}

}  // namespace torch::taper::cpu
