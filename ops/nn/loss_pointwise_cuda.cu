#include <taper/framework/cuda/fault.h>
#include <taper/ops/nn/loss_pointwise_functors.h>
#include <taper/ops/nn/loss_wide_cuda.h>
#include <taper/ops/reduce/reduce_cuda.h>

namespace torch::taper::cuda {
namespace {

/// The compared elements, V at a time if `packed`.
template <class Loss, class T>
struct Compared {
  using C = opmath_t<T>;
  static constexpr int V = kPack<T>;
  const T* x;
  EitherIn<T> target;
  C p;
  int64_t n;
  bool packed, probability;
  Faults faults;
  Compared(const In& x, const In& target, const LossForm& form)
      : x(x.as<T>()),
        target(target),
        p(static_cast<C>(form.p)),
        n(x.numel),
        packed(is_packed(x.data) && is_packed(target.data)),
        probability(form.kind == LossKind::kBce) {}
  int64_t packs() const { return (n + V - 1) / V; }
  TAPER_DEVICE void read(int64_t first, Pack<C, V>& px, Pack<C, V>& pt) const {
    read_wide(x + first, px);
    target.read(first, pt);
  }
  /// Returns the loss of an element. Reports an x outside [0, 1] if it should be a probability.
  TAPER_DEVICE C value(C of, C t) const {
    if (probability && !(of >= C(0) && of <= C(1))) faults.raise(FaultKind::kProbability);
    return Loss::value(of, t, p);
  }
  TAPER_DEVICE C value(int64_t i) const { return value(load(x[i]), target.at(i)); }
};

template <class Loss, class T>
struct LossValues {
  using C = opmath_t<T>;
  static constexpr int V = kPack<T>;
  Compared<Loss, T> of;
  EitherOut<T> y;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t first = i * V;
    if (of.packed && first + V <= of.n) {
      Pack<C, V> x, t;
      of.read(first, x, t);
      for (int k = 0; k < V; ++k) x.v[k] = of.value(x.v[k], t.v[k]);
      y.write(first, x);
    } else {
      TAPER_ROLLED
      for (int64_t k = first; k < of.n && k < first + V; ++k) y.put(k, of.value(k));
    }
  }
};

/// Sums the losses of pieces of packs. A single piece gives the final sum divided by `divisor`.
template <class Loss, class T>
struct LossSums {
  using C = opmath_t<T>;
  static constexpr int V = kPack<T>, kMostThreads = 2 * kThreads;
  Compared<Loss, T> of;
  int64_t piece;
  double divisor;
  double* sums;  // null for a single piece
  C* y;
  TAPER_DEVICE double sum_at(int64_t first) const {
    if (of.packed && first + V <= of.n) {
      Pack<C, V> x, t;
      of.read(first, x, t);
      C sum = of.value(x.v[0], t.v[0]);
      for (int k = 1; k < V; ++k) sum += of.value(x.v[k], t.v[k]);
      return sum;
    }
    double sum = 0;
    TAPER_ROLLED
    for (int64_t k = first; k < of.n && k < first + V; ++k) sum += of.value(k);
    return sum;
  }
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t end = (row + 1) * piece * V;
    double sum = 0;
    TAPER_ROLLED
    for (int64_t at = (row * piece + team.rank) * V; at < end && at < of.n; at += team.size * V)
      sum += sum_at(at);
    sum = team.combine(sum, Plus());
    if (team.rank != 0) return;
    if (sums)
      sums[row] = sum;
    else
      *y = static_cast<C>(sum / divisor);
  }
};
template <class C>
struct SumOfPieces {
  const double* sums;
  int64_t pieces;
  double divisor;
  C* y;
  TAPER_DEVICE void operator()(const Team& team, int64_t) const {
    const double sum = team.sum<double>(pieces, [&](int64_t i) { return sums[i]; });
    if (team.rank == 0) *y = static_cast<C>(sum / divisor);
  }
};

template <class Loss, class T>
void sum_losses(const Out& y, const Compared<Loss, T>& of, double divisor) {
  using C = opmath_t<T>;
  constexpr int64_t least = 4096;  // elements of a piece
  C* const to = y.as<C>();
  const int team = reducing_team(of.n, 1);
  const int64_t pieces =
      std::max<int64_t>(1, std::min<int64_t>(resident_threads() / team, of.n / least));
  const int64_t piece = (of.packs() + pieces - 1) / pieces;
  if (pieces == 1) return for_each_row(1, team, LossSums<Loss, T>{of, piece, divisor, nullptr, to});
  const Scratch<double> sums(pieces);
  for_each_row(pieces, team, LossSums<Loss, T>{of, piece, divisor, sums.get(), to});
  for_each_row(1, team_for(pieces), SumOfPieces<C>{sums.get(), pieces, divisor, to});
}

template <class Loss, class T>
struct LossGradient {
  using C = opmath_t<T>;
  static constexpr int V = kPack<T>;
  Compared<Loss, T> of;
  T* gx;
  EitherIn<T> gy;
  bool each;  // gy has one number per element
  double divisor;
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t first = i * V;
    const C scale = each ? C(1) : static_cast<C>(gy.at(0) / divisor);
    if (of.packed && first + V <= of.n) {
      Pack<C, V> x, t, g;
      of.read(first, x, t);
      if (each)
        gy.read(first, g);
      else
        for (C& v : g.v) v = scale;
      for (int k = 0; k < V; ++k) x.v[k] = Loss::slope(x.v[k], t.v[k], of.p) * g.v[k];
      write_wide(gx + first, x);
    } else {
      TAPER_ROLLED
      for (int64_t k = first; k < of.n && k < first + V; ++k)
        gx[k] = static_cast<T>(Loss::slope(load(of.x[k]), of.target.at(k), of.p) *
                               (each ? gy.at(k) : scale));
    }
  }
};

}  // namespace

void pointwise_loss(Out y, In x, In target, LossForm form, double divisor) {
  switch_dtype<dtypes::Floating>(x.dtype, "loss", [&]<class T>() {
    functor::with_loss(form.kind, [&](auto loss) {
      using Loss = decltype(loss);
      const Compared<Loss, T> of(x, target, form);
      if (y.numel == x.numel)
        for_each(of.packs(), LossValues<Loss, T>{of, EitherOut<T>(y)});
      else
        sum_losses(y, of, divisor);
    });
  });
}

void pointwise_loss_backward(Out gx, In gy, In x, In target, LossForm form, double divisor) {
  switch_dtype<dtypes::Floating>(x.dtype, "loss_backward", [&]<class T>() {
    functor::with_loss(form.kind, [&](auto loss) {
      LossGradient<decltype(loss), T> gradient{{x, target, form},
                                               gx.as<T>(),
                                               EitherIn<T>(gy),
                                               gy.numel == x.numel && x.numel > 1,
                                               divisor};
      gradient.of.packed &= !gradient.each || is_packed(gy.data);
      for_each(gradient.of.packs(), gradient);
    });
  });
}

}  // namespace torch::taper::cuda
