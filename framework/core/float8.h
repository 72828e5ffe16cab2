// Floats of 8 bits, as elements that are stored and converted. Formats: OCP 8-bit Floating Point
// Specification (OFP8), revision 1.0. For fnuz: Noune et al., "8-bit Numerical Formats for Deep
// Neural Networks" (2022), section 3. For e8m0fnu: OCP Microscaling Formats, revision 1.0, 5.4.1.
#pragma once

#include <cstdint>
#include <limits>

#include <taper/framework/core/dtype.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {

/// The codes of an 8-bit format that are no finite numbers: infinities and NaNs as in IEEE 754, one
/// NaN for each sign, or one NaN in place of -0 (fnuz).
enum class Specials8 { kInfinite, kNan, kNanForMinusZero };

/// Returns the number that a code stands for. The result is exact.
template <int kMantissa, int kBias, Specials8 kSpecials>
TAPER_HD inline float float8_to_float(uint8_t x) {
  const uint32_t sign = static_cast<uint32_t>(x & 0x80u) << 24;
  const uint32_t magnitude = x & 0x7fu;
  constexpr uint32_t infinity =
      kSpecials == Specials8::kInfinite ? 0x80u - (1u << kMantissa) : 0x7f;
  if (kSpecials == Specials8::kNanForMinusZero ? x == 0x80u
      : kSpecials == Specials8::kNan           ? magnitude == 0x7fu
                                               : magnitude > infinity)
    return float_from_bits(sign | 0x7fc00000u);
  if (kSpecials == Specials8::kInfinite && magnitude == infinity)
    return float_from_bits(sign | 0x7f800000u);
  if (magnitude >> kMantissa == 0) {  // zero or subnormal: magnitude * 2^(1 - bias - mantissa)
    const float unit = float_from_bits(static_cast<uint32_t>(128 - kBias - kMantissa) << 23);
    return float_from_bits(sign | bits_from_float(static_cast<float>(magnitude) * unit));
  }
  return float_from_bits(
      sign | ((magnitude << (23 - kMantissa)) + (static_cast<uint32_t>(127 - kBias) << 23)));
}

/// Returns the code of the nearest number. A tie gives the even code. For an `f` that is too large,
/// the rules are PyTorch 2.15's. kInfinite gives infinity, kNan the largest number, and
/// kNanForMinusZero NaN.
template <int kMantissa, int kBias, Specials8 kSpecials>
TAPER_HD inline uint8_t float_to_float8(float f) {
  const uint32_t bits = bits_from_float(f);
  const uint32_t sign = (bits >> 24) & 0x80u, magnitude = bits & 0x7fffffffu;
  constexpr bool fnuz = kSpecials == Specials8::kNanForMinusZero;
  constexpr uint32_t nan = fnuz ? 0x80 : 0x7f;
  constexpr uint32_t infinity = 0x80u - (1u << kMantissa);
  constexpr uint32_t largest = fnuz ? 0x7f : kSpecials == Specials8::kNan ? 0x7e : infinity - 1;
  constexpr int kDropped = 23 - kMantissa;
  if (magnitude > 0x7f800000u) return static_cast<uint8_t>(fnuz ? nan : sign | nan);
  uint32_t code;
  if (magnitude < static_cast<uint32_t>(128 - kBias) << 23) {  // subnormal: the addition rounds
    const uint32_t unit = static_cast<uint32_t>(128 - kBias - kMantissa + 23) << 23;
    code = bits_from_float(float_from_bits(magnitude) + float_from_bits(unit)) - unit;
  } else {
    const uint32_t odd = (magnitude >> kDropped) & 1u;
    const uint32_t rebased = magnitude - (static_cast<uint32_t>(127 - kBias) << 23);
    code = (rebased + (1u << (kDropped - 1)) - 1 + odd) >> kDropped;
  }
  if (code > largest)
    return static_cast<uint8_t>(fnuz                           ? nan
                                : kSpecials == Specials8::kNan ? sign | largest
                                                               : sign | infinity);
  if (fnuz && code == 0) return 0;
  return static_cast<uint8_t>(sign | code);
}

/// A float of 8 bits with kMantissa bits of fraction.
template <class Self, int kMantissa, int kBias, Specials8 kSpecials>
struct Float8 {
  uint8_t x = 0;  ///< the code
  /// Marks the constructor that takes a code.
  struct from_bits_t {};
  /// Returns the mark.
  TAPER_HD static constexpr from_bits_t from_bits() { return {}; }
  Float8() = default;
  /// Makes the number with the code `bits`.
  TAPER_HD constexpr Float8(uint8_t bits, from_bits_t) : x(bits) {}
  /// Rounds to the nearest number.
  TAPER_HD Float8(float f) : x(float_to_float8<kMantissa, kBias, kSpecials>(f)) {}
  /// Converts exactly.
  TAPER_HD operator float() const { return float8_to_float<kMantissa, kBias, kSpecials>(x); }
  /// Returns whether the code is NaN.
  TAPER_HD bool isnan() const {
    const float f = *this;
    return f != f;
  }
  /// Returns whether the code is an infinity.
  TAPER_HD bool isinf() const {
    return kSpecials == Specials8::kInfinite && (x & 0x7fu) == 0x80u - (1u << kMantissa);
  }
};

}  // namespace detail

/// 5 bits of exponent, 2 of mantissa: up to 57,344, with infinities.
struct alignas(1) Float8_e5m2 : detail::Float8<Float8_e5m2, 2, 15, detail::Specials8::kInfinite> {
  using Float8::Float8;
};
/// 4 bits of exponent, 3 of mantissa: up to 448, without infinities. Larger numbers become 448.
struct alignas(1) Float8_e4m3fn : detail::Float8<Float8_e4m3fn, 3, 7, detail::Specials8::kNan> {
  using Float8::Float8;
};
/// Float8_e5m2 with a bias of 16: up to 57,344, no infinities, no -0, one NaN.
struct alignas(1) Float8_e5m2fnuz
    : detail::Float8<Float8_e5m2fnuz, 2, 16, detail::Specials8::kNanForMinusZero> {
  using Float8::Float8;
};
/// Float8_e4m3fn with a bias of 8: up to 240, no -0, one NaN.
struct alignas(1) Float8_e4m3fnuz
    : detail::Float8<Float8_e4m3fnuz, 3, 8, detail::Specials8::kNanForMinusZero> {
  using Float8::Float8;
};

/// A power of two, 2^-127 to 2^127, or NaN: the scale of a block of numbers. Conversion from float
/// drops the sign and rounds to the nearest power of two. A tie gives the larger power. 0 gives
/// 2^-127. Numbers between 2^-127 and 2^-126 give 2^-126.
struct alignas(1) Float8_e8m0fnu {
  uint8_t x = 0;  ///< the code
  /// Marks the constructor that takes a code.
  struct from_bits_t {};
  /// Returns the mark.
  TAPER_HD static constexpr from_bits_t from_bits() { return {}; }
  Float8_e8m0fnu() = default;
  /// Makes the number with the code `bits`: 2^(bits - 127), or NaN for 255.
  TAPER_HD constexpr Float8_e8m0fnu(uint8_t bits, from_bits_t) : x(bits) {}
  /// Rounds `f` to a power of two as described above. An infinity, or a number that rounds to
  /// 2^128, gives NaN.
  TAPER_HD Float8_e8m0fnu(float f) {
    const uint32_t magnitude = detail::bits_from_float(f) & 0x7fffffffu, code = magnitude >> 23;
    const uint32_t rest = magnitude & 0x7fffffu;
    // 2^-127 itself has the code 0. Larger subnormal numbers get the code 1.
    const bool up = code == 0 ? rest > 0x400000u : rest >= 0x400000u;
    x = static_cast<uint8_t>(code == 0xffu ? code : code + up);
  }
  /// Converts exactly.
  TAPER_HD operator float() const {
    if (x == 0) return detail::float_from_bits(0x00400000u);
    return detail::float_from_bits(x == 0xffu ? 0x7f800001u : static_cast<uint32_t>(x) << 23);
  }
  TAPER_HD bool isnan() const { return x == 0xffu; }  ///< code 255
  TAPER_HD bool isinf() const { return false; }       ///< there are no infinities
};

namespace detail {
/// std::numeric_limits of floats of 8 bits.
template <class T, int kMantissa, int kMaxExponent, int kMinExponent>
struct LimitsOf8Bits : LimitsOf16Bits {
  static constexpr bool is_iec559 = false, has_infinity = false, has_signaling_NaN = false;
  static constexpr int digits = kMantissa + 1, digits10 = kMantissa * 3 / 10;
  static constexpr int max_digits10 = 2 + digits * 3 / 10;
  static constexpr int max_exponent = kMaxExponent, min_exponent = kMinExponent;
  static constexpr int max_exponent10 = (kMaxExponent - 1) * 3 / 10;
  static constexpr int min_exponent10 = -((1 - kMinExponent) * 3 / 10);
  TAPER_HD static constexpr T make(uint8_t code) { return T(code, typename T::from_bits_t()); }
};
}  // namespace detail

}  // namespace torch::taper

namespace std {
template <>
struct numeric_limits<taper::Float8_e5m2>
    : taper::detail::LimitsOf8Bits<taper::Float8_e5m2, 2, 16, -13> {
  static constexpr bool has_infinity = true;
  TAPER_HD static constexpr taper::Float8_e5m2 min() { return make(0x04); }
  TAPER_HD static constexpr taper::Float8_e5m2 max() { return make(0x7b); }
  TAPER_HD static constexpr taper::Float8_e5m2 lowest() { return make(0xfb); }
  TAPER_HD static constexpr taper::Float8_e5m2 epsilon() { return make(0x34); }
  TAPER_HD static constexpr taper::Float8_e5m2 round_error() { return make(0x38); }
  TAPER_HD static constexpr taper::Float8_e5m2 infinity() { return make(0x7c); }
  TAPER_HD static constexpr taper::Float8_e5m2 quiet_NaN() { return make(0x7f); }
  TAPER_HD static constexpr taper::Float8_e5m2 denorm_min() { return make(0x01); }
};
template <>
struct numeric_limits<taper::Float8_e4m3fn>
    : taper::detail::LimitsOf8Bits<taper::Float8_e4m3fn, 3, 8, -5> {
  TAPER_HD static constexpr taper::Float8_e4m3fn min() { return make(0x08); }
  TAPER_HD static constexpr taper::Float8_e4m3fn max() { return make(0x7e); }
  TAPER_HD static constexpr taper::Float8_e4m3fn lowest() { return make(0xfe); }
  TAPER_HD static constexpr taper::Float8_e4m3fn epsilon() { return make(0x20); }
  TAPER_HD static constexpr taper::Float8_e4m3fn round_error() { return make(0x30); }
  TAPER_HD static constexpr taper::Float8_e4m3fn quiet_NaN() { return make(0x7f); }
  TAPER_HD static constexpr taper::Float8_e4m3fn denorm_min() { return make(0x01); }
};
template <>
struct numeric_limits<taper::Float8_e5m2fnuz>
    : taper::detail::LimitsOf8Bits<taper::Float8_e5m2fnuz, 2, 16, -14> {
  TAPER_HD static constexpr taper::Float8_e5m2fnuz min() { return make(0x04); }
  TAPER_HD static constexpr taper::Float8_e5m2fnuz max() { return make(0x7f); }
  TAPER_HD static constexpr taper::Float8_e5m2fnuz lowest() { return make(0xff); }
  TAPER_HD static constexpr taper::Float8_e5m2fnuz epsilon() { return make(0x38); }
  TAPER_HD static constexpr taper::Float8_e5m2fnuz round_error() { return make(0x3c); }
  TAPER_HD static constexpr taper::Float8_e5m2fnuz quiet_NaN() { return make(0x80); }
  TAPER_HD static constexpr taper::Float8_e5m2fnuz denorm_min() { return make(0x01); }
};
template <>
struct numeric_limits<taper::Float8_e4m3fnuz>
    : taper::detail::LimitsOf8Bits<taper::Float8_e4m3fnuz, 3, 8, -6> {
  TAPER_HD static constexpr taper::Float8_e4m3fnuz min() { return make(0x08); }
  TAPER_HD static constexpr taper::Float8_e4m3fnuz max() { return make(0x7f); }
  TAPER_HD static constexpr taper::Float8_e4m3fnuz lowest() { return make(0xff); }
  TAPER_HD static constexpr taper::Float8_e4m3fnuz epsilon() { return make(0x28); }
  TAPER_HD static constexpr taper::Float8_e4m3fnuz round_error() { return make(0x38); }
  TAPER_HD static constexpr taper::Float8_e4m3fnuz quiet_NaN() { return make(0x80); }
  TAPER_HD static constexpr taper::Float8_e4m3fnuz denorm_min() { return make(0x01); }
};
template <>
struct numeric_limits<taper::Float8_e8m0fnu>
    : taper::detail::LimitsOf8Bits<taper::Float8_e8m0fnu, 0, 128, -126> {
  static constexpr bool is_signed = false;
  TAPER_HD static constexpr taper::Float8_e8m0fnu min() { return make(0x00); }
  TAPER_HD static constexpr taper::Float8_e8m0fnu max() { return make(0xfe); }
  TAPER_HD static constexpr taper::Float8_e8m0fnu lowest() { return make(0x00); }
  TAPER_HD static constexpr taper::Float8_e8m0fnu epsilon() { return make(0x7f); }
  TAPER_HD static constexpr taper::Float8_e8m0fnu quiet_NaN() { return make(0xff); }
};
}  // namespace std

#pragma GCC visibility pop
