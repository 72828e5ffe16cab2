// Scalar: one number of any kind, as an op's argument.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <type_traits>

#include <taper/framework/core/dtype.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// A number that remembers whether it was integral, floating, complex or bool. Type promotion uses
/// only this category: a number never widens a dtype of its category.
class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  /// Keep the number and its kind exactly. Floats of any width are kept as double, complex numbers
  /// as complex double, integers as int64_t, or as uint64_t if they exceed int64_t.
  ///@{
  Scalar(float v) : Scalar(static_cast<double>(v)) {}
  Scalar(double v) : kind_(Kind::kFloating), d_(v) {}
  Scalar(Half v) : Scalar(static_cast<double>(static_cast<float>(v))) {}
  Scalar(BFloat16 v) : Scalar(static_cast<double>(static_cast<float>(v))) {}
  template <class T, std::enable_if_t<detail::IsIn<T, dtypes::Float8>::value, int> = 0>
  Scalar(T v) : Scalar(static_cast<double>(static_cast<float>(v))) {}
  Scalar(numbers::complex<float> v) : Scalar(numbers::complex<double>(v)) {}
  Scalar(numbers::complex<double> v) : kind_(Kind::kComplex), d_(v.real()), imag_(v.imag()) {}
  template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
  Scalar(T v)  // a template takes bool, because pointers would convert to a bool parameter
      : kind_(std::is_same<T, bool>::value ? Kind::kBoolean : Kind::kIntegral),
        i_(static_cast<int64_t>(v)) {
    if constexpr (std::is_unsigned<T>::value && sizeof(T) == sizeof(int64_t))
      if (i_ < 0) kind_ = Kind::kUnsigned;
  }
  ///@}

  /// Return whether the number is of this kind. isIntegral(true) also returns true for a bool.
  ///@{
  bool isFloatingPoint() const { return kind_ == Kind::kFloating; }
  bool isIntegral(bool include_bool) const {
    return kind_ == Kind::kIntegral || kind_ == Kind::kUnsigned ||
           (include_bool && kind_ == Kind::kBoolean);
  }
  bool isBoolean() const { return kind_ == Kind::kBoolean; }
  bool isComplex() const { return kind_ == Kind::kComplex; }
  ///@}
  /// Returns kComplexDouble, kDouble, kLong or kBool, or kUInt64 for a number beyond kLong.
  ScalarType type() const {
    return isComplex()         ? kComplexDouble
           : isFloatingPoint() ? kDouble
           : isBoolean()       ? kBool
           : is_unsigned()     ? kUInt64
                               : kLong;
  }
  /// Returns the value as T. Throws if the value is beyond T's range, or is complex and T is real.
  /// Floats are rounded. Infinities and NaN are kept.
  template <class T>
  T to() const {
    if constexpr (numbers::detail::HasParts<T>::value) {
      if (std::is_same<typename T::value_type, float>::value) check_parts(kComplexFloat);
      return cast<T>();
    } else if constexpr (std::is_same<T, bool>::value) {
      return has_double() ? d_ != 0 || imag_ != 0 : i_ != 0;
    } else if constexpr (std::is_integral<T>::value) {
      return static_cast<T>(checked_integer(sizeof(T) * 8, std::is_signed<T>::value));
    } else if constexpr (std::is_same<T, double>::value) {
      return real_value();
    } else {
      return static_cast<T>(static_cast<float>(checked_float(CppTypeToScalarType<T>::value)));
    }
  }
  /// Returns the value as T by C++'s conversion, which kernels use. It wraps, truncates and drops
  /// imaginary parts.
  template <class T>
  T cast() const {
    if constexpr (numbers::detail::HasParts<T>::value) {
      using V = typename T::value_type;
      return T(static_cast<V>(has_double() ? d_ : integer_as<double>()), static_cast<V>(imag_));
    } else if constexpr (detail::IsNarrowFloat<T>::value)
      return T(cast<float>());
    else
      return has_double() ? static_cast<T>(d_) : integer_as<T>();
  }
  /// to<T>() by LibTorch's names, with its errors.
  ///@{
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return to<bool>(); }
  numbers::complex<double> toComplexDouble() const { return to<numbers::complex<double>>(); }
  numbers::complex<float> toComplexFloat() const { return to<numbers::complex<float>>(); }
  ///@}
  /// Returns the negative, with this number's kind. Throws Error for a bool and for an integer
  /// beyond int64_t.
  Scalar operator-() const {
    if (isComplex()) return Scalar(-toComplexDouble());
    if (is_unsigned() || isBoolean()) throw_not_negated();
    return isFloatingPoint() ? Scalar(-d_) : Scalar(-i_);
  }
  /// Returns the complex conjugate. A real number is returned unchanged.
  Scalar conj() const { return isComplex() ? Scalar(numbers::conj(toComplexDouble())) : *this; }
  /// Returns whether the value equals v, for every kind. Integers are compared as doubles.
  bool equal(double v) const { return imag_ == 0 && cast<double>() == v; }

 private:
  /// kUnsigned: an integer of 64 bits beyond int64_t, whose bits i_ holds.
  enum class Kind : int8_t { kIntegral, kFloating, kBoolean, kComplex, kUnsigned };
  bool is_unsigned() const { return kind_ == Kind::kUnsigned; }
  template <class T>
  T integer_as() const {
    if (__builtin_expect(is_unsigned(), 0)) return static_cast<T>(static_cast<uint64_t>(i_));
    return static_cast<T>(i_);
  }
  bool has_double() const { return kind_ == Kind::kFloating || kind_ == Kind::kComplex; }
  double real_value(ScalarType to = kDouble) const {
    if (__builtin_expect(imag_ != 0, 0)) throw_not_real(to);
    return has_double() ? d_ : integer_as<double>();
  }
  [[noreturn]] void throw_not_negated() const;
  [[noreturn]] void throw_not_real(ScalarType to) const;
  int64_t checked_integer(size_t bits, bool is_signed) const;
  /// Returns the value. Throws if it is beyond the range of the float dtype `to`.
  double checked_float(ScalarType to) const;
  /// Throws unless both parts are in the range of the complex dtype `to`.
  void check_parts(ScalarType to) const;
  Kind kind_;
  union {
    int64_t i_;
    double d_;
  };
  double imag_ = 0;
};

/// Prints the number as C++ streams do, a bool as "true" or "false".
std::ostream& operator<<(std::ostream& out, const Scalar& s);

}  // namespace torch::taper

#pragma GCC visibility pop
