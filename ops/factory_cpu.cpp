#include <algorithm>
#include <cmath>
#include <cstring>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/factory_kernels.h>

namespace taper::cpu {

void clear(Out y) {
  const int64_t nbytes = y.numel * static_cast<int64_t>(elementSize(y.dtype));
  if (nbytes <= 4096) {
    if (nbytes > 0) std::memset(y.data, 0, static_cast<size_t>(nbytes));
    return;
  }
  char* p = y.as<char>();
  parallel_for(0, nbytes, kGrain * 16,
               [p](int64_t b, int64_t e) { std::memset(p + b, 0, static_cast<size_t>(e - b)); });
}

namespace {

// a + b * i rounded once.
inline double step_from(double a, double b, int64_t i) {
  return std::fma(b, static_cast<double>(i), a);
}

// PyTorch computes floats in groups of a vector's length: the first of a group from its index, the
// others from the first, rounded to T. What is left over is computed from its index.
template <class T>
struct Groups {
  static constexpr int64_t kLength = 32 / static_cast<int64_t>(sizeof(T));
  explicit Groups(int64_t n) : whole(n / (2 * kLength) * (2 * kLength)) {}
  int64_t first_of(int64_t i) const { return i < whole ? i / kLength * kLength : i; }
  int64_t whole;
};

template <class T>
void arange_floats(T* p, int64_t n, double start, double step) {
  const Groups<T> groups(n);
  parallel_for(0, n, kGrain, [=](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const int64_t g = groups.first_of(i);
      const T base = static_cast<T>(step_from(start, step, g));
      p[i] = static_cast<T>(step_from(static_cast<double>(base), step, i - g));
    }
  });
}

// Counted from the nearer end, so that both ends are exact.
template <class T>
void linspace_floats(T* p, int64_t n, T start, T end) {
  const T step = n > 1 ? (end - start) / static_cast<T>(n - 1) : T(0);
  const Groups<T> groups(n);
  const auto base = [=](int64_t g) {
    const bool forward = g < n / 2 || n == 1;
    return static_cast<T>(
        forward ? step_from(static_cast<double>(start), static_cast<double>(step), g)
                : step_from(static_cast<double>(end), -static_cast<double>(step), n - 1 - g));
  };
  parallel_for(0, n, kGrain, [=](int64_t b, int64_t e) {
    for (int64_t i = b; i < e;) {
      const int64_t g = groups.first_of(i), until = i < groups.whole ? g + groups.kLength : i + 1;
      const T first = base(g);
      for (; i < std::min(until, e); ++i) p[i] = first + step * static_cast<T>(i - g);
    }
  });
}

// The others: value(i) in double.
template <class T, class Map>
void spaced(T* p, int64_t n, double start, double end, const Map& map) {
  const double step = n > 1 ? (end - start) / static_cast<double>(n - 1) : 0;
  parallel_for(0, n, kGrain, [=](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const double v = i < n / 2 || n == 1 ? start + step * static_cast<double>(i)
                                           : end - step * static_cast<double>(n - 1 - i);
      p[i] = static_cast<T>(static_cast<opmath_t<T>>(map(v)));
    }
  });
}

}  // namespace

void arange(Out y, Scalar start, Scalar step) {
  TAPER_SWITCH(y.dtype, "arange_cpu", TAPER_NUMBER_DTYPES, [&] {
    scalar_t* p = y.as<scalar_t>();
    if constexpr (std::is_floating_point_v<scalar_t>) {
      arange_floats(p, y.numel, start.toDouble(), step.toDouble());
    } else {
      using acc_t = std::conditional_t<std::is_integral_v<scalar_t>, int64_t, float>;
      const acc_t first = start.cast<acc_t>(), by = step.cast<acc_t>();
      for (int64_t i = 0; i < y.numel; ++i)
        p[i] = static_cast<scalar_t>(first + by * static_cast<acc_t>(i));
    }
  });
}

void linspace(Out y, Scalar start, Scalar end) {
  TAPER_SWITCH(y.dtype, "linspace_cpu", TAPER_NUMBER_DTYPES, [&] {
    const scalar_t from = start.cast<scalar_t>(), to = end.cast<scalar_t>();
    if constexpr (std::is_floating_point_v<scalar_t>)
      linspace_floats(y.as<scalar_t>(), y.numel, from, to);
    else
      spaced(y.as<scalar_t>(), y.numel, static_cast<double>(from), static_cast<double>(to),
             [](double v) { return v; });
  });
}

void logspace(Out y, double start, double end, double base) {
  TAPER_SWITCH(y.dtype, "logspace_cpu", TAPER_NUMBER_DTYPES, [&] {
    spaced(y.as<scalar_t>(), y.numel, start, end, [base](double v) { return std::pow(base, v); });
  });
}

void triangle_indices(Out y, int64_t rows, int64_t cols, int64_t offset, bool upper) {
  TAPER_SWITCH(y.dtype, "triangle_indices", TAPER_INDEX_DTYPES, [&] {
    scalar_t* row = y.as<scalar_t>();
    scalar_t* col = row + y.numel / 2;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t edge = std::min(std::max<int64_t>(r + offset + (upper ? 0 : 1), 0), cols);
      for (int64_t c = upper ? edge : 0; c < (upper ? cols : edge); ++c) {
        *row++ = static_cast<scalar_t>(r);
        *col++ = static_cast<scalar_t>(c);
      }
    }
  });
}

}  // namespace taper::cpu
