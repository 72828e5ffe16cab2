#include <taper/framework/cuda/pointwise.h>
#include <taper/ops/nn/activation_functors.h>

namespace torch::taper::cuda {
void activation(Out y, In x, ActivationForm form) {
  switch_dtype<dtypes::Floating>(y.dtype, "activation", [&]<class scalar_t>() {
    functor::with_activation<opmath_t<scalar_t>>(
        form, [&](auto f) { pointwise<scalar_t, scalar_t>(y, x, functor::Value<decltype(f)>{f}); });
  });
}

void activation_backward(Out gx, In gy, In x, ActivationForm form) {
  switch_dtype<dtypes::Floating>(gx.dtype, "activation_backward", [&]<class scalar_t>() {
    functor::with_activation<opmath_t<scalar_t>>(form, [&](auto f) {
      const functor::Slope<decltype(f)> slope{f};
      tell<scalar_t, scalar_t, scalar_t>(slope, gx, gy, x);
      map2<scalar_t, scalar_t>(gx, gy, x, slope);
    });
  });
}

}  // namespace torch::taper::cuda
