#include <taper/framework/cuda/map.h>
#include <taper/ops/elementwise/ternary_functors.h>
#include <taper/ops/elementwise/ternary_kernels.h>

namespace taper::cuda {

namespace {

template <template <class> class F>
void scaled(const char* op, const Out& y, const In& x, const In& a, const In& b, double value) {
  switch_dtype<dtypes::Floating>(y.dtype, op, [&]<class scalar_t>() {
    using C = opmath_t<scalar_t>;
    map3<scalar_t>(y, x, a, b, F<C>{static_cast<C>(value)});
  });
}

}  // namespace

void addcmul(Out y, In x, In a, In b, double value) {
  scaled<functor::addcmul>("addcmul", y, x, a, b, value);
}
void addcdiv(Out y, In x, In a, In b, double value) {
  scaled<functor::addcdiv>("addcdiv", y, x, a, b, value);
}

void lerp(Out y, In start, In end, In weight) {
  switch_dtype<dtypes::Floating>(y.dtype, "lerp", [&]<class scalar_t>() {
    map3<scalar_t>(y, start, end, weight, functor::lerp());
  });
}
void lerp_number(Out y, In start, In end, double weight) {
  switch_dtype<dtypes::Floating>(y.dtype, "lerp_number", [&]<class scalar_t>() {
    using C = opmath_t<scalar_t>;
    map2<scalar_t, scalar_t>(y, start, end, functor::lerp_number<C>{static_cast<C>(weight)});
  });
}
void clamp_between(Out y, In x, In low, In high) {
  switch_dtype<dtypes::Real>(y.dtype, "clamp", [&]<class scalar_t>() {
    map3<scalar_t>(y, x, low, high, functor::clamp_between());
  });
}

}  // namespace taper::cuda
