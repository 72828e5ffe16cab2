#include <taper/framework/cuda/map.h>
#include <taper/ops/elementwise/binary_functors.h>
#include <taper/ops/elementwise/binary_kernels.h>
#include <taper/ops/elementwise/unary_functors.h>

namespace taper::cuda {

#define TAPER_BINARY_OVER(name, To, key, DTYPES)                                             \
  void name(Out y, In a, In b) {                                                             \
    TAPER_SWITCH(key, #name, DTYPES, [&] { map2<To, scalar_t>(y, a, b, functor::name()); }); \
  }
#define TAPER_ALL_KERNEL(name) TAPER_BINARY_OVER(name, scalar_t, y.dtype, TAPER_ALL_DTYPES)
#define TAPER_NUMBER_KERNEL(name) TAPER_BINARY_OVER(name, scalar_t, y.dtype, TAPER_NUMBER_DTYPES)
#define TAPER_FLOAT_KERNEL(name) TAPER_BINARY_OVER(name, scalar_t, y.dtype, TAPER_FLOATING_DTYPES)
#define TAPER_BIT_KERNEL(name) TAPER_BINARY_OVER(name, scalar_t, y.dtype, TAPER_BIT_DTYPES)
#define TAPER_TEST_KERNEL(name) TAPER_BINARY_OVER(name, bool, a.dtype, TAPER_ALL_DTYPES)
TAPER_BINARY_ALL_KERNELS(TAPER_ALL_KERNEL)
TAPER_BINARY_NUMBER_KERNELS(TAPER_NUMBER_KERNEL)
TAPER_BINARY_FLOAT_KERNELS(TAPER_FLOAT_KERNEL)
TAPER_BINARY_BIT_KERNELS(TAPER_BIT_KERNEL)
TAPER_BINARY_TEST_KERNELS(TAPER_TEST_KERNEL)
#undef TAPER_BINARY_OVER
#undef TAPER_ALL_KERNEL
#undef TAPER_NUMBER_KERNEL
#undef TAPER_FLOAT_KERNEL
#undef TAPER_BIT_KERNEL
#undef TAPER_TEST_KERNEL

namespace {

// x to the power e, where that is much faster (and exact) without the general power.
template <class T>
bool easy_power(const Out& y, const In& x, double e) {
  if (e == 1) return map<T, T>(y, x, functor::power_1()), true;
  if (e == 2) return map<T, T>(y, x, functor::square()), true;
  if (e == 3) return map<T, T>(y, x, functor::power_3()), true;
  if (e == 0.5) return map<T, T>(y, x, functor::sqrt()), true;
  if (e == -0.5) return map<T, T>(y, x, functor::rsqrt()), true;
  if (e == -1) return map<T, T>(y, x, functor::reciprocal()), true;
  if (e == -2) return map<T, T>(y, x, functor::power_minus_2()), true;
  return false;
}

}  // namespace

void pow(Out y, In a, In b) {
  if (!b.data && isFloatingType(y.dtype)) {
    bool done = false;
    TAPER_SWITCH(y.dtype, "pow", TAPER_FLOATING_DTYPES, [&] {
      done = easy_power<scalar_t>(y, a, static_cast<double>(load(*b.as<scalar_t>())));
    });
    if (done) return;
  }
  TAPER_SWITCH(y.dtype, "pow", TAPER_NUMBER_DTYPES,
               [&] { map2<scalar_t, scalar_t>(y, a, b, functor::pow()); });
}

void add_scaled(Out y, In a, In b, Scalar alpha) {
  TAPER_SWITCH(y.dtype, "add", TAPER_ALL_DTYPES, [&] {
    using C = opmath_t<scalar_t>;
    map2<scalar_t, scalar_t>(y, a, b, functor::add_scaled<C>{alpha.cast<C>()});
  });
}

}  // namespace taper::cuda
