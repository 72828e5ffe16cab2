// Functions on vectors of double that operators lack. Some of them also exist for vectors of float.
// Included by an x_cpu.cpp, after vec.h.
//
// The loops over rows are bound by throughput, not by latency. A core has about 128 operations in
// flight. So a loop of 26 operations, with a chain of 62 cycles, takes 12 cycles per vector. Fewer
// operations make a loop faster. Shorter chains do not.
#pragma once

#include <taper/framework/kernel/formula.h>
#include <taper/framework/kernel/vec_widen.h>

namespace torch::taper::cpu {

namespace base {

/// Returns a b - p without rounding. p must be the rounded product of a and b. The function splits
/// the factors into halves of 26 and 27 bits (Dekker). Factors may be up to 2^990. On NEON it uses
/// one fused multiply-add per lane.
TAPER_INLINE Vec<double> product_error(Vec<double> a, Vec<double> b, Vec<double> p) {
  if constexpr (kHasNeon) {
    for (int i = 0; i < 2; ++i) p[i] = __builtin_fma(a[i], b[i], -p[i]);
    return p;
  }
  constexpr uint64_t upper = ~((uint64_t{1} << 27) - 1);
  const Vec<double> ah = (Vec<double>)((Vec<uint64_t>)a & upper), al = a - ah;
  const Vec<double> bh = (Vec<double>)((Vec<uint64_t>)b & upper), bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}
/// Return the larger or the smaller of x and y in each lane, or y if one of them is NaN.
TAPER_INLINE Vec<double> larger(Vec<double> x, Vec<double> y) { return x > y ? x : y; }
TAPER_INLINE Vec<double> smaller(Vec<double> x, Vec<double> y) { return x < y ? x : y; }
/// A vector with as many floats as Vec<double> has lanes.
using Halves = detail::VecOf<float, kVecBytes / 2>::type;
TAPER_INLINE Halves narrow(Vec<double> x) { return __builtin_convertvector(x, Halves); }
TAPER_INLINE Vec<double> root(Vec<double> x) {
  for (int i = 0; i < 2; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
}
TAPER_INLINE bool any_lane(Vec<int64_t> mask) {
  int64_t any = 0;
  for (int i = 0; i < 2; ++i) any |= mask[i];
  return any != 0;
}

}  // namespace base

#if TAPER_ISA_VARIANTS()
namespace avx2 {
#define TAPER_AVX2 __attribute__((target("avx2,fma"))) TAPER_INLINE
TAPER_AVX2 Vec<double> product_error(Vec<double> a, Vec<double> b, Vec<double> p) {
  return (Vec<double>)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)p);
}
TAPER_AVX2 Vec<float> product_error(Vec<float> a, Vec<float> b, Vec<float> p) {
  return (Vec<float>)_mm256_fmsub_ps((__m256)a, (__m256)b, (__m256)p);
}
TAPER_AVX2 Vec<double> larger(Vec<double> x, Vec<double> y) {
  return (Vec<double>)_mm256_max_pd((__m256d)x, (__m256d)y);
}
TAPER_AVX2 Vec<double> smaller(Vec<double> x, Vec<double> y) {
  return (Vec<double>)_mm256_min_pd((__m256d)x, (__m256d)y);
}
using Halves = detail::VecOf<float, kVecBytes / 2>::type;
TAPER_AVX2 Halves narrow(Vec<double> x) { return (Halves)_mm256_cvtpd_ps((__m256d)x); }
TAPER_AVX2 Vec<double> root(Vec<double> x) { return (Vec<double>)_mm256_sqrt_pd((__m256d)x); }
TAPER_AVX2 Vec<float> root(Vec<float> x) { return (Vec<float>)_mm256_sqrt_ps((__m256)x); }
/// Return sqrt(x) or 1 / sqrt(x) for 16-bit floats. The result is correct after rounding to 16
/// bits.
TAPER_AVX2 Vec<float> narrow_root(Vec<float> x) { return root(x); }
TAPER_AVX2 Vec<float> narrow_rsqrt(Vec<float> x) { return 1.0f / root(x); }
TAPER_AVX2 Vec<float> smaller(Vec<float> x, Vec<float> y) {
  return (Vec<float>)_mm256_min_ps((__m256)x, (__m256)y);
}
TAPER_AVX2 bool any_lane(Vec<int64_t> mask) { return _mm256_movemask_pd((__m256d)mask) != 0; }
TAPER_AVX2 bool any_lane(Vec<int32_t> mask) { return _mm256_movemask_ps((__m256)mask) != 0; }
#undef TAPER_AVX2
}  // namespace avx2

namespace avx512 {
#define TAPER_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE
TAPER_AVX512 Vec<double> product_error(Vec<double> a, Vec<double> b, Vec<double> p) {
  return (Vec<double>)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)p);
}
TAPER_AVX512 Vec<float> product_error(Vec<float> a, Vec<float> b, Vec<float> p) {
  return (Vec<float>)_mm512_fmsub_ps((__m512)a, (__m512)b, (__m512)p);
}
TAPER_AVX512 Vec<double> larger(Vec<double> x, Vec<double> y) {
  return (Vec<double>)_mm512_max_pd((__m512d)x, (__m512d)y);
}
TAPER_AVX512 Vec<double> smaller(Vec<double> x, Vec<double> y) {
  return (Vec<double>)_mm512_min_pd((__m512d)x, (__m512d)y);
}
using Halves = detail::VecOf<float, kVecBytes / 2>::type;
TAPER_AVX512 Halves narrow(Vec<double> x) { return (Halves)_mm512_cvtpd_ps((__m512d)x); }
TAPER_AVX512 Vec<double> root(Vec<double> x) { return (Vec<double>)_mm512_sqrt_pd((__m512d)x); }
TAPER_AVX512 Vec<float> root(Vec<float> x) { return (Vec<float>)_mm512_sqrt_ps((__m512)x); }
TAPER_AVX512 __mmask16 zero_or_infinite(Vec<float> x) {  // but not -infinity
  return _mm512_fpclass_ps_mask((__m512)x, 0x02 | 0x04 | 0x08);
}
// Both functions do one step of Newton's method from an estimate of 14 bits, except for 0 and
// infinity. Reciprocals of roots have a relative distance of at least 2^-22 from midpoints of two
// f16 numbers. For roots this distance is as small as 2^-25, but only below a midpoint, and the
// error of the step is negative.
TAPER_AVX512 Vec<float> narrow_root(Vec<float> x) {
  const __m512 v = (__m512)x, first = _mm512_rsqrt14_ps(v), y = _mm512_mul_ps(v, first);
  const __m512 half = _mm512_mul_ps(first, _mm512_set1_ps(0.5f));
  return (Vec<float>)_mm512_mask_mov_ps(_mm512_fmadd_ps(_mm512_fnmadd_ps(y, y, v), half, y),
                                        zero_or_infinite(x), v);
}
TAPER_AVX512 Vec<float> narrow_rsqrt(Vec<float> x) {
  const __m512 v = (__m512)x, first = _mm512_rsqrt14_ps(v), one = _mm512_set1_ps(1);
  const __m512 half = _mm512_mul_ps(first, _mm512_set1_ps(0.5f));
  const __m512 lost = _mm512_fnmadd_ps(_mm512_mul_ps(v, first), first, one);
  return (Vec<float>)_mm512_mask_mov_ps(_mm512_fmadd_ps(lost, half, first), zero_or_infinite(x),
                                        first);
}
TAPER_AVX512 Vec<float> smaller(Vec<float> x, Vec<float> y) {
  return (Vec<float>)_mm512_min_ps((__m512)x, (__m512)y);
}
TAPER_AVX512 bool any_lane(Vec<int64_t> mask) { return _mm512_movepi64_mask((__m512i)mask) != 0; }
TAPER_AVX512 bool any_lane(Vec<int32_t> mask) { return _mm512_movepi32_mask((__m512i)mask) != 0; }
TAPER_AVX512 bool any_below(Vec<float> x, float limit) {
  return _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(limit), _CMP_LT_OQ) != 0;
}
/// Returns table[i % 32] for each lane. i is in the low bits of `at`. Two registers hold the table.
TAPER_AVX512 Vec<float> pick(const float (&table)[32], Vec<float> at) {
  const __m512 low = _mm512_loadu_ps(table), high = _mm512_loadu_ps(table + 16);
  return (Vec<float>)_mm512_permutex2var_ps(low, (__m512i)at, high);
}
#undef TAPER_AVX512
}  // namespace avx512
#endif

}  // namespace torch::taper::cpu
