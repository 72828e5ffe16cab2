#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/loops.h>
#include <taper/framework/kernel/math/vec_double.h>
#include <taper/ops/elementwise/unary_functors.h>
#include <taper/ops/elementwise/unary_kernels.h>

#define TAPER_ISA_FILE <taper/ops/elementwise/unary_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

#define TAPER_UNARY_ENTRY(name, kind)                                 \
  static void run_##name(const Out& y, const In& x) {                 \
    constexpr bool light = is_light<functor::name>;                   \
    if (light && y.numel >= kMostInL2 && wants_half_vectors(y, x, x)) \
      return TAPER_BY_ISA_UP_TO_AVX2(name, y, x);                     \
    return TAPER_BY_ISA(name, y, x);                                  \
  }                                                                   \
  void name(Out y, In x) { run_##name(y, x); }
TAPER_UNARY_OPS(TAPER_UNARY_ENTRY)
TAPER_UNARY_ENTRY(logical_not, test)
#undef TAPER_UNARY_ENTRY

#define TAPER_UNARY_OF_FLOATS(name, kind)                    \
  void name##_of_floats(void* y, const void* x, int64_t n) { \
    return TAPER_BY_ISA(name##_of_floats, y, x, n);          \
  }
TAPER_UNARY_OPS(TAPER_UNARY_OF_FLOATS)
TAPER_UNARY_OF_FLOATS(logical_not, test)
#undef TAPER_UNARY_OF_FLOATS

void bitwise_not(Out y, In x) { base::bitwise_not(y, x); }
void clamp(Out y, In x, In low, In high) { return TAPER_BY_ISA(clamp, y, x, low, high); }

#define TAPER_UNARY_INFO(name, kind)                                                 \
  constinit const KernelInfo name##_info = repeatable_call<&cpu::name, &run_##name>( \
      pointwise<&cpu::name>(1, formula_of<functor::name>(Formula::name)));
TAPER_UNARY_OPS(TAPER_UNARY_INFO)
#undef TAPER_UNARY_INFO
constexpr RowFormula kNot = formula_of<functor::logical_not>(Formula::logical_not);
constinit const KernelInfo logical_not_info = pointwise<&cpu::logical_not>(1, kNot);
constinit const KernelInfo bitwise_not_info = pointwise<&cpu::bitwise_not>(1, kNot);
constinit const KernelInfo clamp_info = pointwise<&cpu::clamp>(1);

}  // namespace torch::taper::cpu
