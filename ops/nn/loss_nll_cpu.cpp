#include <algorithm>
#include <cstring>

#include <taper/framework/core/value_errors.h>
#include <taper/framework/cpu/blas.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/streaming_stores.h>
#include <taper/framework/kernel/vec.h>
#include <taper/framework/kernel/vector_exp.h>
#include <taper/framework/memory/scratch.h>
#include <taper/ops/nn/loss_nll_shape.h>
#include <taper/ops/nn/loss_wide_cpu.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace torch::taper::cpu {
namespace {

void check_targets(const char* op, const In& target, int64_t classes, int64_t ignore_index) {
  const int64_t* t = target.as<int64_t>();
  for (int64_t i = 0; i < target.numel; ++i)
    if ((t[i] < 0 || t[i] >= classes) && t[i] != ignore_index) throw_target_out_of_range(op, t[i]);
}

template <class L>
const L* or_null(const In& x) {
  return x.defined() ? x.as<L>() : nullptr;
}

// Returns the weight of a target, or 0 if it is ignored.
template <class L>
TAPER_INLINE L weight_of(int64_t target, const L* weight, int64_t ignore_index) {
  return target == ignore_index ? L(0) : weight ? weight[target] : L(1);
}

/// The terms of the gradient of a row's loss.
template <class L>
struct RowSlope {
  L exponentials;  // factor of the exponentials, whose sum is 1
  L each;          // subtracted from each class, times its weight
  L at_target;     // subtracted from the target
};

/// Rows of scores with one class each. `gx` may be null. `divisor` divides the losses.
template <class L>
struct Scores {
  const L* x;
  const int64_t* target;
  const L* weight;
  int64_t classes, ignore_index;
  L smoothing, all;  // all: the total weight of the classes
  L divisor;
  L *log_sums, *losses, *gx;

  /// Returns the rows from `row` on, with their x.
  Scores part(int64_t row, const L* of_x) const {
    Scores s = *this;
    s.x = of_x;
    s.target += row;
    s.log_sums += row;
    s.losses += row;
    if (gx) s.gx += row * classes;
    return s;
  }
  TAPER_INLINE bool is_ignored(int64_t row) const { return target[row] == ignore_index; }
  TAPER_INLINE L weight_at(int64_t row) const {
    return weight_of(target[row], weight, ignore_index);
  }
  /// Returns a target's loss mixed with the losses of all classes. `log` is the logarithm of the
  /// sum of exponentials relative to the largest score. `rest` is the weighted sum of the distances
  /// to that score.
  TAPER_INLINE L smoothed(L own, L log, L rest) const {
    return (1 - smoothing) * own + smoothing / static_cast<L>(classes) * (all * log + rest);
  }
  /// Returns the slope for a gradient g of the loss.
  TAPER_INLINE RowSlope<L> slope_of(int64_t row, L g) const {
    const L own = weight_at(row) * g / divisor;
    if (smoothing == 0) return {own, 0, own};
    const L each = smoothing / static_cast<L>(classes) * (g / divisor);
    return {(1 - smoothing) * own + each * all, each, (1 - smoothing) * own};
  }
};

/// The most columns in a block.
constexpr int64_t kMostColumns = 512;
/// A block of adjacent positions of an image. A class's scores are a row. `step` leads from one
/// class to the next, `gx_step` in the gradient.
template <class L>
struct ScoreColumns {
  Scores<L> of;
  int64_t width, step, gx_step;
};

/// Rows of scores with probabilities of all classes each. Probabilities are multiplied by `keeps`,
/// and `adds` is added. `totals` are their weighted sums.
template <class L>
struct Mixtures {
  const L *x, *p, *weight;
  int64_t classes;
  L keeps, adds;
  L *log_sums, *totals, *losses, *gx;

  /// Returns the rows from `row` on, with their x and p.
  Mixtures part(int64_t row, const L* of_x, const L* of_p) const {
    Mixtures s = *this;
    s.x = of_x;
    s.p = of_p;
    s.log_sums += row;
    s.totals += row;
    if (losses) s.losses += row;
    return s;
  }
};

}  // namespace
}  // namespace torch::taper::cpu

#define TAPER_ISA_FILE <taper/ops/nn/loss_nll_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

// ---------------------------------------------------------------- negative log likelihood
template <class T>
void nll_loss_of(const Out& y, const Out& total_weight, const In& x, const In& target,
                 const In& weight, const NllOptions& o) {
  using L = opmath_t<T>;
  const NllShape shape(x.sizes);
  const L* w = or_null<L>(weight);
  const int64_t* t = target.as<int64_t>();
  const bool each = o.reduction == 0;
  double total = 0, weights = 0;
  shape.each_target([&](int64_t at, int64_t first) {
    const int64_t c = t[at];
    const L wc = weight_of(c, w, o.ignore_index);
    const L loss =
        c == o.ignore_index ? L(0) : -wc * static_cast<L>(x.as<T>()[first + c * shape.inner]);
    if (each) y.as<L>()[at] = loss;
    total += loss;
    weights += wc;
  });
  *total_weight.as<L>() = static_cast<L>(weights);
  if (!each) *y.as<L>() = static_cast<L>(o.reduction == 1 ? total / weights : total);
}

template <class T>
void nll_loss_backward_of(const Out& gx, const In& gy, const In& target, const In& weight,
                          const In& total_weight, const NllOptions& o) {
  using L = opmath_t<T>;
  const NllShape shape(gx.sizes);
  const L *g = gy.as<L>(), *w = or_null<L>(weight);
  const int64_t* t = target.as<int64_t>();
  const L divisor = o.reduction == 1 ? *total_weight.as<L>() : L(1);
  if (gx.numel > 0) std::memset(gx.data, 0, static_cast<size_t>(gx.numel) * sizeof(T));
  shape.each_target([&](int64_t at, int64_t first) {
    const int64_t c = t[at];
    if (c == o.ignore_index) return;
    gx.as<T>()[first + c * shape.inner] =
        static_cast<T>(-weight_of(c, w, o.ignore_index) * g[o.reduction == 0 ? at : 0] / divisor);
  });
}

// ---------------------------------------------------------------- cross entropy
template <class L>
void losses_of(const Scores<L>& s, int64_t rows) {
  return TAPER_BY_ISA(losses_of, s, rows);
}
template <class L>
void losses_of(const Mixtures<L>& s, int64_t rows) {
  return TAPER_BY_ISA(losses_of, s, rows);
}
template <class L>
void losses_of(const ScoreColumns<L>& s) {
  return TAPER_BY_ISA(losses_of, s);
}
template <class L>
void gradients_of(const ScoreColumns<L>& s, const L* g, bool each) {
  return TAPER_BY_ISA(gradients_of, s, g, each);
}
template <class Rows, class L>
void gradients_of(const Rows& s, const L* g, bool each, int64_t rows) {
  return TAPER_BY_ISA(gradients_of, s, g, each, rows);
}

// The number of 16-bit elements that pass through the loops of floats together.
constexpr int64_t kTile = 2048;

/// Calls rows(b, e, step) for parts of n rows, by threads. `step` is for for_tiles.
template <class Rows>
void for_rows(int64_t n, int64_t classes, const Rows& rows) {
  const int64_t step = std::max<int64_t>(1, kTile / (classes + 1));
  parallel_for(0, n, std::max(step, kGrain / 4 / (classes + 1) + 1),
               [&](int64_t b, int64_t e) { rows(b, e, step); });
}
/// Returns memory for the rows of a tile, if x has 16 bits.
template <class L>
Scratch<L> room_for(const In& x, int64_t rows, int64_t classes) {
  return Scratch<L>(isReducedFloatingType(x.dtype) ? rows * classes : 0);
}

template <class L>
Scores<L> scores_of(const Out& gx, L* rows, const In& x, const In& target, const In& weight,
                    const NllOptions& o) {
  const NllShape shape(x.sizes);
  Scores<L> s = {};
  s.target = target.as<int64_t>();
  s.weight = or_null<L>(weight);
  s.classes = shape.classes;
  s.ignore_index = o.ignore_index;
  s.smoothing = static_cast<L>(o.smoothing);
  if (o.smoothing > 0)
    for (int64_t c = 0; c < shape.classes; ++c) s.all += s.weight ? s.weight[c] : L(1);
  s.log_sums = rows;
  s.losses = rows + shape.targets();
  s.divisor = o.reduction == 1 ? rows[2 * shape.targets()] : L(1);
  if (gx.defined() && !isReducedFloatingType(gx.dtype)) s.gx = gx.as<L>();
  return s;
}

/// Calls block(target, offset of its class 0, width) for blocks of adjacent positions of an image,
/// by threads. Blocks are wide, but their scores stay in L2.
template <class Block>
void for_columns(const NllShape& shape, const Block& block) {
  constexpr int64_t line = 16, least = 64, elements = 1 << 15;
  const int64_t fit = elements / std::max<int64_t>(shape.classes, 1) / line * line;
  const int64_t width = std::clamp(fit, least, kMostColumns);
  const int64_t blocks = (shape.inner + width - 1) / width;
  const int64_t work = shape.classes * std::min(width, shape.inner);
  parallel_for(0, shape.n * blocks, kGrain / 4 / (work + 1) + 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const int64_t image = i / blocks, at = i % blocks * width;
      block(image * shape.inner + at, image * shape.classes * shape.inner + at,
            std::min(width, shape.inner - at));
    }
  });
}
/// Returns the block of these columns. 16-bit scores are converted to floats in `room`.
template <class L>
ScoreColumns<L> columns_of(const Scores<L>& all, const NllShape& shape, const In& x, int64_t target,
                           int64_t at, int64_t width, L* room) {
  if (!isReducedFloatingType(x.dtype)) {
    ScoreColumns<L> c{all.part(target, x.as<L>() + at), width, shape.inner, shape.inner};
    if (all.gx) c.of.gx = all.gx + at;
    return c;
  }
  for (int64_t k = 0; k < shape.classes; ++k)
    wide_tile(x, at + k * shape.inner, width, room + k * width);
  return {all.part(target, room), width, width, shape.inner};
}
/// Returns memory for a block of columns, if x has 16 bits.
template <class L>
Scratch<L> room_for_columns(const In& x, int64_t width, int64_t classes) {
  return Scratch<L>(isReducedFloatingType(x.dtype) ? width * classes : 0);
}

/// Adds in four sums that do not wait for each other.
template <class L>
double total_of(const L* v, int64_t n) {
  double sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; ++k) sums[k] += v[i + k];
  for (; i < n; ++i) sums[0] += v[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class L>
void losses_of_rows(const Scores<L>& all, const In& x, int64_t n) {
  for_rows(n, all.classes, [&](int64_t b, int64_t e, int64_t step) {
    const Scratch<L> room = room_for<L>(x, step, all.classes);
    for_tiles(
        b, e, step,
        [&](int64_t i, int64_t m) {
          losses_of(all.part(i, wide_tile(x, i * all.classes, m * all.classes, room.get())), m);
        },
        x);
  });
}

template <class L>
void cross_entropy_of(const Out& y, const Out& rows, const Out& gx, const In& x, const In& target,
                      const In& weight, const NllOptions& o) {
  const int64_t n = target.numel;
  double weights = 0;
  for (int64_t i = 0; i < n; ++i)
    weights += weight_of(target.as<int64_t>()[i], or_null<L>(weight), o.ignore_index);
  rows.as<L>()[2 * n] = static_cast<L>(weights);
  const Scores<L> all = scores_of(gx, rows.as<L>(), x, target, weight, o);
  const NllShape shape(x.sizes);
  if (shape.inner == 1)
    losses_of_rows(all, x, n);
  else
    for_columns(shape, [&](int64_t i, int64_t at, int64_t width) {
      const Scratch<L> room = room_for_columns<L>(x, width, shape.classes);
      losses_of(columns_of(all, shape, x, i, at, width, room.get()));
    });
  const double total = total_of(all.losses, n);
  if (o.reduction == 0)
    std::copy_n(all.losses, n, y.as<L>());
  else
    *y.as<L>() = static_cast<L>(o.reduction == 1 ? total / weights : total);
}

/// Calls gradients_of(the rows, g, each, n), by threads and tiles.
template <class L, class Rows, class... Wide>
void write_gradients(const Out& gx, const L* g, bool each, const In& x, int64_t n, const Rows& all,
                     const Wide&... wide) {
  const int64_t classes = all.classes;
  for_rows(n, classes, [&](int64_t b, int64_t e, int64_t step) {
    const Scratch<L> to_room = room_for<L>(x, step, classes);
    const Scratch<L> x_room = room_for<L>(x, step, classes);
    const Scratch<L> p_room = room_for<L>(x, step, classes);
    for_tiles(
        b, e, step,
        [&](int64_t i, int64_t m) {
          const int64_t at = i * classes, count = m * classes;
          Rows rows = all.part(i, wide_tile(x, at, count, x_room.get()),
                               wide_tile(wide, at, count, p_room.get())...);
          make_tile(gx, at, count, to_room.get(), [&](L* to) {
            rows.gx = to;
            gradients_of(rows, each ? g + i : g, each, m);
          });
        },
        x);
  });
}

/// Computes the gradients of images. 16-bit ones use the memory of the block's scores.
template <class L>
void write_column_gradients(const Out& gx, const L* g, bool each, const In& x,
                            const Scores<L>& all) {
  const NllShape shape(x.sizes);
  for_columns(shape, [&](int64_t i, int64_t at, int64_t width) {
    const Scratch<L> room = room_for_columns<L>(x, width, shape.classes);
    ScoreColumns<L> c = columns_of(all, shape, x, i, at, width, room.get());
    const bool narrow = isReducedFloatingType(gx.dtype);
    if (narrow) c.of.gx = room.get(), c.gx_step = width;
    gradients_of(c, each ? g + i : g, each);
    for (int64_t k = 0; narrow && k < shape.classes; ++k)
      make_tile(gx, at + k * shape.inner, width, room.get() + k * width, [](L*) {});
  });
}

template <class L>
Mixtures<L> mixtures_of(L* rows, const In& x, const In& weight, double smoothing) {
  const NllShape shape(x.sizes);
  Mixtures<L> s = {};
  s.weight = or_null<L>(weight);
  s.classes = shape.classes;
  s.keeps = static_cast<L>(1 - smoothing);
  s.adds = static_cast<L>(smoothing / static_cast<double>(shape.classes));
  s.log_sums = rows;
  s.totals = rows + shape.n;
  return s;
}

template <class L>
void soft_cross_entropy_of(const Out& losses, const Out& rows, const In& x, const In& p,
                           const In& weight, double smoothing) {
  Mixtures<L> all = mixtures_of(rows.as<L>(), x, weight, smoothing);
  all.losses = losses.as<L>();
  for_rows(losses.numel, all.classes, [&](int64_t b, int64_t e, int64_t step) {
    const Scratch<L> x_room = room_for<L>(x, step, all.classes);
    const Scratch<L> p_room = room_for<L>(x, step, all.classes);
    for_tiles(
        b, e, step,
        [&](int64_t i, int64_t m) {
          const int64_t at = i * all.classes, count = m * all.classes;
          losses_of(all.part(i, wide_tile(x, at, count, x_room.get()),
                             wide_tile(p, at, count, p_room.get())),
                    m);
        },
        x);
  });
}

}  // namespace

void nll_loss(Out y, Out total_weight, In x, In target, In weight, NllOptions options) {
  check_targets("nll_loss", target, NllShape(x.sizes).classes, options.ignore_index);
  switch_dtype<dtypes::Floating>(x.dtype, "nll_loss", [&]<class T>() {
    nll_loss_of<T>(y, total_weight, x, target, weight, options);
  });
}
void nll_loss_backward(Out gx, In gy, In target, In weight, In total_weight, NllOptions options) {
  check_targets("nll_loss", target, NllShape(gx.sizes).classes, options.ignore_index);
  switch_dtype<dtypes::Floating>(gx.dtype, "nll_loss_backward", [&]<class T>() {
    nll_loss_backward_of<T>(gx, gy, target, weight, total_weight, options);
  });
}
namespace {
void checked_cross_entropy(const Out& y, const Out& rows, const Out& gx, const In& x,
                           const In& target, const In& weight, const NllOptions& options) {
  check_targets("cross_entropy", target, NllShape(x.sizes).classes, options.ignore_index);
  by_wide_dtype(x,
                [&]<class L>() { cross_entropy_of<L>(y, rows, gx, x, target, weight, options); });
}
void scale_by_isa(const InOut& gx, const In& gy) { return TAPER_BY_ISA(scale_gradient, gx, gy); }
}  // namespace

void cross_entropy(Out y, Out rows, Out gx, In x, In target, In weight, NllOptions options) {
  checked_cross_entropy(y, rows, gx, x, target, weight, options);
}
void cross_entropy_backward(Out gx, In gy, In rows, In x, In target, In weight,
                            NllOptions options) {
  check_targets("cross_entropy", target, NllShape(x.sizes).classes, options.ignore_index);
  by_wide_dtype(x, [&]<class L>() {
    L* const of_rows = const_cast<L*>(rows.as<L>());  // only read
    const Scores<L> all = scores_of(gx, of_rows, x, target, weight, options);
    const bool each = options.reduction == 0;
    if (NllShape(x.sizes).inner == 1)
      write_gradients(gx, gy.as<L>(), each, x, target.numel, all);
    else
      write_column_gradients(gx, gy.as<L>(), each, x, all);
  });
}
void soft_cross_entropy(Out losses, Out rows, In x, In p, In weight, double smoothing) {
  by_wide_dtype(
      x, [&]<class L>() { soft_cross_entropy_of<L>(losses, rows, x, p, weight, smoothing); });
}
void soft_cross_entropy_backward(Out gx, In gy, In rows, In x, In p, In weight, double smoothing) {
  by_wide_dtype(x, [&]<class L>() {
    L* const of_rows = const_cast<L*>(rows.as<L>());  // only read
    write_gradients(gx, gy.as<L>(), true, x, gy.numel, mixtures_of(of_rows, x, weight, smoothing),
                    p);
  });
}
void scale_gradient(InOut gx, In gy) { scale_by_isa(gx, gy); }

constinit const KernelInfo cross_entropy_info =
    prepared_call<&cpu::cross_entropy, &checked_cross_entropy>();
constinit const KernelInfo scale_gradient_info =
    prepared_call<&cpu::scale_gradient, &scale_by_isa>();

}  // namespace torch::taper::cpu
