// Instruction sets: kernels are compiled for several, and the best one of the CPU is called.
//
// A kernel file x_cpu.cpp names its loops' file and includes foreach_isa.h:
//
//   #define TAPER_ISA_FILE <taper/ops/family/x_isa.inc>
//   #include <taper/framework/kernel/foreach_isa.h>
//   namespace torch::taper::cpu {
//   void x(Out y, In a) { return TAPER_BY_ISA(x, y, a); }
//   }
//
// x_isa.inc holds `namespace torch::taper::cpu::TAPER_ISA { void x(Out y, In a) { ...plain loops...
// } }` and has no include guard. It is compiled once for each instruction set, and the compiler
// vectorises it.
#pragma once

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/targets.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::cpu {

enum class Isa : int { kBase = 0, kAvx2 = 1, kAvx512 = 2 };

/// The best instruction set of this CPU for which kernels are compiled. TAPER_CPU_ISA=base|avx2 in
/// the environment lowers it. Builds with sanitizers have base only.
extern const Isa best_isa;

}  // namespace torch::taper::cpu

#pragma GCC visibility pop

#if TAPER_ISA_VARIANTS()
#define TAPER_BY_ISA_UP_TO(widest, function, ...)                                       \
  (::taper::cpu::best_isa == ::taper::cpu::Isa::kAvx512 ? widest::function(__VA_ARGS__) \
   : ::taper::cpu::best_isa == ::taper::cpu::Isa::kAvx2 ? avx2::function(__VA_ARGS__)   \
                                                        : base::function(__VA_ARGS__))
#else
#define TAPER_BY_ISA_UP_TO(widest, function, ...) base::function(__VA_ARGS__)
#endif

// TAPER_BY_ISA(function, arguments) is an expression: it calls the function of the best set.
/// TAPER_BY_ISA for functions that are rarely called: their inline functions and templates are not
/// compiled for AVX-512.
#define TAPER_BY_ISA_UP_TO_AVX2(...) TAPER_BY_ISA_UP_TO(avx2, __VA_ARGS__)
#ifdef TAPER_ISA_UP_TO_AVX2  // see foreach_isa.h
#define TAPER_BY_ISA(...) TAPER_BY_ISA_UP_TO_AVX2(__VA_ARGS__)
#else
#define TAPER_BY_ISA(...) TAPER_BY_ISA_UP_TO(avx512, __VA_ARGS__)
#endif

namespace torch::taper::cpu {

/// Calls switch_dtype in an *_isa.inc file. Types in `Fast` are computed here. Other types of the
/// list are computed by `in_base`, the kernel of the base instruction set.
template <bool is_base, class List, class Fast = dtypes::Floating, class Body, class InBase>
TAPER_INLINE void switch_isa(ScalarType t, const char* op, const Body& body,
                             const InBase& in_base) {
  if constexpr (is_base)
    switch_dtype<List>(t, op, body);
  else if (!taper::detail::call_for_dtype(Fast(), t, body))
    in_base();
}
/// Calls switch_isa with int64 as a fast type, for kernels that gain from newer int64 instructions:
/// comparisons, products.
template <bool is_base, class List, class Body, class InBase>
TAPER_INLINE void switch_isa_long(ScalarType t, const char* op, const Body& body,
                                  const InBase& in_base) {
  using Fast = dtypes::Joined<dtypes::Floating, TypeList<int64_t>>;
  switch_isa<is_base, List, Fast>(t, op, body, in_base);
}

}  // namespace torch::taper::cpu
