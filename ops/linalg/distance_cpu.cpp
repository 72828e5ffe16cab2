#define TAPER_ISA_UP_TO_AVX2

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/linalg/distance_functors.h>
#include <taper/ops/linalg/distance_kernels.h>

#define TAPER_ISA_FILE <taper/ops/linalg/distance_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void pdist(Out y, In xt, double p) { return TAPER_BY_ISA(pdist, y, xt, p); }
void pdist_backward(Out gx, In gy, In x, In y, double p) {
  return TAPER_BY_ISA(pdist_backward, gx, gy, x, y, p);
}

}  // namespace torch::taper::cpu
