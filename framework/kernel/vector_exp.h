// exp, tanh and functions that are computed from them.
//
// For float, these functions are pure arithmetic, without calls and branches. The compiler turns a
// plain loop that calls them into vector code of each instruction set. This is about twice as fast
// as libmvec, because a call of libmvec spills all registers. Other types, and device code, use the
// functions of <cmath>.
#pragma once

#include <cstdint>

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/vector_math.h>

namespace torch::taper::functor {

template <class T>
TAPER_HD inline T vector_exp(T x) {
  return std::exp(x);
}
template <class T>
TAPER_HD inline T vector_tanh(T x) {
  return std::tanh(x);
}
/// Returns 1 / (1 + exp(-x)).
template <class T>
TAPER_HD inline T logistic(T x) {
  return T(1) / (T(1) + std::exp(-x));
}
/// Returns the probability that a standard normal number is below x.
template <class T>
TAPER_HD inline T normal_cdf(T x) {
  return T(0.5) * (T(1) + std::erf(x * T(0.70710678118654752440)));
}

#if !defined(__CUDACC__)

namespace detail {

TAPER_INLINE uint32_t bits_of(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
TAPER_INLINE float float_of(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

#include <taper/framework/kernel/exp_formula.inc>

/// Returns 2^k for k in [-126, 127], or infinity for k = 128. `bits` is k as an unsigned number.
TAPER_INLINE float power_of_two(uint32_t bits) { return float_of((bits << 23) + 0x3f800000u); }

/// Returns exp(x) for x in [-104, 89]. It multiplies two factors, so that a subnormal result needs
/// no subnormal factor.
TAPER_INLINE float exp_anywhere(float x) {
  const ReducedExp<float> e = reduce_exp(x);
  const uint32_t k = bits_of(e.shifted), half = k >> 1 << 23;
  const float first = float_of(half + 0x3f800000u);
  return (e.tail * first + first) * float_of((k << 23) - half + 0x3f800000u);
}
/// Returns exp(x) for x in [-87, 89], infinity above 88.3.
TAPER_INLINE float exp_normal(float x) {
  const ReducedExp<float> e = reduce_exp(x);
  const float scale = power_of_two(bits_of(e.shifted));
  return e.tail * scale + scale;
}
// Both functions return NaN if x is NaN, because comparisons with NaN are false.
TAPER_INLINE float at_least(float x, float low) { return x < low ? low : x; }
TAPER_INLINE float at_most(float x, float high) { return x > high ? high : x; }

}  // namespace detail

TAPER_INLINE float vector_exp(float x) {
  // The range of x is tested at the end, because for bounds on x the compiler would make more than
  // these two comparisons.
  const float y = detail::exp_anywhere(x);
  const float finite = x > 89.0f ? __builtin_inff() : y;
  return x < -104.0f ? 0.0f : finite;
}

/// Returns exp(x) for x <= 0. Use it for elements of a row minus the row's largest element.
TAPER_INLINE float exp_nonpositive(float x) {
  const float y = detail::exp_anywhere(x);
  return x < -104.0f ? 0.0f : y;
}
TAPER_INLINE double exp_nonpositive(double x) { return std::exp(x); }

// -m / (2 + m) with m = exp(-2 |x|) - 1 = 2^k tail + (2^k - 1): nothing cancels near 0.
TAPER_INLINE float vector_tanh(float x) {
  const detail::ReducedExp<float> e =
      detail::reduce_exp(detail::at_least(-2.0f * __builtin_fabsf(x), -40.0f));
  const float scale = detail::power_of_two(detail::bits_of(e.shifted));
  const float m = scale * e.tail + (scale - 1.0f);
  return __builtin_copysignf(m / (2.0f + m), x);
}

TAPER_INLINE float logistic(float x) {
  const float e = detail::exp_normal(-x);
  const float up_to_one = x > 87.0f ? 1.0f : 1.0f / (1.0f + e);
  return x < -88.0f ? 0.0f : up_to_one;
}

TAPER_INLINE float normal_cdf(float x) {
  constexpr float far = 17.0f;  // the result is 0 beyond it
  const float a = detail::at_most(__builtin_fabsf(x), far);
  const detail::ReducedExp<float> e =
      detail::reduce_exp2(detail::at_least(detail::log2_normal_tail(a), -126.0f));
  const float scale = detail::power_of_two(detail::bits_of(e.shifted));
  const float beyond = a < far ? e.tail * scale + scale : 0.0f;
  return x < 0.0f ? beyond : 1.0f - beyond;
}

#endif

}  // namespace torch::taper::functor
