// Half a vector of floats as a vector of doubles. Included after vec.h.
#pragma once

#include <taper/framework/cpu/vec.h>

namespace taper::cpu {

namespace detail {
template <int VecBytes>
using HalfFloats = typename VecOf<float, VecBytes / 2>::type;
}  // namespace detail

namespace base {
TAPER_INLINE Vec<double> widen(detail::HalfFloats<kVecBytes> v) {
  return __builtin_convertvector(v, Vec<double>);
}
}  // namespace base

#if defined(__x86_64__) && !defined(TAPER_NO_ISA_VARIANTS)
namespace avx2 {
__attribute__((target("avx2,fma"))) TAPER_INLINE Vec<double> widen(
    detail::HalfFloats<kVecBytes> v) {
  return __builtin_convertvector(v, Vec<double>);
}
}  // namespace avx2

namespace avx512 {
// Of the compiler's own conversion GCC 12 makes two of half the width, and joins them.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) TAPER_INLINE Vec<double> widen(
    detail::HalfFloats<kVecBytes> v) {
  return (Vec<double>)_mm512_cvtps_pd((__m256)v);
}
}  // namespace avx512
#endif

}  // namespace taper::cpu
