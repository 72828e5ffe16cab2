#include <cmath>

#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/rows.h>
#include <taper/ops/nn/loss_nll_shape.h>
#include <taper/ops/reduce/reduce_cuda.h>

namespace taper::cuda {
namespace {

/// The targets, and what each weighs.
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
  /// The target c; -1 where there is nothing to learn from. Reports a class that does not exist.
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

/// loss(i, class) of every target, their sum or mean, and the sum of weights: a reduction of
/// targets.
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
    const T w = targets.weight_of(c), l = c < 0 ? T(0) : w * loss(i, c);
    loss.keep(i, l);
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

/// One number of type T.
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
  NllShape shape;
  const T* x;
  TAPER_DEVICE T operator()(int64_t i, int64_t c) const { return -x[shape.place(i, c)]; }
  TAPER_DEVICE void keep(int64_t, T) const {}
};

template <class T>
struct NllGradient {
  NllShape shape;
  Targets<T> targets;
  T* gx;
  const T *gy, *total_weight;
  int64_t reduction;
  TAPER_DEVICE void operator()(int64_t i) const {
    const T divisor = reduction == 1 ? *total_weight : T(1);
    const int64_t target = targets.at(i);
    const T g = -targets.weight_of(target) * gy[reduction == 0 ? i : 0] / divisor;
    for (int64_t c = 0; c < shape.classes; ++c) gx[shape.place(i, c)] = c == target ? g : T(0);
  }
};

// ---------------------------------------------------------------- of logits
template <class T, int V>
struct LogSums {
  using Held = HeldRows<T, V>;
  static constexpr int kMostThreads = Held::kMostThreads;
  const T* x[1];
  T* log_sums;
  int64_t classes;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const Held held(team, classes, 1, x, row * classes);
    const T max = held.reduce(
        team, T(-INFINITY), [](T v) { return v; }, Larger());
    const T sum = held.reduce(
        team, T(0), [max](T v) { return std::exp(v - max); }, Plus());
    if (team.rank == 0) log_sums[row] = max + std::log(sum);
  }
};

template <class T>
struct CrossEntropyLoss {
  const T *x, *log_sums;
  T* losses;
  int64_t classes;
  TAPER_DEVICE T operator()(int64_t i, int64_t c) const { return log_sums[i] - x[i * classes + c]; }
  TAPER_DEVICE void keep(int64_t i, T loss) const { losses[i] = loss; }
};

template <class T, int V>
struct CrossEntropyGradient {
  using Held = HeldRows<T, V>;
  static constexpr int kMostThreads = Held::kMostThreads;
  Targets<T> targets;
  T* gx;
  const T* gy;  // of each row; null: 1
  const T* x[1];
  const T *log_sums, *total_weight;
  int64_t classes, reduction;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const Held held(team, classes, 1, x, row * classes);
    const int64_t target = targets.at(row);
    const T divisor = reduction == 1 ? *total_weight : T(1), log_sum = log_sums[row];
    const T scale = targets.weight_of(target) * (gy ? gy[row] : T(1)) / divisor;
    held.each([&](int64_t i, const Packs<T, V, 1>& packs) {
      Pack<T, V> g;
      for (int k = 0; k < V; ++k) {
        const T p = std::exp(packs.row[0].v[k] - log_sum);
        g.v[k] = target < 0 ? T(0) : (p - (i + k == target ? T(1) : T(0))) * scale;
      }
      store_pack(gx + row * classes, i, 1, g);
    });
  }
};

template <class T>
void cross_entropy_gradient(const Out& gx, const T* gy, const T* rows, const In& x,
                            const In& target, const In& weight, const NllOptions& o) {
  const NllShape shape(x.sizes);
  const Targets<T> targets("cross_entropy", target, weight, o, shape.classes);
  by_packs<T>(row_packs<T>(shape.classes, gx.as<T>(), x.as<T>()), [&]<int V>() {
    for_each_row(shape.n, held_team_for<HeldRows<T, V>>(shape.classes),
                 CrossEntropyGradient<T, V>{targets,
                                            gx.as<T>(),
                                            gy,
                                            {x.as<T>()},
                                            rows,
                                            rows + 2 * shape.n,
                                            shape.classes,
                                            o.reduction});
  });
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
  switch_dtype<dtypes::Float>(x.dtype, "nll_loss", [&]<class T>() {
    const NllShape shape(x.sizes);
    const Targets<T> targets("nll_loss", target, weight, o, shape.classes);
    reduce(total_weight, target, ~DimMask{0},
           TotalLoss<T, NllLoss<T>>{targets, y.as<T>(), o.reduction, NllLoss<T>{shape, x.as<T>()}});
  });
}

void nll_loss_backward(Out gx, In gy, In target, In weight, In total_weight, NllOptions o) {
  switch_dtype<dtypes::Float>(gx.dtype, "nll_loss_backward", [&]<class T>() {
    const NllShape shape(gx.sizes);
    for_each(shape.targets(),
             NllGradient<T>{shape, Targets<T>("nll_loss", target, weight, o, shape.classes),
                            gx.as<T>(), gy.as<T>(), total_weight.as<T>(), o.reduction});
  });
}

void cross_entropy(Out y, Out rows, Out gx, In x, In target, In weight, NllOptions o) {
  switch_dtype<dtypes::Float>(x.dtype, "cross_entropy", [&]<class T>() {
    const NllShape shape(x.sizes);
    T *const log_sums = rows.as<T>(), *const losses = log_sums + shape.n;
    by_packs<T>(row_packs<T>(shape.classes, x.as<T>()), [&]<int V>() {
      for_each_row(shape.n, held_team_for<HeldRows<T, V>>(shape.classes),
                   LogSums<T, V>{{x.as<T>()}, log_sums, shape.classes});
    });
    const Targets<T> targets("cross_entropy", target, weight, o, shape.classes);
    reduce(scalar_at(losses + shape.n), target, ~DimMask{0},
           TotalLoss<T, CrossEntropyLoss<T>>{
               targets, y.as<T>(), o.reduction,
               CrossEntropyLoss<T>{x.as<T>(), log_sums, losses, shape.classes}});
    if (gx.defined()) cross_entropy_gradient<T>(gx, nullptr, log_sums, x, target, weight, o);
  });
}

void cross_entropy_backward(Out gx, In gy, In rows, In x, In target, In weight, NllOptions o) {
  switch_dtype<dtypes::Float>(x.dtype, "cross_entropy_backward", [&]<class T>() {
    cross_entropy_gradient<T>(gx, gy.as<T>(), rows.as<T>(), x, target, weight, o);
  });
}

void scale_gradient(InOut gx, In gy) {
  switch_dtype<dtypes::Float>(gx.dtype, "cross_entropy_backward", [&]<class scalar_t>() {
    for_each(gx.numel, ScaleGradient<scalar_t>{gx.as<scalar_t>(), gy.as<scalar_t>()});
  });
}

}  // namespace taper::cuda
