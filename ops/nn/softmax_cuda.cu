#include <cmath>

#include <taper/framework/cuda/launch.h>
#include <taper/ops/nn/softmax_kernels.h>

namespace taper::cuda {
namespace {

// A row is n elements, `step` apart. Neighbouring rows of a dimension that is not the last one are
// neighbours in memory: there one thread has a row.
struct Rows {
  int64_t outer = 1, n = 1, inner = 1;
  Rows(const Dims& sizes, int64_t dim) {
    for (int64_t d = 0; d < sizes.size(); ++d) (d < dim ? outer : d == dim ? n : inner) *= sizes[d];
  }
  int64_t count() const { return n > 0 ? outer * inner : 0; }
  int team() const { return inner == 1 ? team_for(n) : 1; }
  TAPER_DEVICE int64_t first(int64_t row) const { return row / inner * n * inner + row % inner; }
};

template <class T>
TAPER_DEVICE T row_max(const Team& team, const T* x, const Rows& s) {
  return team.reduce(
      s.n, T(-INFINITY), [&](int64_t i) { return x[i * s.inner]; }, Larger());
}
template <class T>
TAPER_DEVICE T row_exp_sum(const Team& team, const T* x, const Rows& s, T max) {
  return team.sum<T>(s.n, [&](int64_t i) { return std::exp(x[i * s.inner] - max); });
}

template <class T>
struct Softmax {
  T* y;
  const T* x;
  Rows shape;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = shape.first(row), step = shape.inner;
    const T max = row_max(team, x + at, shape);
    const T scale = 1 / row_exp_sum(team, x + at, shape, max);
    team.each(shape.n,
              [&](int64_t i) { y[at + i * step] = std::exp(x[at + i * step] - max) * scale; });
  }
};

template <class T>
struct LogSoftmax {
  T* y;
  const T* x;
  Rows shape;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = shape.first(row), step = shape.inner;
    const T max = row_max(team, x + at, shape);
    const T log_sum = std::log(row_exp_sum(team, x + at, shape, max));
    team.each(shape.n, [&](int64_t i) { y[at + i * step] = x[at + i * step] - max - log_sum; });
  }
};

template <class T>
struct SoftmaxBackward {
  T* gx;
  const T *gy, *y;
  Rows shape;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = shape.first(row), step = shape.inner;
    const T dot =
        team.sum<T>(shape.n, [&](int64_t i) { return gy[at + i * step] * y[at + i * step]; });
    team.each(shape.n,
              [&](int64_t i) { gx[at + i * step] = y[at + i * step] * (gy[at + i * step] - dot); });
  }
};

template <class T>
struct LogSoftmaxBackward {
  T* gx;
  const T *gy, *y;
  Rows shape;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = shape.first(row), step = shape.inner;
    const T sum = team.sum<T>(shape.n, [&](int64_t i) { return gy[at + i * step]; });
    team.each(shape.n, [&](int64_t i) {
      gx[at + i * step] = gy[at + i * step] - std::exp(y[at + i * step]) * sum;
    });
  }
};

template <template <class> class Kernel>
void forward(const char* name, const Out& y, const In& x, int64_t dim) {
  const Rows shape(x.sizes, dim);
  switch_dtype<dtypes::Float>(x.dtype, name, [&]<class scalar_t>() {
    for_each_row(shape.count(), shape.team(),
                 Kernel<scalar_t>{y.as<scalar_t>(), x.as<scalar_t>(), shape});
  });
}
template <template <class> class Kernel>
void backward(const char* name, const Out& gx, const In& gy, const In& y, int64_t dim) {
  const Rows shape(y.sizes, dim);
  switch_dtype<dtypes::Float>(y.dtype, name, [&]<class scalar_t>() {
    for_each_row(shape.count(), shape.team(),
                 Kernel<scalar_t>{gx.as<scalar_t>(), gy.as<scalar_t>(), y.as<scalar_t>(), shape});
  });
}

}  // namespace

void softmax(Out y, In x, int64_t dim) { forward<Softmax>("softmax", y, x, dim); }
void log_softmax(Out y, In x, int64_t dim) { forward<LogSoftmax>("log_softmax", y, x, dim); }
void softmax_backward(Out gx, In gy, In y, int64_t dim) {
  backward<SoftmaxBackward>("softmax_backward", gx, gy, y, dim);
}
void log_softmax_backward(Out gx, In gy, In y, int64_t dim) {
  backward<LogSoftmaxBackward>("log_softmax_backward", gx, gy, y, dim);
}

}  // namespace taper::cuda
