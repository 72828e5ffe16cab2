#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/kernel/vec.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/spatial/pool_shape.h>

#define TAPER_ISA_FILE <taper/ops/spatial/pool_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

int64_t plane_grain(const PoolShape& s) {
  return std::max<int64_t>(1, kGrain / std::max<int64_t>(1, s.in_pixels()));
}

template <class Body>
void for_each_plane(const PoolShape& s, const Body& body) {
  parallel_for(0, s.planes, plane_grain(s), [&](int64_t i, int64_t end) {
    for (; i < end; ++i) body(i);
  });
}

/// Converts planes [begin, end) of T, of `size` elements each, to the computing type. Results are
/// narrowed after body(planes of results, input planes) has returned.
template <class T, class Body>
void compute_wide(T* to, int64_t to_size, const T* from, int64_t from_size, int64_t begin,
                  int64_t end, const Body& body) {
  const int64_t n = end - begin;
  to += begin * to_size;
  from += begin * from_size;
  if constexpr (std::is_same_v<T, opmath_t<T>>) {
    body(to, from);
  } else {
    const Scratch<float> result(n * to_size), wide(n * from_size);
    widen(wide.get(), from, n * from_size);
    body(result.get(), wide.get());
    narrow(to, result.get(), n * to_size);
  }
}

/// Calls body(plane of results, input plane, number of the plane) for all planes.
template <class T, class Body>
void map_planes(const PoolShape& s, T* to, int64_t to_size, const T* from, int64_t from_size,
                const Body& body) {
  // As many planes as stay in L1 with their wide copies.
  const int64_t together = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, s.in_pixels()));
  parallel_for(0, s.planes, plane_grain(s), [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end; first += together) {
      const int64_t last = std::min(end, first + together);
      compute_wide(to, to_size, from, from_size, first, last, [&](auto* y, const auto* x) {
        for (int64_t i = first; i < last; ++i, y += to_size, x += from_size) body(y, x, i);
      });
    }
  });
}

/// A pooling with the spans of its windows. They need divisions, so all planes share them.
struct PoolPlan : PoolShape {
  explicit PoolPlan(const PoolShape& s) : PoolShape(s), memory_(out[0] + out[1] + out[2]) {
    PoolSpan* to = memory_.get();
    for (int d = 0; d < 3; ++d) {
      spans.along[d] = to;
      for (int64_t o = 0; o < out[d]; ++o) *to++ = span(d, o);
    }
  }
  /// Tests whether every window is one element.
  bool copies() const { return w.adaptive && std::equal(in, in + 3, out); }
  PoolSpans spans;

 private:
  Scratch<PoolSpan> memory_;
};

/// Calls body(output pixel, its three spans, its three coordinates).
template <class Body>
void for_each_window(const PoolPlan& s, const Body& body) {
  const PoolSpan* const* spans = s.spans.along;
  int64_t o[3], p = 0;
  for (o[0] = 0; o[0] < s.out[0]; ++o[0])
    for (o[1] = 0; o[1] < s.out[1]; ++o[1])
      for (o[2] = 0; o[2] < s.out[2]; ++o[2])
        body(p++, spans[0][o[0]], spans[1][o[1]], spans[2][o[2]], o);
}

// ---------------------------------------------------------------------- by instruction set
template <class T>
void max_halves(T* y, uint8_t* codes, const T* x, const PoolShape& s) {
  return TAPER_BY_ISA(max_halves<T>, y, codes, x, s);
}
template <class T>
void max_scatter_halves(T* gx, const T* gy, const uint8_t* codes, const PoolShape& s) {
  return TAPER_BY_ISA(max_scatter_halves<T>, gx, gy, codes, s);
}
template <class T>
void avg_halves(T* y, const T* x, const PoolShape& s, T factor) {
  return TAPER_BY_ISA(avg_halves<T>, y, x, s, factor);
}
template <class T>
void mean_planes(T* y, const T* x, int64_t planes, int64_t n, T divisor) {
  return TAPER_BY_ISA(mean_planes<T>, y, x, planes, n, divisor);
}
template <class T>
void spread_planes(T* gx, const T* gy, int64_t planes, int64_t n, T divisor) {
  return TAPER_BY_ISA(spread_planes<T>, gx, gy, planes, n, divisor);
}
template <class T>
void max_windows(T* y, uint8_t* codes, const T* x, const PoolShape& s) {
  return TAPER_BY_ISA(max_windows<T>, y, codes, x, s);
}
template <class T>
void sum_windows(T* y, const T* x, const PoolShape& s) {
  return TAPER_BY_ISA(sum_windows<T>, y, x, s);
}
template <class T>
void add_windows(T* gx, const T* g, const PoolShape& s) {
  return TAPER_BY_ISA(add_windows<T>, gx, g, s);
}
#define TAPER_SPANS(T, Place)                                                               \
  void avg_spans(T* y, const T* x, const PoolPlan& s) {                                     \
    const Scratch<T> columns(s.in[2]);                                                      \
    return TAPER_BY_ISA(avg_spans<T>, y, x, s, s.spans, columns.get());                     \
  }                                                                                         \
  void avg_scatter_spans(T* gx, const T* gy, const PoolPlan& s) {                           \
    const Scratch<T> columns(s.in[2]);                                                      \
    return TAPER_BY_ISA(avg_scatter_spans<T>, gx, gy, s, s.spans, columns.get());           \
  }                                                                                         \
  void max_spans(T* y, int64_t* places, const T* x, const PoolPlan& s) {                    \
    const Scratch<T> columns(s.in[2]);                                                      \
    const Scratch<Place> rows(s.in[2] + 16);                                                \
    return TAPER_BY_ISA(max_spans<T>, y, places, x, s, s.spans, columns.get(), rows.get()); \
  }
TAPER_SPANS(float, int32_t)
TAPER_SPANS(double, int64_t)
#undef TAPER_SPANS
template <class T>
void avg_scatter_halves(T* gx, const T* gy, const PoolShape& s, T factor) {
  return TAPER_BY_ISA(avg_scatter_halves<T>, gx, gy, s, factor);
}

// ---------------------------------------------------------------------- any window
template <class T, class Code>
void max_plane(T* y, Code* codes, const T* x, const PoolPlan& s) {
  for_each_window(s, [&](int64_t p, PoolSpan d, PoolSpan h, PoolSpan w, const int64_t*) {
    T best = -std::numeric_limits<T>::infinity();
    int64_t position = -1;
    for (int64_t i = d.first, a = d.element; i < d.end; i += d.step, ++a)
      for (int64_t j = h.first, b = h.element; j < h.end; j += h.step, ++b)
        for (int64_t k = w.first, c = w.element; k < w.end; k += w.step, ++c) {
          const int64_t at = (i * s.in[1] + j) * s.in[2] + k;
          const T v = x[at];
          if (!(v > best || v != v || position < 0)) continue;
          best = v;
          position = sizeof(Code) == 1 ? (a * s.w.kernel[1] + b) * s.w.kernel[2] + c : at;
        }
    y[p] = best;
    if (codes) codes[p] = static_cast<Code>(position);
  });
}

/// Calls body(output pixel, position in the image) for one plane of codes.
template <class Body>
void for_each_code(const In& codes, int64_t plane, const PoolShape& s, const Body& body) {
  const int64_t n = s.out_pixels();
  if (codes.dtype == kLong) {
    const int64_t* c = codes.as<int64_t>() + plane * n;
    for (int64_t p = 0; p < n; ++p) body(p, c[p]);
    return;
  }
  const uint8_t* c = codes.as<uint8_t>() + plane * n;
  // A code is a kernel element, at a fixed distance from the start of its window.
  int64_t elements[256];
  for (int64_t code = 0; code < std::min<int64_t>(256, s.kernel_elements()); ++code)
    elements[code] = s.place_of(0, code);
  int64_t p = 0;
  for (int64_t i = 0; i < s.out[0]; ++i)
    for (int64_t j = 0; j < s.out[1]; ++j) {
      const int64_t row = (i * s.w.stride[0] * s.in[1] + j * s.w.stride[1]) * s.in[2];
      for (int64_t k = 0; k < s.out[2]; ++k, ++p) body(p, row + k * s.w.stride[2] + elements[c[p]]);
    }
}

/// Divides x by the divisor of each window.
template <class T>
void divide_windows(T* y, const T* x, const PoolShape& s) {
  const bool fixed = s.w.divisor != 0;
  Scratch<T> widths(s.out[2]);
  for (int64_t k = 0; k < s.out[2]; ++k)
    widths[k] = static_cast<T>(fixed ? static_cast<double>(s.w.divisor) : s.extent(2, k));
  for (int64_t i = 0; i < s.out[0]; ++i)
    for (int64_t j = 0; j < s.out[1]; ++j, x += s.out[2], y += s.out[2]) {
      const T rows = static_cast<T>(fixed ? 1 : s.extent(0, i) * s.extent(1, j));
      for (int64_t k = 0; k < s.out[2]; ++k) y[k] = x[k] / (rows * widths[k]);
    }
}

/// Adaptive windows that halve an image become fixed ones, which are faster.
PoolShape with_halves(PoolShape s) {
  if (!s.w.adaptive || s.in[0] != 1 || 2 * s.out[1] != s.in[1] || 2 * s.out[2] != s.in[2]) return s;
  s.w = {{1, 2, 2}, {1, 2, 2}};
  return s;
}

bool covers(const PoolShape& s) { return 2 * s.out[1] == s.in[1] && 2 * s.out[2] == s.in[2]; }

double half_factor(const PoolShape& s) {
  return 1.0 / (s.w.divisor ? static_cast<double>(s.w.divisor) : 4.0);
}

/// Returns the common divisor if one window covers every element of a plane, else 0.
double whole_divisor(const PoolShape& s) {
  if (s.out_pixels() != 1) return 0;
  const int64_t at[3] = {0, 0, 0};
  PoolSpan spans[3];
  for (int d = 0; d < 3; ++d) {
    spans[d] = s.span(d, 0);
    if (spans[d].first != 0 || spans[d].end != s.in[d] || spans[d].step != 1) return 0;
  }
  return s.divisor(at);
}

template <class T>
bool forward_whole(T* y, const T* x, const PoolShape& s) {
  const double divisor = whole_divisor(s);
  if (divisor == 0) return false;
  const int64_t n = s.in_pixels();
  parallel_for(0, s.planes, kGrain / n + 1, [&](int64_t b, int64_t e) {
    compute_wide(y, 1, x, n, b, e, [&](auto* to, const auto* from) {
      mean_planes(to, from, e - b, n, static_cast<opmath_t<T>>(divisor));
    });
  });
  return true;
}

template <class T>
bool backward_whole(T* gx, const T* gy, const PoolShape& s) {
  const double divisor = whole_divisor(s);
  if (divisor == 0) return false;
  const int64_t n = s.in_pixels();
  parallel_for(0, s.planes, kGrain / n + 1, [&](int64_t b, int64_t e) {
    compute_wide(gx, n, gy, 1, b, e, [&](auto* to, const auto* from) {
      spread_planes(to, from, e - b, n, static_cast<opmath_t<T>>(divisor));
    });
  });
  return true;
}

// ---------------------------------------------------------------------- one plane
template <class T>
void forward_max(T* y, const Out& codes, int64_t plane, const T* x, const PoolPlan& s) {
  uint8_t* small = codes.dtype == kByte ? codes.as<uint8_t>() + plane * s.out_pixels() : nullptr;
  if (s.halves() || (codes.dtype != kLong && !s.w.adaptive))
    return s.halves() ? max_halves(y, small, x, s) : max_windows(y, small, x, s);
  if (s.w.adaptive && codes.dtype == kLong)
    return max_spans(y, codes.as<int64_t>() + plane * s.out_pixels(), x, s);
  if (codes.dtype == kLong)
    max_plane(y, codes.as<int64_t>() + plane * s.out_pixels(), x, s);
  else
    max_plane(y, small, x, s);
}

template <class T>
void backward_max(T* gx, const T* gy, const In& codes, int64_t plane, const PoolShape& s) {
  if (!s.halves() || !covers(s)) std::fill_n(gx, s.in_pixels(), T(0));
  if (s.halves())
    return max_scatter_halves(gx, gy, codes.as<uint8_t>() + plane * s.out_pixels(), s);
  for_each_code(codes, plane, s, [&](int64_t p, int64_t at) { gx[at] += gy[p]; });
}

template <class T>
void forward_avg(T* y, const T* x, const PoolPlan& s) {
  if (s.halves()) return avg_halves(y, x, s, static_cast<T>(half_factor(s)));
  if (s.copies()) {
    std::copy_n(x, s.in_pixels(), y);
    return;
  }
  if (s.w.adaptive) return avg_spans(y, x, s);
  sum_windows(y, x, s);
  divide_windows(y, y, s);
}

template <class T>
void backward_avg(T* gx, const T* gy, const PoolPlan& s) {
  if (s.copies()) {
    std::copy_n(gy, s.in_pixels(), gx);
    return;
  }
  if (!s.halves() || !covers(s)) std::fill_n(gx, s.in_pixels(), T(0));
  if (s.halves()) return avg_scatter_halves(gx, gy, s, static_cast<T>(half_factor(s)));
  if (s.w.adaptive) return avg_scatter_spans(gx, gy, s);
  const Scratch<T> g(s.out_pixels());
  divide_windows(g.get(), gy, s);
  add_windows(gx, g.get(), s);
}

}  // namespace

void max_pool_forward(Out y, Out codes, In x, int64_t spatial, PoolWindows w) {
  const PoolPlan s(pool_shape(x.sizes, y.sizes, spatial, w));
  switch_dtype<dtypes::Floating>(y.dtype, "max_pool", [&]<class scalar_t>() {
    map_planes(s, y.as<scalar_t>(), s.out_pixels(), x.as<scalar_t>(), s.in_pixels(),
               [&](auto* to, const auto* from, int64_t i) { forward_max(to, codes, i, from, s); });
  });
}

void max_pool_scatter(Out gx, In gy, In codes, int64_t spatial, PoolWindows w) {
  const PoolShape s = pool_shape(gx.sizes, gy.sizes, spatial, w);
  switch_dtype<dtypes::Floating>(gx.dtype, "max_pool", [&]<class scalar_t>() {
    map_planes(s, gx.as<scalar_t>(), s.in_pixels(), gy.as<scalar_t>(), s.out_pixels(),
               [&](auto* to, const auto* from, int64_t i) { backward_max(to, from, codes, i, s); });
  });
}

void max_pool_gather(Out y, In x, In codes, int64_t spatial, PoolWindows w) {
  const PoolShape s = pool_shape(x.sizes, y.sizes, spatial, w);
  switch_dtype<dtypes::Floating>(y.dtype, "max_pool", [&]<class scalar_t>() {
    for_each_plane(s, [&](int64_t plane) {
      scalar_t* to = y.as<scalar_t>() + plane * s.out_pixels();
      const scalar_t* from = x.as<scalar_t>() + plane * s.in_pixels();
      for_each_code(codes, plane, s, [&](int64_t p, int64_t at) { to[p] = from[at]; });
    });
  });
}

void max_pool_positions(Out positions, In codes, Dims image, int64_t spatial, PoolWindows w) {
  const PoolShape s = pool_shape(image, positions.sizes, spatial, w);
  for_each_plane(s, [&](int64_t plane) {
    int64_t* to = positions.as<int64_t>() + plane * s.out_pixels();
    for_each_code(codes, plane, s, [&](int64_t p, int64_t at) { to[p] = at; });
  });
}

void avg_pool_forward(Out y, In x, int64_t spatial, PoolWindows w) {
  const PoolPlan s(with_halves(pool_shape(x.sizes, y.sizes, spatial, w)));
  switch_dtype<dtypes::Floating>(y.dtype, "avg_pool", [&]<class scalar_t>() {
    if (forward_whole(y.as<scalar_t>(), x.as<scalar_t>(), s)) return;
    map_planes(s, y.as<scalar_t>(), s.out_pixels(), x.as<scalar_t>(), s.in_pixels(),
               [&](auto* to, const auto* from, int64_t) { forward_avg(to, from, s); });
  });
}

void avg_pool_scatter(Out gx, In gy, int64_t spatial, PoolWindows w) {
  const PoolPlan s(with_halves(pool_shape(gx.sizes, gy.sizes, spatial, w)));
  switch_dtype<dtypes::Floating>(gx.dtype, "avg_pool", [&]<class scalar_t>() {
    if (backward_whole(gx.as<scalar_t>(), gy.as<scalar_t>(), s)) return;
    map_planes(s, gx.as<scalar_t>(), s.in_pixels(), gy.as<scalar_t>(), s.out_pixels(),
               [&](auto* to, const auto* from, int64_t) { backward_avg(to, from, s); });
  });
}

}  // namespace torch::taper::cpu
