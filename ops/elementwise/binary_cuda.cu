#include <taper/framework/cuda/pointwise.h>
#include <taper/ops/elementwise/binary_functors.h>
#include <taper/ops/elementwise/binary_kernels.h>
#include <taper/ops/elementwise/simple_powers.h>
#include <taper/ops/elementwise/unary_functors.h>

namespace torch::taper::cuda {

namespace {

template <class T, class F>
void map2_of(const Out& y, const In& a, const In& b, const F& f) {
  if constexpr (sizeof(T) == 2 && !std::is_integral<T>::value && functor::keeps_number<F>)
    if (b.dtype == kFloat) return pointwise<T, T>(y, a, functor::WithNumber<F>{*b.as<float>()});
  pointwise<T, T>(y, a, b, f);
}

// ---------------------------------------------------------------- operands of two dtypes
/// Computes y = a + b, with b of 16 bits and the others of 32.
template <class T>
struct AddNarrowPacked {
  static constexpr int V = kPack<float>;
  float* y;
  Source<float> a;
  Source<T> b;
  int64_t n;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t first = i * V;
    if (first + V <= n) {
      const auto pa = load_pack<float, V>(a, first);
      const auto pb = load_pack<T, V>(b, first);
      Pack<float, V> out;
      for (int k = 0; k < V; ++k) out.v[k] = pa.v[k] + load(pb.v[k]);
      *reinterpret_cast<Pack<float, V>*>(y + first) = out;
    } else {
      TAPER_ROLLED
      for (int64_t k = first; k < n; ++k)
        y[k] = a.at(k * int64_t{sizeof(float)}) + load(b.at(k * int64_t{sizeof(T)}));
    }
  }
};
template <class T>
struct AddNarrowStrided {
  char* y;
  Source<float> a;
  Source<T> b;
  TAPER_DEVICE void operator()(const int64_t (&at)[3]) const {
    *reinterpret_cast<float*>(y + at[0]) = a.at(at[1]) + load(b.at(at[2]));
  }
};
void add_narrow(const Out& y, const In& a, const In& b) {
  if (a.dtype != kFloat) return add_narrow(y, b, a);
  switch_dtype<TypeList<Half, BFloat16>>(b.dtype, "add", [&]<class T>() {
    using Packed = AddNarrowPacked<T>;
    const Source<float> sa(a);
    const Source<T> sb(b);
    tell<float, float, T>(functor::add(), y, a, b);
    if (is_dense(y) && is_packed(y.data) && suits_packs(y, a) && suits_packs(y, b))
      for_each((y.numel + Packed::V - 1) / Packed::V, Packed{y.as<float>(), sa, sb, y.numel});
    else
      for_each_place(plan_over(y.sizes, y, a, b),
                     AddNarrowStrided<T>{static_cast<char*>(y.data), sa, sb});
  });
}

template <class F>
void real_kernel(const char* op, const Out& y, const In& a, const In& b) {
  if constexpr (std::is_same_v<F, functor::add>)
    if (a.dtype != b.dtype) return add_narrow(y, a, b);
  switch_dtype<dtypes::Real>(y.dtype, op,
                             [&]<class scalar_t>() { map2_of<scalar_t>(y, a, b, F()); });
}
template <class F>
void number_kernel(const char* op, const Out& y, const In& a, const In& b) {
  switch_dtype<dtypes::Number>(y.dtype, op,
                               [&]<class scalar_t>() { map2_of<scalar_t>(y, a, b, F()); });
}
template <class F>
void floating_kernel(const char* op, const Out& y, const In& a, const In& b) {
  switch_dtype<dtypes::Floating>(y.dtype, op,
                                 [&]<class scalar_t>() { map2_of<scalar_t>(y, a, b, F()); });
}
template <class F>
void bit_kernel(const char* op, const Out& y, const In& a, const In& b) {
  switch_dtype<dtypes::Bit>(y.dtype, op,
                            [&]<class scalar_t>() { pointwise<scalar_t, scalar_t>(y, a, b, F()); });
}
template <class F>
void test_kernel(const char* op, const Out& y, const In& a, const In& b) {
  switch_dtype<dtypes::Real>(a.dtype, op,
                             [&]<class scalar_t>() { pointwise<bool, scalar_t>(y, a, b, F()); });
}

}  // namespace

#define TAPER_DEFINE(name, kind) \
  void name(Out y, In a, In b) { kind##_kernel<functor::name>(#name, y, a, b); }
TAPER_BINARY_KERNELS(TAPER_DEFINE)
#undef TAPER_DEFINE

void pow(Out y, In a, In b) {
  if (!b.data && isFloatingType(y.dtype)) {
    bool done = false;
    switch_dtype<dtypes::Floating>(y.dtype, "pow", [&]<class scalar_t>() {
      done = functor::with_simple_power(static_cast<double>(load(*b.as<scalar_t>())),
                                        [&](auto f) { pointwise<scalar_t, scalar_t>(y, a, f); });
    });
    if (done) return;
  }
  switch_dtype<dtypes::Number>(y.dtype, "pow", [&]<class scalar_t>() {
    pointwise<scalar_t, scalar_t>(y, a, b, functor::pow());
  });
}

void add_scaled(Out y, In a, In b, Scalar alpha) {
  switch_dtype<dtypes::Real>(y.dtype, "add", [&]<class scalar_t>() {
    using C = opmath_t<scalar_t>;
    pointwise<scalar_t, scalar_t>(y, a, b, functor::add_scaled<C>{alpha.cast<C>()});
  });
}

}  // namespace torch::taper::cuda
