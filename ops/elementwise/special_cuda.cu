#include <taper/framework/cuda/map.h>
#include <taper/ops/elementwise/special_functors.h>
#include <taper/ops/elementwise/special_kernels.h>

namespace torch::taper::cuda {
namespace {

template <class T, class F>
void map_costly(const Out& y, const In& x, const F& f) {
  if constexpr (std::is_same_v<F, functor::lgamma>)  // CUDA has it in float
    map<T, T>(y, x, f);
  else
    map_in_double(y, x, f);
}

}  // namespace

#include <taper/ops/elementwise/special_loops.inc>

void lgamma(Out y, In x) { unary_kernel<functor::lgamma>("lgamma_cpu", y, x); }
void digamma(Out y, In x) { unary_kernel<functor::digamma>("digamma_cpu", y, x); }
void erfinv(Out y, In x) { unary_kernel<functor::erfinv>("erfinv_cpu", y, x); }
void polygamma(Out y, In x, int64_t n) { any_polygamma(y, x, n); }
void logaddexp(Out y, In a, In b) {
  binary_kernel<dtypes::Floating, functor::logaddexp>("logaddexp_cpu", y, a, b);
}
void logaddexp2(Out y, In a, In b) {
  binary_kernel<dtypes::Floating, functor::logaddexp2>("logaddexp2_cpu", y, a, b);
}
void hypot(Out y, In a, In b) {
  binary_kernel<dtypes::Floating, functor::hypot>("hypot_cpu", y, a, b);
}
void xlogy(Out y, In a, In b) {
  binary_kernel<dtypes::Floating, functor::xlogy>("xlogy_cpu", y, a, b);
}

}  // namespace torch::taper::cuda
