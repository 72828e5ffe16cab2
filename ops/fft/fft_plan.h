// What the CPU's Fourier transforms of one length share: its factors and the roots of unity. Not
// installed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

/// Complex numbers with real and imaginary parts apart, as the passes want them.
template <class T>
struct Split {
  T *re, *im;
  /// The same with the parts exchanged: a transform of it is the inverse one, exchanged again.
  Split swapped() const { return {im, re}; }
  Split at(int64_t i) const { return {re + i, im + i}; }
};

/// One pass of a transform of radix * count * stride points (Stockham's form, which needs no
/// reordering): for p < count, q < stride
///   y[q + stride * (radix * p + j)] = root^(p j) sum_k x[q + stride * (p + count * k)] w^(j k)
/// with w the radix-th root of unity. roots holds root^(p j) at [(j - 1) * count + p].
template <class T>
struct FftPass {
  int64_t radix, count, stride;
  const T *roots_re, *roots_im;
  /// w^k, for radices without formulas of their own.
  const T *radix_re, *radix_im;
};

/// exp(-2 pi i k / n).
struct RootOfUnity {
  double re, im;
  RootOfUnity(int64_t k, int64_t n);
};

/// Such numbers in a row.
template <class T>
struct Roots {
  std::vector<T> re, im;
  void append(int64_t k, int64_t n) {
    const RootOfUnity w(k, n);
    re.push_back(static_cast<T>(w.re));
    im.push_back(static_cast<T>(w.im));
  }
};

/// The forward transform of n points, not scaled. Lengths with prime factors beyond 13 go by
/// Bluestein's convolution.
template <class T>
class FftPlan {
 public:
  explicit FftPlan(int64_t n);
  ~FftPlan();
  int64_t n() const { return n_; }
  /// Elements of T that run() needs beside x, for each row.
  int64_t work_size() const;
  /// Transforms `lanes` rows x, which are lost: element i of row b is at i * lanes + b, so that
  /// loops over neighbours become vector code in every pass. Returns where the result is: x or the
  /// work memory.
  Split<T> run(Split<T> x, T* work, int64_t lanes = 1) const;
  /// Whether one row fills the vectors of all passes.
  bool fast_alone() const;
  /// exp(-2 pi i k / (2 n)) for k up to n: for real rows of twice the length.
  const Roots<T>& half_roots() const { return half_roots_; }
  /// The plan for n, from a cache.
  static std::shared_ptr<const FftPlan> of(int64_t n);

 private:
  struct Bluestein;
  void add_pass(int64_t radix, int64_t left, int64_t stride);
  int64_t n_;
  std::vector<FftPass<T>> passes_;
  std::vector<std::unique_ptr<Roots<T>>> roots_;  // of the passes
  Roots<T> half_roots_;
  std::unique_ptr<Bluestein> bluestein_;
};

// By the best instruction set, for float and double:

/// One pass.
template <class T>
void fft_pass(const FftPass<T>& pass, Split<T> x, Split<T> y);
/// The parts of n complex numbers apart, and together again.
template <class T>
void fft_take_apart(Split<T> to, const T* from, int64_t n);
template <class T>
void fft_put_together(T* to, Split<T> from, int64_t n, T scale);
/// From the transform z of h pairs of neighbours the h + 1 values of that of 2 h real numbers; w
/// are the half_roots.
template <class T>
void fft_real_values(T* to, Split<T> z, const Roots<T>& w, int64_t h, int64_t lanes, T scale);
/// And back: what to transform (with +) to get pairs of neighbours, twice them.
template <class T>
void fft_real_pairs(Split<T> to, const T* from, const Roots<T>& w, int64_t h, int64_t lanes);

}  // namespace torch::taper::cpu
