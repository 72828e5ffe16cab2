#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/narrow_rows.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/index/embedding_kernels.h>
#include <taper/ops/shared/weighted_rows.h>

namespace torch::taper::cpu {
namespace {

/// The terms of a sum: for index i, row from[i] (or i) of gy, times factors[i] (or 1).
template <class T, class I>
struct Summands {
  const T* gy;
  int64_t count, width;
  const I *rows, *from;
  const T* factors;
  int64_t n, padding_idx;
  bool by_frequency;
};

/// Lists the indices that name each row of a part of the table, in order.
class Uses {
 public:
  template <class I>
  Uses(const I* rows, int64_t n, int64_t begin, int64_t end) : first_(end - begin), next_(n) {
    std::fill_n(first_.get(), end - begin, int64_t{-1});
    for (int64_t i = n; i-- > 0;) {
      const int64_t v = rows[i];
      if (v >= begin && v < end) next_[i] = std::exchange(first_[v - begin], i);
    }
  }
  /// The first index that names row begin + k, and the next one after i. -1 means none.
  int64_t first(int64_t k) const { return first_[k]; }
  int64_t next(int64_t i) const { return next_[i]; }

 private:
  Scratch<int64_t> first_, next_;
};

/// Computes one row of the gradient. 16-bit floats are summed as floats, in working memory.
template <class T>
class RowSum {
 public:
  using Sum = opmath_t<T>;
  explicit RowSum(int64_t width)
      : width_(width), sum_(kIsWide ? 0 : width), row_(kIsWide ? 0 : width) {}

  /// Sets y, which is zero, to the sum over index i and the ones after it.
  template <class I>
  void store(T* y, const Summands<T, I>& s, const Uses& uses, int64_t i) const {
    if (uses.next(i) < 0 && !s.factors) return copy(y, s, i);
    Sum* const sum = start(y);
    int64_t times = 0;
    for (; i >= 0; i = uses.next(i), ++times)
      if (const T* row = row_of(s, i)) add(sum, row, s.factors ? Sum(s.factors[i]) : Sum(1));
    for (int64_t k = 0; s.by_frequency && times > 1 && k < width_; ++k)
      sum[k] /= static_cast<Sum>(times);
    if constexpr (!kIsWide) narrow(y, sum, width_);
  }

 private:
  static constexpr bool kIsWide = std::is_same_v<T, Sum>;

  template <class I>
  static const T* row_of(const Summands<T, I>& s, int64_t i) {
    const int64_t from = s.from ? s.from[i] : i;
    return from < s.count ? s.gy + from * s.width : nullptr;
  }
  template <class I>
  void copy(T* y, const Summands<T, I>& s, int64_t i) const {
    if (const T* row = row_of(s, i)) std::copy_n(row, width_, y);
  }
  Sum* start(T* y) const {
    if constexpr (kIsWide) {
      return y;
    } else {
      std::fill_n(sum_.get(), width_, Sum(0));
      return sum_.get();
    }
  }
  void add(Sum* sum, const T* row, Sum factor) const {
    if constexpr (kIsWide) {
      add_row(sum, row, factor, width_);
    } else {
      widen(row_.get(), row, width_);
      add_row(sum, row_.get(), factor, width_);
    }
  }

  int64_t width_;
  Scratch<Sum> sum_, row_;
};

/// Fills the part [begin, end) of the table. Every thread reads all indices and adds the rows of
/// its part. So the order of the additions does not depend on the number of threads.
template <class T, class I>
void add_rows(T* y, const Summands<T, I>& s, int64_t begin, int64_t end) {
  std::memset(static_cast<void*>(y + begin * s.width), 0,
              static_cast<size_t>((end - begin) * s.width) * sizeof(T));
  const Uses uses(s.rows, s.n, begin, end);
  const RowSum<T> sum(s.width);
  for (int64_t v = begin; v < end; ++v)
    if (const int64_t i = uses.first(v - begin); i >= 0 && v != s.padding_idx)
      sum.store(y + v * s.width, s, uses, i);
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
  switch_dtype<dtypes::Floating>(y.dtype, "embedding_backward", [&]<class T>() {
    switch_dtype<dtypes::Index>(rows.dtype, "embedding_backward", [&]<class scalar_t>() {
      const Summands<T, scalar_t> s{gy.as<T>(),
                                    from.defined() ? gy.sizes[0] : n,
                                    width,
                                    rows.as<scalar_t>(),
                                    from.defined() ? from.as<scalar_t>() : nullptr,
                                    factors.defined() ? factors.as<T>() : nullptr,
                                    n,
                                    padding_idx,
                                    by_frequency};
      parallel_for(0, table, grain,
                   [&](int64_t begin, int64_t end) { add_rows(y.as<T>(), s, begin, end); });
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

}  // namespace torch::taper::cpu
