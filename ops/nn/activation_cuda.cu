#include <taper/framework/cuda/map.h>
#include <taper/ops/nn/activation_functors.h>

namespace taper::cuda {
namespace {

template <class F>
struct Slope {
  F f;
  template <class T>
  TAPER_DEVICE T operator()(T g, T x) const {
    return g * f.slope(x);
  }
};

}  // namespace

void activation(Out y, In x, ActivationForm form) {
  switch_dtype<dtypes::Floating>(y.dtype, "activation", [&]<class scalar_t>() {
    functor::with_activation<opmath_t<scalar_t>>(
        form, [&](auto f) { map<scalar_t, scalar_t>(y, x, functor::Value<decltype(f)>{f}); });
  });
}

void activation_backward(Out gx, In gy, In x, ActivationForm form) {
  switch_dtype<dtypes::Floating>(gx.dtype, "activation_backward", [&]<class scalar_t>() {
    functor::with_activation<opmath_t<scalar_t>>(
        form, [&](auto f) { map2<scalar_t, scalar_t>(gx, gy, x, Slope<decltype(f)>{f}); });
  });
}

}  // namespace taper::cuda
