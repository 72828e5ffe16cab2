#include <limits>

#include <taper/framework/core/float8.h>
#include <taper/framework/cuda/bytes.h>
#include <taper/framework/cuda/pointwise_call.h>
#include <taper/framework/cuda/transpose.h>
#include <taper/ops/elementwise/complex_parts.h>
#include <taper/ops/elementwise/where_functors.h>
#include <taper/ops/tensor/copy_kernels.h>

namespace torch::taper::cuda {
namespace {

/// Returns the integer without its fraction. NaN and values out of range give the lowest integer,
/// as the
/// CPU's instruction does. (A GPU's gives 0 or the nearest.) For 8 and 16 bits it is the lowest of
/// 32.
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

// There is one kernel per target dtype. It switches the source's dtype per element, which costs
// nothing beside memory traffic and saves many kernels.
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

/// A number between stored dtypes and others: an integer's 64 bits, or a float.
struct AnyNumber {
  double floating;
  uint64_t bits;
  bool is_floating, is_unsigned;
};
template <class T>
TAPER_DEVICE AnyNumber any_number(T v) {
  if constexpr (std::is_integral_v<T>)
    return {0, static_cast<uint64_t>(v), false, std::is_same_v<T, uint64_t>};
  else if constexpr (std::is_same_v<T, double>)
    return {v, 0, true, false};
  else
    return {static_cast<double>(static_cast<float>(v)), 0, true, false};
}
template <class To>
TAPER_DEVICE To number_as(const AnyNumber& v) {
  if constexpr (std::is_same_v<To, bool>)
    return v.is_floating ? v.floating != 0 : v.bits != 0;
  else if constexpr (std::is_integral_v<To>) {
    if (!v.is_floating) return static_cast<To>(v.bits);
    const bool high = std::is_same_v<To, uint64_t> && v.floating >= 0x1p63;
    const auto low =
        static_cast<uint64_t>(to_integer<int64_t>(high ? v.floating - 0x1p63 : v.floating));
    return static_cast<To>(low + (high ? uint64_t{1} << 63 : 0));
  } else {
    using Wide = std::conditional_t<std::is_same_v<To, double>, double, float>;
    if (v.is_floating) return static_cast<To>(static_cast<Wide>(v.floating));
    return static_cast<To>(v.is_unsigned ? static_cast<Wide>(v.bits)
                                         : static_cast<Wide>(static_cast<int64_t>(v.bits)));
  }
}

/// Converts from and to stored dtypes. One kernel switches both dtypes per element.
struct ConvertStored {
  char* y;
  const char* x;
  ScalarType to, from;
  template <class... T>
  TAPER_DEVICE AnyNumber load_from(TypeList<T...>, const char* p) const {
    AnyNumber v{};
    ((from == CppTypeToScalarType<T>::value &&
      (v = any_number(*reinterpret_cast<const T*>(p)), true)) ||
     ...);
    return v;
  }
  template <class... T>
  TAPER_DEVICE void store_to(TypeList<T...>, char* p, const AnyNumber& v) const {
    ((to == CppTypeToScalarType<T>::value && (*reinterpret_cast<T*>(p) = number_as<T>(v), true)) ||
     ...);
  }
  TAPER_DEVICE void operator()(const int64_t (&at)[2]) const {
    using All = dtypes::Joined<dtypes::Real, dtypes::Stored>;
    store_to(All(), y + at[0], load_from(All(), x + at[1]));
  }
};

/// Converts between floats, which is frequent in mixed precision, 16 bytes at a time.
bool converted_in_packs(const Out& y, const In& x) {
  if (isStoredType(y.dtype) || isStoredType(x.dtype)) return false;
  if (!isFloatingType(y.dtype) || !isFloatingType(x.dtype) || !lies_like(y, x)) return false;
  switch_dtype<dtypes::Floating>(y.dtype, "copy", [&]<class To>() {
    switch_dtype<dtypes::Floating>(x.dtype, "copy", [&]<class From>() {
      using Packed = MapPacked<To, From, Identity>;
      tell<To, From>(functor::Copy(), y, x);
      if constexpr (!std::is_same_v<To, From>)
        for_each((y.numel + Packed::V - 1) / Packed::V,
                 Packed{y.as<To>(), x.as<From>(), y.numel, Identity()});
    });
  });
  return true;
}

/// Copies rows that are contiguous in both, in units of up to 16 bytes: parts of matrices, heads of
/// attention, joined tensors. Returns false without a copy if units are no larger than elements.
bool copy_rows(const Out& y, const In& x) {
  if (!x.data || (y.contiguous && x.contiguous && x.numel == y.numel)) return false;
  const auto item = static_cast<int64_t>(elementSize(y.dtype));
  Plan<2> plan = plan_over(y.sizes, y, x);
  if (plan.numel == 0 || plan.rank == 0) return false;
  if (plan.strides[0][0] != item || plan.strides[0][1] != item) return false;
  uint64_t all =
      address_of(y.data) | address_of(x.data) | static_cast<uint64_t>(plan.sizes[0] * item);
  for (int d = 1; d < plan.rank; ++d)
    for (const int64_t stride : plan.strides[d]) all |= static_cast<uint64_t>(stride);
  const int64_t unit = common_unit(all);
  if (unit <= item) return false;
  plan.sizes[0] = plan.sizes[0] * item / unit;
  plan.numel = plan.numel * item / unit;
  for (int64_t& stride : plan.strides[0]) stride = unit;
  by_unit(unit, [&](auto bits) {
    using T = decltype(bits);
    for_each_place(plan, MapStrided<T, T, Identity>{y.as<char>(), Source<T>(x), Identity()});
  });
  return true;
}

struct First {
  template <class T>
  TAPER_DEVICE T operator()(T v, T) const {
    return v;
  }
};

}  // namespace

void copy(Out y, In x) {
  if (y.dtype == x.dtype) {
    if (copy_rows(y, x)) return;
    by_size(y.dtype, [&](auto bits) {
      using T = decltype(bits);
      if constexpr (sizeof(T) <= 8)
        if (!x.contiguous && copy_transposed<T>(y, x)) return;
      tell<T, T>(functor::Copy(), y, x);
      map<T, T>(y, x, Identity());
    });
    return;
  }
  if (converted_in_packs(y, x)) return;
  if (isComplexType(y.dtype) || isComplexType(x.dtype))
    return taper::detail::copy_parts(y, x, copy, fill);
  if (isStoredType(y.dtype) || isStoredType(x.dtype))
    return for_each_place(plan_over(y.sizes, y, x),
                          ConvertStored{y.as<char>(), x.as<char>(), y.dtype, x.dtype});
  switch_dtype<dtypes::Real>(y.dtype, "copy", [&]<class scalar_t>() {
    for_each_place(plan_over(y.sizes, y, x),
                   Convert<scalar_t>{y.as<char>(), x.as<char>(), x.dtype});
  });
}

// Uses the loop of two operands, which loads numbers into packs.
void fill(Out y, In value) {
  by_size(y.dtype, [&](auto bits) {
    using T = decltype(bits);
    map2<T, T>(y, value, value, First());
  });
}

void zero(Out y) { fill(y, In::number(0, y.dtype)); }

}  // namespace torch::taper::cuda
