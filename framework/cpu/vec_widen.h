// Half a vector of floats as a vector of doubles, 16-bit floats in memory as a vector of floats.
#pragma once

#include <taper/framework/cpu/vec.h>
#include <taper/framework/dtype.h>

namespace taper::cpu {

namespace detail {
template <int VecBytes>
using HalfFloats = typename VecOf<float, VecBytes / 2>::type;
}  // namespace detail

namespace base {
TAPER_INLINE Vec<double> widen(detail::HalfFloats<kVecBytes> v) {
  return __builtin_convertvector(v, Vec<double>);
}
template <class T>
TAPER_INLINE Vec<float> widened(const T* from) {
  Vec<float> v;
  for (int l = 0; l < static_cast<int>(kVecBytes / sizeof(float)); ++l)
    v[l] = static_cast<float>(from[l]);
  return v;
}
}  // namespace base

#if defined(__x86_64__) && !defined(TAPER_NO_ISA_VARIANTS)
namespace avx2 {
__attribute__((target("avx2,fma,f16c"))) TAPER_INLINE Vec<float> widened(const Half* from) {
  return (Vec<float>)_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
__attribute__((target("avx2,fma"))) TAPER_INLINE Vec<float> widened(const BFloat16* from) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return (Vec<float>)_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16);
}
__attribute__((target("avx2,fma"))) TAPER_INLINE Vec<double> widen(
    detail::HalfFloats<kVecBytes> v) {
  return __builtin_convertvector(v, Vec<double>);
}
}  // namespace avx2

namespace avx512 {
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE Vec<float> widened(
    const Half* from) {
  return (Vec<float>)_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE Vec<float> widened(
    const BFloat16* from) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return (Vec<float>)_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16);
}
// Of the compiler's own conversion GCC 12 makes two of half the width, and joins them.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE Vec<double> widen(
    detail::HalfFloats<kVecBytes> v) {
  return (Vec<double>)_mm512_cvtps_pd((__m256)v);
}
}  // namespace avx512
#endif

}  // namespace taper::cpu
