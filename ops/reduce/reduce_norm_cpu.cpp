#include <cstring>

#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/reduce/reduce_kernels.h>

#define TAPER_ISA_FILE <taper/ops/reduce/reduce_norm_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void vector_norm(Out y, In x, DimMask dims, double p) {
  return TAPER_BY_ISA(vector_norm, y, x, dims, p);
}
void moments(Out variance, Out mean, In x, DimMask dims, double correction, bool square_root) {
  return TAPER_BY_ISA(moments, variance, mean, x, dims, correction, square_root);
}

}  // namespace torch::taper::cpu
