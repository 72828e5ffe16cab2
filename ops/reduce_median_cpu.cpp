#include <algorithm>
#include <vector>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/reduce_kernels.h>

namespace taper::cpu {
namespace {

template <class T>
bool is_nan(T v) {
  return v != v;
}

// Position of the median of a row; `work` is working memory. NaN sorts last: one of them is the
// median unless they are skipped. Of equal elements the earlier one sorts first.
template <class T>
int64_t median_position(const T* row, int64_t n, bool skip_nan, std::vector<T>& work) {
  const auto nan = [](T v) { return is_nan(opmath_t<T>(v)); };
  const int64_t nans = std::count_if(row, row + n, nan);
  if (nans > 0 && (!skip_nan || nans == n)) return std::find_if(row, row + n, nan) - row;
  work.resize(static_cast<size_t>(n));
  const auto end = std::remove_copy_if(row, row + n, work.begin(), nan);
  const auto middle = work.begin() + (n - nans - 1) / 2;
  std::nth_element(work.begin(), middle, end,
                   [](T a, T b) { return opmath_t<T>(a) < opmath_t<T>(b); });
  const opmath_t<T> median = *middle;
  // How many of its equals come before it.
  int64_t equals = middle - work.begin() -
                   std::count_if(row, row + n, [median](T v) { return opmath_t<T>(v) < median; });
  return std::find_if(row, row + n,
                      [&](T v) { return opmath_t<T>(v) == median && equals-- == 0; }) -
         row;
}

}  // namespace

void median(Out values, Out indices, In x, bool skip_nan) {
  const int64_t n = x.sizes.back();
  TAPER_SWITCH(x.dtype, "median", TAPER_NUMBER_DTYPES, [&] {
    const scalar_t* from = x.as<scalar_t>();
    parallel_for(0, values.numel, kGrain / 16 / n + 1, [&](int64_t b, int64_t e) {
      std::vector<scalar_t> work;
      for (int64_t i = b; i < e; ++i) {
        const int64_t at = median_position(from + i * n, n, skip_nan, work);
        values.as<scalar_t>()[i] = from[i * n + at];
        indices.as<int64_t>()[i] = at;
      }
    });
  });
}

}  // namespace taper::cpu
