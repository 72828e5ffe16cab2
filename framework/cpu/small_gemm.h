// Products that are over before a library has looked at them, worked out before there are numbers.
// Not installed.
#pragma once

#include <optional>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>

namespace taper::cpu {

/// A product that one thread makes by one call of gemm_panel, with all that can be known of it
/// before there are numbers.
template <class T>
struct SmallGemm {
  GemmPanel<T> panel;     ///< its b, where that is `across`, is one that run() makes
  const T* across;        ///< B's columns, each side by side; null where its rows are
  int64_t across_column;  ///< elements from one to the next
  void run() const;
};
/// The product of gemm, to whose rows `row` is added unless it is null; nothing where it is not
/// small. T is float or double.
template <class T>
std::optional<SmallGemm<T>> small_gemm(int64_t m, int64_t n, int64_t k, T alpha, MatrixIn<T> a,
                                       MatrixIn<T> b, const T* row, T* c, int64_t ldc);

}  // namespace taper::cpu
