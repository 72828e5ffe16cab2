#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/loops.h>
#include <taper/ops/elementwise/ternary_functors.h>
#include <taper/ops/elementwise/ternary_kernels.h>

#define TAPER_ISA_FILE <taper/ops/elementwise/ternary_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void addcmul(Out y, In x, In a, In b, double value) {
  return TAPER_BY_ISA(addcmul, y, x, a, b, value);
}
void addcdiv(Out y, In x, In a, In b, double value) {
  return TAPER_BY_ISA(addcdiv, y, x, a, b, value);
}
void lerp(Out y, In start, In end, In weight) { return TAPER_BY_ISA(lerp, y, start, end, weight); }
void lerp_number(Out y, In start, In end, double weight) {
  return TAPER_BY_ISA(lerp_number, y, start, end, weight);
}
void clamp_between(Out y, In x, In low, In high) {
  return TAPER_BY_ISA(clamp_between, y, x, low, high);
}

static const PointwiseKernels ternary_kernels{
    pointwise(3, &cpu::addcmul), pointwise(3, &cpu::addcdiv), pointwise(3, &cpu::lerp),
    pointwise(2, &cpu::lerp_number), pointwise(3, &cpu::clamp_between)};

}  // namespace torch::taper::cpu
