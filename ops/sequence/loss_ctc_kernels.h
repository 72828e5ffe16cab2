// Kernels of ctc_loss. Not installed.
#pragma once

#include <taper/framework/core/host_device.h>
#include <taper/framework/kernel/dispatch.h>

namespace torch::taper {

/// The logarithm of an impossible event. It is finite, so that no infinities are subtracted.
constexpr double kCtcNever = -1e30;
/// A loss above this number means that the target has no alignment.
constexpr double kCtcImpossible = -kCtcNever / 2;

/// The operands of the kernels. x (T, N, C) holds log probabilities in f32 or f64. `labels` (N, L,
/// int64) holds each target with blanks before, between and after its labels. `skips` (N, L, bool)
/// is true for a position that may directly follow the position two before it. `inputs` (N, int64)
/// holds the number of steps of each input. `ends` (N, int64) holds the last position in `labels`
/// of each target. All tensors but x are contiguous.
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

/// Computes alpha (T, N, L), logarithms of the probabilities of alignments. alpha[t, n, s] includes
/// all alignments of the first t + 1 steps of input n that end at position s. Elements beyond the
/// steps and positions of an input are undefined. Also computes the losses (N).
TAPER_KERNEL(ctc_alignments, Out alpha, Out loss, In x, In labels, In skips, In inputs, In ends)
/// Computes shares (T, N, L). shares[t, n, s] is the part of the probability of input n whose
/// alignments are at position s in step t. Elements beyond the steps and positions of an input are
/// 0.
TAPER_KERNEL(ctc_shares, Out shares, In alpha, In loss, In x, In labels, In skips, In inputs,
             In ends)

}  // namespace torch::taper
