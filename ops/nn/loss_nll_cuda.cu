#include <cmath>

#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/launch.h>
#include <taper/ops/nn/loss_nll_shape.h>

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
  /// The class at i, or -1 where there is none to learn from. Reports one that does not exist.
  TAPER_DEVICE int64_t at(int64_t i) const {
    const int64_t c = target[i];
    if (c == ignore_index) return -1;
    if (c >= 0 && c < classes) return c;
    faults.raise(FaultKind::kTarget, c, number_of(op));
    return -1;
  }
  TAPER_DEVICE T weight_of(int64_t c) const { return c < 0 ? T(0) : weight ? weight[c] : T(1); }
};

struct Totals {
  double loss, weight;
};
struct AddTotals {
  TAPER_DEVICE Totals operator()(const Totals& a, const Totals& b) const {
    return {a.loss + b.loss, a.weight + b.weight};
  }
};

/// loss(i, class) of every target, their sum or mean, and the sum of weights.
template <class T, class Loss>
struct TotalLoss {
  Targets<T> targets;
  int64_t n;
  T* y;
  T* total_weight;
  int64_t reduction;
  Loss loss;
  TAPER_DEVICE void operator()(const Team& team, int64_t) const {
    Totals t{0, 0};
    team.each(n, [&](int64_t i) {
      const int64_t c = targets.at(i);
      const T w = targets.weight_of(c), l = c < 0 ? T(0) : w * loss(i, c);
      loss.keep(i, l);
      if (reduction == 0) y[i] = l;
      t.loss += l;
      t.weight += w;
    });
    t = team.combine(t, AddTotals());
    if (team.rank != 0) return;
    *total_weight = static_cast<T>(t.weight);
    if (reduction != 0) *y = static_cast<T>(reduction == 1 ? t.loss / t.weight : t.loss);
  }
};

constexpr int kTotalTeam = 1024;

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
template <class T>
struct LogSums {
  const T* x;
  T* log_sums;
  int64_t classes;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const T* const from = x + row * classes;
    const T max = team.reduce(
        classes, T(-INFINITY), [&](int64_t c) { return from[c]; }, Larger());
    const T sum = team.sum<T>(classes, [&](int64_t c) { return std::exp(from[c] - max); });
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

template <class T>
struct CrossEntropyGradient {
  Targets<T> targets;
  T* gx;
  const T* gy;  // of each row; null: 1
  const T *x, *log_sums, *total_weight;
  int64_t classes, reduction;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const int64_t target = targets.at(row), first = row * classes;
    const T divisor = reduction == 1 ? *total_weight : T(1);
    const T scale = targets.weight_of(target) * (gy ? gy[row] : T(1)) / divisor;
    team.each(classes, [&](int64_t c) {
      const T p = std::exp(x[first + c] - log_sums[row]);
      gx[first + c] = target < 0 ? T(0) : (p - (c == target ? T(1) : T(0))) * scale;
    });
  }
};

template <class T>
void cross_entropy_gradient(const Out& gx, const T* gy, const T* rows, const In& x,
                            const In& target, const In& weight, const NllOptions& o) {
  const NllShape shape(x.sizes);
  for_each_row(shape.n, team_for(shape.classes),
               CrossEntropyGradient<T>{
                   Targets<T>("cross_entropy", target, weight, o, shape.classes), gx.as<T>(), gy,
                   x.as<T>(), rows, rows + 2 * shape.n, shape.classes, o.reduction});
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
    for_each_row(1, kTotalTeam,
                 TotalLoss<T, NllLoss<T>>{Targets<T>("nll_loss", target, weight, o, shape.classes),
                                          shape.targets(), y.as<T>(), total_weight.as<T>(),
                                          o.reduction, NllLoss<T>{shape, x.as<T>()}});
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
    for_each_row(shape.n, team_for(shape.classes), LogSums<T>{x.as<T>(), log_sums, shape.classes});
    for_each_row(1, kTotalTeam,
                 TotalLoss<T, CrossEntropyLoss<T>>{
                     Targets<T>("cross_entropy", target, weight, o, shape.classes), shape.n,
                     y.as<T>(), losses + shape.n, o.reduction,
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
