#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/framework/kernel/vec_widen.h>
#include <taper/ops/reduce/scan_kernels.h>

#define TAPER_ISA_FILE <taper/ops/reduce/scan_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

/// The type of running values.
template <class T>
using scan_t = std::conditional_t<std::is_same_v<T, float>, double, opmath_t<T>>;

/// 16-bit floats are converted in blocks, by vectors.
template <class T>
constexpr bool is_narrow = sizeof(T) == 2 && !std::is_integral_v<T>;

constexpr int64_t kLanes = 64;

/// Does running = combine(running, x) and y = running, lane by lane.
template <class T, class Combine>
void scan_lanes(T* y, const T* x, scan_t<T>* running, int64_t lanes, const Combine& combine) {
  if constexpr (is_narrow<T>) {
    float from[kLanes];
    widen(from, x, lanes);
    for (int64_t k = 0; k < lanes; ++k) running[k] = combine(running[k], from[k]);
    narrow(y, running, lanes);
  } else {
    for (int64_t k = 0; k < lanes; ++k) {
      running[k] = combine(running[k], static_cast<scan_t<T>>(x[k]));
      y[k] = static_cast<T>(running[k]);
    }
  }
}

/// Scans up to kLanes neighbouring columns together. `step` leads from one element of a column to
/// the next.
template <class T, class Combine>
void scan_columns(T* y, const T* x, int64_t size, int64_t step, int64_t lanes, scan_t<T> start,
                  const Combine& combine) {
  scan_t<T> running[kLanes];
  std::fill_n(running, lanes, start);
  for (int64_t i = 0; i < size; ++i, x += step, y += step)
    scan_lanes(y, x, running, lanes, combine);
}

template <class T, class Combine>
void scan_inner(T* y, const T* x, ScanShape s, bool reverse, scan_t<T> start,
                const Combine& combine) {
  const int64_t groups = (s.inner + kLanes - 1) / kLanes;
  const int64_t first = reverse ? (s.size - 1) * s.inner : 0, step = reverse ? -s.inner : s.inner;
  const int64_t grain = std::max<int64_t>(1, kGrain / (s.size * std::min(s.inner, kLanes)));
  parallel_for(0, s.outer * groups, grain, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const int64_t column = g % groups * kLanes;
      const int64_t at = g / groups * s.size * s.inner + first + column;
      scan_columns(y + at, x + at, s.size, step, std::min(kLanes, s.inner - column), start,
                   combine);
    }
  });
}

/// Scans n elements of N adjacent rows. Each row is a chain of dependent additions, so one alone
/// would wait for its latency. `step` leads from one row to the next.
template <int64_t N, class T, class R, class Combine>
void scan_part(T* y, const T* x, int64_t step, int64_t n, bool reverse, R* running,
               const Combine& combine) {
  for (int64_t j = 0; j < n; ++j) {
    const int64_t i = reverse ? n - 1 - j : j;
    for (int64_t k = 0; k < N; ++k) {
      running[k] = combine(running[k], static_cast<R>(x[k * step + i]));
      y[k * step + i] = static_cast<T>(running[k]);
    }
  }
}
template <int64_t N, class T, class Combine>
void scan_rows(T* y, const T* x, int64_t size, bool reverse, scan_t<T> start,
               const Combine& combine) {
  scan_t<T> running[N];
  std::fill_n(running, N, start);
  if constexpr (!is_narrow<T>) {
    scan_part<N>(y, x, size, size, reverse, running, combine);
  } else {
    constexpr int64_t run = 256;
    float part[N * run];
    for (int64_t left = size; left > 0; left -= run) {
      const int64_t m = std::min(left, run), at = reverse ? left - m : size - left;
      for (int64_t k = 0; k < N; ++k) widen(part + k * run, x + k * size + at, m);
      scan_part<N>(part, part, run, m, reverse, running, combine);
      for (int64_t k = 0; k < N; ++k) narrow(y + k * size + at, part + k * run, m);
    }
  }
}

template <class T, class Combine>
void scan(T* y, const T* x, ScanShape s, bool reverse, scan_t<T> start, const Combine& combine) {
  if (s.inner > 1) return scan_inner(y, x, s, reverse, start, combine);
  const int64_t grain = std::max<int64_t>(1, kGrain / s.size);
  parallel_for(0, s.outer, grain, [&](int64_t begin, int64_t end) {
    int64_t r = begin;
    for (; r + 4 <= end; r += 4)
      scan_rows<4>(y + r * s.size, x + r * s.size, s.size, reverse, start, combine);
    for (; r < end; ++r)
      scan_rows<1>(y + r * s.size, x + r * s.size, s.size, reverse, start, combine);
  });
}

template <class T>
bool is_nan(T v) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return std::isnan(static_cast<opmath_t<T>>(v));
}

/// The scanned columns. Element i of column k is at i * step + k.
struct ScanLanes {
  int64_t size, step;
};

// Scans N columns together to hide latency. It has no branches, because near the start of a column
// the best changes often.
template <bool Maximum, int N, class T>
void extreme_lanes(T* __restrict y, int64_t* __restrict index, const T* __restrict x, ScanLanes s) {
  T best[N];
  int64_t at[N];
  for (int k = 0; k < N; ++k) {
    best[k] = x[k];
    at[k] = 0;
  }
  for (int64_t i = 0; i < s.size; ++i)
    for (int k = 0; k < N; ++k) {
      const int64_t place = i * s.step + k;
      const T v = x[place];
      const bool better = Maximum ? v >= best[k] : v <= best[k];
      const bool take = is_nan(v) | (better & !is_nan(best[k]));
      best[k] = take ? v : best[k];
      at[k] = take ? i : at[k];
      y[place] = best[k];
      index[place] = at[k];
    }
}

/// Scans `lanes` columns, N at a time.
template <bool Maximum, int N, class T>
void extreme_columns(T* y, int64_t* index, const T* x, int64_t lanes, ScanLanes s) {
  int64_t k = 0;
  for (; k + N <= lanes; k += N) extreme_lanes<Maximum, N>(y + k, index + k, x + k, s);
  for (; k < lanes; ++k) extreme_lanes<Maximum, 1>(y + k, index + k, x + k, s);
}

/// Most stretches of a row have nothing better than the best before them.
template <bool Maximum, class T>
void extreme_row(T* __restrict y, int64_t* __restrict index, const T* __restrict x, int64_t n) {
  constexpr int64_t kStretch = 32;
  T best = x[0];
  int64_t at = 0;
  for (int64_t i = 0; i < n; i += kStretch) {
    const int64_t end = std::min(i + kStretch, n);
    int worse = 1;
    for (int64_t k = i; k < end; ++k) worse &= Maximum ? x[k] < best : x[k] > best;
    for (int64_t k = i; !worse && k < end; ++k) {
      const bool better = Maximum ? x[k] >= best : x[k] <= best;
      const bool take = is_nan(x[k]) | (better & !is_nan(best));
      best = take ? x[k] : best;
      at = take ? k : at;
      y[k] = best;
      index[k] = at;
    }
    if (!worse) continue;
    std::fill_n(y + i, end - i, best);
    std::fill_n(index + i, end - i, at);
  }
}

/// Scans rows, or the columns of `outer` matrices.
template <bool Maximum, class T>
void running_extremes(T* y, int64_t* index, const T* x, ScanShape s) {
  const int64_t grain = std::max<int64_t>(1, kGrain / s.size);
  parallel_for(0, s.outer * s.inner, grain, [=](int64_t begin, int64_t end) {
    for (int64_t c = begin, stop; c < end; c = stop) {
      const int64_t matrix = c / s.inner, at = matrix * s.size * s.inner + c % s.inner;
      stop = std::min(end, (matrix + 1) * s.inner);
      if (s.inner == 1)
        extreme_row<Maximum>(y + at, index + at, x + at, s.size);
      else
        extreme_columns<Maximum, 16>(y + at, index + at, x + at, stop - c, {s.size, s.inner});
    }
  });
}

void sum_rows(float* y, const float* x, int64_t rows, int64_t n, bool reverse, bool past_caches) {
  return TAPER_BY_ISA(sum_rows, y, x, rows, n, reverse, past_caches);
}

}  // namespace

void running_sum(Out y, In x, ScanShape shape, bool reverse) {
  if (y.numel == 0) return;
  if (y.dtype == kFloat && shape.inner == 1) {
    const int64_t grain = std::max<int64_t>(1, kGrain / shape.size);
    // Rows shorter than a run would begin and end inside cache lines.
    const bool past_caches = shape.size >= 256 && streams(y.numel * 4, x.numel * 4);
    return parallel_for(0, shape.outer, grain, [&](int64_t b, int64_t e) {
      const int64_t at = b * shape.size;
      sum_rows(y.as<float>() + at, x.as<float>() + at, e - b, shape.size, reverse, past_caches);
      if (past_caches) end_stream();
    });
  }
  switch_dtype<dtypes::Number>(y.dtype, "cumsum", [&]<class scalar_t>() {
    using M = scan_t<scalar_t>;
    scan(y.as<scalar_t>(), x.as<scalar_t>(), shape, reverse, M(0),
         [](M a, M b) { return M(a + b); });
  });
}

void running_product(Out y, In x, ScanShape shape) {
  if (y.numel == 0) return;
  switch_dtype<dtypes::Number>(y.dtype, "cumprod", [&]<class scalar_t>() {
    using M = scan_t<scalar_t>;
    scan(y.as<scalar_t>(), x.as<scalar_t>(), shape, false, M(1), [](M a, M b) { return M(a * b); });
  });
}

void running_log_sum(Out y, In x, ScanShape shape) {
  if (y.numel == 0) return;
  switch_dtype<dtypes::Floating>(y.dtype, "logcumsumexp", [&]<class scalar_t>() {
    using M = scan_t<scalar_t>;
    scan(y.as<scalar_t>(), x.as<scalar_t>(), shape, false, -std::numeric_limits<M>::infinity(),
         [](M a, M b) { return log_of_sum(a, b); });
  });
}

void running_extreme(Out y, Out index, In x, ScanShape s, bool maximum) {
  if (y.numel == 0) return;
  switch_dtype<dtypes::Real>(x.dtype, "cummax", [&]<class scalar_t>() {
    const auto run =
        maximum ? &running_extremes<true, scalar_t> : &running_extremes<false, scalar_t>;
    run(y.as<scalar_t>(), index.as<int64_t>(), x.as<scalar_t>(), s);
  });
}

}  // namespace torch::taper::cpu
