// Functions for the base instruction set on ARM64 that the compiler does not vectorize by itself.
// NEON converts four f16 by one instruction.
#pragma once

#include <taper/framework/core/dtype.h>
#include <taper/framework/kernel/vec.h>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace torch::taper::cpu::base {

#if defined(__aarch64__)
constexpr bool kHasNeon = true;
TAPER_INLINE Vec<float> widened(const Half* from) {
  const uint16x4_t bits = vld1_u16(reinterpret_cast<const uint16_t*>(from));
  return (Vec<float>)vcvt_f32_f16(vreinterpret_f16_u16(bits));
}
TAPER_INLINE void store_narrow(Half* to, Vec<float> v, Vec<float> next) {
  const float16x4_t low = vcvt_f16_f32((float32x4_t)v);
  const float16x8_t all = vcvt_high_f16_f32(low, (float32x4_t)next);
  vst1q_u16(reinterpret_cast<uint16_t*>(to), vreinterpretq_u16_f16(all));
}
#else
constexpr bool kHasNeon = false;
#endif

}  // namespace torch::taper::cpu::base
