#include <taper/framework/kernel/kernel_info.h>
#include <taper/framework/kernel/loops.h>
#include <taper/ops/elementwise/binary_functors.h>
#include <taper/ops/elementwise/binary_kernels.h>
#include <taper/ops/elementwise/simple_powers.h>
#include <taper/ops/elementwise/unary_functors.h>

#define TAPER_ISA_FILE <taper/ops/elementwise/binary_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {

#define TAPER_BINARY_ENTRY(name, dtypes)                              \
  static void run_##name(const Out& y, const In& a, const In& b) {    \
    constexpr bool light = is_light<functor::name>;                   \
    if (light && y.numel >= kMostInL2 && wants_half_vectors(y, a, b)) \
      return TAPER_BY_ISA_UP_TO_AVX2(name, y, a, b);                  \
    return TAPER_BY_ISA(name, y, a, b);                               \
  }                                                                   \
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

/// Returns the formula of the row loop that a kernel passes to a chain. On bools, logic is logic of
/// bits.
template <class F>
constexpr RowFormula formula_of_row(Formula name) {
  if constexpr (std::is_same_v<F, functor::logical_and>)
    return formula_of<functor::bitwise_and>(Formula::bitwise_and);
  else if constexpr (std::is_same_v<F, functor::logical_or>)
    return formula_of<functor::bitwise_or>(Formula::bitwise_or);
  else if constexpr (std::is_same_v<F, functor::logical_xor>)
    return formula_of<functor::bitwise_xor>(Formula::bitwise_xor);
  else
    return formula_of<F>(name);
}

#define TAPER_BINARY_INFO(name, dtypes)                                              \
  constinit const KernelInfo name##_info = repeatable_call<&cpu::name, &run_##name>( \
      pointwise<&cpu::name>(2, formula_of_row<functor::name>(Formula::name)));
TAPER_BINARY_KERNELS(TAPER_BINARY_INFO)
#undef TAPER_BINARY_INFO
constinit const KernelInfo pow_info = pointwise<&cpu::pow>(2, {Formula::pow});
constinit const KernelInfo add_scaled_info =
    pointwise<&cpu::add_scaled>(2, formula_of<functor::add_scaled<float>>(Formula::add_scaled));

}  // namespace torch::taper::cpu
