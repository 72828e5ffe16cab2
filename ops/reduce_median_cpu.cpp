#include <algorithm>
#include <numeric>
#include <vector>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/reduce_kernels.h>

namespace taper::cpu {
namespace {

template <class T>
bool is_nan(T v) {
  return v != v;
}

// Position of the median of a row; `order` is working memory of n numbers. NaN sorts last: one of
// them is the median unless they are skipped.
template <class T>
int64_t median_position(const T* row, int64_t n, bool skip_nan, std::vector<int64_t>& order) {
  const int64_t nans = std::count_if(row, row + n, [](T v) { return is_nan(opmath_t<T>(v)); });
  if (nans > 0 && (!skip_nan || nans == n))
    return std::find_if(row, row + n, [](T v) { return is_nan(opmath_t<T>(v)); }) - row;
  order.resize(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto middle = order.begin() + (n - nans - 1) / 2;
  std::nth_element(order.begin(), middle, order.end(), [row](int64_t i, int64_t j) {
    const opmath_t<T> a = row[i], b = row[j];
    if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
    return a < b || (a == b && i < j);
  });
  return *middle;
}

}  // namespace

void median(Out values, Out indices, In x, bool skip_nan) {
  const int64_t n = x.sizes.back();
  TAPER_SWITCH(x.dtype, "median", TAPER_NUMBER_DTYPES, [&] {
    const scalar_t* from = x.as<scalar_t>();
    parallel_for(0, values.numel, kGrain / 16 / n + 1, [&](int64_t b, int64_t e) {
      std::vector<int64_t> order;
      for (int64_t i = b; i < e; ++i) {
        const int64_t at = median_position(from + i * n, n, skip_nan, order);
        values.as<scalar_t>()[i] = from[i * n + at];
        indices.as<int64_t>()[i] = at;
      }
    });
  });
}

}  // namespace taper::cpu
