#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <taper/framework/cpu/parallel.h>
#include <taper/ops/index/embedding_kernels.h>
#include <taper/ops/shared/weighted_rows.h>

namespace taper::cpu {
namespace {

template <class T, class I>
void divide_by_frequency(T* y, int64_t width, const I* rows, int64_t n, int64_t begin,
                         int64_t end) {
  std::vector<int64_t> count(static_cast<size_t>(end - begin), 0);
  for (int64_t i = 0; i < n; ++i)
    if (rows[i] >= begin && rows[i] < end) ++count[static_cast<size_t>(rows[i] - begin)];
  for (int64_t v = begin; v < end; ++v) {
    const int64_t times = count[static_cast<size_t>(v - begin)];
    if (times < 2) continue;
    for (int64_t k = 0; k < width; ++k) y[v * width + k] /= static_cast<T>(times);
  }
}

/// What is added up: for index i the row from[i] (or i) of gy, times factors[i] (or 1).
template <class T, class I>
struct Summands {
  const T* gy;
  int64_t count, width;
  const I *rows, *from;
  const T* factors;
  int64_t n, padding_idx;
};

/// The part [begin, end) of the table. Every thread reads all indices and adds the rows that are in
/// its part, so the order of the additions does not depend on the number of threads.
template <class T, class I>
void add_rows(T* y, const Summands<T, I>& s, int64_t begin, int64_t end) {
  std::memset(y + begin * s.width, 0, static_cast<size_t>((end - begin) * s.width) * sizeof(T));
  for (int64_t i = 0; i < s.n; ++i) {
    const int64_t v = s.rows[i];
    if (v < begin || v >= end || v == s.padding_idx) continue;
    const int64_t from = s.from ? s.from[i] : i;
    if (from >= s.count) continue;
    add_row(y + v * s.width, s.gy + from * s.width, s.factors ? s.factors[i] : T(1), s.width);
  }
}

template <class T>
double row_norm(const T* row, int64_t width, double p) {
  double total = 0;
  for (int64_t k = 0; k < width; ++k) {
    const double v = std::abs(static_cast<double>(row[k]));
    if (std::isinf(p))
      total = std::max(total, v);
    else
      total += p == 2 ? v * v : p == 1 ? v : std::pow(v, p);
  }
  if (p == 2) return std::sqrt(total);
  return p == 1 || std::isinf(p) ? total : std::pow(total, 1 / p);
}

}  // namespace

void embedding_gradient(Out y, In gy, In rows, In from, In factors, int64_t padding_idx,
                        bool by_frequency) {
  const int64_t table = y.sizes[0], width = y.sizes[1], n = rows.numel;
  const int64_t grain = std::max<int64_t>(1, 2 * kGrain / std::max<int64_t>(1, width));
  switch_dtype<dtypes::Float>(y.dtype, "embedding_backward", [&]<class T>() {
    switch_dtype<dtypes::Index>(rows.dtype, "embedding_backward", [&]<class scalar_t>() {
      const Summands<T, scalar_t> s{gy.as<T>(),
                                    from.defined() ? gy.sizes[0] : n,
                                    width,
                                    rows.as<scalar_t>(),
                                    from.defined() ? from.as<scalar_t>() : nullptr,
                                    factors.defined() ? factors.as<T>() : nullptr,
                                    n,
                                    padding_idx};
      parallel_for(0, table, grain, [&](int64_t begin, int64_t end) {
        add_rows(y.as<T>(), s, begin, end);
        if (by_frequency) divide_by_frequency(y.as<T>(), width, s.rows, n, begin, end);
      });
    });
  });
}

void embedding_renorm(InOut weight, In rows, double max_norm, double norm_type) {
  const int64_t width = weight.sizes[1];
  std::vector<bool> seen(static_cast<size_t>(weight.sizes[0]), false);
  switch_dtype<dtypes::Floating>(weight.dtype, "embedding_renorm", [&]<class T>() {
    switch_dtype<dtypes::Index>(rows.dtype, "embedding_renorm", [&]<class scalar_t>() {
      for (int64_t i = 0; i < rows.numel; ++i) {
        const int64_t v = rows.as<scalar_t>()[i];
        if (seen[static_cast<size_t>(v)]) continue;
        seen[static_cast<size_t>(v)] = true;
        T* row = weight.as<T>() + v * width;
        const double norm = row_norm(row, width, norm_type);
        if (!(norm > max_norm)) continue;
        const double scale = max_norm / (norm + 1e-7);
        for (int64_t k = 0; k < width; ++k)
          row[k] = T(static_cast<opmath_t<T>>(static_cast<double>(row[k]) * scale));
      }
    });
  });
}

}  // namespace taper::cpu
