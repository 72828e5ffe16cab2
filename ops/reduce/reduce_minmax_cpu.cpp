#include <taper/framework/cpu/parallel.h>
#include <taper/framework/kernel/vec.h>
#include <taper/ops/reduce/reduce_kernels.h>

#define TAPER_ISA_FILE <taper/ops/reduce/reduce_minmax_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

void amax(Out y, In x, DimMask dims) { return TAPER_BY_ISA(amax, y, x, dims); }
void amin(Out y, In x, DimMask dims) { return TAPER_BY_ISA(amin, y, x, dims); }
void any(Out y, In x, DimMask dims) { return TAPER_BY_ISA(any, y, x, dims); }
void all(Out y, In x, DimMask dims) { return TAPER_BY_ISA(all, y, x, dims); }
void max_with_index(Out values, Out indices, In x, DimMask dims) {
  return TAPER_BY_ISA(max_with_index, values, indices, x, dims);
}
void min_with_index(Out values, Out indices, In x, DimMask dims) {
  return TAPER_BY_ISA(min_with_index, values, indices, x, dims);
}

}  // namespace torch::taper::cpu
