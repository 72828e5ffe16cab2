#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/vec.h>
#include <taper/framework/value_errors.h>
#include <taper/ops/loss_pointwise_functors.h>
#include <taper/ops/reduce_plan.h>

#define TAPER_ISA_FILE <taper/ops/loss_pointwise_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {
namespace {

void check_probabilities(const In& x) {
  TAPER_SWITCH(x.dtype, "binary_cross_entropy", TAPER_FLOAT_DTYPES, [&] {
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
