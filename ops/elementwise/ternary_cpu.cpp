#include <taper/framework/kernel/kernel_info.h>
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

constinit const KernelInfo addcmul_info = pointwise<&cpu::addcmul>(3);
constinit const KernelInfo addcdiv_info = pointwise<&cpu::addcdiv>(3);
constinit const KernelInfo lerp_info = pointwise<&cpu::lerp>(3);
constinit const KernelInfo lerp_number_info = pointwise<&cpu::lerp_number>(2);
constinit const KernelInfo clamp_between_info = pointwise<&cpu::clamp_between>(3);

}  // namespace torch::taper::cpu
