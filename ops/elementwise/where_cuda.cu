#include <taper/framework/cuda/bytes.h>
#include <taper/framework/cuda/map_rows.h>
#include <taper/ops/elementwise/where_kernels.h>

namespace taper::cuda {
namespace {

/// (A mask of kByte has any bytes.)
using MaskByte = uint8_t;

struct Choose {
  template <class T>
  TAPER_DEVICE T operator()(MaskByte condition, T a, T b) const {
    return condition != 0 ? a : b;
  }
};
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
    if constexpr (sizeof(T) < 16)
      if (map3_rows<T, MaskByte>(y, condition, a, b, Choose())) return;
    const Source<MaskByte> mask(condition);
    for_each_place(plan_over(y.sizes, y, condition, a, b),
                   Select<T>{y.as<char>(), mask, Source<T>(a), Source<T>(b)});
  });
}

}  // namespace taper::cuda
