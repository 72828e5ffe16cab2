// Conversions of half a vector of floats to a vector of doubles, and of 16-bit floats in memory to
// vectors of floats and back. Also loads of vectors by halves.
#pragma once

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/vec_neon.h>

namespace torch::taper::cpu {

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
/// Returns a vector of the first n elements of `from`, followed by zeros. n is at most the number
/// of lanes.
template <class T>
TAPER_INLINE Vec<float> widened_part(const T* from, int n) {
  T elements[kVecBytes / sizeof(float)] = {};
  for (int l = 0; l < n; ++l) elements[l] = from[l];
  return widened(elements);
}
/// Stores the floats of v, then of `next`, rounded to 16-bit floats.
template <class T>
TAPER_INLINE void store_narrow(T* to, Vec<float> v, Vec<float> next) {
  constexpr int lanes = kVecBytes / sizeof(float);
  for (int l = 0; l < lanes; ++l) to[l] = static_cast<T>(v[l]);
  for (int l = 0; l < lanes; ++l) to[lanes + l] = static_cast<T>(next[l]);
}
/// Stores the first n elements of v and `next` like store_narrow. n is less than the number of
/// elements of both together.
template <class T>
TAPER_INLINE void store_narrow_part(T* to, Vec<float> v, Vec<float> next, int n) {
  T elements[2 * kVecBytes / sizeof(float)];
  store_narrow(elements, v, next);
  for (int l = 0; l < n; ++l) to[l] = elements[l];
}
/// Returns a whole vector. Loads a vector of 64 bytes by two loads, because they fetch memory
/// beyond L2 sooner than one load does.
template <class T>
TAPER_INLINE Vec<T> load_by_halves(const T* from) {
  Vec<T> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
}  // namespace base

#if TAPER_ISA_VARIANTS()
namespace avx2 {
#define TAPER_AVX2 __attribute__((target("avx2,fma,f16c"))) TAPER_INLINE
TAPER_AVX2 Vec<double> widen(detail::HalfFloats<kVecBytes> v) {
  return __builtin_convertvector(v, Vec<double>);
}
TAPER_AVX2 Vec<float> widened_bits(Half, __m128i bits) { return (Vec<float>)_mm256_cvtph_ps(bits); }
TAPER_AVX2 Vec<float> widened_bits(BFloat16, __m128i bits) {
  return (Vec<float>)_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16);
}
template <class T>
TAPER_AVX2 Vec<float> widened(const T* from) {
  return widened_bits(T(), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
/// Loads n words (n < 8), followed by zeros. It does not copy the words to a buffer first, because
/// a load of words that were just stored in parts is slow.
TAPER_AVX2 __m128i load_words(const char* from, int n) {
  uint64_t low = 0, high = 0;
  if (n >= 4) {
    memcpy(&low, from, 8);
    memcpy(&high, from + 2 * (n - 4), 8);  // the last four, some of which are in `low`
    high = n == 4 ? 0 : high >> 16 * (8 - n);
  } else if (n > 0) {
    uint16_t words[3] = {};
    memcpy(&words[0], from, 2);
    memcpy(&words[1], from + 2 * (n / 2), 2);
    memcpy(&words[2], from + 2 * (n - 1), 2);
    low = words[0];
    if (n > 1) low |= uint64_t{words[1]} << 16;
    if (n > 2) low |= uint64_t{words[2]} << 32;
  }
  return _mm_set_epi64x(static_cast<int64_t>(high), static_cast<int64_t>(low));
}
template <class T>
TAPER_AVX2 Vec<float> widened_part(const T* from, int n) {
  return widened_bits(T(), load_words(reinterpret_cast<const char*>(from), n));
}
TAPER_AVX2 void store_narrow(Half* to, Vec<float> v, Vec<float> next) {
  __m128i* const halves = reinterpret_cast<__m128i*>(to);
  _mm_storeu_si128(halves, _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
  _mm_storeu_si128(halves + 1, _mm256_cvtps_ph((__m256)next, _MM_FROUND_TO_NEAREST_INT));
}
/// Returns the bits of v as bf16, rounded, in the lower halves of the lanes.
TAPER_AVX2 __m256i bfloat16_bits(Vec<float> v) {
  const __m256i bits = (__m256i)v, one = _mm256_set1_epi32(1);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), one);
  const __m256i below = _mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(below, odd), 16);
  const __m256i nan = (__m256i)_mm256_cmp_ps((__m256)v, (__m256)v, _CMP_UNORD_Q);
  return _mm256_blendv_epi8(rounded, _mm256_set1_epi32(0x7fc0), nan);
}
TAPER_AVX2 void store_narrow(BFloat16* to, Vec<float> v, Vec<float> next) {
  const __m256i packed = _mm256_packus_epi32(bfloat16_bits(v), bfloat16_bits(next));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute4x64_epi64(packed, 0b11011000));
}
template <class T>
TAPER_AVX2 void store_narrow_part(T* to, Vec<float> v, Vec<float> next, int n) {
  T elements[2 * kVecBytes / sizeof(float)];
  store_narrow(elements, v, next);
  for (int l = 0; l < n; ++l) to[l] = elements[l];
}
template <class T>
TAPER_AVX2 Vec<T> load_by_halves(const T* from) {
  return (Vec<T>)_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
#undef TAPER_AVX2
}  // namespace avx2

namespace avx512 {
#define TAPER_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE
// For __builtin_convertvector, GCC 12 makes two conversions of half the width and joins the
// results.
TAPER_AVX512 Vec<double> widen(detail::HalfFloats<kVecBytes> v) {
  return (Vec<double>)_mm512_cvtps_pd((__m256)v);
}
TAPER_AVX512 Vec<float> widened_bits(Half, __m256i bits) {
  return (Vec<float>)_mm512_cvtph_ps(bits);
}
TAPER_AVX512 Vec<float> widened_bits(BFloat16, __m256i bits) {
  return (Vec<float>)_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16);
}
template <class T>
TAPER_AVX512 Vec<float> widened(const T* from) {
  return widened_bits(T(), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
template <class T>
TAPER_AVX512 Vec<float> widened_part(const T* from, int n) {
  return widened_bits(T(), _mm256_maskz_loadu_epi16(mask32(n), from));
}
TAPER_AVX512 __m512i narrowed(Half, Vec<float> v, Vec<float> next) {
  const __m256i low = _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT);
  const __m256i high = _mm512_cvtps_ph((__m512)next, _MM_FROUND_TO_NEAREST_INT);
  return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
/// Returns the bits of v as bf16, rounded, in the upper halves of the lanes.
TAPER_AVX512 __m512i bfloat16_bits(Vec<float> v) {
  const __m512i bits = (__m512i)v, one = _mm512_set1_epi32(1);
  const __m512i below = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
  const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
  const __mmask16 nan = _mm512_cmp_ps_mask((__m512)v, (__m512)v, _CMP_UNORD_Q);
  const __m512i rounded = _mm512_mask_add_epi32(below, odd, below, one);
  return _mm512_mask_mov_epi32(rounded, nan, _mm512_set1_epi32(0x7fc00000));
}
TAPER_AVX512 __m512i narrowed(BFloat16, Vec<float> v, Vec<float> next) {
  const __m512i odd_words =
      _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29, 27,
                       25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  return _mm512_permutex2var_epi16(bfloat16_bits(v), odd_words, bfloat16_bits(next));
}
// This takes two stores, because joining the two halves of f16 would take longer.
TAPER_AVX512 void store_narrow(Half* to, Vec<float> v, Vec<float> next) {
  __m256i* const halves = reinterpret_cast<__m256i*>(to);
  _mm256_storeu_si256(halves, _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT));
  _mm256_storeu_si256(halves + 1, _mm512_cvtps_ph((__m512)next, _MM_FROUND_TO_NEAREST_INT));
}
TAPER_AVX512 void store_narrow(BFloat16* to, Vec<float> v, Vec<float> next) {
  _mm512_storeu_si512(to, narrowed(BFloat16(), v, next));
}
template <class T>
TAPER_AVX512 void store_narrow_part(T* to, Vec<float> v, Vec<float> next, int n) {
  _mm512_mask_storeu_epi16(to, (__mmask32{1} << n) - 1, narrowed(T(), v, next));
}
template <class T>
TAPER_AVX512 Vec<T> load_by_halves(const T* from) {
  const __m256i* const halves = reinterpret_cast<const __m256i*>(from);
  __m256i low = _mm256_loadu_si256(halves);
  asm("" : "+v"(low));  // GCC would merge both into one load
  return (Vec<T>)_mm512_inserti64x4(_mm512_castsi256_si512(low), _mm256_loadu_si256(halves + 1), 1);
}
#undef TAPER_AVX512
}  // namespace avx512
#endif

}  // namespace torch::taper::cpu
