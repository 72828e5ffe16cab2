#include <cmath>

#include <taper/framework/cuda/rows.h>
#include <taper/ops/nn/softmax_kernels.h>

namespace torch::taper::cuda {
namespace {

// A row is n elements, `step` apart. Adjacent rows along an inner dimension are adjacent in memory,
// so there one thread has a row.
struct Rows {
  int64_t outer = 1, n = 1, step = 1;
  Rows(const Dims& sizes, int64_t dim) {
    for (int64_t d = 0; d < sizes.size(); ++d) (d < dim ? outer : d == dim ? n : step) *= sizes[d];
  }
  int64_t count() const { return n > 0 ? outer * step : 0; }
  template <class Held>
  int team() const {
    return step == 1 ? held_team_for<Held>(n) : 1;
  }
  TAPER_DEVICE int64_t first(int64_t row) const { return row / step * n * step + row % step; }
};

template <class T, int V>
TAPER_DEVICE opmath_t<T> row_max(const Team& team, const HeldRows<T, V>& x) {
  using Op = opmath_t<T>;
  return x.reduce(
      team, Op(-INFINITY), [](Op v) { return v; }, Larger());
}
template <class T, int V>
TAPER_DEVICE opmath_t<T> row_exp_sum(const Team& team, const HeldRows<T, V>& x, opmath_t<T> max) {
  using Op = opmath_t<T>;
  return x.reduce(
      team, Op(0), [max](Op v) { return std::exp(v - max); }, Plus());
}

template <class T, int V>
struct Softmax {
  using Held = HeldRows<T, V>;
  using Op = opmath_t<T>;
  static constexpr int kMostThreads = Held::kMostThreads;
  T* y;
  const T* x[1];
  Rows shape;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = shape.first(row);
    const Held held(team, shape.n, shape.step, x, at);
    const Op max = row_max(team, held), scale = 1 / row_exp_sum(team, held, max);
    held.map(y + at, [=](Op v) { return std::exp(v - max) * scale; });
  }
};

template <class T, int V>
struct LogSoftmax {
  using Held = HeldRows<T, V>;
  using Op = opmath_t<T>;
  static constexpr int kMostThreads = Held::kMostThreads;
  T* y;
  const T* x[1];
  Rows shape;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = shape.first(row);
    const Held held(team, shape.n, shape.step, x, at);
    const Op max = row_max(team, held), log_sum = std::log(row_exp_sum(team, held, max));
    held.map(y + at, [=](Op v) { return v - max - log_sum; });
  }
};

template <class T, int V>
struct SoftmaxBackward {
  using Held = HeldRows<T, V, 2>;
  using Op = opmath_t<T>;
  static constexpr int kMostThreads = Held::kMostThreads;
  T* gx;
  const T* gy_y[2];
  Rows shape;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = shape.first(row);
    const Held held(team, shape.n, shape.step, gy_y, at);
    const Op dot = held.reduce(
        team, Op(0), [](Op g, Op v) { return g * v; }, Plus());
    held.map(gx + at, [=](Op g, Op v) { return v * (g - dot); });
  }
};

template <class T, int V>
struct LogSoftmaxBackward {
  using Held = HeldRows<T, V, 2>;
  using Op = opmath_t<T>;
  static constexpr int kMostThreads = Held::kMostThreads;
  T* gx;
  const T* gy_y[2];
  Rows shape;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = shape.first(row);
    const Held held(team, shape.n, shape.step, gy_y, at);
    const Op sum = held.reduce(
        team, Op(0), [](Op g, Op) { return g; }, Plus());
    held.map(gx + at, [=](Op g, Op v) { return g - std::exp(v) * sum; });
  }
};

/// Runs Kernel{to, from..., shape} on the rows along `dim`.
template <template <class, int> class Kernel, class... From>
void run(const char* name, int64_t dim, const Out& to, const From&... from) {
  const Rows shape(to.sizes, dim);
  switch_dtype<dtypes::Floating>(to.dtype, name, [&]<class T>() {
    const bool packed =
        shape.step == 1 && row_packs<T>(shape.n, to.as<T>(), from.template as<T>()...);
    by_packs<T>(packed, [&]<int V>() {
      for_each_row(shape.count(), shape.team<typename Kernel<T, V>::Held>(),
                   Kernel<T, V>{to.as<T>(), {from.template as<T>()...}, shape});
    });
  });
}

}  // namespace

void softmax(Out y, In x, int64_t dim) { run<Softmax>("softmax", dim, y, x); }
void log_softmax(Out y, In x, int64_t dim) { run<LogSoftmax>("log_softmax", dim, y, x); }
void softmax_backward(Out gx, In gy, In y, int64_t dim) {
  run<SoftmaxBackward>("softmax_backward", dim, gx, gy, y);
}
void log_softmax_backward(Out gx, In gy, In y, int64_t dim) {
  run<LogSoftmaxBackward>("log_softmax_backward", dim, gx, gy, y);
}

}  // namespace torch::taper::cuda
