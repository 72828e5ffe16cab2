// Instruction sets: a kernel is compiled for several of them. A call uses the best one that the CPU
// has.
//
// A kernel's file x_cpu.cpp names the file of its loops, x_isa.inc, and includes foreach_isa.h:
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

/// The best instruction set that this CPU has and that kernels are compiled for.
/// TAPER_CPU_ISA=base|avx2 in the environment limits it. Builds with sanitizers have only kBase.
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

// TAPER_BY_ISA(function, arguments) is an expression. It calls the function that is compiled for
// best_isa.
/// Calls a function like TAPER_BY_ISA, but at most its version for AVX2. Use it for functions that
/// are rarely called: they and the templates that they use are then not compiled for AVX-512.
#define TAPER_BY_ISA_UP_TO_AVX2(...) TAPER_BY_ISA_UP_TO(avx2, __VA_ARGS__)
#ifdef TAPER_ISA_UP_TO_AVX2  // see foreach_isa.h
#define TAPER_BY_ISA(...) TAPER_BY_ISA_UP_TO_AVX2(__VA_ARGS__)
#else
#define TAPER_BY_ISA(...) TAPER_BY_ISA_UP_TO(avx512, __VA_ARGS__)
#endif

namespace torch::taper::cpu {

/// Does the work of switch_dtype in an *_isa.inc file. For types in `Fast`, calls `body`. For other
/// types of the list, calls `in_base`, which must call the kernel of the base instruction set.
template <bool is_base, class List, class Fast = dtypes::Floating, class Body, class InBase>
TAPER_INLINE void switch_isa(ScalarType t, const char* op, const Body& body,
                             const InBase& in_base) {
  if constexpr (is_base)
    switch_dtype<List>(t, op, body);
  else if (!taper::detail::call_for_dtype(Fast(), t, body))
    in_base();
}
/// Calls switch_isa with int64 as another type in `Fast`. For kernels that are faster with newer
/// int64 instructions, such as comparisons and products.
template <bool is_base, class List, class Body, class InBase>
TAPER_INLINE void switch_isa_long(ScalarType t, const char* op, const Body& body,
                                  const InBase& in_base) {
  using Fast = dtypes::Joined<dtypes::Floating, TypeList<int64_t>>;
  switch_isa<is_base, List, Fast>(t, op, body, in_base);
}

}  // namespace torch::taper::cpu
