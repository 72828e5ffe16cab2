#include <taper/framework/cuda/bytes.h>
#include <taper/framework/cuda/pointwise.h>
#include <taper/ops/elementwise/where_functors.h>
#include <taper/ops/elementwise/where_kernels.h>

namespace torch::taper::cuda {
namespace {

using functor::MaskByte;

template <class T>
struct Select {
  char* y;
  Source<MaskByte> condition;
  Source<T> a, b;
  TAPER_DEVICE void operator()(const int64_t (&at)[4]) const {
    *reinterpret_cast<T*>(y + at[0]) = condition.at(at[1]) != 0 ? a.at(at[2]) : b.at(at[3]);
  }
};

}  // namespace

void select_by_mask(Out y, In condition, In a, In b) {
  by_size(y.dtype, [&](auto bits) {
    using T = decltype(bits);
    if constexpr (sizeof(T) < 16) {
      tell<T, MaskByte, T, T>(functor::Choose(), y, condition, a, b);
      if (map3_rows<T, MaskByte>(y, condition, a, b, functor::Choose())) return;
    }
    const Source<MaskByte> mask(condition);
    for_each_place(plan_over(y.sizes, y, condition, a, b),
                   Select<T>{y.as<char>(), mask, Source<T>(a), Source<T>(b)});
  });
}

}  // namespace torch::taper::cuda
