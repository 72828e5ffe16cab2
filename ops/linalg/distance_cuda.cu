#include <taper/framework/cuda/launch.h>
#include <taper/ops/linalg/distance_functors.h>
#include <taper/ops/linalg/distance_kernels.h>

namespace torch::taper::cuda {
namespace {

using functor::pair_at;

template <class T, class N>
struct PairNorm {
  T* y;
  const T* xt;
  int64_t n, depth;
  N norm;
  TAPER_DEVICE void operator()(int64_t at) const {
    const int64_t i = at / n, j = at % n;
    if (j <= i) return;
    T sum = 0;
    for (int64_t k = 0; k < depth; ++k) sum = norm.step(sum, xt[k * n + i] - xt[k * n + j]);
    y[pair_at(i, j, n)] = norm.finish(sum);
  }
};

/// Computes one element of the gradient per thread, so that no two threads add to one.
template <class T, class N>
struct PairGradient {
  T* gx;
  const T *gy, *x, *y;
  int64_t n, m;
  N norm;
  TAPER_DEVICE void operator()(int64_t at) const {
    const int64_t i = at / m, k = at % m;
    T sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (j == i) continue;
      const int64_t pair = j < i ? pair_at(j, i, n) : pair_at(i, j, n);
      sum += norm.scale(gy[pair], y[pair]) * norm.slope(x[at] - x[j * m + k], y[pair]);
    }
    gx[at] = sum;
  }
};

}  // namespace

void pdist(Out y, In xt, double p) {
  const int64_t depth = xt.sizes[0], n = xt.sizes[1];
  switch_dtype<dtypes::Float>(y.dtype, "pdist", [&]<class scalar_t>() {
    functor::with_norm<scalar_t>(p, [&](const auto& norm) {
      using N = std::decay_t<decltype(norm)>;
      for_each(n * n, PairNorm<scalar_t, N>{y.as<scalar_t>(), xt.as<scalar_t>(), n, depth, norm});
    });
  });
}

void pdist_backward(Out gx, In gy, In x, In y, double p) {
  const int64_t n = x.sizes[0], m = x.sizes[1];
  switch_dtype<dtypes::Float>(x.dtype, "pdist_backward", [&]<class scalar_t>() {
    functor::with_norm<scalar_t>(p, [&](const auto& norm) {
      using N = std::decay_t<decltype(norm)>;
      for_each(n * m, PairGradient<scalar_t, N>{gx.as<scalar_t>(), gy.as<scalar_t>(),
                                                x.as<scalar_t>(), y.as<scalar_t>(), n, m, norm});
    });
  });
}

}  // namespace torch::taper::cuda
