#include <algorithm>
#include <vector>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/reduce/count_kernels.h>

namespace torch::taper::cpu {
namespace {

// Four neighbours use four tables, because equal values would wait for each other's sum.
template <class T>
void count_in_turn(int64_t* counts, int64_t bins, const T* x, int64_t n, int64_t first) {
  std::vector<int64_t> tables(static_cast<size_t>(4 * bins));
  int64_t *const a = tables.data(), *const b = a + bins, *const c = b + bins, *const d = c + bins;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    ++a[x[i] - first];
    ++b[x[i + 1] - first];
    ++c[x[i + 2] - first];
    ++d[x[i + 3] - first];
  }
  for (; i < n; ++i) ++a[x[i] - first];
  for (int64_t k = 0; k < bins; ++k) counts[k] += a[k] + b[k] + c[k] + d[k];
}

template <class T>
void count_part(int64_t* counts, int64_t bins, const T* x, int64_t n, int64_t first) {
  if (bins <= 1024 && n >= 8 * bins) return count_in_turn(counts, bins, x, n, first);
  for (int64_t i = 0; i < n; ++i) ++counts[x[i] - first];
}

}  // namespace

void count_values(InOut counts, In x, int64_t first) {
  const int64_t bins = counts.numel, n = x.numel;
  // Each piece has a table, if there are many more elements than values.
  const int64_t pieces = n / std::max(kGrain, 4 * bins) > 1 ? get_num_threads() : 1;
  const int64_t each = (n + pieces - 1) / pieces;
  switch_dtype<dtypes::Integral>(x.dtype, "count", [&]<class scalar_t>() {
    const scalar_t* from = x.as<scalar_t>();
    if (pieces == 1) return count_part(counts.as<int64_t>(), bins, from, n, first);
    std::vector<int64_t> tables(static_cast<size_t>(pieces * bins));
    parallel_for(0, pieces, 1, [&](int64_t i, int64_t end) {
      for (; i < end; ++i)
        count_part(tables.data() + i * bins, bins, from + i * each, std::min(each, n - i * each),
                   first);
    });
    for (int64_t i = 0; i < pieces; ++i)
      for (int64_t k = 0; k < bins; ++k) counts.as<int64_t>()[k] += tables[i * bins + k];
  });
}

}  // namespace torch::taper::cpu
