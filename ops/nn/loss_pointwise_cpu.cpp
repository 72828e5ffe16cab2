#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/vec.h>
#include <taper/framework/value_errors.h>
#include <taper/ops/nn/loss_pointwise_functors.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace taper::cpu {
namespace {

// The parts that are the same for all losses, around the rows of one.

/// By pieces of a size that depends on the input alone, so that threads do not change the sum.
template <class L>
double total_loss(const L* x, const L* t, L p, int64_t n,
                  double (*sum)(const L*, const L*, L, int64_t, int64_t)) {
  constexpr int64_t max_pieces = 512;
  const int64_t piece = n / max_pieces + 1 < 65536 ? 65536 : n / max_pieces + 1;
  const int64_t pieces = (n + piece - 1) / piece;
  if (pieces <= 1) return sum(x, t, p, 0, n);
  double totals[max_pieces];
  parallel_for(0, pieces, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i)
      totals[i] = sum(x, t, p, i * piece, i + 1 < pieces ? (i + 1) * piece : n);
  });
  double total = 0;
  for (int64_t i = 0; i < pieces; ++i) total += totals[i];
  return total;
}

template <class L>
void run_values(const Out& y, const In& x, const In& target, L p, double divisor,
                double (*sum)(const L*, const L*, L, int64_t, int64_t),
                void (*row)(L*, const L*, const L*, L, int64_t)) {
  const L *from = x.as<L>(), *t = target.as<L>();
  L* to = y.as<L>();
  if (y.numel != x.numel) {
    *to = static_cast<L>(total_loss(from, t, p, x.numel, sum) / divisor);
    return;
  }
  parallel_for(0, x.numel, kGrain,
               [&](int64_t b, int64_t e) { row(to + b, from + b, t + b, p, e - b); });
}

template <class L>
void run_slopes(const Out& gx, const In& gy, const In& x, const In& target, L p, double divisor,
                void (*row)(L*, const L*, L, const L*, const L*, L, int64_t)) {
  if (x.numel == 0) return;
  const L *from = x.as<L>(), *t = target.as<L>(), *g = gy.as<L>();
  L* to = gx.as<L>();
  const bool each = gy.numel == x.numel && x.numel > 1;
  const L scale = each ? 1 : static_cast<L>(*g / divisor);
  parallel_for(0, x.numel, kGrain, [&](int64_t b, int64_t e) {
    row(to + b, each ? g + b : nullptr, scale, from + b, t + b, p, e - b);
  });
}

}  // namespace
}  // namespace taper::cpu

#define TAPER_ISA_FILE <taper/ops/nn/loss_pointwise_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {
namespace {

void check_probabilities(const In& x) {
  switch_dtype<dtypes::Float>(x.dtype, "binary_cross_entropy", [&]<class scalar_t>() {
    const scalar_t* p = x.as<scalar_t>();
    bool within = true;
    for (int64_t i = 0; i < x.numel; ++i) within &= (p[i] >= 0) & (p[i] <= 1);
    if (!within) throw_not_a_probability();
  });
}

}  // namespace

void pointwise_loss(Out y, In x, In target, LossForm form, double divisor) {
  if (form.kind == LossKind::kBce) check_probabilities(x);
  TAPER_BY_ISA(pointwise_loss, y, x, target, form, divisor);
}
void pointwise_loss_backward(Out gx, In gy, In x, In target, LossForm form, double divisor) {
  TAPER_BY_ISA(pointwise_loss_backward, gx, gy, x, target, form, divisor);
}

}  // namespace taper::cpu
