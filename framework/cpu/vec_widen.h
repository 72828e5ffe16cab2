// Half a vector of floats as a vector of doubles; 16-bit floats in memory as a vector of floats,
// and back.
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
/// Two vectors of floats, rounded, in memory as 16-bit floats.
__attribute__((target("avx2,fma,f16c"))) TAPER_INLINE void store_narrow(Half* to, Vec<float> v,
                                                                        Vec<float> next) {
  const __m128i low = _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
  const __m128i high = _mm256_cvtps_ph((__m256)next, _MM_FROUND_TO_NEAREST_INT);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), low);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 8), high);
}
__attribute__((target("avx2,fma"))) TAPER_INLINE Vec<float> widened(const BFloat16* from) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  return (Vec<float>)_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16);
}
__attribute__((target("avx2,fma"))) TAPER_INLINE __m256i bfloat16_bits(Vec<float> v) {
  const __m256i bits = (__m256i)v, one = _mm256_set1_epi32(1);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), one);
  const __m256i below = _mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(below, odd), 16);
  const __m256i nan = (__m256i)_mm256_cmp_ps((__m256)v, (__m256)v, _CMP_UNORD_Q);
  return _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7fc0), nan);
}
__attribute__((target("avx2,fma"))) TAPER_INLINE void store_narrow(BFloat16* to, Vec<float> v,
                                                                   Vec<float> next) {
  const __m256i packed = _mm256_packus_epi32(bfloat16_bits(v), bfloat16_bits(next));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute4x64_epi64(packed, 0xd8));
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
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE void store_narrow(
    Half* to, Vec<float> v, Vec<float> next) {
  const __m256i low = _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT);
  const __m256i high = _mm512_cvtps_ph((__m512)next, _MM_FROUND_TO_NEAREST_INT);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 16), high);
}
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE Vec<float> widened(
    const BFloat16* from) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return (Vec<float>)_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16);
}
/// v with what bf16 keeps of it, rounded, in the upper halves of the lanes.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE __m512i
rounded_upper_halves(Vec<float> v) {
  const __m512i bits = (__m512i)v, one = _mm512_set1_epi32(1);
  const __m512i below = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
  const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
  const __mmask16 nan = _mm512_cmp_ps_mask((__m512)v, (__m512)v, _CMP_UNORD_Q);
  const __m512i rounded = _mm512_mask_add_epi32(below, odd, below, one);
  return _mm512_mask_mov_epi32(rounded, nan, _mm512_set1_epi32(0x7fc00000));
}
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE void store_narrow(
    BFloat16* to, Vec<float> v, Vec<float> next) {
  const __m512i odd_words =
      _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29, 27,
                       25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  _mm512_storeu_si512(to, _mm512_permutex2var_epi16(rounded_upper_halves(v), odd_words,
                                                    rounded_upper_halves(next)));
}
// Of the compiler's own conversion GCC 12 makes two of half the width, and joins them.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE Vec<double> widen(
    detail::HalfFloats<kVecBytes> v) {
  return (Vec<double>)_mm512_cvtps_pd((__m256)v);
}
}  // namespace avx512
#endif

}  // namespace taper::cpu
