// Selects kernels that only move elements, by the element size instead of the dtype. For *_cuda.cu
// files only, not installed.
#pragma once

#include <taper/framework/core/itemsize.h>
#include <taper/framework/cuda/map.h>

namespace torch::taper::cuda {

using Bytes16 = Pack<uint64_t, 2>;

/// Calls by_itemsize for the element size of `dtype`.
template <class F>
void by_size(ScalarType dtype, const F& f) {
  by_itemsize<Bytes16>(elementSize(dtype), f);
}

/// Returns the largest power of two, up to 16, that divides each of several sizes and addresses.
/// `numbers` is their bitwise OR.
inline int64_t common_unit(uint64_t numbers) {
  numbers |= 16;
  return static_cast<int64_t>(numbers & (~numbers + 1));
}
inline uint64_t address_of(const void* p) { return reinterpret_cast<uintptr_t>(p); }

/// Calls by_itemsize for a unit of `nbytes` bytes.
template <class F>
void by_unit(int64_t nbytes, const F& f) {
  by_itemsize<Bytes16>(static_cast<size_t>(nbytes), f);
}

/// Returns its argument. As the functor of `map`, it copies elements.
struct Identity {
  template <class T>
  TAPER_DEVICE T operator()(T v) const {
    return v;
  }
};

}  // namespace torch::taper::cuda
