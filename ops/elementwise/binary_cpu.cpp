#include <taper/framework/cpu/fusion.h>
#include <taper/framework/cpu/loops.h>
#include <taper/ops/elementwise/binary_functors.h>
#include <taper/ops/elementwise/binary_kernels.h>
#include <taper/ops/elementwise/unary_functors.h>

#define TAPER_ISA_FILE <taper/ops/elementwise/binary_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {

#define TAPER_BINARY_ENTRY(name, dtypes) \
  void name(Out y, In a, In b) { TAPER_BY_ISA(name, y, a, b); }
TAPER_BINARY_KERNELS(TAPER_BINARY_ENTRY)
TAPER_BINARY_ENTRY(pow, number)
#undef TAPER_BINARY_ENTRY

void add_scaled(Out y, In a, In b, Scalar alpha) { TAPER_BY_ISA(add_scaled, y, a, b, alpha); }

#define TAPER_BINARY_POINTWISE(name, dtypes) pointwise(2, &cpu::name),
static const PointwiseKernels binary_kernels{TAPER_BINARY_KERNELS(
    TAPER_BINARY_POINTWISE) TAPER_BINARY_POINTWISE(pow, number) pointwise(2, &cpu::add_scaled)};
#undef TAPER_BINARY_POINTWISE

}  // namespace taper::cpu
