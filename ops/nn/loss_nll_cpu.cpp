#include <taper/framework/cpu/parallel.h>
#include <taper/framework/cpu/vec.h>
#include <taper/framework/cpu/vector_exp.h>
#include <taper/framework/value_errors.h>
#include <taper/ops/nn/loss_nll_shape.h>
#include <taper/ops/reduce/reduce_plan.h>

namespace taper::cpu {
namespace {

void check_targets(const char* op, const In& target, int64_t classes, int64_t ignore_index) {
  const int64_t* t = target.as<int64_t>();
  for (int64_t i = 0; i < target.numel; ++i)
    if ((t[i] < 0 || t[i] >= classes) && t[i] != ignore_index) throw_target_out_of_range(op, t[i]);
}

}  // namespace
}  // namespace taper::cpu

#define TAPER_ISA_FILE <taper/ops/nn/loss_nll_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

void nll_loss(Out y, Out total_weight, In x, In target, In weight, NllOptions options) {
  check_targets("nll_loss", target, NllShape(x.sizes).classes, options.ignore_index);
  TAPER_BY_ISA(nll_loss, y, total_weight, x, target, weight, options);
}
void nll_loss_backward(Out gx, In gy, In target, In weight, In total_weight, NllOptions options) {
  check_targets("nll_loss", target, NllShape(gx.sizes).classes, options.ignore_index);
  TAPER_BY_ISA(nll_loss_backward, gx, gy, target, weight, total_weight, options);
}
void cross_entropy(Out y, Out rows, Out gx, In x, In target, In weight, NllOptions options) {
  check_targets("cross_entropy", target, NllShape(x.sizes).classes, options.ignore_index);
  TAPER_BY_ISA(cross_entropy, y, rows, gx, x, target, weight, options);
}
void cross_entropy_backward(Out gx, In gy, In rows, In x, In target, In weight,
                            NllOptions options) {
  check_targets("cross_entropy", target, NllShape(x.sizes).classes, options.ignore_index);
  TAPER_BY_ISA(cross_entropy_backward, gx, gy, rows, x, target, weight, options);
}
void scale_gradient(InOut gx, In gy) { TAPER_BY_ISA(scale_gradient, gx, gy); }

}  // namespace taper::cpu
