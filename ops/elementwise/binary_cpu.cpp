#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/loops.h>
#include <taper/framework/kernel/prepared.h>
#include <taper/ops/elementwise/binary_functors.h>
#include <taper/ops/elementwise/binary_kernels.h>
#include <taper/ops/elementwise/unary_functors.h>

#define TAPER_ISA_FILE <taper/ops/elementwise/binary_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

#define TAPER_BINARY_ENTRY(name, dtypes)                                                       \
  static void run_##name(const Out& y, const In& a, const In& b) {                             \
    constexpr bool light = is_light(#name); /* at run time it would cost a small op a tenth */ \
    if (light && y.numel >= kMostInL2 && wants_half_vectors(y, a, b))                          \
      return TAPER_BY_ISA_UP_TO_AVX2(name, y, a, b);                                           \
    return TAPER_BY_ISA(name, y, a, b);                                                        \
  }                                                                                            \
  void name(Out y, In a, In b) { run_##name(y, a, b); }
TAPER_BINARY_KERNELS(TAPER_BINARY_ENTRY)
TAPER_BINARY_ENTRY(pow, number)
#undef TAPER_BINARY_ENTRY

#define TAPER_BINARY_OF_FLOATS(name, dtypes)                                \
  bool name##_of_floats(void* y, const void* a, const void* b, int64_t n) { \
    return TAPER_BY_ISA(name##_of_floats, y, a, b, n);                      \
  }
TAPER_BINARY_KERNELS(TAPER_BINARY_OF_FLOATS)
#undef TAPER_BINARY_OF_FLOATS
bool pow_of_floats(void*, const void*, const void*, int64_t) { return false; }

void add_scaled(Out y, In a, In b, Scalar alpha) {
  if (y.numel >= kMostInL2 && wants_half_vectors(y, a, b))
    return TAPER_BY_ISA_UP_TO_AVX2(add_scaled, y, a, b, alpha);
  return TAPER_BY_ISA(add_scaled, y, a, b, alpha);
}

#define TAPER_BINARY_POINTWISE(name, dtypes) pointwise(2, &cpu::name, row_op_named(#name)),
static const PointwiseKernels binary_kernels{
    TAPER_BINARY_KERNELS(TAPER_BINARY_POINTWISE) TAPER_BINARY_POINTWISE(pow, number)
        pointwise(2, &cpu::add_scaled, RowOp::kAddScaled)};
#undef TAPER_BINARY_POINTWISE

#define TAPER_BINARY_PREPARED(name, dtypes) repeatable_call(&cpu::name, &run_##name),
static const PreparedKernels ready{TAPER_BINARY_KERNELS(TAPER_BINARY_PREPARED)};
#undef TAPER_BINARY_PREPARED

}  // namespace torch::taper::cpu
