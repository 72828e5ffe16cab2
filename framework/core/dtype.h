// Element types: their names, sizes, categories and promotion rules.
#pragma once

#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <limits>
#include <type_traits>

#include <taper/framework/core/check.h>
#include <taper/framework/core/complex.h>
#include <taper/framework/core/host_device.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {

TAPER_HD inline float float_from_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}
TAPER_HD inline uint32_t bits_from_float(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof f);
  return bits;
}

/// Has a member `type` if T is CUDA's type for the bits of Own.
template <class T, class Own>
struct DeviceType16 {};
template <class T>
TAPER_HD uint16_t bits_16(const T& v) {
  uint16_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

/// Converts IEEE binary16 to binary32, exactly.
TAPER_HD inline float half_to_float(uint16_t h) {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
#elif defined(__aarch64__) && !defined(__CUDACC__)
  __fp16 v;
  memcpy(&v, &h, sizeof v);
  return v;
#else
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 0x1fu;
  const uint32_t mantissa = h & 0x3ffu;
  if (exponent == 0x1f) return float_from_bits(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8f;
    return float_from_bits(sign | bits_from_float(magnitude));
  }
  return float_from_bits(sign | ((exponent + 112) << 23) | (mantissa << 13));
#endif
}

/// Converts binary32 to IEEE binary16, rounded to nearest even.
TAPER_HD inline uint16_t float_to_half(float f) {
#if defined(__CUDA_ARCH__)
  uint16_t h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
#elif defined(__aarch64__) && !defined(__CUDACC__)
  return bits_16(static_cast<__fp16>(f));
#else
  const uint32_t bits = bits_from_float(f);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;   // NaN
  if (magnitude >= 0x477ff000u) return sign | 0x7c00u;  // rounds to infinity
  if (magnitude < 0x38800000u) {                        // subnormal: add so that rounding is done
    const float scaled = float_from_bits(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(bits_from_float(scaled) - 0x3f000000u);
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return sign | static_cast<uint16_t>((magnitude - 0x38000000u + 0xfffu + odd) >> 13);
#endif
}

/// Converts binary32 to bfloat16, rounded to nearest even.
TAPER_HD inline uint16_t float_to_bfloat16(float f) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  uint16_t h;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
#else
  const uint32_t bits = bits_from_float(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
#endif
}

}  // namespace detail

/// IEEE 754 binary16. Arithmetic happens in float. This type only stores.
struct alignas(2) Half {
  uint16_t x = 0;         ///< the bits
  struct from_bits_t {};  ///< marks the constructor that takes bits
  TAPER_HD static constexpr from_bits_t from_bits() { return {}; }  ///< returns the mark
  Half() = default;
  TAPER_HD constexpr Half(uint16_t bits, from_bits_t) : x(bits) {}  ///< has these bits
  /// Convert from and to CUDA's type of these bits (see <c10/util/Half.h> and BFloat16.h).
  ///@{
  template <class T, class = typename detail::DeviceType16<T, Half>::type>
  TAPER_HD Half(const T& v) : x(detail::bits_16(v)) {}
  template <class T, class = typename detail::DeviceType16<T, Half>::type>
  TAPER_HD operator T() const {
    T v;
    memcpy(&v, &x, sizeof x);
    return v;
  }
  ///@}
  TAPER_HD Half(float f) : x(detail::float_to_half(f)) {}               ///< rounded, ties to even
  TAPER_HD operator float() const { return detail::half_to_float(x); }  ///< exact
};

/// The upper half of a binary32. Arithmetic happens in float. This type only stores.
struct alignas(2) BFloat16 {
  uint16_t x = 0;         ///< the bits
  struct from_bits_t {};  ///< marks the constructor that takes bits
  TAPER_HD static constexpr from_bits_t from_bits() { return {}; }  ///< returns the mark
  BFloat16() = default;
  TAPER_HD constexpr BFloat16(uint16_t bits, from_bits_t) : x(bits) {}  ///< has these bits
  /// Convert from and to CUDA's type of these bits (see <c10/util/Half.h> and BFloat16.h).
  ///@{
  template <class T, class = typename detail::DeviceType16<T, BFloat16>::type>
  TAPER_HD BFloat16(const T& v) : x(detail::bits_16(v)) {}
  template <class T, class = typename detail::DeviceType16<T, BFloat16>::type>
  TAPER_HD operator T() const {
    T v;
    memcpy(&v, &x, sizeof x);
    return v;
  }
  ///@}
  TAPER_HD BFloat16(float f) : x(detail::float_to_bfloat16(f)) {}  ///< rounded, ties to even
  /// Converts exactly.
  TAPER_HD operator float() const {
    return detail::float_from_bits(static_cast<uint32_t>(x) << 16);
  }
};

/// Print the value as a float is printed.
std::ostream& operator<<(std::ostream& out, Half x);
std::ostream& operator<<(std::ostream& out, BFloat16 x);

/// Floats of 8 bits, defined in <taper/framework/core/float8.h>.
struct Float8_e5m2;
struct Float8_e4m3fn;
struct Float8_e5m2fnuz;
struct Float8_e4m3fnuz;
struct Float8_e8m0fnu;

/// Dtypes, with PyTorch 2.15's values. No tensor has a quantized dtype (QInt8 to QUInt2x4) or bits.
/// Float8_e5m2 and later are stored dtypes: converted, moved, indexed, printed, not computed with.
enum class ScalarType : int8_t {
  Byte = 0,
  Char = 1,
  Short = 2,
  Int = 3,
  Long = 4,
  Half = 5,
  Float = 6,
  Double = 7,
  ComplexHalf = 8,
  ComplexFloat = 9,
  ComplexDouble = 10,
  Bool = 11,
  QInt8 = 12,
  QUInt8 = 13,
  QInt32 = 14,
  BFloat16 = 15,
  QUInt4x2 = 16,
  QUInt2x4 = 17,
  Bits1x8 = 18,
  Bits2x4 = 19,
  Bits4x2 = 20,
  Bits8 = 21,
  Bits16 = 22,
  Float8_e5m2 = 23,
  Float8_e4m3fn = 24,
  Float8_e5m2fnuz = 25,
  Float8_e4m3fnuz = 26,
  UInt16 = 27,
  UInt32 = 28,
  UInt64 = 29,
  Float8_e8m0fnu = 44,
  Undefined = 47,
  NumOptions = 48,
};

/// The dtypes by LibTorch's names. kByte is also kUInt8 and kU8. kChar, kShort, kInt and kLong are
/// also kInt8 or kI8 to kInt64 or kI64. kHalf, kFloat and kDouble are also kFloat16 or kF16 to
/// kFloat64 or kF64.
///@{
constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = ScalarType::Byte, kU8 = ScalarType::Byte;
constexpr ScalarType kChar = ScalarType::Char, kInt8 = ScalarType::Char, kI8 = ScalarType::Char;
constexpr ScalarType kShort = ScalarType::Short, kInt16 = ScalarType::Short,
                     kI16 = ScalarType::Short;
constexpr ScalarType kInt = ScalarType::Int, kInt32 = ScalarType::Int, kI32 = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long, kInt64 = ScalarType::Long, kI64 = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half, kFloat16 = ScalarType::Half, kF16 = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float, kFloat32 = ScalarType::Float,
                     kF32 = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double, kFloat64 = ScalarType::Double,
                     kF64 = ScalarType::Double;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kComplexHalf = ScalarType::ComplexHalf,
                     kComplexFloat = ScalarType::ComplexFloat,
                     kComplexDouble = ScalarType::ComplexDouble;
constexpr ScalarType kUInt16 = ScalarType::UInt16, kUInt32 = ScalarType::UInt32,
                     kUInt64 = ScalarType::UInt64;
constexpr ScalarType kFloat8_e5m2 = ScalarType::Float8_e5m2,
                     kFloat8_e4m3fn = ScalarType::Float8_e4m3fn,
                     kFloat8_e5m2fnuz = ScalarType::Float8_e5m2fnuz,
                     kFloat8_e4m3fnuz = ScalarType::Float8_e4m3fnuz,
                     kFloat8_e8m0fnu = ScalarType::Float8_e8m0fnu;
constexpr ScalarType kQInt8 = ScalarType::QInt8, kQUInt8 = ScalarType::QUInt8,
                     kQInt32 = ScalarType::QInt32, kQUInt4x2 = ScalarType::QUInt4x2,
                     kQUInt2x4 = ScalarType::QUInt2x4, kBits1x8 = ScalarType::Bits1x8,
                     kBits2x4 = ScalarType::Bits2x4, kBits4x2 = ScalarType::Bits4x2,
                     kBits8 = ScalarType::Bits8, kBits16 = ScalarType::Bits16;
///@}

namespace detail {
template <ScalarType S>
struct Dtype {
  static constexpr ScalarType value = S;
};
template <class T>
struct TypeIs {
  using type = T;
};
}  // namespace detail

/// The ScalarType of a C++ type.
template <class T>
struct CppTypeToScalarType;
template <>
struct CppTypeToScalarType<uint8_t> : detail::Dtype<ScalarType::Byte> {};
template <>
struct CppTypeToScalarType<int8_t> : detail::Dtype<ScalarType::Char> {};
template <>
struct CppTypeToScalarType<int16_t> : detail::Dtype<ScalarType::Short> {};
template <>
struct CppTypeToScalarType<int32_t> : detail::Dtype<ScalarType::Int> {};
template <>
struct CppTypeToScalarType<int64_t> : detail::Dtype<ScalarType::Long> {};
template <>
struct CppTypeToScalarType<Half> : detail::Dtype<ScalarType::Half> {};
template <>
struct CppTypeToScalarType<float> : detail::Dtype<ScalarType::Float> {};
template <>
struct CppTypeToScalarType<double> : detail::Dtype<ScalarType::Double> {};
template <>
struct CppTypeToScalarType<numbers::complex<float>> : detail::Dtype<ScalarType::ComplexFloat> {};
template <>
struct CppTypeToScalarType<numbers::complex<double>> : detail::Dtype<ScalarType::ComplexDouble> {};
template <>
struct CppTypeToScalarType<bool> : detail::Dtype<ScalarType::Bool> {};
template <>
struct CppTypeToScalarType<BFloat16> : detail::Dtype<ScalarType::BFloat16> {};
template <>
struct CppTypeToScalarType<uint16_t> : detail::Dtype<ScalarType::UInt16> {};
template <>
struct CppTypeToScalarType<uint32_t> : detail::Dtype<ScalarType::UInt32> {};
template <>
struct CppTypeToScalarType<uint64_t> : detail::Dtype<ScalarType::UInt64> {};
template <>
struct CppTypeToScalarType<Float8_e5m2> : detail::Dtype<ScalarType::Float8_e5m2> {};
template <>
struct CppTypeToScalarType<Float8_e4m3fn> : detail::Dtype<ScalarType::Float8_e4m3fn> {};
template <>
struct CppTypeToScalarType<Float8_e5m2fnuz> : detail::Dtype<ScalarType::Float8_e5m2fnuz> {};
template <>
struct CppTypeToScalarType<Float8_e4m3fnuz> : detail::Dtype<ScalarType::Float8_e4m3fnuz> {};
template <>
struct CppTypeToScalarType<Float8_e8m0fnu> : detail::Dtype<ScalarType::Float8_e8m0fnu> {};

/// A list of C++ types.
template <class... T>
struct TypeList {};

/// The element types that kernels are written for. Few lists have complex types, because most ops
/// take real ones only.
namespace dtypes {

template <class... Lists>
struct JoinedLists;
/// One list: the list itself.
template <class... A>
struct JoinedLists<TypeList<A...>> {
  using type = TypeList<A...>;  ///< all types, in order
};
/// Several lists: joins the first two, and so on.
template <class... A, class... B, class... Rest>
struct JoinedLists<TypeList<A...>, TypeList<B...>, Rest...>
    : JoinedLists<TypeList<A..., B...>, Rest...> {};
/// The types of all lists as one TypeList, in order.
template <class... Lists>
using Joined = typename JoinedLists<Lists...>::type;

using Float = TypeList<float, double>;                     ///< without the 16-bit ones
using Floating = TypeList<float, double, Half, BFloat16>;  ///< floats that ops compute with
/// Integers that ops compute with, without bool.
using Integral = TypeList<int64_t, int32_t, int16_t, int8_t, uint8_t>;
/// Types of bitwise arithmetic.
using Bit = Joined<Integral, TypeList<bool>>;
using Number = Joined<Floating, Integral>;    ///< real, without bool
using Real = Joined<Number, TypeList<bool>>;  ///< all but complex and stored
/// Complex numbers that ops compute with.
using Complex = TypeList<numbers::complex<float>, numbers::complex<double>>;
/// Types of ops that move or add elements of any kind.
using Any = Joined<Real, Complex>;
using Index = TypeList<int64_t, int32_t>;  ///< of index tensors
/// Floats of 8 bits.
using Float8 =
    TypeList<Float8_e5m2, Float8_e4m3fn, Float8_e5m2fnuz, Float8_e4m3fnuz, Float8_e8m0fnu>;
/// Stored dtypes: ops convert and move them, but do not compute with them.
using Stored = Joined<TypeList<uint16_t, uint32_t, uint64_t>, Float8>;

}  // namespace dtypes

namespace detail {
template <ScalarType S, class List>
struct TypeOfDtype;
template <ScalarType S, class T, class... Rest>
struct TypeOfDtype<S, TypeList<T, Rest...>>
    : std::conditional_t<CppTypeToScalarType<T>::value == S, TypeIs<T>,
                         TypeOfDtype<S, TypeList<Rest...>>> {};
}  // namespace detail
/// The C++ type of a ScalarType.
template <ScalarType S>
struct ScalarTypeToCPPType : detail::TypeOfDtype<S, dtypes::Joined<dtypes::Any, dtypes::Stored>> {};
/// Short for ScalarTypeToCPPType<S>::type. It does not compile for a dtype without tensors.
template <ScalarType S>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<S>::type;

/// Returns the bytes of one element, or 0 for a dtype of no tensor (complex of f16, quantized,
/// bits).
constexpr size_t elementSize(ScalarType t) {
  switch (t) {
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Bool:
    case ScalarType::Float8_e5m2:
    case ScalarType::Float8_e4m3fn:
    case ScalarType::Float8_e5m2fnuz:
    case ScalarType::Float8_e4m3fnuz:
    case ScalarType::Float8_e8m0fnu:
      return 1;
    case ScalarType::Short:
    case ScalarType::UInt16:
    case ScalarType::Half:
    case ScalarType::BFloat16:
      return 2;
    case ScalarType::Int:
    case ScalarType::UInt32:
    case ScalarType::Float:
      return 4;
    case ScalarType::Long:
    case ScalarType::UInt64:
    case ScalarType::Double:
    case ScalarType::ComplexFloat:
      return 8;
    case ScalarType::ComplexDouble:
      return 16;
    default:
      return 0;
  }
}

/// Returns whether the dtype is a float of 8 bits.
constexpr bool isFloat8Type(ScalarType t) {
  return (t >= kFloat8_e5m2 && t <= kFloat8_e4m3fnuz) || t == kFloat8_e8m0fnu;
}
/// Returns whether the dtype is u16, u32 or u64. These are stored dtypes, unlike u8.
constexpr bool isBarebonesUnsignedType(ScalarType t) { return t >= kUInt16 && t <= kUInt64; }
/// Returns whether the dtype is a stored one: converted, moved and kept, but not computed with.
constexpr bool isStoredType(ScalarType t) { return t >= kFloat8_e5m2 && t < ScalarType::Undefined; }
/// Returns whether the dtype is a float of 8 to 64 bits, not complex.
constexpr bool isFloatingType(ScalarType t) {
  return t == kFloat || t == kDouble || t == kHalf || t == kBFloat16 || isFloat8Type(t);
}
/// Returns whether the dtype is f16 or bf16.
constexpr bool isReducedFloatingType(ScalarType t) { return t == kHalf || t == kBFloat16; }
/// Returns whether the dtype is complex of f16, f32 or f64.
constexpr bool isComplexType(ScalarType t) {
  return t >= ScalarType::ComplexHalf && t <= ScalarType::ComplexDouble;
}
/// Returns whether tensors of the dtype can have gradients.
constexpr bool isFloatingOrComplexType(ScalarType t) {
  return isFloatingType(t) || isComplexType(t);
}
/// Returns whether the dtype holds numbers below 0.
constexpr bool isSignedType(ScalarType t) {
  return t != kByte && t != kBool && t != kFloat8_e8m0fnu && t != ScalarType::Undefined &&
         !isBarebonesUnsignedType(t);
}
/// Returns the dtype of a complex dtype's parts. Returns any other dtype unchanged.
constexpr ScalarType toRealValueType(ScalarType t) {
  return t == kComplexFloat    ? kFloat
         : t == kComplexDouble ? kDouble
         : t == kComplexHalf   ? kHalf
                               : t;
}
/// Returns the complex dtype whose parts hold values of `t`: f64, f16 or, for all others, f32.
constexpr ScalarType toComplexType(ScalarType t) {
  return t == kDouble || t == kComplexDouble ? kComplexDouble
         : t == kHalf || t == kComplexHalf   ? kComplexHalf
                                             : kComplexFloat;
}
/// Returns whether the dtype is an integer of 8 to 64 bits, or bool if `include_bool`.
constexpr bool isIntegralType(ScalarType t, bool include_bool) {
  return (t >= kByte && t <= kLong) || isBarebonesUnsignedType(t) || (include_bool && t == kBool);
}

/// Returns "Float", "Long", ...
const char* toString(ScalarType t);
/// Returns "float", "long int", ...: the text that LibTorch's `dtype()` prints.
const char* cpp_type_name(ScalarType t);
/// Returns Python's name: "float32", "int64", ...
const char* python_name(ScalarType t);

/// Prints "Float", like toString.
std::ostream& operator<<(std::ostream& out, ScalarType t);

/// Returns the result type of two dtypes of equal priority (two tensors with dimensions), by
/// PyTorch's table: the wider dtype of a category, and complex over floating over integral over
/// bool. u8 with i8 gives i16. f16 with bf16 gives f32. u16, u32 and u64 give way to a float of 16
/// bits or more. A stored dtype with any other dtype throws Error.
ScalarType promoteTypes(ScalarType a, ScalarType b);
/// Returns whether an in-place op may store a value of `from` in `to`. It may not from complex to
/// real, from floating to integral, or from a number to bool.
bool canCast(ScalarType from, ScalarType to);

/// The result of `Tensor::dtype()`: a ScalarType that prints as a C++ type.
class TypeMeta {
 public:
  constexpr TypeMeta() = default;
  /// Hold a dtype, or with Make<T>() the dtype of a C++ element type.
  ///@{
  constexpr TypeMeta(ScalarType t) : t_(t) {}
  static constexpr TypeMeta fromScalarType(ScalarType t) { return TypeMeta(t); }
  template <class T>
  static constexpr TypeMeta Make() {
    return TypeMeta(CppTypeToScalarType<T>::value);
  }
  ///@}
  /// Returns the dtype, or Undefined for a default-constructed TypeMeta.
  constexpr ScalarType toScalarType() const { return t_; }
  size_t itemsize() const { return elementSize(t_); }     ///< bytes of one element
  const char* name() const { return cpp_type_name(t_); }  ///< "float", "long int", ...
  constexpr operator ScalarType() const { return t_; }    ///< toScalarType()
  /// Compare dtypes.
  ///@{
  friend constexpr bool operator==(TypeMeta a, TypeMeta b) { return a.t_ == b.t_; }
  friend constexpr bool operator!=(TypeMeta a, TypeMeta b) { return a.t_ != b.t_; }
  friend constexpr bool operator==(TypeMeta a, ScalarType b) { return a.t_ == b; }
  friend constexpr bool operator!=(TypeMeta a, ScalarType b) { return a.t_ != b; }
  friend constexpr bool operator==(ScalarType a, TypeMeta b) { return a == b.t_; }
  friend constexpr bool operator!=(ScalarType a, TypeMeta b) { return a != b.t_; }
  ///@}

 private:
  ScalarType t_ = ScalarType::Undefined;
};
/// Prints name().
std::ostream& operator<<(std::ostream& out, TypeMeta t);

using Dtype = ScalarType;  ///< LibTorch's other name
/// Convert between ScalarType and TypeMeta, which also convert implicitly.
///@{
inline ScalarType typeMetaToScalarType(TypeMeta t) { return t.toScalarType(); }
inline TypeMeta scalarTypeToTypeMeta(ScalarType t) { return TypeMeta(t); }
///@}

/// Return the process's dtype of factories that are given none: kFloat until changed.
///@{
ScalarType default_dtype();
TypeMeta get_default_dtype();
///@}
/// Sets the default dtype. Throws TypeError unless `t` is a floating type.
void set_default_dtype(TypeMeta t);

namespace detail {
/// Throw NotImplementedError in LibTorch's words, which name a kernel, after the op's name: "frac:
/// \"frac_cpu\" not implemented for 'Long'". The op is `op`, or the beginning of the kernel's name.
[[noreturn]] void unsupported_dtype(std::string_view op, const char* kernel, ScalarType t);
[[noreturn]] void unsupported_dtype(const char* kernel, ScalarType t);

/// Calls body<T>() for the T of the list whose dtype is t. Returns false if there is none.
template <class... T, class Body>
TAPER_INLINE bool call_for_dtype(TypeList<T...>, ScalarType t, const Body& body) {
  return ((t == CppTypeToScalarType<T>::value && (body.template operator()<T>(), true)) || ...);
}
}  // namespace detail

/// Calls body(dtype) for all types of the list.
template <class... T, class Body>
void for_each_dtype(TypeList<T...>, const Body& body) {
  (body(CppTypeToScalarType<T>::value), ...);
}

/// Calls `body`, a lambda [&]<class scalar_t>() { ... }, for the C++ type of `t`. `List` is one of
/// dtypes::. Throws an error that names the op for any other dtype.
template <class List, class Body>
TAPER_INLINE void switch_dtype(ScalarType t, const char* op, const Body& body) {
  if (!detail::call_for_dtype(List(), t, body)) detail::unsupported_dtype(op, t);
}

/// The type in which a kernel computes with elements of T: float for floats of 16 bits.
template <class T>
struct OpMath {
  using type = T;  ///< T, except in the specializations
};
/// Computes in float.
template <>
struct OpMath<Half> {
  using type = float;  ///< 32 bits
};
/// Computes in float.
template <>
struct OpMath<BFloat16> {
  using type = float;  ///< 32 bits
};

namespace detail {
template <class T, class List>
struct IsIn;
template <class T, class... All>
struct IsIn<T, TypeList<All...>> : std::bool_constant<(std::is_same<T, All>::value || ...)> {};
/// True for floats that are computed with as float.
template <class T>
struct IsNarrowFloat : IsIn<T, dtypes::Joined<TypeList<Half, BFloat16>, dtypes::Float8>> {};
}  // namespace detail

/// Short for OpMath<T>::type.
template <class T>
using opmath_t = typename OpMath<T>::type;

namespace detail {
/// Members of std::numeric_limits that float and the floats of 16 bits share.
struct LimitsOf16Bits {
  using Float = std::numeric_limits<float>;
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false;
  static constexpr bool is_exact = false, is_bounded = true, is_modulo = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, has_signaling_NaN = true;
  static constexpr auto has_denorm = Float::has_denorm;
  static constexpr auto has_denorm_loss = Float::has_denorm_loss;
  static constexpr auto round_style = Float::round_style;
  static constexpr auto traps = Float::traps;
  static constexpr auto tinyness_before = Float::tinyness_before;
  static constexpr int radix = 2;
};
}  // namespace detail

}  // namespace torch::taper

namespace std {
template <>
struct numeric_limits<taper::Half> : taper::detail::LimitsOf16Bits {
  static constexpr bool is_iec559 = true;
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4;
  static constexpr int max_exponent = 16, max_exponent10 = 4;
  TAPER_HD static constexpr taper::Half make(uint16_t b) { return {b, taper::Half::from_bits_t{}}; }
  TAPER_HD static constexpr taper::Half min() { return make(0x0400); }
  TAPER_HD static constexpr taper::Half lowest() { return make(0xfbff); }
  TAPER_HD static constexpr taper::Half max() { return make(0x7bff); }
  TAPER_HD static constexpr taper::Half epsilon() { return make(0x1400); }
  TAPER_HD static constexpr taper::Half round_error() { return make(0x3800); }
  TAPER_HD static constexpr taper::Half infinity() { return make(0x7c00); }
  TAPER_HD static constexpr taper::Half quiet_NaN() { return make(0x7e00); }
  TAPER_HD static constexpr taper::Half signaling_NaN() { return make(0x7d00); }
  TAPER_HD static constexpr taper::Half denorm_min() { return make(0x0001); }
};
template <>
struct numeric_limits<taper::BFloat16> : taper::detail::LimitsOf16Bits {
  static constexpr bool is_iec559 = false;
  static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
  static constexpr int min_exponent = -125, min_exponent10 = -37;
  static constexpr int max_exponent = 128, max_exponent10 = 38;
  TAPER_HD static constexpr taper::BFloat16 make(uint16_t b) {
    return {b, taper::BFloat16::from_bits_t{}};
  }
  TAPER_HD static constexpr taper::BFloat16 min() { return make(0x0080); }
  TAPER_HD static constexpr taper::BFloat16 lowest() { return make(0xff7f); }
  TAPER_HD static constexpr taper::BFloat16 max() { return make(0x7f7f); }
  TAPER_HD static constexpr taper::BFloat16 epsilon() { return make(0x3c00); }
  TAPER_HD static constexpr taper::BFloat16 round_error() { return make(0x3f00); }
  TAPER_HD static constexpr taper::BFloat16 infinity() { return make(0x7f80); }
  TAPER_HD static constexpr taper::BFloat16 quiet_NaN() { return make(0x7fc0); }
  TAPER_HD static constexpr taper::BFloat16 signaling_NaN() { return make(0x7fa0); }
  TAPER_HD static constexpr taper::BFloat16 denorm_min() { return make(0x0001); }
};
}  // namespace std

#pragma GCC visibility pop
