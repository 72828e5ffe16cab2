// numbers::complex: the element type of complex tensors. Programs call it c10::complex.
//
// It is in a separate namespace because complex(re, im) is an op.
#pragma once

#include <iosfwd>
#include <type_traits>
#include <utility>

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::numbers {

namespace detail {
/// True for a class like std::complex, which has a value_type and an imag() of that type.
template <class C, class = void>
struct HasParts : std::false_type {};
template <class C>
struct HasParts<C, std::enable_if_t<std::is_same<decltype(std::declval<const C&>().imag()),
                                                 typename C::value_type>::value>> : std::true_type {
};
}  // namespace detail

/// A complex number: two adjacent T in memory, as in std::complex. It converts from and to
/// std::complex. Use it in kernels and for element access. For whole tensors there are ops.
template <class T>
struct complex {
  using value_type = T;  ///< type of each part
  /// The real and the imaginary part, 0 by default.
  ///@{
  T real_ = T(), imag_ = T();
  ///@}

  constexpr complex() = default;
  /// Makes re + im i. A real number converts implicitly.
  TAPER_HD constexpr complex(const T& re, const T& im = T()) : real_(re), imag_(im) {}
  /// Convert explicitly from and to a complex number of another type: std::complex, or a complex
  /// with another T. The parts may be rounded.
  ///@{
  template <class C, std::enable_if_t<detail::HasParts<C>::value, int> = 0>
  TAPER_HD explicit constexpr complex(const C& z)
      : real_(static_cast<T>(z.real())), imag_(static_cast<T>(z.imag())) {}
  template <class C, std::enable_if_t<detail::HasParts<C>::value, int> = 0>
  TAPER_HD explicit constexpr operator C() const {
    using V = typename C::value_type;
    return C(static_cast<V>(real_), static_cast<V>(imag_));
  }
  ///@}
  /// Return a part, or set it to the argument.
  ///@{
  TAPER_HD constexpr T real() const { return real_; }
  TAPER_HD constexpr T imag() const { return imag_; }
  TAPER_HD constexpr void real(T v) { real_ = v; }
  TAPER_HD constexpr void imag(T v) { imag_ = v; }
  ///@}

  /// Apply the binary operators below and assign the result.
  ///@{
  TAPER_HD constexpr complex& operator+=(const complex& o) { return *this = *this + o; }
  TAPER_HD constexpr complex& operator-=(const complex& o) { return *this = *this - o; }
  TAPER_HD constexpr complex& operator*=(const complex& o) { return *this = *this * o; }
  TAPER_HD constexpr complex& operator/=(const complex& o) { return *this = *this / o; }
  ///@}

  /// Compute by parts: (a + bi)(c + di) = (ac - bd) + (ad + bc)i. Infinities get no special
  /// treatment, unlike in C.
  ///@{
  TAPER_HD friend constexpr complex operator+(const complex& a) { return a; }
  TAPER_HD friend constexpr complex operator-(const complex& a) { return {-a.real_, -a.imag_}; }
  TAPER_HD friend constexpr complex operator+(const complex& a, const complex& b) {
    return {a.real_ + b.real_, a.imag_ + b.imag_};
  }
  TAPER_HD friend constexpr complex operator-(const complex& a, const complex& b) {
    return {a.real_ - b.real_, a.imag_ - b.imag_};
  }
  TAPER_HD friend constexpr complex operator*(const complex& a, const complex& b) {
    return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
  }
  ///@}
  /// Divides by Smith's method: scales by the larger part of b, so that the square of b's absolute
  /// value does not overflow.
  TAPER_HD friend constexpr complex operator/(const complex& a, const complex& b) {
    const T re = b.real_ < 0 ? -b.real_ : b.real_, im = b.imag_ < 0 ? -b.imag_ : b.imag_;
    if (re >= im) {
      if (re == 0) return {a.real_ / re, a.imag_ / re};
      const T ratio = b.imag_ / b.real_, scale = T(1) / (b.real_ + b.imag_ * ratio);
      return {(a.real_ + a.imag_ * ratio) * scale, (a.imag_ - a.real_ * ratio) * scale};
    }
    const T ratio = b.real_ / b.imag_, scale = T(1) / (b.real_ * ratio + b.imag_);
    return {(a.real_ * ratio + a.imag_) * scale, (a.imag_ * ratio - a.real_) * scale};
  }
  /// Compare both parts. A NaN equals nothing.
  ///@{
  TAPER_HD friend constexpr bool operator==(const complex& a, const complex& b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  TAPER_HD friend constexpr bool operator!=(const complex& a, const complex& b) {
    return !(a == b);
  }
  ///@}
};

/// Returns re - im i for re + im i.
template <class T>
TAPER_HD constexpr complex<T> conj(const complex<T>& z) {
  return {z.real_, -z.imag_};
}

/// Print "(1,2)", like std::complex.
std::ostream& operator<<(std::ostream& out, const complex<float>& z);
std::ostream& operator<<(std::ostream& out, const complex<double>& z);

}  // namespace torch::taper::numbers

#pragma GCC visibility pop
