#include <taper/framework/cpu/parallel.h>
#include <taper/ops/reduce/reduce_kernels.h>
#include <taper/ops/reduce/select_rank.h>

namespace torch::taper::cpu {
namespace {

/// Writes values and indices of the elements of rank rank_of(number of NaN) in rows of n.
template <class T, class RankOf>
void select_rows(const Out& values, const Out& indices, const In& x, int64_t n,
                 const RankOf& rank_of) {
  const T* from = x.as<T>();
  parallel_for(0, values.numel, kGrain / 16 / n + 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const int64_t at = place_of_rank(from + i * n, n, rank_of);
      values.as<T>()[i] = from[i * n + at];
      indices.as<int64_t>()[i] = at;
    }
  });
}

}  // namespace

void median(Out values, Out indices, In x, bool skip_nan) {
  const int64_t n = x.sizes.back();
  // The first NaN is the median, unless NaNs are skipped.
  const auto rank_of = [=](int64_t nans) {
    return nans > 0 && (!skip_nan || nans == n) ? n - nans : (n - nans - 1) / 2;
  };
  switch_dtype<dtypes::Number>(x.dtype, "median", [&]<class scalar_t>() {
    select_rows<scalar_t>(values, indices, x, n, rank_of);
  });
}

void kth_value(Out values, Out indices, In x, int64_t n, int64_t k) {
  switch_dtype<dtypes::Number>(x.dtype, "kthvalue", [&]<class scalar_t>() {
    select_rows<scalar_t>(values, indices, x, n, [=](int64_t) { return k - 1; });
  });
}

}  // namespace torch::taper::cpu
