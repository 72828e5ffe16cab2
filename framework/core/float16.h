// Floats of 16 bits. They are stored and converted. Arithmetic happens in float.
#pragma once

#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <limits>
#include <type_traits>

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>

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

/// Has a member `type` if T is CUDA's type of the same format as Own.
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
  if (magnitude < 0x38800000u) {                        // subnormal: the addition rounds
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

/// Print the value like a float.
std::ostream& operator<<(std::ostream& out, Half x);
std::ostream& operator<<(std::ostream& out, BFloat16 x);

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
