#include <limits>

#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/scan.h>
#include <taper/ops/reduce/scan_kernels.h>

namespace torch::taper::cuda {
namespace {

/// The type of running values. Integers wrap.
template <class T>
using Running =
    std::conditional_t<std::is_integral_v<T>, uint64_t,
                       std::conditional_t<std::is_same_v<T, float>, double, opmath_t<T>>>;

template <class T, bool Product>
struct RunningValues {
  using State = Running<T>;
  T* y;
  const T* x;
  TAPER_HD State start() const { return Product ? State(1) : State(0); }
  TAPER_DEVICE State take(int64_t at, int64_t) const { return static_cast<State>(load(x[at])); }
  TAPER_DEVICE State join(State a, State b) const { return Product ? a * b : a + b; }
  TAPER_DEVICE void store(int64_t at, State v) const {
    y[at] = static_cast<T>(static_cast<opmath_t<T>>(v));
  }
};

template <class T>
struct RunningLogSum {
  using State = Running<T>;
  T* y;
  const T* x;
  TAPER_HD State start() const { return -std::numeric_limits<State>::infinity(); }
  TAPER_DEVICE State take(int64_t at, int64_t) const { return static_cast<State>(load(x[at])); }
  TAPER_DEVICE State join(State a, State b) const { return log_of_sum(a, b); }
  TAPER_DEVICE void store(int64_t at, State v) const {
    y[at] = static_cast<T>(static_cast<opmath_t<T>>(v));
  }
};

/// Keeps the largest value so far (the smallest if Sign is -1) and its last index. NaN wins over
/// all.
template <class T, int Sign>
struct RunningExtreme {
  using V = opmath_t<T>;
  struct State {
    V value;
    int64_t index;  // -1: nothing yet
  };
  T* y;
  int64_t* places;
  const T* x;
  TAPER_HD State start() const { return {V(), -1}; }
  TAPER_DEVICE State take(int64_t at, int64_t i) const { return {load(x[at]), i}; }
  TAPER_DEVICE State join(State a, State b) const {
    if (a.index < 0 || b.index < 0) return a.index < 0 ? b : a;
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    const bool equal = (a_nan && b_nan) || a.value == b.value;
    if (equal) return a.index > b.index ? a : b;
    if (a_nan || b_nan) return a_nan ? a : b;
    return (Sign > 0 ? a.value > b.value : a.value < b.value) ? a : b;
  }
  TAPER_DEVICE void store(int64_t at, State s) const {
    y[at] = static_cast<T>(s.value);
    places[at] = s.index;
  }
};

ScanBox box_of(const ScanShape& s, bool reverse) { return {s.outer, s.size, s.inner, reverse}; }

}  // namespace

void running_sum(Out y, In x, ScanShape shape, bool reverse) {
  switch_dtype<dtypes::Number>(y.dtype, "cumsum", [&]<class scalar_t>() {
    scan(box_of(shape, reverse),
         RunningValues<scalar_t, false>{y.as<scalar_t>(), x.as<scalar_t>()});
  });
}

void running_product(Out y, In x, ScanShape shape) {
  switch_dtype<dtypes::Number>(y.dtype, "cumprod", [&]<class scalar_t>() {
    scan(box_of(shape, false), RunningValues<scalar_t, true>{y.as<scalar_t>(), x.as<scalar_t>()});
  });
}

void running_log_sum(Out y, In x, ScanShape shape) {
  switch_dtype<dtypes::Floating>(y.dtype, "logcumsumexp", [&]<class scalar_t>() {
    scan(box_of(shape, false), RunningLogSum<scalar_t>{y.as<scalar_t>(), x.as<scalar_t>()});
  });
}

void running_extreme(Out y, Out index, In x, ScanShape shape, bool maximum) {
  switch_dtype<dtypes::Real>(x.dtype, "cummax", [&]<class T>() {
    const ScanBox box = box_of(shape, false);
    if (maximum)
      scan(box, RunningExtreme<T, 1>{y.as<T>(), index.as<int64_t>(), x.as<T>()});
    else
      scan(box, RunningExtreme<T, -1>{y.as<T>(), index.as<int64_t>(), x.as<T>()});
  });
}

}  // namespace torch::taper::cuda
