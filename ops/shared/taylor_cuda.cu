#include <taper/framework/cuda/launch.h>
#include <taper/ops/shared/taylor_kernels.h>

namespace torch::taper::cuda {
namespace {

/// Row k of an element's polynomial.
template <class T>
struct Rows {
  const T *first, *others;
  int64_t numel;
  TAPER_DEVICE T at(int64_t k, int64_t i) const {
    return k == 0 ? first[i] : others[(k - 1) * numel + i];
  }
};
template <class T>
Rows<T> rows_of(const In& first, const In& others) {
  return {first.as<T>(), others.as<T>(), first.numel};
}

/// Returns coefficient k of y, whose derivative is g x'.
template <class T>
TAPER_DEVICE T integrated(const T* x, const T* g, int64_t k) {
  T sum = 0;
  for (int64_t i = 1; i <= k; ++i) sum += static_cast<T>(i) / static_cast<T>(k) * x[i] * g[k - i];
  return sum;
}

template <class T>
struct BySlope {
  T* y;
  Rows<T> x;  // row 0 is the value y0
  int64_t order;
  T constant, linear, square;
  TAPER_DEVICE void operator()(int64_t at) const {
    T xs[kMostTaylorRows + 1], ys[kMostTaylorRows + 1], g[kMostTaylorRows + 1];
    ys[0] = x.at(0, at);
    g[0] = constant + part(ys[0], ys[0] * ys[0]);
    for (int64_t k = 1; k <= order; ++k) {
      xs[k] = x.at(k, at);
      ys[k] = integrated(xs, g, k);
      y[(k - 1) * x.numel + at] = ys[k];
      T sum = 0;
      for (int64_t i = 0; i <= k; ++i) sum += ys[i] * ys[k - i];
      g[k] = part(ys[k], sum);
    }
  }
  /// A factor of 0 must not meet an infinite value.
  TAPER_DEVICE T part(T y, T square_of_y) const {
    return (linear != 0 ? linear * y : 0) + (square != 0 ? square * square_of_y : 0);
  }
};

template <class T>
struct Pair {
  T *y, *z;
  const T* z0;
  Rows<T> x;  // row 0 is the value y0
  int64_t order;
  T sign;
  TAPER_DEVICE void operator()(int64_t at) const {
    T xs[kMostTaylorRows + 1], ys[kMostTaylorRows + 1], zs[kMostTaylorRows + 1];
    ys[0] = x.at(0, at);
    zs[0] = z0[at];
    for (int64_t k = 1; k <= order; ++k) {
      xs[k] = x.at(k, at);
      ys[k] = integrated(xs, zs, k);
      zs[k] = sign * integrated(xs, ys, k);
      y[(k - 1) * x.numel + at] = ys[k];
      z[(k - 1) * x.numel + at] = zs[k];
    }
  }
};

template <class T>
struct Product {
  T* z;
  Rows<T> x, y;
  int64_t order;
  TAPER_DEVICE void operator()(int64_t at) const {
    for (int64_t k = 1; k <= order; ++k) {
      T sum = 0;
      for (int64_t i = 0; i <= k; ++i) sum += x.at(i, at) * y.at(k - i, at);
      z[(k - 1) * x.numel + at] = sum;
    }
  }
};

}  // namespace

void taylor_by_slope(Out y, In y0, In x, TaylorSlope slope) {
  switch_dtype<dtypes::Float>(y.dtype, "taylor", [&]<class T>() {
    for_each(y0.numel,
             BySlope<T>{y.as<T>(), rows_of<T>(y0, x), x.sizes[0], static_cast<T>(slope.constant),
                        static_cast<T>(slope.linear), static_cast<T>(slope.square)});
  });
}

void taylor_pair(Out y, Out z, In y0, In z0, In x, double sign) {
  switch_dtype<dtypes::Float>(y.dtype, "taylor", [&]<class T>() {
    for_each(y0.numel, Pair<T>{y.as<T>(), z.as<T>(), z0.as<T>(), rows_of<T>(y0, x), x.sizes[0],
                               static_cast<T>(sign)});
  });
}

void taylor_product(Out z, In x0, In x, In y0, In y) {
  switch_dtype<dtypes::Float>(z.dtype, "taylor", [&]<class T>() {
    for_each(x0.numel, Product<T>{z.as<T>(), rows_of<T>(x0, x), rows_of<T>(y0, y), x.sizes[0]});
  });
}

}  // namespace torch::taper::cuda
