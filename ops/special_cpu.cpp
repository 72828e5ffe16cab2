#include <taper/framework/cpu/loops.h>
#include <taper/ops/special_functors.h>
#include <taper/ops/special_kernels.h>

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
#include <taper/ops/special_loops.inc>
#undef TAPER_KERNEL_NAME

}  // namespace taper::cpu
