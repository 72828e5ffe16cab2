#define TAPER_ISA_UP_TO_AVX2

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/framework/kernel/loops.h>
#include <taper/ops/elementwise/complex_functors.h>
#include <taper/ops/elementwise/complex_kernels.h>
#include <taper/ops/elementwise/complex_split.h>

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
