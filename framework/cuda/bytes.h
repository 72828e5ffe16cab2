// Elements moved as they are, by their size. For *_cuda.cu files only; not installed.
#pragma once

#include <taper/framework/core/itemsize.h>
#include <taper/framework/cuda/map.h>

namespace torch::taper::cuda {

using Bytes16 = Pack<uint64_t, 2>;

/// by_itemsize for the elements of a dtype.
template <class F>
void by_size(ScalarType dtype, const F& f) {
  by_itemsize<Bytes16>(elementSize(dtype), f);
}

/// The most bytes, up to 16, of which all of `numbers` (sizes, addresses) joined by `|` are
/// multiples.
inline int64_t common_unit(uint64_t numbers) {
  numbers |= 16;
  return static_cast<int64_t>(numbers & (~numbers + 1));
}
inline uint64_t address_of(const void* p) { return reinterpret_cast<uintptr_t>(p); }

/// by_itemsize for a unit of so many bytes.
template <class F>
void by_unit(int64_t nbytes, const F& f) {
  by_itemsize<Bytes16>(static_cast<size_t>(nbytes), f);
}

/// What `map` does to elements that it only moves.
struct Identity {
  template <class T>
  TAPER_DEVICE T operator()(T v) const {
    return v;
  }
};

}  // namespace torch::taper::cuda
