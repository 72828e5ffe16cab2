#include <algorithm>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/reduce/search_kernels.h>

namespace torch::taper::cpu {
namespace {

constexpr int kTogether = 8;

/// Runs place_of_value for several values together, because each search waits for loads. No branch
/// depends on them. The steps are equal, so the results are too, even for unsorted boundaries.
template <bool right, class T>
void places_together(int64_t* y, const T* boundaries, int64_t n, const T* values) {
  int64_t low[kTogether] = {}, left[kTogether];
  std::fill_n(left, kTogether, n);
  for (int64_t most = n; most > 0; most /= 2)
    for (int k = 0; k < kTogether; ++k) {
      const int64_t half = left[k] / 2, middle = std::min(low[k] + half, n - 1);
      const T b = boundaries[middle], v = values[k];
      const bool before = (left[k] > 0) & !(right ? b > v : b >= v);
      const int64_t mask = -static_cast<int64_t>(before);
      low[k] += mask & (half + 1);
      left[k] = half + (mask & (left[k] - 2 * half - 1));
    }
  std::copy_n(low, kTogether, y);
}

template <class T>
void places_of(int64_t* y, const T* boundaries, int64_t n, const T* values, int64_t count,
               bool right) {
  const auto together = right ? &places_together<true, T> : &places_together<false, T>;
  int64_t i = 0;
  for (; i + kTogether <= count; i += kTogether) together(y + i, boundaries, n, values + i);
  for (; i < count; ++i) y[i] = place_of_value(boundaries, n, values[i], right);
}

/// Runs part_of_value for equally spaced edges: a guess, then steps to the right part.
template <class T>
int64_t part_near(const T* edges, int64_t parts, T v, T scale) {
  if (!(v >= edges[0] && v <= edges[parts])) return -1;
  const T guess = (v - edges[0]) * scale;  // may overflow to no valid part
  int64_t p = guess < static_cast<T>(parts) ? static_cast<int64_t>(guess) : parts - 1;
  while (p > 0 && v < edges[p]) --p;
  while (p + 1 < parts && v >= edges[p + 1]) ++p;
  return p;
}

}  // namespace

void searchsorted(Out y, In boundaries, In values, bool right) {
  const int64_t n = boundaries.sizes[boundaries.dim() - 1];
  const int64_t rows = n ? boundaries.numel / n : 1, each = rows ? values.numel / rows : 0;
  switch_dtype<dtypes::Number>(values.dtype, "searchsorted", [&]<class scalar_t>() {
    parallel_for(0, values.numel, kGrain / 8, [&](int64_t i, int64_t end) {
      while (i < end) {
        const int64_t row = rows > 1 ? i / each : 0;
        const int64_t stop = rows > 1 ? std::min(end, (row + 1) * each) : end;
        places_of(y.as<int64_t>() + i, boundaries.as<scalar_t>() + row * n, n,
                  values.as<scalar_t>() + i, stop - i, right);
        i = stop;
      }
    });
  });
}

void histogram_cells(InOut cells, In values, In edges, bool equal) {
  const int64_t parts = edges.numel - 1, step = values.strides[0];
  switch_dtype<dtypes::Float>(values.dtype, "histogram", [&]<class scalar_t>() {
    const scalar_t *const e = edges.as<scalar_t>(), *const v = values.as<scalar_t>();
    const auto scale = static_cast<scalar_t>(
        static_cast<double>(parts) / (static_cast<double>(e[parts]) - static_cast<double>(e[0])));
    int64_t* const to = cells.as<int64_t>();
    parallel_for(0, cells.numel, kGrain / 8, [=](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        const scalar_t x = v[i * step];
        const int64_t part = equal ? part_near(e, parts, x, scale) : part_of_value(e, parts, x);
        to[i] = joined_cell(to[i], parts, part);
      }
    });
  });
}

}  // namespace torch::taper::cpu
