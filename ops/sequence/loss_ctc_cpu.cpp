#include <algorithm>
#include <cmath>

#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/vector_exp.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/sequence/loss_ctc_kernels.h>

#define TAPER_ISA_FILE <taper/ops/sequence/loss_ctc_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

// Computes to[s] = log(exp(from[s]) + exp(from[s + back]) + exp(from[s + 2 back] + costs[s])), s <
// n.
void next_sums(float* to, const float* from, const float* costs, int64_t back, int64_t n) {
  return TAPER_BY_ISA(ctc_next_f32, to, from, costs, back, n);
}
void next_sums(double* to, const double* from, const double* costs, int64_t back, int64_t n) {
  return TAPER_BY_ISA(ctc_next_f64, to, from, costs, back, n);
}
void put_shares(float* shares, const float* alpha, const float* beta, float loss, int64_t n) {
  return TAPER_BY_ISA(ctc_shares_f32, shares, alpha, beta, loss, n);
}
void put_shares(double* shares, const double* alpha, const double* beta, double loss, int64_t n) {
  return TAPER_BY_ISA(ctc_shares_f64, shares, alpha, beta, loss, n);
}

// Aligns one input. Rows have two impossible positions before their first and after their last.
template <class T>
class Aligner {
 public:
  Aligner(const CtcInput<T>& in, int64_t n)
      : in_(in), n_(n), count_(in.ends[n] + 1), memory_(3 * width()) {
    std::fill_n(memory_.get(), 3 * width(), T(kCtcNever));
    for (int64_t s = 0; s < count_; ++s) costs()[s] = skips(s) ? T(0) : T(kCtcNever);
  }

  void forward(T* alpha, T* loss) const {
    T *const sums = row(1), *const next = row(2);
    for (int64_t s = 0; s < std::min<int64_t>(2, count_); ++s) sums[s] = in_.emitted(0, n_, s);
    std::copy_n(sums, count_, alpha);
    for (int64_t t = 1; t < in_.steps(n_); ++t) {
      next_sums(next, sums, costs(), -1, count_);
      for (int64_t s = 0; s < count_; ++s) sums[s] = next[s] + in_.emitted(t, n_, s);
      std::copy_n(sums, count_, alpha + t * in_.batch * in_.places);
    }
    next_sums(next, sums + count_ - 1, row(2) - 2, -1, 1);
    *loss = -next[0];
  }

  // Goes from the last step to the first. beta sums the continuations of a position, sums its
  // emission too.
  void backward(T* shares, const T* alpha, T loss) const {
    T *const sums = row(1), *const beta = row(2);
    std::fill_n(beta + std::max<int64_t>(0, count_ - 2), std::min<int64_t>(2, count_), T(0));
    for (int64_t t = in_.steps(n_); t-- > 0;) {
      const int64_t at = t * in_.batch * in_.places;
      put_shares(shares + at, alpha + at, beta, loss, count_);
      for (int64_t s = 0; s < count_; ++s) sums[s] = beta[s] + in_.emitted(t, n_, s);
      next_sums(beta, sums, costs() + 2, 1, count_);
    }
  }

 private:
  int64_t width() const { return count_ + 4; }
  bool skips(int64_t s) const { return in_.skips[n_ * in_.places + s]; }
  T* row(int64_t i) const { return memory_.get() + i * width() + 2; }
  T* costs() const { return row(0); }

  CtcInput<T> in_;
  int64_t n_, count_;
  Scratch<T> memory_;
};

template <class F>
void for_each_input(const In& x, const In& labels, const F& f) {
  constexpr int64_t kElement = 8;  // cost of an element in pointwise operations
  const int64_t work = std::max<int64_t>(1, x.sizes[0] * labels.sizes[1] * kElement);
  parallel_for(0, x.sizes[1], std::max<int64_t>(1, kGrain / work), [&](int64_t n, int64_t end) {
    for (; n < end; ++n) f(n);
  });
}

}  // namespace

void ctc_alignments(Out alpha, Out loss, In x, In labels, In skips, In inputs, In ends) {
  for_ctc_dtype(x.dtype, [&]<class T>(T) {
    const CtcInput<T> in(x, labels, skips, inputs, ends);
    for_each_input(x, labels, [&](int64_t n) {
      Aligner<T>(in, n).forward(alpha.as<T>() + n * in.places, loss.as<T>() + n);
    });
  });
}

void ctc_shares(Out shares, In alpha, In loss, In x, In labels, In skips, In inputs, In ends) {
  for_ctc_dtype(x.dtype, [&]<class T>(T) {
    const CtcInput<T> in(x, labels, skips, inputs, ends);
    T* const to = shares.as<T>();
    std::fill_n(to, shares.numel, T(0));
    for_each_input(x, labels, [&](int64_t n) {
      const T l = loss.as<T>()[n];
      if (l > T(kCtcImpossible)) return;
      Aligner<T>(in, n).backward(to + n * in.places, alpha.as<T>() + n * in.places, l);
    });
  });
}

}  // namespace torch::taper::cpu
