// Panels: blocks of columns of a right operand. They are copied to the order that register tiles
// read. Not installed.
#pragma once

#include <algorithm>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/gemm.h>

namespace torch::taper::cpu {

/// The largest number of rows of B (along k) in one packed panel. The panel and the register tile's
/// rows of A then stay in L2.
constexpr int64_t kPanelDepth = 512;
constexpr int64_t kPanelWidth = 64;

/// Copies columns [j, j + width) of rows [p, p + depth) of B to `to`. Each row of `to` has
/// kPanelWidth elements.
template <class T>
void pack_panel(T* to, MatrixIn<T> b, int64_t p, int64_t depth, int64_t j, int64_t width) {
  const T* from = b.data + p * b.row + j * b.col;
  if (b.row == 1 && b.col != 1) {
    transpose_panel(to, kPanelWidth, from, b.col, width, depth);
    return;
  }
  for (int64_t i = 0; i < depth; ++i, from += b.row, to += kPanelWidth)
    if (b.col == 1)
      std::copy_n(from, width, to);
    else
      for (int64_t x = 0; x < width; ++x) to[x] = from[x * b.col];
}

}  // namespace torch::taper::cpu
