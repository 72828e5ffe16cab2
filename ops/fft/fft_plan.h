// Plans of the CPU's Fourier transforms of one length: the factors of the length and the roots of
// unity. Not installed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// Complex numbers whose real and imaginary parts are in separate arrays.
template <class T>
struct Split {
  T *re, *im;
  /// Returns the numbers with real and imaginary parts swapped. The transform of swapped numbers,
  /// swapped again, is the inverse transform.
  Split swapped() const { return {im, re}; }
  Split at(int64_t i) const { return {re + i, im + i}; }
};

/// One pass of a transform of radix * count * stride points, in Stockham's form, which needs no
/// reordering. For p < count, q < stride and j < radix, summed over k < radix,
///   y[q + stride * (radix * p + j)] = root^(p j) sum_k x[q + stride * (p + count * k)] w^(j k)
/// with w the radix-th root of unity and root the (radix * count)-th. `roots` holds root^(p j) at
/// [(j - 1) * count + p].
template <class T>
struct FftPass {
  int64_t radix, count, stride;
  const T *roots_re, *roots_im;
  /// w^k, for radices that have no special formula.
  const T *radix_re, *radix_im;
};

/// The root of unity exp(-2 pi i k / n).
struct RootOfUnity {
  double re, im;
  RootOfUnity(int64_t k, int64_t n);
};

/// Several roots of unity.
template <class T>
struct Roots {
  std::vector<T> re, im;
  void append(int64_t k, int64_t n) {
    const RootOfUnity w(k, n);
    re.push_back(static_cast<T>(w.re));
    im.push_back(static_cast<T>(w.im));
  }
};

/// The forward transform of n points, not scaled. Lengths with prime factors above 13 use
/// Bluestein's convolution.
template <class T>
class FftPlan {
 public:
  explicit FftPlan(int64_t n);
  ~FftPlan();
  int64_t n() const { return n_; }
  /// Returns the number of elements of work memory that run() needs per row.
  int64_t work_size() const;
  /// Transforms `lanes` rows in x, and overwrites x. Element i of row b is at x[i * lanes + b], so
  /// that loops over adjacent elements become vector code in every pass. Returns the result, which
  /// is in x or in `work`.
  Split<T> run(Split<T> x, T* work, int64_t lanes = 1) const;
  /// Tests whether the passes of a single row fill vector registers, so that `lanes` may be 1.
  bool fast_alone() const;
  /// Returns exp(-2 pi i k / (2 n)) for k up to n, for transforms of 2 n real numbers.
  const Roots<T>& half_roots() const { return half_roots_; }
  /// Returns the plan for n, from a cache.
  static std::shared_ptr<const FftPlan> of(int64_t n);

 private:
  struct Bluestein;
  void add_pass(int64_t radix, int64_t left, int64_t stride);
  int64_t n_;
  std::vector<FftPass<T>> passes_;
  std::vector<std::unique_ptr<Roots<T>>> roots_;  // for the passes
  Roots<T> half_roots_;
  std::unique_ptr<Bluestein> bluestein_;
};

// These functions exist for float and double. They use the best instruction set.

/// Computes one pass.
template <class T>
void fft_pass(const FftPass<T>& pass, Split<T> x, Split<T> y);
/// Separate and join the real and imaginary parts of n complex numbers.
template <class T>
void fft_take_apart(Split<T> to, const T* from, int64_t n);
template <class T>
void fft_put_together(T* to, Split<T> from, int64_t n, T scale);
/// Computes the first h + 1 values of the transform of 2 h real numbers, times scale. Two adjacent
/// real numbers are read as one complex number. z is the transform of these h complex numbers. w is
/// half_roots().
template <class T>
void fft_real_values(T* to, Split<T> z, const Roots<T>& w, int64_t h, int64_t lanes, T scale);
/// Inverts fft_real_values for scale 1: computes 2 z from its h + 1 values.
template <class T>
void fft_real_pairs(Split<T> to, const T* from, const Roots<T>& w, int64_t h, int64_t lanes);

}  // namespace torch::taper::cpu
