// Vector types for kernels that control their use of registers. Each instruction set has one width.
//
// Included by an x_cpu.cpp before foreach_isa.h. `TAPER_ISA::Vec<T>` is then a vector as wide as
// the instruction set's registers, with the compiler's operators. load_part and store_part access
// only the first n elements, so that the end of a row is never overrun.
#pragma once

#include <cstdint>
#include <cstring>

#include <taper/framework/core/host_device.h>
#include <taper/framework/core/namespaces.h>
#include <taper/framework/kernel/targets.h>

#if TAPER_ISA_VARIANTS()
#include <immintrin.h>
#endif

// GCC warns about the calling convention of vector arguments. It does not matter, because these
// functions are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace torch::taper::cpu {

namespace base {
constexpr int kVecBytes = 16;
/// The number of adjacent vectors in a row of the register tile of a matrix product.
constexpr int kTileVecs = 2;
}  // namespace base
namespace avx2 {
constexpr int kVecBytes = 32;
constexpr int kTileVecs = 2;
}  // namespace avx2
namespace avx512 {
constexpr int kVecBytes = 64;
constexpr int kTileVecs = 4;
}  // namespace avx512

#ifdef __clang__
// GCC's built-in function, which Clang lacks: lane l of the result is lane at[l] of a, or of a and
// b concatenated. Each instruction set has a separate function, because wide vectors are arguments.
#define TAPER_SHUFFLES(attributes)                                              \
  template <class V, class I>                                                   \
  attributes V __builtin_shuffle(V a, V b, I at) {                              \
    constexpr int lanes = sizeof(V) / sizeof a[0];                              \
    V r;                                                                        \
    for (int l = 0; l < lanes; ++l)                                             \
      r[l] = (at[l] & lanes) ? b[at[l] & (lanes - 1)] : a[at[l] & (lanes - 1)]; \
    return r;                                                                   \
  }                                                                             \
  template <class V, class I>                                                   \
  attributes V __builtin_shuffle(V a, I at) {                                   \
    return __builtin_shuffle(a, a, at);                                         \
  }
#else
#define TAPER_SHUFFLES(attributes)
#endif

namespace detail {
template <class T, int Bytes>
struct VecOf {
  typedef T type __attribute__((vector_size(Bytes)));
  typedef T unaligned __attribute__((vector_size(Bytes), aligned(alignof(T)), may_alias));
};
/// Copies n bytes, at most 16. The caller of load_bytes has set the other bytes of `to` to zero.
TAPER_INLINE void load_bytes(uint8_t* to, const uint8_t* from, int n) {
  for (int i = 0; i < n; ++i) to[i] = from[i];
}
TAPER_INLINE void store_bytes(uint8_t* to, const uint8_t* from, int n) {
  for (int i = 0; i < n; ++i) to[i] = from[i];
}
/// Copies n words: 16-bit floats that are only moved. If n is negative, copies nothing.
TAPER_INLINE void copy_words(uint16_t* to, const uint16_t* from, int64_t n) {
  if (n > 0) memcpy(to, from, static_cast<size_t>(n) * sizeof *to);
}
/// Writes v to p, by a non-temporal store if v is a whole cache line. p must be aligned to v's
/// size. See streaming_stores.h.
template <class V>
TAPER_INLINE void store_past(void* p, const V& v) {
  memcpy(p, &v, sizeof v);
}
}  // namespace detail

namespace base {
TAPER_SHUFFLES(TAPER_INLINE)
template <class T>
using Vec = typename detail::VecOf<T, kVecBytes>::type;
template <class T>
TAPER_INLINE Vec<T> load_part(const T* p, int n) {
  Vec<T> v = {};
  for (int i = 0; i < n; ++i) v[i] = p[i];
  return v;
}
/// Returns a vector of the first n elements of p, with `fill` in the other lanes.
TAPER_INLINE Vec<float> load_part(const float* p, int n, float fill) {
  Vec<float> v = fill - Vec<float>{};
  for (int i = 0; i < n; ++i) v[i] = p[i];
  return v;
}
/// Returns the greater of x and y in each lane, or y if one of them is NaN.
TAPER_INLINE Vec<float> larger(Vec<float> x, Vec<float> y) { return x > y ? x : y; }
/// Returns x limited to [low, high]. NaN stays NaN.
TAPER_INLINE Vec<float> bound(Vec<float> x, float low, float high) {
  const Vec<float> least = low - Vec<float>{}, most = high - Vec<float>{};
  const Vec<float> raised = least > x ? least : x;
  return most < raised ? most : raised;
}
template <class T>
struct Range {
  int begin, end;
};
template <class T>
TAPER_INLINE Range<T> make_range(int begin, int end) {
  return {begin, end};
}
template <class T>
TAPER_INLINE Vec<T> load_range(const T* p, Range<T> r) {
  Vec<T> v = {};
  for (int i = r.begin; i < r.end; ++i) v[i] = p[i];
  return v;
}
template <class T>
TAPER_INLINE void store_part(T* p, Vec<T> v, int n) {
  for (int i = 0; i < n; ++i) p[i] = v[i];
}
/// Loads half a vector from each of two addresses.
TAPER_INLINE Vec<float> load_halves(const float* low, const float* high) {
  return Vec<float>{low[0], low[1], high[0], high[1]};
}
using detail::copy_words;
using detail::load_bytes;
using detail::store_bytes;
using detail::store_past;
}  // namespace base

#if TAPER_ISA_VARIANTS()
namespace avx2 {
template <class T>
using Vec = typename detail::VecOf<T, kVecBytes>::type;
#define TAPER_AVX2 __attribute__((target("avx2,fma"))) TAPER_INLINE
TAPER_SHUFFLES(TAPER_AVX2)
TAPER_AVX2 __m256i mask32(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
TAPER_AVX2 __m256i mask64(int n) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
TAPER_AVX2 Vec<float> load_part(const float* p, int n) {
  return (Vec<float>)_mm256_maskload_ps(p, mask32(n));
}
TAPER_AVX2 Vec<double> load_part(const double* p, int n) {
  return (Vec<double>)_mm256_maskload_pd(p, mask64(n));
}
TAPER_AVX2 Vec<float> load_part(const float* p, int n, float fill) {
  const __m256i mask = mask32(n);
  return (Vec<float>)_mm256_blendv_ps(_mm256_set1_ps(fill), _mm256_maskload_ps(p, mask),
                                      _mm256_castsi256_ps(mask));
}
TAPER_AVX2 Vec<float> larger(Vec<float> x, Vec<float> y) {
  return (Vec<float>)_mm256_max_ps((__m256)x, (__m256)y);
}
TAPER_AVX2 Vec<float> bound(Vec<float> x, float low, float high) {
  const __m256 raised = _mm256_max_ps(_mm256_set1_ps(low), (__m256)x);
  return (Vec<float>)_mm256_min_ps(_mm256_set1_ps(high), raised);
}
template <class T>
struct Range {
  __m256i mask;
};
template <class T>
TAPER_AVX2 Range<T> make_range(int begin, int end) {
  if constexpr (sizeof(T) == 8) return {_mm256_andnot_si256(mask64(begin), mask64(end))};
  return {_mm256_andnot_si256(mask32(begin), mask32(end))};
}
TAPER_AVX2 Vec<float> load_range(const float* p, const Range<float>& r) {
  return (Vec<float>)_mm256_maskload_ps(p, r.mask);
}
TAPER_AVX2 Vec<double> load_range(const double* p, const Range<double>& r) {
  return (Vec<double>)_mm256_maskload_pd(p, r.mask);
}
TAPER_AVX2 void store_part(float* p, Vec<float> v, int n) {
  _mm256_maskstore_ps(p, mask32(n), (__m256)v);
}
TAPER_AVX2 void store_part(double* p, Vec<double> v, int n) {
  _mm256_maskstore_pd(p, mask64(n), (__m256d)v);
}
// For integers.
TAPER_AVX2 Vec<uint32_t> load_part(const uint32_t* p, int n) {
  return (Vec<uint32_t>)_mm256_maskload_epi32(reinterpret_cast<const int*>(p), mask32(n));
}
TAPER_AVX2 Vec<uint64_t> load_part(const uint64_t* p, int n) {
  return (Vec<uint64_t>)_mm256_maskload_epi64(reinterpret_cast<const long long*>(p), mask64(n));
}
TAPER_AVX2 void store_part(uint32_t* p, Vec<uint32_t> v, int n) {
  _mm256_maskstore_epi32(reinterpret_cast<int*>(p), mask32(n), (__m256i)v);
}
TAPER_AVX2 void store_part(uint64_t* p, Vec<uint64_t> v, int n) {
  _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), mask64(n), (__m256i)v);
}
TAPER_AVX2 Vec<float> load_halves(const float* low, const float* high) {
  const __m256 v = _mm256_castps128_ps256(_mm_loadu_ps(low));
  return (Vec<float>)_mm256_insertf128_ps(v, _mm_loadu_ps(high), 1);
}
#undef TAPER_AVX2
using detail::copy_words;
using detail::load_bytes;
using detail::store_bytes;
using detail::store_past;
}  // namespace avx2

namespace avx512 {
template <class T>
using Vec = typename detail::VecOf<T, kVecBytes>::type;
#define TAPER_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE
TAPER_SHUFFLES(TAPER_AVX512)
TAPER_AVX512 __mmask16 mask32(int n) { return static_cast<__mmask16>((1u << n) - 1); }
TAPER_AVX512 __mmask8 mask64(int n) { return static_cast<__mmask8>((1u << n) - 1); }
TAPER_AVX512 Vec<float> load_part(const float* p, int n) {
  return (Vec<float>)_mm512_maskz_loadu_ps(mask32(n), p);
}
TAPER_AVX512 Vec<double> load_part(const double* p, int n) {
  return (Vec<double>)_mm512_maskz_loadu_pd(mask64(n), p);
}
TAPER_AVX512 Vec<float> load_part(const float* p, int n, float fill) {
  return (Vec<float>)_mm512_mask_loadu_ps(_mm512_set1_ps(fill), mask32(n), p);
}
TAPER_AVX512 Vec<float> larger(Vec<float> x, Vec<float> y) {
  return (Vec<float>)_mm512_max_ps((__m512)x, (__m512)y);
}
TAPER_AVX512 Vec<float> bound(Vec<float> x, float low, float high) {
  const __m512 raised = _mm512_max_ps(_mm512_set1_ps(low), (__m512)x);
  return (Vec<float>)_mm512_min_ps(_mm512_set1_ps(high), raised);
}
/// Returns x times 2^n. n must be an integer.
TAPER_AVX512 Vec<float> times_power_of_two(Vec<float> x, Vec<float> n) {
  return (Vec<float>)_mm512_scalef_ps((__m512)x, (__m512)n);
}
template <class T>
struct Range {
  uint16_t bits;
};
template <class T>
TAPER_AVX512 Range<T> make_range(int begin, int end) {
  return {static_cast<uint16_t>(((1u << end) - 1) & ~((1u << begin) - 1))};
}
TAPER_AVX512 Vec<float> load_range(const float* p, Range<float> r) {
  return (Vec<float>)_mm512_maskz_loadu_ps(static_cast<__mmask16>(r.bits), p);
}
TAPER_AVX512 Vec<double> load_range(const double* p, Range<double> r) {
  return (Vec<double>)_mm512_maskz_loadu_pd(static_cast<__mmask8>(r.bits), p);
}
TAPER_AVX512 void store_part(float* p, Vec<float> v, int n) {
  _mm512_mask_storeu_ps(p, mask32(n), (__m512)v);
}
TAPER_AVX512 void store_part(double* p, Vec<double> v, int n) {
  _mm512_mask_storeu_pd(p, mask64(n), (__m512d)v);
}
// For integers.
TAPER_AVX512 Vec<uint32_t> load_part(const uint32_t* p, int n) {
  return (Vec<uint32_t>)_mm512_maskz_loadu_epi32(mask32(n), p);
}
TAPER_AVX512 Vec<uint64_t> load_part(const uint64_t* p, int n) {
  return (Vec<uint64_t>)_mm512_maskz_loadu_epi64(mask64(n), p);
}
TAPER_AVX512 void store_part(uint32_t* p, Vec<uint32_t> v, int n) {
  _mm512_mask_storeu_epi32(p, mask32(n), (__m512i)v);
}
TAPER_AVX512 void store_part(uint64_t* p, Vec<uint64_t> v, int n) {
  _mm512_mask_storeu_epi64(p, mask64(n), (__m512i)v);
}
TAPER_AVX512 void copy_words(uint16_t* to, const uint16_t* from, int64_t n) {
  for (int64_t i = 0; i < n; i += 32) {
    const __mmask32 mask = n - i >= 32 ? ~__mmask32{0} : (__mmask32{1} << (n - i)) - 1;
    _mm512_mask_storeu_epi16(to + i, mask, _mm512_maskz_loadu_epi16(mask, from + i));
  }
}
TAPER_AVX512 void load_bytes(uint8_t* to, const uint8_t* from, int n) {
  const __m128i v = _mm_maskz_loadu_epi8(mask32(n), from);
  memcpy(to, &v, sizeof v);
}
TAPER_AVX512 void store_bytes(uint8_t* to, const uint8_t* from, int n) {
  __m128i v;
  memcpy(&v, from, sizeof v);
  _mm_mask_storeu_epi8(to, mask32(n), v);
}
TAPER_AVX512 Vec<float> load_halves(const float* low, const float* high) {
  const __m512 v = _mm512_castps256_ps512(_mm256_loadu_ps(low));
  return (Vec<float>)_mm512_insertf32x8(v, _mm256_loadu_ps(high), 1);
}
template <class V>
TAPER_AVX512 void store_past(void* p, const V& v) {
  _mm512_stream_si512(static_cast<__m512i*>(p), (__m512i)v);
}
#undef TAPER_AVX512
}  // namespace avx512
#endif
#undef TAPER_SHUFFLES

}  // namespace torch::taper::cpu
