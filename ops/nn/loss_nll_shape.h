// Shapes and offsets of losses over classes. Not installed.
#pragma once

#include <taper/ops/nn/loss_nll_kernels.h>

namespace torch::taper {

/// A shape [N, C, ...] as three numbers: N, the number of classes C, and `inner`, the product of
/// the sizes after C. A shape [C] is one sample.
struct NllShape {
  int64_t n = 1, classes = 1, inner = 1;

  explicit NllShape(const Dims& sizes) {
    if (sizes.size() == 1) {
      classes = sizes[0];
      return;
    }
    n = sizes[0];
    classes = sizes[1];
    for (int64_t d = 2; d < sizes.size(); ++d) inner *= sizes[d];
  }
  /// Calls f(i, offset) for the index i of each target. `offset` is the offset in x of the target's
  /// class 0.
  template <class F>
  void each_target(const F& f) const {
    for (int64_t i = 0; i < n; ++i)
      for (int64_t s = 0; s < inner; ++s) f(i * inner + s, i * classes * inner + s);
  }
  TAPER_HD int64_t targets() const { return n * inner; }
  /// Returns the offset in x of class c for the target with index `at`.
  TAPER_HD int64_t place(int64_t at, int64_t c) const {
    const int64_t sample = at / inner;
    return (sample * classes + c) * inner + (at - sample * inner);
  }
};

}  // namespace torch::taper
