// Access to the operands of losses of 16-bit floats, which are computed in float. Operands other
// than x may have 16 or 32 bits. Kernels test the dtypes of these operands at run time, once per
// pack. A kernel for each pair of dtypes would double the compile time. For *_cuda.cu files only.
// Not installed.
#pragma once

#include <taper/framework/cuda/map.h>

namespace torch::taper::cuda {

/// Reads or writes V elements in memory of type M, 16 bytes at a time.
template <class M, class C, int V>
TAPER_DEVICE void read_wide(const M* from, Pack<C, V>& to) {
  constexpr int W = V < kPack<M> ? V : kPack<M>;
  for (int i = 0; i < V; i += W) {
    const auto part = *reinterpret_cast<const Pack<M, W>*>(from + i);
    for (int k = 0; k < W; ++k) to.v[i + k] = static_cast<C>(part.v[k]);
  }
}
template <class M, class C, int V>
TAPER_DEVICE void write_wide(M* to, const Pack<C, V>& from) {
  constexpr int W = V < kPack<M> ? V : kPack<M>;
  for (int i = 0; i < V; i += W) {
    Pack<M, W> part;
    for (int k = 0; k < W; ++k) part.v[k] = static_cast<M>(from.v[i + k]);
    *reinterpret_cast<Pack<M, W>*>(to + i) = part;
  }
}

/// A tensor with elements of type T, or of C, the type in which numbers of type T are computed.
/// `wide` is true for C.
template <class T>
struct EitherIn {
  using C = opmath_t<T>;
  const void* data;
  bool wide;
  explicit EitherIn(const In& x) : data(x.data), wide(x.dtype != CppTypeToScalarType<T>::value) {}
  TAPER_DEVICE bool is_wide() const { return sizeof(T) == sizeof(C) || wide; }
  TAPER_DEVICE C at(int64_t i) const {
    return is_wide() ? static_cast<const C*>(data)[i] : load(static_cast<const T*>(data)[i]);
  }
  template <int V>
  TAPER_DEVICE void read(int64_t i, Pack<C, V>& to) const {
    if (is_wide())
      read_wide(static_cast<const C*>(data) + i, to);
    else
      read_wide(static_cast<const T*>(data) + i, to);
  }
};
template <class T>
struct EitherOut {
  using C = opmath_t<T>;
  void* data;
  bool wide;
  explicit EitherOut(const Out& y) : data(y.data), wide(y.dtype != CppTypeToScalarType<T>::value) {}
  TAPER_DEVICE bool is_wide() const { return sizeof(T) == sizeof(C) || wide; }
  TAPER_DEVICE void put(int64_t i, C v) const {
    if (is_wide())
      static_cast<C*>(data)[i] = v;
    else
      static_cast<T*>(data)[i] = static_cast<T>(v);
  }
  template <int V>
  TAPER_DEVICE void write(int64_t i, const Pack<C, V>& from) const {
    if (is_wide())
      write_wide(static_cast<C*>(data) + i, from);
    else
      write_wide(static_cast<T*>(data) + i, from);
  }
};

}  // namespace torch::taper::cuda
