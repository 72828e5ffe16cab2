#include <cmath>

#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/library.h>
#include <taper/ops/tensor/factory_kernels.h>

namespace torch::taper::cuda {
namespace {

// Returns a + b * i, rounded once.
TAPER_DEVICE inline double step_from(double a, double b, int64_t i) {
  return std::fma(b, static_cast<double>(i), a);
}

// Returns the start of the group of PyTorch's CPU vectors. factory_cpu.cpp says why.
template <class T>
TAPER_DEVICE int64_t first_of_group(int64_t i, int64_t n) {
  constexpr int64_t kLength = 32 / static_cast<int64_t>(sizeof(T));
  return i < n / (2 * kLength) * (2 * kLength) ? i / kLength * kLength : i;
}

template <class T>
struct ArangeFloats {
  T* y;
  int64_t n;
  double start, step;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t g = first_of_group<T>(i, n);
    const T base = static_cast<T>(step_from(start, step, g));
    y[i] = static_cast<T>(step_from(static_cast<double>(base), step, i - g));
  }
};

template <class T, class A>
struct Arange {
  T* y;
  A start, step;
  TAPER_DEVICE void operator()(int64_t i) const {
    if constexpr (std::is_integral_v<A>)  // unsigned, because a product may exceed the range
      y[i] = static_cast<T>(static_cast<uint64_t>(start) + static_cast<uint64_t>(step) * i);
    else
      y[i] = static_cast<T>(start + step * static_cast<A>(i));
  }
};

// Counts from the nearer end, so that both ends are exact.
template <class T>
struct LinspaceFloats {
  T* y;
  int64_t n;
  T start, end, step;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t g = first_of_group<T>(i, n);
    const bool forward = g < n / 2 || n == 1;
    const T base = static_cast<T>(
        forward ? step_from(static_cast<double>(start), static_cast<double>(step), g)
                : step_from(static_cast<double>(end), -static_cast<double>(step), n - 1 - g));
    y[i] = base + step * static_cast<T>(i - g);
  }
};

struct Itself {
  TAPER_DEVICE double operator()(double v) const { return v; }
};
struct PowerOf {
  double base;
  TAPER_DEVICE double operator()(double v) const { return std::pow(base, v); }
};

// Computes value(i) in double for the other dtypes.
template <class T, class Map>
struct Spaced {
  T* y;
  int64_t n;
  double start, end, step;
  Map map;
  TAPER_DEVICE void operator()(int64_t i) const {
    const double v = i < n / 2 || n == 1 ? start + step * static_cast<double>(i)
                                         : end - step * static_cast<double>(n - 1 - i);
    y[i] = static_cast<T>(static_cast<opmath_t<T>>(map(v)));
  }
};
template <class T, class Map>
void spaced(const Out& y, double start, double end, const Map& map) {
  const double step = y.numel > 1 ? (end - start) / static_cast<double>(y.numel - 1) : 0;
  for_each(y.numel, Spaced<T, Map>{y.as<T>(), y.numel, start, end, step, map});
}

template <class T>
void arange_of(const Out& y, const Scalar& start, const Scalar& step) {
  if constexpr (std::is_floating_point_v<T>) {
    for_each(y.numel, ArangeFloats<T>{y.as<T>(), y.numel, start.toDouble(), step.toDouble()});
  } else {
    using A = std::conditional_t<std::is_integral_v<T>, int64_t, float>;
    for_each(y.numel, Arange<T, A>{y.as<T>(), start.cast<A>(), step.cast<A>()});
  }
}

template <class T>
void linspace_of(const Out& y, T start, T end) {
  if constexpr (std::is_floating_point_v<T>) {
    const T step = y.numel > 1 ? (end - start) / static_cast<T>(y.numel - 1) : T(0);
    for_each(y.numel, LinspaceFloats<T>{y.as<T>(), y.numel, start, end, step});
  } else {
    spaced<T>(y, static_cast<double>(start), static_cast<double>(end), Itself());
  }
}

// ---------------------------------------------------------------- triangles
/// The elements of a matrix on and below a diagonal.
struct Lower {
  int64_t cols, offset;
  TAPER_DEVICE int64_t in_row(int64_t r) const {
    const int64_t count = r + offset + 1;
    return count < 0 ? 0 : count > cols ? cols : count;
  }
  /// Counts the elements in rows 0 to r - 1: none, then one more per row, then whole rows.
  TAPER_DEVICE int64_t above(int64_t r) const {
    const int64_t first = offset < 0 ? -offset : 0;
    if (r <= first) return 0;
    const int64_t rows = r - first, start = first + offset + 1;
    const int64_t room = cols - start + 1;
    const int64_t rising = room < 0 ? 0 : room > rows ? rows : room;
    return rising * start + rising * (rising - 1) / 2 + (rows - rising) * cols;
  }
};

template <class I>
struct TriangleIndices {
  I* y;
  int64_t n, rows, cols;
  Lower lower;  // the triangle, or the complement of an upper one
  bool upper;
  TAPER_DEVICE int64_t above(int64_t r) const {
    return upper ? r * cols - lower.above(r) : lower.above(r);
  }
  TAPER_DEVICE void operator()(int64_t i) const {
    int64_t begin = 0, end = rows - 1;  // finds the last row with at most i elements above it
    while (begin < end) {
      const int64_t middle = begin + (end - begin + 1) / 2;
      if (above(middle) <= i)
        begin = middle;
      else
        end = middle - 1;
    }
    y[i] = static_cast<I>(begin);
    y[n + i] = static_cast<I>(i - above(begin) + (upper ? lower.in_row(begin) : 0));
  }
};

}  // namespace

void clear(Out y) { set_zero(y.data, static_cast<size_t>(y.numel) * elementSize(y.dtype)); }

void arange(Out y, Scalar start, Scalar step) {
  switch_dtype<dtypes::Number>(y.dtype, "arange_cpu",
                               [&]<class scalar_t>() { arange_of<scalar_t>(y, start, step); });
}

void linspace(Out y, Scalar start, Scalar end) {
  switch_dtype<dtypes::Number>(y.dtype, "linspace_cpu", [&]<class scalar_t>() {
    linspace_of(y, start.cast<scalar_t>(), end.cast<scalar_t>());
  });
}

void logspace(Out y, double start, double end, double base) {
  switch_dtype<dtypes::Number>(y.dtype, "logspace_cpu", [&]<class scalar_t>() {
    spaced<scalar_t>(y, start, end, PowerOf{base});
  });
}

void triangle_indices(Out y, int64_t rows, int64_t cols, int64_t offset, bool upper) {
  const int64_t n = y.numel / 2;
  if (n == 0) return;
  switch_dtype<dtypes::Index>(y.dtype, "triangle_indices", [&]<class scalar_t>() {
    for_each(n, TriangleIndices<scalar_t>{y.as<scalar_t>(), n, rows, cols,
                                          Lower{cols, upper ? offset - 1 : offset}, upper});
  });
}

}  // namespace torch::taper::cuda
