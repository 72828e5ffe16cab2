#include <taper/framework/core/itemsize.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/kernel/iterate.h>
#include <taper/ops/elementwise/where_kernels.h>

#define TAPER_ISA_FILE <taper/ops/elementwise/where_isa.inc>
#include <taper/framework/kernel/foreach_isa.h>

namespace torch::taper::cpu {
namespace {

template <class T>
void select_row(char* y, const char* mask, const char* a, const char* b, const int64_t* strides,
                int64_t n) {
  return TAPER_BY_ISA(select_row<T>, y, mask, a, b, strides, n);
}

template <class T>
void chained_row(const void*, char* y, const char* const* x, const int64_t* s, int64_t n) {
  select_row<T>(y, x[0], x[1], x[2], s, n);
}

template <class T>
void select_all(const Plan<4>& plan) {
  parallel_for(0, plan.numel, kGrain, [&](int64_t begin, int64_t end) {
    for_each_row(plan, begin, end, [](char* const* p, const int64_t* strides, int64_t n) {
      select_row<T>(p[0], p[1], p[2], p[3], strides, n);
    });
  });
}

}  // namespace

void select_by_mask(Out y, In condition, In a, In b) {
  if (y.numel == 0) return;
  const Plan<4> plan = plan_over(y.sizes, y, condition, a, b);
  by_itemsize(elementSize(y.dtype), [&](auto one) { select_all<decltype(one)>(plan); });
}

static void give_selection(Chain& chain, const Out& y, const In& condition, const In& a,
                           const In& b) {
  by_itemsize(elementSize(y.dtype), [&](auto one) {
    chain.take(y, condition, a, b, &chained_row<decltype(one)>, nullptr);
  });
}
constinit const KernelInfo select_by_mask_info =
    handed_over_by<&cpu::select_by_mask, &give_selection>(
        pointwise<&cpu::select_by_mask>(3, {Formula::where}));

}  // namespace torch::taper::cpu
