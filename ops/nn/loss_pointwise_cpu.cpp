#include <taper/framework/core/value_errors.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/nn/loss_pointwise_functors.h>
#include <taper/ops/nn/loss_wide_cpu.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace torch::taper::cpu {
namespace {

// The parts that all losses share, around the rows of one.

constexpr int64_t kTile = 1024;  // elements

/// The size of the pieces depends only on the input, so the number of threads does not change the
/// sum.
template <class Sum>
double total_loss(int64_t n, const Sum& sum) {
  constexpr int64_t max_pieces = 512;
  const int64_t piece = n / max_pieces + 1 < 65536 ? 65536 : n / max_pieces + 1;
  const int64_t pieces = (n + piece - 1) / piece;
  if (pieces <= 1) return sum(0, n);
  double totals[max_pieces];
  parallel_for(0, pieces, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i)
      totals[i] = sum(i * piece, i + 1 < pieces ? (i + 1) * piece : n);
  });
  double total = 0;
  for (int64_t i = 0; i < pieces; ++i) total += totals[i];
  return total;
}

template <class L>
void run_values(const Out& y, const In& x, const In& target, L p, double divisor,
                double (*sum)(const L*, const L*, L, int64_t),
                void (*row)(L*, const L*, const L*, L, int64_t)) {
  if (y.numel != x.numel) {
    const double total = total_loss(x.numel, [&](int64_t b, int64_t e) {
      alignas(64) L of_x[kTile], of_t[kTile];
      double part = 0;
      for_tiles(
          b, e, kTile,
          [&](int64_t i, int64_t n) {
            part += sum(wide_tile(x, i, n, of_x), wide_tile(target, i, n, of_t), p, n);
          },
          x, target);
      return part;
    });
    *y.as<L>() = static_cast<L>(total / divisor);
    return;
  }
  parallel_for(0, x.numel, kGrain, [&](int64_t b, int64_t e) {
    alignas(64) L of_x[kTile], of_t[kTile], of_y[kTile];
    for_tiles(
        b, e, kTile,
        [&](int64_t i, int64_t n) {
          const L *from = wide_tile(x, i, n, of_x), *t = wide_tile(target, i, n, of_t);
          make_tile(y, i, n, of_y, [&](L* to) { row(to, from, t, p, n); });
        },
        y, x, target);
  });
}

template <class L>
void run_slopes(const Out& gx, const In& gy, const In& x, const In& target, L p, double divisor,
                void (*row)(L*, const L*, L, const L*, const L*, L, int64_t)) {
  if (x.numel == 0) return;
  const bool each = gy.numel == x.numel && x.numel > 1;
  L first[1];
  const L scale = each ? 1 : static_cast<L>(*wide_tile(gy, 0, 1, first) / divisor);
  parallel_for(0, x.numel, kGrain, [&](int64_t b, int64_t e) {
    alignas(64) L of_x[kTile], of_t[kTile], of_gy[kTile], of_gx[kTile];
    for_tiles(
        b, e, kTile,
        [&](int64_t i, int64_t n) {
          const L *from = wide_tile(x, i, n, of_x), *t = wide_tile(target, i, n, of_t);
          const L* const g = each ? wide_tile(gy, i, n, of_gy) : nullptr;
          make_tile(gx, i, n, of_gx, [&](L* to) { row(to, g, scale, from, t, p, n); });
        },
        gx, gy, x, target);
  });
}

}  // namespace
}  // namespace torch::taper::cpu

#define TAPER_ISA_FILE <taper/ops/nn/loss_pointwise_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

void check_probabilities(const In& x) {
  bool within = true;
  by_wide_dtype(x, [&]<class L>() {
    alignas(64) L room[kTile];
    for_tiles(
        0, x.numel, kTile,
        [&](int64_t i, int64_t n) {
          const L* const p = wide_tile(x, i, n, room);
          for (int64_t k = 0; k < n; ++k) within &= (p[k] >= 0) & (p[k] <= 1);
        },
        x);
  });
  if (!within) throw_not_a_probability();
}

}  // namespace

void pointwise_loss(Out y, In x, In target, LossForm form, double divisor) {
  if (form.kind == LossKind::kBce) check_probabilities(x);
  return TAPER_BY_ISA(pointwise_loss, y, x, target, form, divisor);
}
void pointwise_loss_backward(Out gx, In gy, In x, In target, LossForm form, double divisor) {
  return TAPER_BY_ISA(pointwise_loss_backward, gx, gy, x, target, form, divisor);
}

}  // namespace torch::taper::cpu
