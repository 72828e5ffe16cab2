#include <taper/framework/cuda/map.h>
#include <taper/ops/elementwise/unary_functors.h>
#include <taper/ops/elementwise/unary_kernels.h>

namespace taper::cuda {

#define TAPER_UNARY_OVER(name, To, key, DTYPES)                                          \
  void name(Out y, In x) {                                                               \
    TAPER_SWITCH(key, #name, DTYPES, [&] { map<To, scalar_t>(y, x, functor::name()); }); \
  }
#define TAPER_FLOAT_KERNEL(name) TAPER_UNARY_OVER(name, scalar_t, y.dtype, TAPER_FLOATING_DTYPES)
#define TAPER_SAME_KERNEL(name) TAPER_UNARY_OVER(name, scalar_t, y.dtype, TAPER_NUMBER_DTYPES)
#define TAPER_TEST_KERNEL(name) TAPER_UNARY_OVER(name, bool, x.dtype, TAPER_ALL_DTYPES)
TAPER_UNARY_FLOAT_OPS(TAPER_FLOAT_KERNEL)
TAPER_UNARY_SAME_OPS(TAPER_SAME_KERNEL)
TAPER_UNARY_BOOL_OPS(TAPER_TEST_KERNEL)
TAPER_TEST_KERNEL(logical_not)
TAPER_UNARY_OVER(bitwise_not, scalar_t, y.dtype, TAPER_BIT_DTYPES)
#undef TAPER_UNARY_OVER
#undef TAPER_FLOAT_KERNEL
#undef TAPER_SAME_KERNEL
#undef TAPER_TEST_KERNEL

namespace {

// Comparisons keep NaN: it is neither below the one bound nor above the other.
template <class C>
struct Clamp {
  C low, high;
  bool has_low, has_high;
  TAPER_DEVICE C operator()(C v) const {
    if (has_low && v < low) v = low;
    if (has_high && v > high) v = high;
    return v;
  }
};

}  // namespace

void clamp(Out y, In x, In low, In high) {
  TAPER_SWITCH(y.dtype, "clamp", TAPER_NUMBER_DTYPES, [&] {
    Clamp<opmath_t<scalar_t>> f{{}, {}, low.defined(), high.defined()};
    if (f.has_low) f.low = static_cast<opmath_t<scalar_t>>(*low.as<scalar_t>());
    if (f.has_high) f.high = static_cast<opmath_t<scalar_t>>(*high.as<scalar_t>());
    map<scalar_t, scalar_t>(y, x, f);
  });
}

}  // namespace taper::cuda
