// The determinant of a matrix by expansion of minors. The minors of the last k rows are computed at
// once, from those of the last k - 1 rows. So each minor is computed once.
#pragma once

#include <torch/func.h>

#include "protocol.h"

namespace minors {

/// For each set of k columns, and each column of it: the column, and the index of the set without
/// it. Both are lists of (sets * k) elements.
struct Table {
  Tensor column, smaller;
};

/// Returns the sets of k of n columns as bits of numbers, in order.
inline std::vector<int64_t> sets_of(int64_t k, int64_t n) {
  std::vector<int64_t> all;
  for (int64_t set = 0; set < int64_t{1} << n; ++set) {
    int64_t size = 0;
    for (int64_t c = 0; c < n; ++c) size += set >> c & 1;
    if (size == k) all.push_back(set);
  }
  return all;
}

inline Table table_of(int64_t k, int64_t n) {
  const std::vector<int64_t> smaller = sets_of(k - 1, n);
  std::vector<int64_t> index(size_t{1} << n), column, without;
  for (size_t i = 0; i < smaller.size(); ++i) index[smaller[i]] = static_cast<int64_t>(i);
  for (const int64_t set : sets_of(k, n))
    for (int64_t c = 0; c < n; ++c)
      if (set >> c & 1) {
        column.push_back(c);
        without.push_back(index[set - (int64_t{1} << c)]);
      }
  return {torch::tensor(column, torch::kLong), torch::tensor(without, torch::kLong)};
}

/// The determinant of an (n, n) matrix.
struct Determinant {
  std::vector<Table> tables;  // for 2, 3, ..., n rows

  explicit Determinant(int64_t n) {
    for (int64_t k = 2; k <= n; ++k) tables.push_back(table_of(k, n));
  }
  Tensor operator()(const Tensor& A) const {
    const int64_t n = A.size(0);
    Tensor all = A[n - 1];
    for (int64_t k = 2; k <= n; ++k) {
      const Table& table = tables[k - 2];
      const Tensor signs = 1 - 2 * (torch::arange(k, torch::kDouble) % 2);
      const Tensor terms =
          A[n - k].index_select(0, table.column) * all.index_select(0, table.smaller);
      all = terms.view({-1, k}).matmul(signs);
    }
    return all[0];
  }
};

}  // namespace minors

inline Module det() {
  const auto prepare = [](const Json& in, bool gradient) {
    const int64_t n = count(in, "ell");
    if (n > 20) throw std::invalid_argument("ell: expected at most 20, got " + std::to_string(n));
    const Tensor A = numbers(in, "A", {n * n}).view({n, n});
    const minors::Determinant f(n);
    if (!gradient) return evaluation(f, A);
    return evaluation([f](const Tensor& at) { return torch::func::grad(f)(at).flatten(); }, A);
  };
  return {{"primal", [=](const Json& in) { return prepare(in, false); }},
          {"gradient", [=](const Json& in) { return prepare(in, true); }}};
}
