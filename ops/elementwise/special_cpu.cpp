#define TAPER_ISA_UP_TO_AVX2

#include <taper/framework/cpu/loops.h>
#include <taper/ops/elementwise/special_functors.h>
#include <taper/ops/elementwise/special_kernels.h>
#include <taper/ops/elementwise/special_vectors.h>

#define TAPER_ISA_FILE <taper/ops/elementwise/special_isa.inc>
#include <taper/framework/cpu/foreach_isa.h>

namespace taper::cpu {
namespace {

#include <taper/framework/cpu/loops.inc>

/// A thread is worth fewer elements than of a sum.
template <class T, class F>
void map_costly(const Out& y, const In& x, const F& f) {
  map<T, T>(y, x, f, kGrain / 16);
}

}  // namespace

#define TAPER_KERNEL_NAME(name) #name "_cpu"
#define TAPER_PLAIN_UNARY(X) X(i0) X(i1)
#include <taper/ops/elementwise/special_loops.inc>
#undef TAPER_KERNEL_NAME
#undef TAPER_PLAIN_UNARY

void lgamma(Out y, In x) { TAPER_BY_ISA(lgamma, y, x); }
void digamma(Out y, In x) { TAPER_BY_ISA(digamma, y, x); }
void erfinv(Out y, In x) { TAPER_BY_ISA(erfinv, y, x); }
void polygamma(Out y, In x, int64_t n) {
  if (n == 1) TAPER_BY_ISA(trigamma, y, x);
  any_polygamma(y, x, n);
}
#define TAPER_FLOAT_ENTRY(name) \
  void name(Out y, In a, In b) { TAPER_BY_ISA(name, y, a, b); }
TAPER_SPECIAL_FLOAT(TAPER_FLOAT_ENTRY)
#undef TAPER_FLOAT_ENTRY

}  // namespace taper::cpu
