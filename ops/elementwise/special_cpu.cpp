#define TAPER_ISA_UP_TO_AVX2

#include <taper/framework/kernel/loops.h>
#include <taper/ops/elementwise/special_functors.h>
#include <taper/ops/elementwise/special_kernels.h>
#include <taper/ops/elementwise/special_vectors.h>

#define TAPER_ISA_FILE <taper/ops/elementwise/special_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

#include <taper/framework/kernel/loops.inc>

/// These functions are costly, so a thread takes fewer elements than of a sum.
template <class T, class F>
void map_costly(const Out& y, const In& x, const F& f) {
  map<T, T>(y, x, f, kGrain / 16);
}

}  // namespace

#include <taper/ops/elementwise/special_loops.inc>

void lgamma(Out y, In x) { return TAPER_BY_ISA(lgamma, y, x); }
void digamma(Out y, In x) { return TAPER_BY_ISA(digamma, y, x); }
void erfinv(Out y, In x) { return TAPER_BY_ISA(erfinv, y, x); }
void polygamma(Out y, In x, int64_t n) {
  if (n == 1) return TAPER_BY_ISA(trigamma, y, x);
  any_polygamma(y, x, n);
}
void logaddexp(Out y, In a, In b) { return TAPER_BY_ISA(logaddexp, y, a, b); }
void logaddexp2(Out y, In a, In b) { return TAPER_BY_ISA(logaddexp2, y, a, b); }
void hypot(Out y, In a, In b) { return TAPER_BY_ISA(hypot, y, a, b); }
void xlogy(Out y, In a, In b) { return TAPER_BY_ISA(xlogy, y, a, b); }

}  // namespace torch::taper::cpu
