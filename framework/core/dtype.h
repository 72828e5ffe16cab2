// Element types: their names, sizes, categories and promotion rules.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <type_traits>

#include <taper/framework/core/check.h>
#include <taper/framework/core/complex.h>
#include <taper/framework/core/float16.h>
#include <taper/framework/core/host_device.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Floats of 8 bits, defined in <taper/framework/core/float8.h>.
struct Float8_e5m2;
struct Float8_e4m3fn;
struct Float8_e5m2fnuz;
struct Float8_e4m3fnuz;
struct Float8_e8m0fnu;

/// Dtypes, with PyTorch 2.15's values. No tensor has a quantized dtype (QInt8 to QUInt2x4) or a
/// dtype of bits (Bits1x8 to Bits16). Float8_e5m2 and later are stored dtypes: ops convert, move,
/// index and print them, but do not compute with them.
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

/// The dtypes by LibTorch's names. There are also names with the number of bits: kInt64 and kI64
/// are kLong, kFloat16 and kF16 are kHalf.
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
/// take only real types.
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

using Float = TypeList<float, double>;                     ///< without the 16-bit floats
using Floating = TypeList<float, double, Half, BFloat16>;  ///< floats that ops compute with
/// Integers that ops compute with, without bool.
using Integral = TypeList<int64_t, int32_t, int16_t, int8_t, uint8_t>;
/// Types of bitwise arithmetic.
using Bit = Joined<Integral, TypeList<bool>>;
using Number = Joined<Floating, Integral>;    ///< real, without bool
using Real = Joined<Number, TypeList<bool>>;  ///< all types but complex and stored ones
/// Complex numbers that ops compute with.
using Complex = TypeList<numbers::complex<float>, numbers::complex<double>>;
/// Types of ops that move or add elements of any kind.
using Any = Joined<Real, Complex>;
using Index = TypeList<int64_t, int32_t>;  ///< types of index tensors
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
/// Short for ScalarTypeToCPPType<S>::type. It does not compile for a dtype that no tensor has.
template <ScalarType S>
using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<S>::type;

/// Returns the bytes of one element, or 0 for a dtype that no tensor has (ComplexHalf, quantized
/// dtypes, bits).
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
/// Returns whether the dtype is a stored one: ops convert and move its elements, but do not compute
/// with them.
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
/// Returns the complex dtype for `t`. Its parts are f64 for f64, f16 for f16, and f32 for all
/// others.
constexpr ScalarType toComplexType(ScalarType t) {
  return t == kDouble || t == kComplexDouble ? kComplexDouble
         : t == kHalf || t == kComplexHalf   ? kComplexHalf
                                             : kComplexFloat;
}
/// Returns whether the dtype is an integer of 8 to 64 bits. With `include_bool`, also returns true
/// for bool.
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
/// PyTorch's table. Complex wins over floating, floating over integral, and integral over bool.
/// Within a category, the wider dtype wins. u8 with i8 gives i16. f16 with bf16 gives f32. u16, u32
/// or u64 with a float of at least 16 bits gives the float. Any other pair of a stored dtype and a
/// different dtype throws Error.
ScalarType promoteTypes(ScalarType a, ScalarType b);
/// Returns whether an in-place op may store a value of `from` in `to`. Complex to real, floating to
/// integral, and any number to bool are not allowed.
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

/// Return the process's default dtype. Factories use it if no dtype is given. It is kFloat until
/// set_default_dtype() changes it.
///@{
ScalarType default_dtype();
TypeMeta get_default_dtype();
///@}
/// Sets the default dtype. Throws TypeError unless `t` is a floating type.
void set_default_dtype(TypeMeta t);

namespace detail {
/// Throw NotImplementedError with the op's name and LibTorch's text, which names a kernel: "frac:
/// \"frac_cpu\" not implemented for 'Long'". Without `op`, the op's name is taken from the kernel's
/// name.
[[noreturn]] void unsupported_dtype(std::string_view op, const char* kernel, ScalarType t);
[[noreturn]] void unsupported_dtype(const char* kernel, ScalarType t);

/// Calls body<T>() for the type T of the list whose dtype is `t`. Returns false if there is no such
/// T.
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
/// the lists in dtypes. For a dtype that is not in the list, throws an error that names the op.
template <class List, class Body>
TAPER_INLINE void switch_dtype(ScalarType t, const char* op, const Body& body) {
  if (!detail::call_for_dtype(List(), t, body)) detail::unsupported_dtype(op, t);
}

/// The type that kernels convert elements of T to before they compute: float for floats of 16 bits.
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
/// True for the floats of 16 and 8 bits. Kernels convert them to float before they compute.
template <class T>
struct IsNarrowFloat : IsIn<T, dtypes::Joined<TypeList<Half, BFloat16>, dtypes::Float8>> {};
}  // namespace detail

/// Short for OpMath<T>::type.
template <class T>
using opmath_t = typename OpMath<T>::type;

}  // namespace torch::taper

#pragma GCC visibility pop
