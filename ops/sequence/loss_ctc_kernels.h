// Kernels of ctc_loss. Not installed.
#pragma once

#include <taper/framework/core/host_device.h>
#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The logarithm of an impossible event. It is finite, so that no infinities are subtracted.
constexpr double kCtcNever = -1e30;
/// A loss above this means that the target has no alignment.
constexpr double kCtcImpossible = -kCtcNever / 2;

/// x (T, N, C) of f32 or f64, and the targets. `labels` (N, L, int64) holds each target with blanks
/// in between. `skips` (N, L, bool) is true for positions that may follow the position two before.
/// `inputs` (N, int64) holds the number of steps of each input, `ends` (N, int64) its last
/// position. All tensors but x are contiguous.
template <class T>
struct CtcInput {
  const T* x;
  int64_t step, row, column;  ///< strides of x
  int64_t batch, places;
  const int64_t* labels;
  const bool* skips;
  const int64_t *inputs, *ends;

  CtcInput(const In& x, const In& labels, const In& skips, const In& inputs, const In& ends)
      : x(x.as<T>()),
        step(x.strides[0]),
        row(x.strides[1]),
        column(x.strides[2]),
        batch(labels.sizes[0]),
        places(labels.sizes[1]),
        labels(labels.as<int64_t>()),
        skips(skips.as<bool>()),
        inputs(inputs.as<int64_t>()),
        ends(ends.as<int64_t>()) {}
  TAPER_HD T emitted(int64_t t, int64_t n, int64_t s) const {
    return x[t * step + n * row + labels[n * places + s] * column];
  }
  /// Returns the number of steps of input n, at least 1.
  TAPER_HD int64_t steps(int64_t n) const { return inputs[n] > 1 ? inputs[n] : 1; }
};

/// Calls f(T()) with the type of x, which is f32 or f64.
template <class F>
void for_ctc_dtype(ScalarType t, const F& f) {
  if (t == kDouble) return f(double());
  f(float());
}

/// alpha (T, N, L) gets logarithms of probabilities. alpha[t, n, s] is for all alignments of the
/// steps up to t that end at position s. alpha is defined only for the steps and positions of each
/// input. `loss` is (N).
TAPER_KERNEL(ctc_alignments, Out alpha, Out loss, In x, In labels, In skips, In inputs, In ends)
/// shares (T, N, L) gets fractions of the probability. shares[t, n, s] is the fraction of the
/// alignments that are at position s in step t. It is 0 beyond the steps and positions of an input.
TAPER_KERNEL(ctc_shares, Out shares, In alpha, In loss, In x, In labels, In skips, In inputs,
             In ends)

}  // namespace torch::taper
