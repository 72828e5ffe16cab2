// Instruction sets: kernels are compiled for several, and the best that the CPU has is called.
//
// A kernel file x_cpu.cpp names its loops' file and includes foreach_isa.h:
//
//   #define TAPER_ISA_FILE <taper/ops/family/x_isa.inc>
//   #include <taper/framework/cpu/foreach_isa.h>
//   namespace taper::cpu {
//   void x(Out y, In a) { TAPER_BY_ISA(x, y, a); }
//   }
//
// x_isa.inc holds `namespace taper::cpu::TAPER_ISA { void x(Out y, In a) { ...plain loops... } }`
// and has no include guard: it is compiled once per instruction set, and the compiler vectorises
// it.
#pragma once

#pragma GCC visibility push(default)  // for the tests

namespace taper::cpu {

enum class Isa : int { kBase = 0, kAvx2 = 1, kAvx512 = 2 };

/// The best instruction set of this CPU, lowered by TAPER_CPU_ISA=base|avx2 in the environment.
extern const Isa best_isa;

}  // namespace taper::cpu

#pragma GCC visibility pop

#if defined(__x86_64__) && !defined(TAPER_NO_ISA_VARIANTS)
#define TAPER_BY_ISA_UP_TO(widest, function, ...) \
  do {                                            \
    switch (::taper::cpu::best_isa) {             \
      case ::taper::cpu::Isa::kAvx512:            \
        return widest::function(__VA_ARGS__);     \
      case ::taper::cpu::Isa::kAvx2:              \
        return avx2::function(__VA_ARGS__);       \
      default:                                    \
        return base::function(__VA_ARGS__);       \
    }                                             \
  } while (false)
#else
#define TAPER_BY_ISA_UP_TO(widest, function, ...) return base::function(__VA_ARGS__)
#endif

/// For what is rarely asked for: what is inline or a template is then not compiled for AVX-512.
#define TAPER_BY_ISA_UP_TO_AVX2(...) TAPER_BY_ISA_UP_TO(avx2, __VA_ARGS__)
#ifdef TAPER_ISA_UP_TO_AVX2  // see foreach_isa.h
#define TAPER_BY_ISA(...) TAPER_BY_ISA_UP_TO_AVX2(__VA_ARGS__)
#else
#define TAPER_BY_ISA(...) TAPER_BY_ISA_UP_TO(avx512, __VA_ARGS__)
#endif

#define TAPER_FAST_DTYPES(X, ...) TAPER_FLOATING_DTYPES(X, __VA_ARGS__)

#define TAPER_FAST_OR_LONG_DTYPES(X, ...) \
  TAPER_FAST_DTYPES(X, __VA_ARGS__) X(int64_t, Long, __VA_ARGS__)

/// TAPER_SWITCH in an *_isa.inc file, inside a kernel whose arguments are `arguments` (in
/// parentheses): floating dtypes here, other dtypes of the list by base::kernel.
#define TAPER_SWITCH_ISA(dtype, kernel, arguments, DTYPES, ...) \
  TAPER_SWITCH_ISA_AS(#kernel, dtype, kernel, arguments, DTYPES, __VA_ARGS__)
/// The same with a name of its own in the error for other dtypes.
#define TAPER_SWITCH_ISA_AS(name, dtype, kernel, arguments, DTYPES, ...) \
  TAPER_SWITCH_ISA_OVER(TAPER_FAST_DTYPES, name, dtype, kernel, arguments, DTYPES, __VA_ARGS__)
/// The same where int64 too has instructions that the oldest set lacks: comparisons, products.
#define TAPER_SWITCH_ISA_LONG(name, dtype, kernel, arguments, DTYPES, ...)                 \
  TAPER_SWITCH_ISA_OVER(TAPER_FAST_OR_LONG_DTYPES, name, dtype, kernel, arguments, DTYPES, \
                        __VA_ARGS__)
#define TAPER_SWITCH_ISA_OVER(HERE, name, dtype, kernel, arguments, DTYPES, ...) \
  if constexpr (TAPER_ISA_IS_BASE) {                                             \
    TAPER_SWITCH(dtype, name, DTYPES, __VA_ARGS__)                               \
  } else {                                                                       \
    switch (dtype) {                                                             \
      HERE(TAPER_SWITCH_CASE, __VA_ARGS__)                                       \
      default:                                                                   \
        base::kernel arguments;                                                  \
    }                                                                            \
  }
