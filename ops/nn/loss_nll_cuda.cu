#include <cmath>

#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/rows.h>
#include <taper/ops/nn/loss_nll_shape.h>
#include <taper/ops/nn/loss_wide_cuda.h>
#include <taper/ops/reduce/reduce_cuda.h>

namespace torch::taper::cuda {
namespace {

/// The targets and their weights.
template <class T>
struct Targets {
  const char* op;
  const int64_t* target;
  const T* weight;  // null: 1 each
  int64_t ignore_index, classes;
  Faults faults;
  Targets(const char* op, const In& target, const In& weight, const NllOptions& o, int64_t classes)
      : op(op),
        target(target.as<int64_t>()),
        weight(weight.defined() ? weight.as<T>() : nullptr),
        ignore_index(o.ignore_index),
        classes(classes) {}
  /// Returns the target c, or -1 if it is ignored. Reports a class that does not exist.
  TAPER_DEVICE int64_t checked(int64_t c) const {
    if (c == ignore_index) return -1;
    if (c >= 0 && c < classes) return c;
    faults.raise(FaultKind::kTarget, c, number_of(op));
    return -1;
  }
  TAPER_DEVICE int64_t at(int64_t i) const { return checked(target[i]); }
  TAPER_DEVICE T weight_of(int64_t c) const { return c < 0 ? T(0) : weight ? weight[c] : T(1); }
};

struct Totals {
  double loss, weight;
};

/// A reduction over targets: the sum or mean of loss(i, class, weight), and the sum of weights.
template <class T, class Loss>
struct TotalLoss {
  using State = Totals;
  using Element = int64_t;
  Targets<T> targets;
  T* y;
  int64_t reduction;
  Loss loss;
  TAPER_HD Totals start() const { return {0, 0}; }
  TAPER_DEVICE Totals take(const char* target, int64_t i) const {
    const int64_t c = targets.checked(*reinterpret_cast<const int64_t*>(target));
    const T w = targets.weight_of(c), l = c < 0 ? T(0) : loss(i, c, w);
    if (reduction == 0) y[i] = l;
    return {l, w};
  }
  TAPER_DEVICE Totals join(const Totals& a, const Totals& b) const {
    return {a.loss + b.loss, a.weight + b.weight};
  }
  TAPER_DEVICE void finish(char* total_weight, const Totals& t) const {
    *reinterpret_cast<T*>(total_weight) = static_cast<T>(t.weight);
    if (reduction != 0) *y = static_cast<T>(reduction == 1 ? t.loss / t.weight : t.loss);
  }
};

/// Returns a 0-dim operand of type T at p.
template <class T>
Out scalar_at(T* p) {
  Out y;
  y.data = p;
  y.dtype = CppTypeToScalarType<T>::value;
  y.numel = 1;
  return y;
}

// ---------------------------------------------------------------- of log-probabilities
template <class T>
struct NllLoss {
  using C = opmath_t<T>;
  NllShape shape;
  const T* x;
  TAPER_DEVICE C operator()(int64_t i, int64_t c, C w) const {
    return -w * load(x[shape.place(i, c)]);
  }
};

/// The gradients of the scores of one target: zeros except for its class.
template <class T>
struct NllGradient {
  using C = opmath_t<T>;
  NllShape shape;
  Targets<C> targets;
  T* gx;
  const C *gy, *total_weight;
  int64_t reduction;
  TAPER_DEVICE C of_class(int64_t i, int64_t target) const {
    const C divisor = reduction == 1 ? *total_weight : C(1);
    return -targets.weight_of(target) * gy[reduction == 0 ? i : 0] / divisor;
  }
  /// For scores that are `inner` apart. A thread has all of a target.
  TAPER_DEVICE void operator()(int64_t i) const {
    const int64_t target = targets.at(i);
    const T g = static_cast<T>(of_class(i, target));
    for (int64_t c = 0; c < shape.classes; ++c) gx[shape.place(i, c)] = c == target ? g : T(0);
  }
};
/// For scores that form a row.
template <class T, int V>
struct NllGradientOfRow {
  NllGradient<T> of;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t classes = of.shape.classes, target = of.targets.at(row);
    const T g = static_cast<T>(of.of_class(row, target));
    for (int64_t c = int64_t{team.rank} * V; c < classes; c += int64_t{team.size} * V) {
      Pack<T, V> pack;
      for (int k = 0; k < V; ++k) pack.v[k] = c + k == target ? g : T(0);
      store_pack(of.gx + row * classes, c, 1, pack);
    }
  }
};

// ---------------------------------------------------------------- of logits
// 16-bit floats are read, and their gradients written, directly. All other numbers then have 32
// bits.

/// The scores of all classes for each target.
struct ScoreRows {
  int64_t classes, inner;
  explicit ScoreRows(const NllShape& shape) : classes(shape.classes), inner(shape.inner) {}
  TAPER_DEVICE int64_t first(int64_t row) const {
    return inner == 1 ? row * classes : row / inner * classes * inner + row % inner;
  }
  /// If scores form no rows, adjacent targets have adjacent scores, and a thread has a target.
  template <class Held>
  int team() const {
    return inner == 1 ? held_team_for<Held>(classes) : 1;
  }
  template <class T>
  bool packs(const In& weight, const void* a, const void* b) const {
    return inner == 1 && classes % kPack<T> == 0 && is_packed(a) && is_packed(b) &&
           is_packed(weight.data);
  }
};
/// Reads the weights of V classes.
template <class C, int V>
TAPER_DEVICE void read_weights(const C* weight, int64_t i, Pack<C, V>& to) {
  if (weight)
    read_wide(weight + i, to);
  else
    for (C& w : to.v) w = 1;
}

template <class C>
struct ScoreSums {
  C max, log_sum;
};
/// Returns the largest of a row's scores, and the logarithm of the sum of their exponentials.
template <class T, int V>
TAPER_DEVICE ScoreSums<opmath_t<T>> row_sums(const Team& team, const HeldRows<T, V>& held) {
  using C = opmath_t<T>;
  const C max = held.reduce(
      team, C(-INFINITY), [](C v) { return v; }, Larger());
  const C sum = held.reduce(
      team, C(0), [max](C v) { return std::exp(v - max); }, Plus());
  return {max, max + std::log(sum)};
}

/// Computes the logarithm of each row's sum of exponentials, and its weighted loss.
template <class T, int V>
struct ScoreLosses {
  using Held = HeldRows<T, V>;
  using C = opmath_t<T>;
  static constexpr int kMostThreads = Held::kMostThreads;
  Targets<C> targets;
  ScoreRows rows;
  const T* x[1];
  C *log_sums, *losses;
  C smoothing;
  /// Returns the weighted sum of the losses of all classes.
  TAPER_DEVICE C sum_of_all(const Team& team, const Held& held, C log_sum) const {
    C sum = 0;
    held.each([&](int64_t i, const Packs<T, V, 1>& packs) {
      Pack<C, V> w;
      read_weights(targets.weight, i, w);
      for (int k = 0; k < V; ++k) sum += w.v[k] * (log_sum - load(packs.row[0].v[k]));
    });
    return team.combine(sum, Plus());
  }
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = rows.first(row);
    const Held held(team, rows.classes, rows.inner, x, at);
    const C log_sum = row_sums(team, held).log_sum;
    const C all = smoothing > 0 ? sum_of_all(team, held, log_sum) : C(0);
    if (team.rank != 0) return;
    log_sums[row] = log_sum;
    const int64_t c = targets.at(row);
    C loss = 0;
    if (c >= 0) loss = targets.weight_of(c) * (log_sum - load(x[0][at + c * rows.inner]));
    if (c >= 0 && smoothing > 0)
      loss = (1 - smoothing) * loss + smoothing / static_cast<C>(rows.classes) * all;
    losses[row] = loss;
  }
};
template <class C>
struct KnownLoss {
  const C* losses;
  TAPER_DEVICE C operator()(int64_t i, int64_t, C) const { return losses[i]; }
};

template <class T, int V>
struct CrossEntropyGradient {
  using Held = HeldRows<T, V>;
  using C = opmath_t<T>;
  static constexpr int kMostThreads = Held::kMostThreads;
  Targets<C> targets;
  ScoreRows rows;
  T* gx;
  const C* gy;  // of each row, or of all. null: 1
  const T* x[1];
  const C *log_sums, *total_weight;
  int64_t reduction;
  C smoothing;
  /// Returns the total weight of all classes.
  TAPER_DEVICE C weight_of_all(const Team& team) const {
    if (!targets.weight) return static_cast<C>(rows.classes);
    return team.sum<C>(rows.classes, [&](int64_t c) { return targets.weight[c]; });
  }
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = rows.first(row);
    const Held held(team, rows.classes, rows.inner, x, at);
    const int64_t target = targets.at(row);
    const C divisor = reduction == 1 ? *total_weight : C(1), log_sum = log_sums[row];
    const C scale = target < 0 ? C(0) : (gy ? gy[reduction == 0 ? row : 0] : C(1)) / divisor;
    const C own = (1 - smoothing) * targets.weight_of(target) * scale;
    const C each = smoothing / static_cast<C>(rows.classes) * scale;
    const C factor = smoothing > 0 ? own + each * weight_of_all(team) : own;
    held.each([&](int64_t i, const Packs<T, V, 1>& packs) {
      Pack<T, V> g;
      Pack<C, V> w;
      if (smoothing > 0) read_weights(targets.weight, i, w);
      for (int k = 0; k < V; ++k) {
        C v = std::exp(load(packs.row[0].v[k]) - log_sum) * factor;
        if (smoothing > 0) v -= each * w.v[k];
        if (i + k == target) v -= own;
        g.v[k] = static_cast<T>(target < 0 ? C(0) : v);
      }
      store_pack(gx + at, i, rows.inner, g);
    });
  }
};

template <class T>
void cross_entropy_gradient(const Out& gx, const opmath_t<T>* gy, const opmath_t<T>* sums,
                            const In& x, const In& target, const In& weight, const NllOptions& o) {
  using C = opmath_t<T>;
  const NllShape shape(x.sizes);
  const ScoreRows rows(shape);
  const Targets<C> targets("cross_entropy", target, weight, o, shape.classes);
  const int64_t n = shape.targets();
  by_packs<T>(rows.packs<T>(weight, gx.as<T>(), x.as<T>()), [&]<int V>() {
    for_each_row(n, rows.team<HeldRows<T, V>>(),
                 CrossEntropyGradient<T, V>{targets,
                                            rows,
                                            gx.as<T>(),
                                            gy,
                                            {x.as<T>()},
                                            sums,
                                            sums + 2 * n,
                                            o.reduction,
                                            static_cast<C>(o.smoothing)});
  });
}

// ---------------------------------------------------------------- of logits and probabilities
/// The probabilities of all classes for each target, after weights and smoothing.
template <class T, int V>
struct Probabilities {
  using C = opmath_t<T>;
  EitherIn<T> p;
  const C* weight;  // null: 1 each
  C keeps, adds;
  int64_t inner;
  TAPER_DEVICE void read(int64_t at, int64_t i, Pack<C, V>& to) const {
    if constexpr (V > 1)
      p.read(at + i, to);
    else
      to.v[0] = p.at(at + i * inner);
    for (C& v : to.v) v = v * keeps + adds;
    if (!weight) return;
    Pack<C, V> w;
    read_weights(weight, i, w);
    for (int k = 0; k < V; ++k) to.v[k] *= w.v[k];
  }
};
template <class C>
struct MixtureSums {
  C loss, all;
};

/// Computes for each row the logarithm of the sum of exponentials, the weighted sum of
/// probabilities, and the loss.
template <class T, int V>
struct MixtureLosses {
  using Held = HeldRows<T, V>;
  using C = opmath_t<T>;
  using Sums = MixtureSums<C>;
  static constexpr int kMostThreads = Held::kMostThreads;
  ScoreRows rows;
  Probabilities<T, V> p;
  const T* x[1];
  C *log_sums, *totals, *losses;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = rows.first(row);
    const Held held(team, rows.classes, rows.inner, x, at);
    const C log_sum = row_sums(team, held).log_sum;
    Sums s{0, 0};
    held.each([&](int64_t i, const Packs<T, V, 1>& packs) {
      Pack<C, V> q;
      p.read(at, i, q);
      for (int k = 0; k < V; ++k) {
        s.loss += q.v[k] * (log_sum - load(packs.row[0].v[k]));
        s.all += q.v[k];
      }
    });
    s = team.combine(s, [](const Sums& a, const Sums& b) {
      return Sums{a.loss + b.loss, a.all + b.all};
    });
    if (team.rank != 0) return;
    log_sums[row] = log_sum;
    totals[row] = s.all;
    losses[row] = s.loss;
  }
};

template <class T, int V>
struct MixtureGradient {
  using Held = HeldRows<T, V>;
  using C = opmath_t<T>;
  static constexpr int kMostThreads = Held::kMostThreads;
  ScoreRows rows;
  Probabilities<T, V> p;
  const T* x[1];
  const C *log_sums, *totals, *gy;
  T* gx;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t at = rows.first(row);
    const Held held(team, rows.classes, rows.inner, x, at);
    const C log_sum = log_sums[row], all = totals[row], scale = gy[row];
    held.each([&](int64_t i, const Packs<T, V, 1>& packs) {
      Pack<C, V> q;
      p.read(at, i, q);
      Pack<T, V> g;
      for (int k = 0; k < V; ++k)
        g.v[k] =
            static_cast<T>((std::exp(load(packs.row[0].v[k]) - log_sum) * all - q.v[k]) * scale);
      store_pack(gx + at, i, rows.inner, g);
    });
  }
};

template <class T, int V>
Probabilities<T, V> probabilities(const In& p, const In& weight, double smoothing,
                                  const ScoreRows& rows) {
  using C = opmath_t<T>;
  return {EitherIn<T>(p), weight.defined() ? weight.as<C>() : nullptr,
          static_cast<C>(1 - smoothing),
          static_cast<C>(smoothing / static_cast<double>(rows.classes)), rows.inner};
}

template <class T>
struct ScaleGradient {
  T* gx;
  const T* gy;
  TAPER_DEVICE void operator()(int64_t i) const {
    if (*gy != T(1)) gx[i] *= *gy;
  }
};

}  // namespace

void nll_loss(Out y, Out total_weight, In x, In target, In weight, NllOptions o) {
  switch_dtype<dtypes::Floating>(x.dtype, "nll_loss", [&]<class T>() {
    using C = opmath_t<T>;
    const NllShape shape(x.sizes);
    const Targets<C> targets("nll_loss", target, weight, o, shape.classes);
    reduce(total_weight, target, ~DimMask{0},
           TotalLoss<C, NllLoss<T>>{targets, y.as<C>(), o.reduction, {shape, x.as<T>()}});
  });
}

void nll_loss_backward(Out gx, In gy, In target, In weight, In total_weight, NllOptions o) {
  switch_dtype<dtypes::Floating>(gx.dtype, "nll_loss_backward", [&]<class T>() {
    using C = opmath_t<T>;
    const NllShape shape(gx.sizes);
    const NllGradient<T> gradient{shape,
                                  {"nll_loss", target, weight, o, shape.classes},
                                  gx.as<T>(),
                                  gy.as<C>(),
                                  total_weight.as<C>(),
                                  o.reduction};
    if (shape.inner > 1) return for_each(shape.targets(), gradient);
    by_packs<T>(row_packs<T>(shape.classes, gx.as<T>()), [&]<int V>() {
      for_each_row(shape.n, team_for(shape.classes / V), NllGradientOfRow<T, V>{gradient});
    });
  });
}

void cross_entropy(Out y, Out rows, Out gx, In x, In target, In weight, NllOptions o) {
  switch_dtype<dtypes::Floating>(x.dtype, "cross_entropy", [&]<class T>() {
    using C = opmath_t<T>;
    const NllShape shape(x.sizes);
    const ScoreRows scores(shape);
    const int64_t n = shape.targets();
    C *const log_sums = rows.as<C>(), *const losses = log_sums + n;
    const Targets<C> targets("cross_entropy", target, weight, o, shape.classes);
    const C smoothing = static_cast<C>(o.smoothing);
    by_packs<T>(scores.packs<T>(weight, x.as<T>(), nullptr), [&]<int V>() {
      for_each_row(n, scores.team<HeldRows<T, V>>(),
                   ScoreLosses<T, V>{targets, scores, {x.as<T>()}, log_sums, losses, smoothing});
    });
    reduce(scalar_at(losses + n), target, ~DimMask{0},
           TotalLoss<C, KnownLoss<C>>{targets, y.as<C>(), o.reduction, {losses}});
    if (gx.defined()) cross_entropy_gradient<T>(gx, nullptr, log_sums, x, target, weight, o);
  });
}

void cross_entropy_backward(Out gx, In gy, In rows, In x, In target, In weight, NllOptions o) {
  switch_dtype<dtypes::Floating>(x.dtype, "cross_entropy_backward", [&]<class T>() {
    using C = opmath_t<T>;
    cross_entropy_gradient<T>(gx, gy.as<C>(), rows.as<C>(), x, target, weight, o);
  });
}

void soft_cross_entropy(Out losses, Out rows, In x, In p, In weight, double smoothing) {
  switch_dtype<dtypes::Floating>(x.dtype, "cross_entropy", [&]<class T>() {
    using C = opmath_t<T>;
    const NllShape shape(x.sizes);
    const ScoreRows scores(shape);
    const int64_t n = shape.targets();
    C* const sums = rows.as<C>();
    by_packs<T>(scores.packs<T>(weight, x.as<T>(), p.data), [&]<int V>() {
      for_each_row(n, scores.team<HeldRows<T, V>>(),
                   MixtureLosses<T, V>{scores,
                                       probabilities<T, V>(p, weight, smoothing, scores),
                                       {x.as<T>()},
                                       sums,
                                       sums + n,
                                       losses.as<C>()});
    });
  });
}

void soft_cross_entropy_backward(Out gx, In gy, In rows, In x, In p, In weight, double smoothing) {
  switch_dtype<dtypes::Floating>(x.dtype, "cross_entropy_backward", [&]<class T>() {
    using C = opmath_t<T>;
    const NllShape shape(x.sizes);
    const ScoreRows scores(shape);
    const int64_t n = shape.targets();
    const C* const sums = rows.as<C>();
    const bool packed = is_packed(gx.data) && scores.packs<T>(weight, x.as<T>(), p.data);
    by_packs<T>(packed, [&]<int V>() {
      for_each_row(n, scores.team<HeldRows<T, V>>(),
                   MixtureGradient<T, V>{scores,
                                         probabilities<T, V>(p, weight, smoothing, scores),
                                         {x.as<T>()},
                                         sums,
                                         sums + n,
                                         gy.as<C>(),
                                         gx.as<T>()});
    });
  });
}

void scale_gradient(InOut gx, In gy) {
  switch_dtype<dtypes::Float>(gx.dtype, "cross_entropy_backward", [&]<class scalar_t>() {
    for_each(gx.numel, ScaleGradient<scalar_t>{gx.as<scalar_t>(), gy.as<scalar_t>()});
  });
}

}  // namespace torch::taper::cuda
