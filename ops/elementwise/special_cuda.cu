#include <taper/framework/cuda/map.h>
#include <taper/ops/elementwise/special_functors.h>
#include <taper/ops/elementwise/special_kernels.h>

namespace taper::cuda {
namespace {

template <class T, class F>
void map_costly(const Out& y, const In& x, const F& f) {
  if constexpr (std::is_same_v<F, functor::lgamma>)  // CUDA has it in float
    map<T, T>(y, x, f);
  else
    map_in_double(y, x, f);
}

}  // namespace

#define TAPER_KERNEL_NAME(name) #name
#define TAPER_PLAIN_UNARY TAPER_SPECIAL_UNARY
#include <taper/ops/elementwise/special_loops.inc>
#undef TAPER_KERNEL_NAME
#undef TAPER_PLAIN_UNARY
void polygamma(Out y, In x, int64_t n) { any_polygamma(y, x, n); }
#define TAPER_FLOAT_KERNEL(name)                                               \
  void name(Out y, In a, In b) {                                               \
    TAPER_SWITCH(y.dtype, #name, TAPER_FLOATING_DTYPES,                        \
                 [&] { map2<scalar_t, scalar_t>(y, a, b, functor::name()); }); \
  }
TAPER_SPECIAL_FLOAT(TAPER_FLOAT_KERNEL)
#undef TAPER_FLOAT_KERNEL

}  // namespace taper::cuda
