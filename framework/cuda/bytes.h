// Elements moved as they are, by their size. For *_cuda.cu files only; not installed.
#pragma once

#include <taper/framework/cuda/map.h>

namespace taper::cuda {

using Bytes16 = Pack<uint64_t, 2>;

/// f(T()) with the unsigned integer T of a dtype's size, Bytes16 for complex f64.
template <class F>
void by_size(ScalarType dtype, const F& f) {
  switch (elementSize(dtype)) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    case 16:
      return f(Bytes16());
    default:
      return f(uint64_t());
  }
}

/// The most bytes, up to 16, of which all of `numbers` (sizes, addresses) joined by `|` are
/// multiples.
inline int64_t common_unit(uint64_t numbers) {
  numbers |= 16;
  return static_cast<int64_t>(numbers & (~numbers + 1));
}
inline uint64_t address_of(const void* p) { return reinterpret_cast<uintptr_t>(p); }

/// f(T()) with a T of so many bytes: 1, 2, 4, 8 or 16.
template <class F>
void by_unit(int64_t nbytes, const F& f) {
  switch (nbytes) {
    case 1:
      return f(uint8_t());
    case 2:
      return f(uint16_t());
    case 4:
      return f(uint32_t());
    case 8:
      return f(uint64_t());
    default:
      return f(Bytes16());
  }
}

/// What `map` does to elements that it only moves.
struct Identity {
  template <class T>
  TAPER_DEVICE T operator()(T v) const {
    return v;
  }
};

}  // namespace taper::cuda
