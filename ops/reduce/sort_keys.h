// Unsigned keys for values. Sorting and medians compare these keys.
#pragma once

#include <cstdint>
#include <limits>

#include <taper/framework/core/dtype.h>

namespace torch::taper {

// Returns an unsigned key. Keys have the order of the values. NaN has the largest key. -0 and 0
// have equal keys.
TAPER_HD inline uint32_t sort_key(float v) {
  v += 0.0f;
  const uint32_t bits = detail::bits_from_float(v);
  const uint32_t key =
      bits ^ (static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31) | 0x80000000u);
  return (bits & 0x7fffffffu) > 0x7f800000u ? 0xffffffffu : key;
}
TAPER_HD inline uint64_t sort_key(double v) {
  v += 0.0;
  uint64_t bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  const uint64_t sign = static_cast<uint64_t>(static_cast<int64_t>(bits) >> 63);
  const uint64_t key = bits ^ (sign | 0x8000000000000000u);
  return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u ? ~uint64_t{0} : key;
}
TAPER_HD inline uint32_t sort_key(Half v) { return sort_key(static_cast<float>(v)); }
TAPER_HD inline uint32_t sort_key(BFloat16 v) { return sort_key(static_cast<float>(v)); }
TAPER_HD inline uint64_t sort_key(int64_t v) {
  return static_cast<uint64_t>(v) ^ 0x8000000000000000u;
}
template <class T>
TAPER_HD uint32_t sort_key(T v) {
  return static_cast<uint32_t>(static_cast<int32_t>(v)) ^ 0x80000000u;
}
template <class T>
using key_of = decltype(sort_key(T()));

// Returns the value of a key. A NaN may become a NaN with another sign and other bits. -0 becomes
// 0.
template <class T>
TAPER_HD T sort_value(key_of<T> key) {
  if constexpr (std::is_same_v<T, double>) {
    const uint64_t bits = key >> 63 ? key ^ 0x8000000000000000u : ~key;
    double v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return static_cast<int64_t>(key ^ 0x8000000000000000u);
  } else if constexpr (std::numeric_limits<T>::is_integer) {
    return static_cast<T>(static_cast<int32_t>(key ^ 0x80000000u));
  } else {
    return static_cast<T>(detail::float_from_bits(key >> 31 ? key ^ 0x80000000u : ~key));
  }
}

}  // namespace torch::taper
