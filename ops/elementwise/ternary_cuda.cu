#include <taper/framework/cuda/pointwise.h>
#include <taper/ops/elementwise/ternary_functors.h>
#include <taper/ops/elementwise/ternary_kernels.h>

namespace torch::taper::cuda {

namespace {

/// Converts stored elements for a functor of the computing type.
template <class F>
struct OfStored {
  F f;
  template <class T>
  TAPER_DEVICE auto operator()(const T& x, const T& a, const T& b) const {
    return f(load(x), load(a), load(b));
  }
};
/// Calls map3 for integers. Floats are computed by rows. Operands as dense as y make one long row.
template <class T, class F>
void map3_or_rows(const Out& y, const In& x, const In& a, const In& b, const F& f) {
  tell<T, T, T, T>(f, y, x, a, b);
  if constexpr (!std::is_floating_point_v<opmath_t<T>>)
    map3<T>(y, x, a, b, f);
  else if (!map3_rows<T, T>(y, x, a, b, OfStored<F>{f}))
    for_each_place(
        plan_over(y.sizes, y, x, a, b),
        Map3Strided<T, F>{static_cast<char*>(y.data), Source<T>(x), Source<T>(a), Source<T>(b), f});
}

template <template <class> class F>
void scaled(const char* op, const Out& y, const In& x, const In& a, const In& b, double value) {
  switch_dtype<dtypes::Floating>(y.dtype, op, [&]<class scalar_t>() {
    using C = opmath_t<scalar_t>;
    map3_or_rows<scalar_t>(y, x, a, b, F<C>{static_cast<C>(value)});
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
    map3_or_rows<scalar_t>(y, start, end, weight, functor::lerp());
  });
}
void lerp_number(Out y, In start, In end, double weight) {
  switch_dtype<dtypes::Floating>(y.dtype, "lerp_number", [&]<class scalar_t>() {
    using C = opmath_t<scalar_t>;
    pointwise<scalar_t, scalar_t>(y, start, end, functor::lerp_number<C>{static_cast<C>(weight)});
  });
}
void clamp_between(Out y, In x, In low, In high) {
  switch_dtype<dtypes::Real>(y.dtype, "clamp", [&]<class scalar_t>() {
    map3_or_rows<scalar_t>(y, x, low, high, functor::clamp_between());
  });
}

}  // namespace torch::taper::cuda
