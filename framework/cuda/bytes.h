// Kernels that only move elements, by their size. For *_cuda.cu files only, not installed.
#pragma once

#include <taper/framework/core/itemsize.h>
#include <taper/framework/cuda/map.h>

namespace torch::taper::cuda {

using Bytes16 = Pack<uint64_t, 2>;

/// Calls by_itemsize for the elements of a dtype.
template <class F>
void by_size(ScalarType dtype, const F& f) {
  by_itemsize<Bytes16>(elementSize(dtype), f);
}

/// `numbers` are sizes and addresses, joined by `|`. Returns the largest power of two, up to 16,
/// that divides all of them.
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

/// The functor of `map` for elements that are only moved.
struct Identity {
  template <class T>
  TAPER_DEVICE T operator()(T v) const {
    return v;
  }
};

}  // namespace torch::taper::cuda
