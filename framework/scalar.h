// Scalar: one number of any kind, as an op's argument.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <type_traits>

#include <taper/framework/dtype.h>

#pragma GCC visibility push(default)

namespace taper {

/// A number that remembers whether it was integral, floating, complex or bool: that is its weight
/// in type promotion (a number never widens within its category).
class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  Scalar(float v) : Scalar(static_cast<double>(v)) {}
  Scalar(double v) : kind_(Kind::kFloating), d_(v) {}
  Scalar(Half v) : Scalar(static_cast<double>(static_cast<float>(v))) {}
  Scalar(BFloat16 v) : Scalar(static_cast<double>(static_cast<float>(v))) {}
  Scalar(numbers::complex<float> v) : Scalar(numbers::complex<double>(v)) {}
  Scalar(numbers::complex<double> v) : kind_(Kind::kComplex), d_(v.real()), imag_(v.imag()) {}
  template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
  Scalar(T v)  // bool too, and not by a constructor of its own: pointers would turn into one
      : kind_(std::is_same<T, bool>::value ? Kind::kBoolean : Kind::kIntegral),
        i_(static_cast<int64_t>(v)) {}

  bool isFloatingPoint() const { return kind_ == Kind::kFloating; }
  bool isIntegral(bool include_bool) const {
    return kind_ == Kind::kIntegral || (include_bool && kind_ == Kind::kBoolean);
  }
  bool isBoolean() const { return kind_ == Kind::kBoolean; }
  bool isComplex() const { return kind_ == Kind::kComplex; }
  /// kComplexDouble, kDouble, kLong or kBool.
  ScalarType type() const {
    return isComplex() ? kComplexDouble : isFloatingPoint() ? kDouble : isBoolean() ? kBool : kLong;
  }
  /// The value as T. Throws when an integral T cannot hold it, and for a complex number in a real
  /// T.
  template <class T>
  T to() const {
    if constexpr (numbers::detail::HasParts<T>::value) {
      return cast<T>();
    } else if constexpr (std::is_same<T, bool>::value) {
      return has_double() ? d_ != 0 || imag_ != 0 : i_ != 0;
    } else if constexpr (std::is_integral<T>::value) {
      return static_cast<T>(checked_integer(
          elementSize(CppTypeToScalarType<
                      std::conditional_t<std::is_same<T, long long>::value, int64_t, T>>::value) *
              8,
          std::is_signed<T>::value));
    } else if constexpr (std::is_same<T, double>::value) {
      return real_value();
    } else {
      return static_cast<T>(static_cast<float>(real_value(CppTypeToScalarType<T>::value)));
    }
  }
  /// The value as T with C++'s own conversion (wraps, truncates, drops imaginary parts): what a
  /// kernel computes with.
  template <class T>
  T cast() const {
    if constexpr (numbers::detail::HasParts<T>::value) {
      using V = typename T::value_type;
      return T(static_cast<V>(has_double() ? d_ : static_cast<double>(i_)), static_cast<V>(imag_));
    } else if constexpr (std::is_same<T, Half>::value || std::is_same<T, BFloat16>::value)
      return T(cast<float>());
    else
      return has_double() ? static_cast<T>(d_) : static_cast<T>(i_);
  }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return to<bool>(); }
  numbers::complex<double> toComplexDouble() const { return cast<numbers::complex<double>>(); }
  numbers::complex<float> toComplexFloat() const { return cast<numbers::complex<float>>(); }
  Scalar operator-() const {
    if (isComplex()) return Scalar(-toComplexDouble());
    return isFloatingPoint() ? Scalar(-d_) : Scalar(-i_);
  }
  Scalar conj() const { return isComplex() ? Scalar(numbers::conj(toComplexDouble())) : *this; }
  bool equal(double v) const { return imag_ == 0 && cast<double>() == v; }

 private:
  enum class Kind : int8_t { kIntegral, kFloating, kBoolean, kComplex };
  bool has_double() const { return kind_ == Kind::kFloating || kind_ == Kind::kComplex; }
  double real_value(ScalarType to = kDouble) const {
    if (__builtin_expect(imag_ != 0, 0)) throw_not_real(to);
    return has_double() ? d_ : static_cast<double>(i_);
  }
  [[noreturn]] void throw_not_real(ScalarType to) const;
  int64_t checked_integer(size_t bits, bool is_signed) const;
  Kind kind_;
  union {
    int64_t i_;
    double d_;
  };
  double imag_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Scalar& s);

}  // namespace taper

#pragma GCC visibility pop
