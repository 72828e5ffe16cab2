#include <taper/framework/cuda/bytes.h>
#include <taper/ops/elementwise/where_kernels.h>

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
  by_size(y.dtype, [&](auto bits) {
    using T = decltype(bits);
    for_each_place(plan,
                   Select<T>{y.as<char>(), Source<bool>(condition), Source<T>(a), Source<T>(b)});
  });
}

}  // namespace taper::cuda
