#include <taper/framework/cuda/map.h>
#include <taper/ops/elementwise/special_bessel_functors.h>

namespace torch::taper::cuda {
namespace {

template <class T>
struct Frexp {
  T* mantissa;
  int32_t* exponent;
  const T* x;
  TAPER_DEVICE void operator()(int64_t i) const {
    mantissa[i] = static_cast<T>(functor::frexp()(load(x[i]), exponent[i]));
  }
};

}  // namespace

void special_of_one(Out y, In x, SpecialOfOne f) {
  switch_dtype<dtypes::Floating>(y.dtype, "special", [&]<class scalar_t>() {
    map_in_double(y, x, functor::special_of_one{f});
  });
}

void special_of_two(Out y, In a, In b, SpecialOfTwo f) {
  switch_dtype<dtypes::Floating>(y.dtype, "special", [&]<class scalar_t>() {
    map2_in_double(y, a, b, functor::special_of_two{f});
  });
}

void frexp(Out mantissa, Out exponent, In x) {
  switch_dtype<dtypes::Floating>(x.dtype, "frexp", [&]<class scalar_t>() {
    for_each(x.numel,
             Frexp<scalar_t>{mantissa.as<scalar_t>(), exponent.as<int32_t>(), x.as<scalar_t>()});
  });
}

}  // namespace torch::taper::cuda
