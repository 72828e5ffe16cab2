#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/ops/tensor/factory_kernels.h>

// How arange and linspace space floats. For CPU kernels.
namespace torch::taper::cpu {

// Inlined into the caller's instruction set, because the oldest one has no fused multiply-add.

/// PyTorch computes floats in groups of a vector's length. The first of a group comes from its
/// index, the others from the first. Elements after the last group come from their index.
template <class T>
struct Groups {
  static constexpr int64_t kLength = 32 / static_cast<int64_t>(sizeof(T));
  int64_t whole;
  explicit Groups(int64_t n) : whole(n / (2 * kLength) * (2 * kLength)) {}
};

/// Computes start + step i, rounded once to double and then to T, and likewise within a group.
template <class T>
struct ArangeLine {
  double start, step;
  Groups<T> groups;
  TAPER_INLINE T first(int64_t i) const {
    return static_cast<T>(__builtin_fma(step, static_cast<double>(i), start));
  }
  TAPER_INLINE T next(T first, int64_t k) const {
    return static_cast<T>(__builtin_fma(step, static_cast<double>(k), static_cast<double>(first)));
  }
};

/// Counts from the nearer end, so that both ends are exact, and in T within a group. The multiples
/// of the step are stored, because a fused multiply-add would round only once.
template <class T>
struct LinspaceLine {
  double start, end, step;
  int64_t n;
  T multiples[Groups<T>::kLength];
  Groups<T> groups;
  LinspaceLine(int64_t n, T start, T end) : start(start), end(end), n(n), groups(n) {
    const T by = n > 1 ? (end - start) / static_cast<T>(n - 1) : T(0);
    step = static_cast<double>(by);
    for (int64_t k = 0; k < groups.kLength; ++k) multiples[k] = by * static_cast<T>(k);
  }
  TAPER_INLINE T first(int64_t i) const {
    const bool forward = i < n / 2 || n == 1;
    const double steps = static_cast<double>(forward ? i : n - 1 - i);
    return static_cast<T>(__builtin_fma(forward ? step : -step, steps, forward ? start : end));
  }
  TAPER_INLINE T next(T first, int64_t k) const { return first + multiples[k]; }
};

}  // namespace torch::taper::cpu

#define TAPER_ISA_FILE <taper/ops/tensor/factory_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

// There is no shortcut for few bytes. With a known bound of the size, the compiler emits `rep
// stos`, which takes 15 ns to start.
void clear(Out y) {
  char* p = y.as<char>();
  parallel_for(0, y.numel * static_cast<int64_t>(elementSize(y.dtype)), kGrain * 16,
               [p](int64_t b, int64_t e) { std::memset(p + b, 0, static_cast<size_t>(e - b)); });
}

namespace {

template <class T, class Line>
void put_line_here(T* p, int64_t begin, int64_t end, const Line& line) {
  return TAPER_BY_ISA(put_line, p, begin, end, line);
}

template <class T, class Line>
void put_all(const Out& y, const Line& line) {
  T* p = y.as<T>();
  parallel_for(0, y.numel, kGrain,
               [p, &line](int64_t b, int64_t e) { put_line_here(p, b, e, line); });
}

// Computes value(i) in double for the other dtypes.
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
  switch_dtype<dtypes::Number>(y.dtype, "arange_cpu", [&]<class scalar_t>() {
    if constexpr (std::is_floating_point_v<scalar_t>) {
      put_all<scalar_t>(
          y, ArangeLine<scalar_t>{start.toDouble(), step.toDouble(), Groups<scalar_t>(y.numel)});
    } else {
      scalar_t* p = y.as<scalar_t>();
      using acc_t = std::conditional_t<std::is_integral_v<scalar_t>, int64_t, float>;
      // Unsigned, because a step may span the whole range and a product twice as much.
      using sum_t = std::conditional_t<std::is_integral_v<scalar_t>, uint64_t, float>;
      const auto first = static_cast<sum_t>(start.cast<acc_t>());
      const auto by = static_cast<sum_t>(step.cast<acc_t>());
      for (int64_t i = 0; i < y.numel; ++i)
        p[i] = static_cast<scalar_t>(first + by * static_cast<sum_t>(i));
    }
  });
}

void linspace(Out y, Scalar start, Scalar end) {
  switch_dtype<dtypes::Number>(y.dtype, "linspace_cpu", [&]<class scalar_t>() {
    const scalar_t from = start.cast<scalar_t>(), to = end.cast<scalar_t>();
    if constexpr (std::is_floating_point_v<scalar_t>)
      put_all<scalar_t>(y, LinspaceLine<scalar_t>(y.numel, from, to));
    else
      spaced(y.as<scalar_t>(), y.numel, static_cast<double>(from), static_cast<double>(to),
             [](double v) { return v; });
  });
}

void logspace(Out y, double start, double end, double base) {
  switch_dtype<dtypes::Number>(y.dtype, "logspace_cpu", [&]<class scalar_t>() {
    spaced(y.as<scalar_t>(), y.numel, start, end, [base](double v) { return std::pow(base, v); });
  });
}

void triangle_indices(Out y, int64_t rows, int64_t cols, int64_t offset, bool upper) {
  if (y.numel == 0) return;
  switch_dtype<dtypes::Index>(y.dtype, "triangle_indices", [&]<class scalar_t>() {
    scalar_t* row = y.as<scalar_t>();
    scalar_t* col = row + y.numel / 2;
    // Visits only rows with elements, because there may be many more without.
    const int64_t first = upper ? 0 : std::max<int64_t>(-offset, 0);
    const int64_t end = upper ? std::min(rows, cols - offset) : rows;
    for (int64_t r = first; r < end; ++r) {
      const int64_t edge = std::min(std::max<int64_t>(r + offset + (upper ? 0 : 1), 0), cols);
      for (int64_t c = upper ? edge : 0; c < (upper ? cols : edge); ++c) {
        *row++ = static_cast<scalar_t>(r);
        *col++ = static_cast<scalar_t>(c);
      }
    }
  });
}

}  // namespace torch::taper::cpu
