#include <taper/framework/cuda/map.h>
#include <taper/ops/elementwise/ternary_functors.h>
#include <taper/ops/elementwise/ternary_kernels.h>

namespace taper::cuda {

#define TAPER_SCALED_KERNEL(name)                                          \
  void name(Out y, In x, In a, In b, double value) {                       \
    TAPER_SWITCH(y.dtype, #name, TAPER_FLOATING_DTYPES, [&] {              \
      using C = opmath_t<scalar_t>;                                        \
      map3<scalar_t>(y, x, a, b, functor::name<C>{static_cast<C>(value)}); \
    });                                                                    \
  }
TAPER_SCALED_KERNEL(addcmul)
TAPER_SCALED_KERNEL(addcdiv)
#undef TAPER_SCALED_KERNEL

void lerp(Out y, In start, In end, In weight) {
  TAPER_SWITCH(y.dtype, "lerp", TAPER_FLOATING_DTYPES,
               [&] { map3<scalar_t>(y, start, end, weight, functor::lerp()); });
}
void lerp_number(Out y, In start, In end, double weight) {
  TAPER_SWITCH(y.dtype, "lerp_number", TAPER_FLOATING_DTYPES, [&] {
    using C = opmath_t<scalar_t>;
    map2<scalar_t, scalar_t>(y, start, end, functor::lerp_number<C>{static_cast<C>(weight)});
  });
}
void clamp_between(Out y, In x, In low, In high) {
  TAPER_SWITCH(y.dtype, "clamp", TAPER_ALL_DTYPES,
               [&] { map3<scalar_t>(y, x, low, high, functor::clamp_between()); });
}

}  // namespace taper::cuda
