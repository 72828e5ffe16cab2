// Reads and sets the calling thread's floating-point mode. A part of it says whether denormal
// numbers become zero.
#pragma once

#include <cstdint>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cpu {

#if defined(__x86_64__)
constexpr uint64_t kFlushDenormals = 0x8040;  ///< bits for results and for operands
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
constexpr uint64_t kFlushDenormals = 0;  ///< this CPU's mode is not supported
inline uint64_t float_mode() { return 0; }
inline void set_float_mode(uint64_t) {}
#endif

}  // namespace torch::taper::cpu
