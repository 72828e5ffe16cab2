#include <taper/framework/cuda/pointwise.h>
#include <taper/ops/elementwise/clamp_functors.h>
#include <taper/ops/elementwise/unary_functors.h>
#include <taper/ops/elementwise/unary_kernels.h>

namespace torch::taper::cuda {

namespace {

template <class F>
void floating_kernel(const char* op, const Out& y, const In& x) {
  switch_dtype<dtypes::Floating>(
      y.dtype, op, [&]<class scalar_t>() { pointwise<scalar_t, scalar_t>(y, x, F()); });
}
template <class F>
void same_kernel(const char* op, const Out& y, const In& x) {
  switch_dtype<dtypes::Number>(y.dtype, op,
                               [&]<class scalar_t>() { pointwise<scalar_t, scalar_t>(y, x, F()); });
}
template <class F>
void bit_kernel(const char* op, const Out& y, const In& x) {
  switch_dtype<dtypes::Bit>(y.dtype, op,
                            [&]<class scalar_t>() { pointwise<scalar_t, scalar_t>(y, x, F()); });
}
template <class F>
void test_kernel(const char* op, const Out& y, const In& x) {
  switch_dtype<dtypes::Real>(x.dtype, op,
                             [&]<class scalar_t>() { pointwise<bool, scalar_t>(y, x, F()); });
}

}  // namespace

#define TAPER_DEFINE(name, kind) \
  void name(Out y, In x) { kind##_kernel<functor::name>(#name, y, x); }
TAPER_UNARY_OPS(TAPER_DEFINE)
TAPER_DEFINE(logical_not, test)
TAPER_DEFINE(bitwise_not, bit)
#undef TAPER_DEFINE

void clamp(Out y, In x, In low, In high) {
  switch_dtype<dtypes::Number>(y.dtype, "clamp", [&]<class scalar_t>() {
    functor::Clamp<opmath_t<scalar_t>> f{{}, {}, low.defined(), high.defined()};
    if (f.has_low) f.low = static_cast<opmath_t<scalar_t>>(*low.as<scalar_t>());
    if (f.has_high) f.high = static_cast<opmath_t<scalar_t>>(*high.as<scalar_t>());
    pointwise<scalar_t, scalar_t>(y, x, f);
  });
}

}  // namespace torch::taper::cuda
