#define TAPER_ISA_UP_TO_AVX2

#include <cstring>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/shared/taylor_kernels.h>

#define TAPER_ISA_FILE <taper/ops/shared/taylor_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void taylor_by_slope(Out y, In y0, In x, TaylorSlope slope) {
  return TAPER_BY_ISA(taylor_by_slope, y, y0, x, slope);
}
void taylor_pair(Out y, Out z, In y0, In z0, In x, double sign) {
  return TAPER_BY_ISA(taylor_pair, y, z, y0, z0, x, sign);
}
void taylor_product(Out z, In x0, In x, In y0, In y) {
  return TAPER_BY_ISA(taylor_product, z, x0, x, y0, y);
}

}  // namespace torch::taper::cpu
