#include <taper/framework/cuda/bytes.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/tensor/copy_kernels.h>

namespace taper::cuda {
namespace {

template <class To, class From>
TAPER_DEVICE To convert(From v) {
  if constexpr (std::is_same_v<To, bool>)
    return load(v) != 0;
  else
    return static_cast<To>(static_cast<opmath_t<To>>(load(v)));
}

// One kernel for each target: the source's dtype is asked element by element, which costs nothing
// beside the memory, and spares ten times as many kernels.
template <class To, class... T>
TAPER_DEVICE To load_as(TypeList<T...>, ScalarType dtype, const char* p) {
  To v = To();
  ((dtype == CppTypeToScalarType<T>::value &&
    (v = convert<To>(*reinterpret_cast<const T*>(p)), true)) ||
   ...);
  return v;
}

template <class To>
struct Convert {
  char* y;
  const char* x;
  ScalarType from;
  TAPER_DEVICE void operator()(const int64_t (&at)[2]) const {
    *reinterpret_cast<To*>(y + at[0]) = load_as<To>(dtypes::Real(), from, x + at[1]);
  }
};

}  // namespace

void copy(Out y, In x) {
  if (y.dtype == x.dtype) {
    by_size(y.dtype, [&](auto bits) {
      using T = decltype(bits);
      map<T, T>(y, x, Identity());
    });
    return;
  }
  if (isComplexType(y.dtype) || isComplexType(x.dtype))
    return taper::detail::copy_parts(y, x, copy, fill);
  switch_dtype<dtypes::Real>(y.dtype, "copy", [&]<class scalar_t>() {
    for_each_place(plan_over(y.sizes, y, x),
                   Convert<scalar_t>{y.as<char>(), x.as<char>(), x.dtype});
  });
}

void fill(Out y, In value) {
  by_size(y.dtype, [&](auto bits) {
    using T = decltype(bits);
    map<T, T>(y, value, Identity());
  });
}

void zero(Out y) { fill(y, In::number(0, y.dtype)); }

}  // namespace taper::cuda
