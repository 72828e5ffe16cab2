#include <cmath>

#include <taper/framework/cuda/launch.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/ops/sequence/loss_ctc_kernels.h>

// There is one launch per step, with one thread per position of each input.
namespace torch::taper::cuda {
namespace {

template <class T>
TAPER_DEVICE T log_of_sum(T a, T b, T c) {
  const T ab = a > b ? a : b, abc = ab > c ? ab : c;
  const T most = abc < T(kCtcNever) ? T(kCtcNever) : abc;
  return most + std::log(std::exp(a - most) + std::exp(b - most) + std::exp(c - most));
}

template <class T>
struct NextSums {
  CtcInput<T> in;
  T* alpha;
  int64_t t;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t n = i / in.places, s = i - n * in.places, size = in.batch * in.places;
    if (t >= in.steps(n)) return;
    const T emitted = in.emitted(t, n, s), never = T(kCtcNever);
    T* const to = alpha + t * size + i;
    if (t == 0) {
      *to = s < 2 ? emitted : never;
      return;
    }
    const T* const from = to - size;
    *to = log_of_sum(*from, s > 0 ? from[-1] : never, in.skips[i] ? from[-2] : never) + emitted;
  }
};

template <class T>
struct Losses {
  CtcInput<T> in;
  const T* alpha;
  T* loss;
  TAPER_DEVICE void operator()(int64_t n) const {
    const int64_t end = in.ends[n];
    const T* const last = alpha + ((in.steps(n) - 1) * in.batch + n) * in.places + end;
    loss[n] = -log_of_sum(*last, end > 0 ? last[-1] : T(kCtcNever), T(kCtcNever));
  }
};

/// Computes the sums of step t, and its shares, from the `sums` of step t + 1.
template <class T>
struct EarlierSums {
  CtcInput<T> in;
  T *shares, *to;
  const T *alpha, *loss, *sums;
  int64_t t;
  TAPER_DEVICE T beta(int64_t n, int64_t s, int64_t i) const {
    const T never = T(kCtcNever);
    if (s > in.ends[n]) return never;
    if (t == in.steps(n) - 1) return s + 2 > in.ends[n] ? T(0) : never;
    const bool one = s + 1 <= in.ends[n], two = s + 2 <= in.ends[n] && in.skips[i + 2];
    return log_of_sum(sums[i], one ? sums[i + 1] : never, two ? sums[i + 2] : never);
  }
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t n = i / in.places, s = i - n * in.places, at = t * in.batch * in.places + i;
    shares[at] = T(0);
    if (t >= in.steps(n)) return;
    const T b = beta(n, s, i);
    to[i] = b + in.emitted(t, n, s);
    if (s <= in.ends[n] && !(loss[n] > T(kCtcImpossible)))
      shares[at] = std::exp(alpha[at] + b + loss[n]);
  }
};

}  // namespace

void ctc_alignments(Out alpha, Out loss, In x, In labels, In skips, In inputs, In ends) {
  for_ctc_dtype(x.dtype, [&]<class T>(T) {
    const CtcInput<T> in(x, labels, skips, inputs, ends);
    for (int64_t t = 0; t < x.sizes[0]; ++t)
      for_each(in.batch * in.places, NextSums<T>{in, alpha.as<T>(), t});
    for_each(in.batch, Losses<T>{in, alpha.as<T>(), loss.as<T>()});
  });
}

void ctc_shares(Out shares, In alpha, In loss, In x, In labels, In skips, In inputs, In ends) {
  for_ctc_dtype(x.dtype, [&]<class T>(T) {
    const CtcInput<T> in(x, labels, skips, inputs, ends);
    const int64_t size = in.batch * in.places;
    const Scratch<T> sums(2 * size);
    for (int64_t t = x.sizes[0]; t-- > 0;)
      for_each(size, EarlierSums<T>{in, shares.as<T>(), sums.get() + t % 2 * size, alpha.as<T>(),
                                    loss.as<T>(), sums.get() + (t + 1) % 2 * size, t});
  });
}

}  // namespace torch::taper::cuda
