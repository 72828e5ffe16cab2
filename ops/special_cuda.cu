#include <taper/framework/cuda/map.h>
#include <taper/ops/special_functors.h>
#include <taper/ops/special_kernels.h>

namespace taper::cuda {

#define TAPER_UNARY_KERNEL(name)                                           \
  void name(Out y, In x) {                                                 \
    TAPER_SWITCH(y.dtype, #name, TAPER_FLOATING_DTYPES,                    \
                 [&] { map<scalar_t, scalar_t>(y, x, functor::name()); }); \
  }
#define TAPER_BINARY_OVER(name, DTYPES)                                        \
  void name(Out y, In a, In b) {                                               \
    TAPER_SWITCH(y.dtype, #name, DTYPES,                                       \
                 [&] { map2<scalar_t, scalar_t>(y, a, b, functor::name()); }); \
  }
#define TAPER_FLOAT_KERNEL(name) TAPER_BINARY_OVER(name, TAPER_FLOATING_DTYPES)
#define TAPER_NUMBER_KERNEL(name) TAPER_BINARY_OVER(name, TAPER_NUMBER_DTYPES)
#define TAPER_INTEGER_KERNEL(name) TAPER_BINARY_OVER(name, TAPER_INTEGRAL_DTYPES)
TAPER_SPECIAL_UNARY(TAPER_UNARY_KERNEL)
TAPER_SPECIAL_FLOAT(TAPER_FLOAT_KERNEL)
TAPER_SPECIAL_NUMBER(TAPER_NUMBER_KERNEL)
TAPER_SPECIAL_INTEGER(TAPER_INTEGER_KERNEL)
TAPER_BINARY_OVER(nextafter, TAPER_FLOAT_DTYPES)
#undef TAPER_UNARY_KERNEL
#undef TAPER_BINARY_OVER
#undef TAPER_FLOAT_KERNEL
#undef TAPER_NUMBER_KERNEL
#undef TAPER_INTEGER_KERNEL

void polygamma(Out y, In x, int64_t n) {
  const double order = static_cast<double>(n);
  const functor::polygamma f{order, (n % 2 ? 1 : -1) * std::tgamma(order + 1)};
  TAPER_SWITCH(y.dtype, "polygamma", TAPER_FLOATING_DTYPES,
               [&] { map<scalar_t, scalar_t>(y, x, f); });
}

}  // namespace taper::cuda
