// Element types: their names, sizes, categories and promotion rules.
#pragma once

#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <limits>

#include <taper/framework/check.h>
#include <taper/framework/complex.h>
#include <taper/framework/host_device.h>

#pragma GCC visibility push(default)

namespace taper {

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

/// IEEE binary16 to binary32; exact.
TAPER_HD inline float half_to_float(uint16_t h) {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
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

/// binary32 to IEEE binary16, round to nearest even.
TAPER_HD inline uint16_t float_to_half(float f) {
#if defined(__CUDA_ARCH__)
  uint16_t h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
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

/// binary32 to bfloat16, round to nearest even.
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

/// IEEE 754 binary16. Arithmetic happens in float; this type only stores.
struct alignas(2) Half {
  uint16_t x = 0;
  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }
  Half() = default;
  constexpr Half(uint16_t bits, from_bits_t) : x(bits) {}
  TAPER_HD Half(float f) : x(detail::float_to_half(f)) {}
  TAPER_HD operator float() const { return detail::half_to_float(x); }
};

/// The upper half of a binary32. Arithmetic happens in float; this type only stores.
struct alignas(2) BFloat16 {
  uint16_t x = 0;
  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }
  BFloat16() = default;
  constexpr BFloat16(uint16_t bits, from_bits_t) : x(bits) {}
  TAPER_HD BFloat16(float f) : x(detail::float_to_bfloat16(f)) {}
  TAPER_HD operator float() const {
    return detail::float_from_bits(static_cast<uint32_t>(x) << 16);
  }
};

std::ostream& operator<<(std::ostream& out, Half x);
std::ostream& operator<<(std::ostream& out, BFloat16 x);

/// Every real element type: X(C++ type, LibTorch's name). Most ops take no others.
#define TAPER_FORALL_DTYPES(X) \
  X(uint8_t, Byte)             \
  X(int8_t, Char)              \
  X(int16_t, Short)            \
  X(int32_t, Int)              \
  X(int64_t, Long)             \
  X(Half, Half)                \
  X(float, Float)              \
  X(double, Double)            \
  X(bool, Bool)                \
  X(BFloat16, BFloat16)
/// The complex ones, for what is written for them too.
#define TAPER_FORALL_COMPLEX_DTYPES(X)     \
  X(numbers::complex<float>, ComplexFloat) \
  X(numbers::complex<double>, ComplexDouble)

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
  BFloat16 = 15,
  Undefined = 16,
  NumOptions = 17,
};

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

/// The ScalarType of a C++ type.
template <class T>
struct CppTypeToScalarType;
/// The C++ type of a ScalarType.
template <ScalarType S>
struct ScalarTypeToCPPType;
#define TAPER_MAP_DTYPE(T, Name)                          \
  template <>                                             \
  struct CppTypeToScalarType<T> {                         \
    static constexpr ScalarType value = ScalarType::Name; \
  };                                                      \
  template <>                                             \
  struct ScalarTypeToCPPType<ScalarType::Name> {          \
    using type = T;                                       \
  };
TAPER_FORALL_DTYPES(TAPER_MAP_DTYPE)
TAPER_FORALL_COMPLEX_DTYPES(TAPER_MAP_DTYPE)
#undef TAPER_MAP_DTYPE
template <ScalarType S>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<S>::type;

/// Bytes of one element; 0 for what has no tensors (complex of f16).
constexpr size_t elementSize(ScalarType t) {
  switch (t) {
#define TAPER_SIZE(T, Name) \
  case ScalarType::Name:    \
    return sizeof(T);
    TAPER_FORALL_DTYPES(TAPER_SIZE)
    TAPER_FORALL_COMPLEX_DTYPES(TAPER_SIZE)
#undef TAPER_SIZE
    default:
      return 0;
  }
}

constexpr bool isFloatingType(ScalarType t) {
  return t == kFloat || t == kDouble || t == kHalf || t == kBFloat16;
}
constexpr bool isReducedFloatingType(ScalarType t) { return t == kHalf || t == kBFloat16; }
constexpr bool isComplexType(ScalarType t) {
  return t >= ScalarType::ComplexHalf && t <= ScalarType::ComplexDouble;
}
/// What has gradients.
constexpr bool isFloatingOrComplexType(ScalarType t) {
  return isFloatingType(t) || isComplexType(t);
}
/// The dtype of the parts of a complex dtype; any other one itself.
constexpr ScalarType toRealValueType(ScalarType t) {
  return t == kComplexFloat    ? kFloat
         : t == kComplexDouble ? kDouble
         : t == kComplexHalf   ? kHalf
                               : t;
}
/// The complex dtype whose parts hold values of `t`: that of f64, f16 or (for all others) f32.
constexpr ScalarType toComplexType(ScalarType t) {
  return t == kDouble || t == kComplexDouble ? kComplexDouble
         : t == kHalf || t == kComplexHalf   ? kComplexHalf
                                             : kComplexFloat;
}
constexpr bool isIntegralType(ScalarType t, bool include_bool) {
  return (t >= kByte && t <= kLong) || (include_bool && t == kBool);
}

/// "Float", "Long", ...
const char* toString(ScalarType t);
/// "float", "long int", ...: what LibTorch's `dtype()` prints.
const char* cpp_type_name(ScalarType t);
/// "float32", "int64", ...: Python's name.
const char* python_name(ScalarType t);

std::ostream& operator<<(std::ostream& out, ScalarType t);

/// Result type of two dtypes of equal priority (two dimensioned tensors), as PyTorch's table:
/// the wider of a category; complex over floating over integral over bool; u8 with i8 gives i16;
/// f16 with bf16 gives f32.
ScalarType promoteTypes(ScalarType a, ScalarType b);
/// True when a value of `from` may be stored in `to` by an in-place op: never from complex to
/// real or from floating to integral, never from a number to bool.
bool canCast(ScalarType from, ScalarType to);

/// What `Tensor::dtype()` returns: a ScalarType that prints as a C++ type.
class TypeMeta {
 public:
  constexpr TypeMeta() = default;
  constexpr TypeMeta(ScalarType t) : t_(t) {}
  static constexpr TypeMeta fromScalarType(ScalarType t) { return TypeMeta(t); }
  template <class T>
  static constexpr TypeMeta Make() {
    return TypeMeta(CppTypeToScalarType<T>::value);
  }
  constexpr ScalarType toScalarType() const { return t_; }
  size_t itemsize() const { return elementSize(t_); }
  const char* name() const { return cpp_type_name(t_); }
  constexpr operator ScalarType() const { return t_; }
  friend constexpr bool operator==(TypeMeta a, TypeMeta b) { return a.t_ == b.t_; }
  friend constexpr bool operator!=(TypeMeta a, TypeMeta b) { return a.t_ != b.t_; }
  friend constexpr bool operator==(TypeMeta a, ScalarType b) { return a.t_ == b; }
  friend constexpr bool operator!=(TypeMeta a, ScalarType b) { return a.t_ != b; }
  friend constexpr bool operator==(ScalarType a, TypeMeta b) { return a == b.t_; }
  friend constexpr bool operator!=(ScalarType a, TypeMeta b) { return a != b.t_; }

 private:
  ScalarType t_ = ScalarType::Undefined;
};
std::ostream& operator<<(std::ostream& out, TypeMeta t);

using Dtype = ScalarType;
inline ScalarType typeMetaToScalarType(TypeMeta t) { return t.toScalarType(); }
inline TypeMeta scalarTypeToTypeMeta(ScalarType t) { return TypeMeta(t); }

/// The dtype of factories that are given none: kFloat until changed. Per process.
ScalarType default_dtype();
TypeMeta get_default_dtype();
/// Throws TypeError unless `t` is a floating type.
void set_default_dtype(TypeMeta t);

/// Runs `body` with `scalar_t` naming the C++ type of `dtype`. DTYPES is one of the
/// TAPER_*_DTYPES lists; any other dtype throws, naming the op.
#define TAPER_SWITCH(dtype, op_name, DTYPES, ...)         \
  switch (dtype) {                                        \
    DTYPES(TAPER_SWITCH_CASE, __VA_ARGS__)                \
    default:                                              \
      ::taper::detail::unsupported_dtype(op_name, dtype); \
  }
#define TAPER_SWITCH_CASE(T, Name, ...)  \
  case ::taper::ScalarType::Name: {      \
    using scalar_t [[maybe_unused]] = T; \
    __VA_ARGS__();                       \
    break;                               \
  }
#define TAPER_FLOAT_DTYPES(X, ...) X(float, Float, __VA_ARGS__) X(double, Double, __VA_ARGS__)
#define TAPER_FLOATING_DTYPES(X, ...) \
  TAPER_FLOAT_DTYPES(X, __VA_ARGS__)  \
  X(::taper::Half, Half, __VA_ARGS__) X(::taper::BFloat16, BFloat16, __VA_ARGS__)
#define TAPER_INTEGRAL_DTYPES(X, ...) \
  X(int64_t, Long, __VA_ARGS__)       \
  X(int32_t, Int, __VA_ARGS__)        \
  X(int16_t, Short, __VA_ARGS__) X(int8_t, Char, __VA_ARGS__) X(uint8_t, Byte, __VA_ARGS__)
/// What bitwise arithmetic takes.
#define TAPER_BIT_DTYPES(X, ...) TAPER_INTEGRAL_DTYPES(X, __VA_ARGS__) X(bool, Bool, __VA_ARGS__)
#define TAPER_NUMBER_DTYPES(X, ...) \
  TAPER_FLOATING_DTYPES(X, __VA_ARGS__) TAPER_INTEGRAL_DTYPES(X, __VA_ARGS__)
#define TAPER_ALL_DTYPES(X, ...) TAPER_NUMBER_DTYPES(X, __VA_ARGS__) X(bool, Bool, __VA_ARGS__)
#define TAPER_COMPLEX_DTYPES(X, ...)                             \
  X(::taper::numbers::complex<float>, ComplexFloat, __VA_ARGS__) \
  X(::taper::numbers::complex<double>, ComplexDouble, __VA_ARGS__)
/// What moves or adds elements of any kind.
#define TAPER_ANY_DTYPES(X, ...)   \
  TAPER_ALL_DTYPES(X, __VA_ARGS__) \
  TAPER_COMPLEX_DTYPES(X, __VA_ARGS__)
#define TAPER_INDEX_DTYPES(X, ...) X(int64_t, Long, __VA_ARGS__) X(int32_t, Int, __VA_ARGS__)

namespace detail {
/// Throws NotImplementedError: "\"op\" not implemented for 'Half'".
[[noreturn]] void unsupported_dtype(const char* op, ScalarType t);
}  // namespace detail

/// The type in which a kernel computes with elements of T: float for the 16-bit floats.
template <class T>
struct OpMath {
  using type = T;
};
template <>
struct OpMath<Half> {
  using type = float;
};
template <>
struct OpMath<BFloat16> {
  using type = float;
};
template <class T>
using opmath_t = typename OpMath<T>::type;

namespace detail {
/// What std::numeric_limits says alike of float and of the 16-bit floats.
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

}  // namespace taper

namespace std {
template <>
struct numeric_limits<taper::Half> : taper::detail::LimitsOf16Bits {
  static constexpr bool is_iec559 = true;
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4;
  static constexpr int max_exponent = 16, max_exponent10 = 4;
  static constexpr taper::Half make(uint16_t b) { return {b, taper::Half::from_bits_t{}}; }
  static constexpr taper::Half min() { return make(0x0400); }
  static constexpr taper::Half lowest() { return make(0xfbff); }
  static constexpr taper::Half max() { return make(0x7bff); }
  static constexpr taper::Half epsilon() { return make(0x1400); }
  static constexpr taper::Half round_error() { return make(0x3800); }
  static constexpr taper::Half infinity() { return make(0x7c00); }
  static constexpr taper::Half quiet_NaN() { return make(0x7e00); }
  static constexpr taper::Half signaling_NaN() { return make(0x7d00); }
  static constexpr taper::Half denorm_min() { return make(0x0001); }
};
template <>
struct numeric_limits<taper::BFloat16> : taper::detail::LimitsOf16Bits {
  static constexpr bool is_iec559 = false;
  static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
  static constexpr int min_exponent = -125, min_exponent10 = -37;
  static constexpr int max_exponent = 128, max_exponent10 = 38;
  static constexpr taper::BFloat16 make(uint16_t b) { return {b, taper::BFloat16::from_bits_t{}}; }
  static constexpr taper::BFloat16 min() { return make(0x0080); }
  static constexpr taper::BFloat16 lowest() { return make(0xff7f); }
  static constexpr taper::BFloat16 max() { return make(0x7f7f); }
  static constexpr taper::BFloat16 epsilon() { return make(0x3c00); }
  static constexpr taper::BFloat16 round_error() { return make(0x3f00); }
  static constexpr taper::BFloat16 infinity() { return make(0x7f80); }
  static constexpr taper::BFloat16 quiet_NaN() { return make(0x7fc0); }
  static constexpr taper::BFloat16 signaling_NaN() { return make(0x7fa0); }
  static constexpr taper::BFloat16 denorm_min() { return make(0x0001); }
};
}  // namespace std

#pragma GCC visibility pop
