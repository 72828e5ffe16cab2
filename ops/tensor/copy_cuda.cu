#include <limits>

#include <taper/framework/cuda/bytes.h>
#include <taper/framework/cuda/transpose.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/tensor/copy_kernels.h>

namespace taper::cuda {
namespace {

/// The integer, without its fraction. NaN and what an integer of that size cannot hold give the
/// smallest one, as the CPU's instruction does (a GPU's gives 0 or the nearest); of 8 and 16 bits
/// they are the lowest of 32.
template <class To, class From>
TAPER_DEVICE To to_integer(From v) {
  using Wide = std::conditional_t<sizeof(To) == 8, int64_t, int32_t>;
  constexpr Wide lowest = std::numeric_limits<Wide>::lowest();
  constexpr From low = static_cast<From>(lowest);  // a power of 2: exact
  const bool fits = v >= low && v < -low;
  return static_cast<To>(fits ? static_cast<Wide>(v) : lowest);
}

template <class To, class From>
TAPER_DEVICE To convert(From given) {
  const auto v = load(given);
  if constexpr (std::is_same_v<To, bool>)
    return v != 0;
  else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<decltype(+v)>)
    return to_integer<To>(v);
  else
    return static_cast<To>(static_cast<opmath_t<To>>(v));
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

/// Between floats, which mixed precision converts all the time, 16 bytes at a time.
bool converted_in_packs(const Out& y, const In& x) {
  const bool dense = y.contiguous && x.contiguous && x.data && x.numel == y.numel;
  if (!dense || !is_packed(y.data) || !is_packed(x.data) || !isFloatingType(y.dtype) ||
      !isFloatingType(x.dtype))
    return false;
  switch_dtype<dtypes::Floating>(y.dtype, "copy", [&]<class To>() {
    switch_dtype<dtypes::Floating>(x.dtype, "copy", [&]<class From>() {
      using Packed = MapPacked<To, From, Identity>;
      if constexpr (!std::is_same_v<To, From>)
        for_each((y.numel + Packed::V - 1) / Packed::V,
                 Packed{y.as<To>(), x.as<From>(), y.numel, Identity()});
    });
  });
  return true;
}

}  // namespace

void copy(Out y, In x) {
  if (y.dtype == x.dtype) {
    by_size(y.dtype, [&](auto bits) {
      using T = decltype(bits);
      if constexpr (sizeof(T) <= 8)
        if (!x.contiguous && copy_transposed<T>(y, x)) return;
      map<T, T>(y, x, Identity());
    });
    return;
  }
  if (converted_in_packs(y, x)) return;
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
