#include <taper/framework/cuda/map.h>
#include <taper/ops/where_kernels.h>

namespace taper::cuda {
namespace {

template <class T>
struct Select {
  char* y;
  Source<bool> condition;
  Source<T> a, b;
  TAPER_DEVICE void operator()(const int64_t (&at)[4]) const {
    *reinterpret_cast<T*>(y + at[0]) = condition.at(at[1]) ? a.at(at[2]) : b.at(at[3]);
  }
};

}  // namespace

void select_by_mask(Out y, In condition, In a, In b) {
  const auto plan = plan_over(y.sizes, y, condition, a, b);
  TAPER_SWITCH(y.dtype, "where", TAPER_ALL_DTYPES, [&] {
    for_each_place(plan, Select<scalar_t>{y.as<char>(), Source<bool>(condition),
                                          Source<scalar_t>(a), Source<scalar_t>(b)});
  });
}

}  // namespace taper::cuda
