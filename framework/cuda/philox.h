// Random numbers that do not depend on the thread that draws them: Philox4x32-10 of Salmon, Moraes,
// Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011). Not installed.
//
// Each launch has a key. The numbers of element i are a function of the key and of counter i. So
// they do not depend on the number of threads.
#pragma once

#include <cmath>
#include <cstdint>

#include <taper/framework/core/dtype.h>

namespace torch::taper::cuda {

/// The 128 random bits of one counter.
struct PhiloxWords {
  uint32_t w[4];
  /// Returns the k-th of the two numbers of 64 bits.
  TAPER_HD uint64_t pair(int k) const {
    return static_cast<uint64_t>(w[2 * k]) << 32 | w[2 * k + 1];
  }
};

/// Applies ten rounds to a counter of 128 bits, with a key of 64 bits.
TAPER_HD inline PhiloxWords philox(PhiloxWords counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * counter.w[0];
    const uint64_t b = uint64_t{0xCD9E8D57u} * counter.w[2];
    counter = {{static_cast<uint32_t>(b >> 32) ^ counter.w[1] ^ key0, static_cast<uint32_t>(b),
                static_cast<uint32_t>(a >> 32) ^ counter.w[3] ^ key1, static_cast<uint32_t>(a)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}
TAPER_HD inline PhiloxWords philox(uint64_t key, uint64_t counter) {
  return philox({{static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0}},
                static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
}

// ---------------------------------------------------------------- words to numbers
/// Convert random bits r to a number in [0, 1): a multiple of 2^-53 (double) or 2^-24 (float).
TAPER_HD inline double unit_double(uint64_t r) { return static_cast<double>(r >> 11) * 0x1p-53; }
TAPER_HD inline float unit_float(uint32_t r) { return static_cast<float>(r >> 8) * 0x1p-24f; }
/// Convert random bits r to a number in (0, 1). Its logarithm is finite and not 0.
TAPER_HD inline double open_double(uint64_t r) {
  return (static_cast<double>(r >> 12) + 0.5) * 0x1p-52;
}
TAPER_HD inline float open_float(uint32_t r) {
  return (static_cast<float>(r >> 9) + 0.5f) * 0x1p-23f;
}

/// Compute two independent standard normal numbers a and b from random bits, by Box and Muller
/// (1958).
TAPER_HD inline void normal_pair(uint32_t r0, uint32_t r1, float& a, float& b) {
  const float radius = std::sqrt(-2 * std::log(open_float(r0)));
  const float angle = 6.28318530717958647692f * unit_float(r1);
  a = radius * std::cos(angle);
  b = radius * std::sin(angle);
}
TAPER_HD inline void normal_pair(uint64_t r0, uint64_t r1, double& a, double& b) {
  const double radius = std::sqrt(-2 * std::log(open_double(r0)));
  const double angle = 6.28318530717958647692 * unit_double(r1);
  a = radius * std::cos(angle);
  b = radius * std::sin(angle);
}

/// Converts random bits r to an integer below `range`. If `range` is 0, it means 2^64. The
/// probabilities of two integers differ by at most 2^-64.
TAPER_HD inline uint64_t below(uint64_t r, uint64_t range) {
  if (range == 0) return r;
#ifdef __CUDA_ARCH__
  return __umul64hi(r, range);
#else
  return static_cast<uint64_t>(static_cast<unsigned __int128>(r) * range >> 64);
#endif
}

}  // namespace torch::taper::cuda
