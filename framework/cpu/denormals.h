// How this thread computes with denormal numbers. It is a part of the CPU's floating-point mode.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

#if defined(__x86_64__)
constexpr uint64_t kFlushDenormals = 0x8040;  ///< results and operands
inline uint64_t float_mode() { return __builtin_ia32_stmxcsr(); }
inline void set_float_mode(uint64_t mode) { __builtin_ia32_ldmxcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
constexpr uint64_t kFlushDenormals = uint64_t{1} << 24;
inline uint64_t float_mode() {
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode)::"memory");
  return mode;
}
inline void set_float_mode(uint64_t mode) { asm volatile("msr fpcr, %0" ::"r"(mode) : "memory"); }
#else
constexpr uint64_t kFlushDenormals = 0;  ///< no mode is known
inline uint64_t float_mode() { return 0; }
inline void set_float_mode(uint64_t) {}
#endif

}  // namespace torch::taper::cpu
