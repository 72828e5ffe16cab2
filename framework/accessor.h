// TensorAccessor: typed, unchecked element access to a tensor of known rank.
#pragma once

#include <cstddef>
#include <cstdint>

#include <taper/framework/dtype.h>

#pragma GCC visibility push(default)

namespace taper {

/// A view of N dimensions that indexes like a nested array: a[i][j]. Refers to the geometry of the
/// tensor it was made from, which must outlive it.
template <class T, size_t N>
class TensorAccessor {
 public:
  TAPER_HD TensorAccessor(T* data, const int64_t* sizes, const int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  TAPER_HD TensorAccessor<T, N - 1> operator[](int64_t i) const {
    return {data_ + strides_[0] * i, sizes_ + 1, strides_ + 1};
  }
  TAPER_HD int64_t size(int64_t dim) const { return sizes_[dim]; }
  TAPER_HD int64_t stride(int64_t dim) const { return strides_[dim]; }
  TAPER_HD T* data() const { return data_; }

 private:
  T* data_;
  const int64_t* sizes_;
  const int64_t* strides_;
};

template <class T>
class TensorAccessor<T, 1> {
 public:
  TAPER_HD TensorAccessor(T* data, const int64_t* sizes, const int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  TAPER_HD T& operator[](int64_t i) const { return data_[strides_[0] * i]; }
  TAPER_HD int64_t size(int64_t dim) const { return sizes_[dim]; }
  TAPER_HD int64_t stride(int64_t dim) const { return strides_[dim]; }
  TAPER_HD T* data() const { return data_; }

 private:
  T* data_;
  const int64_t* sizes_;
  const int64_t* strides_;
};

/// An accessor that owns its geometry, so that it can be a kernel's argument.
template <class T, size_t N, class Index>
class PackedTensorAccessor {
 public:
  PackedTensorAccessor(T* data, const int64_t* sizes, const int64_t* strides) : data_(data) {
    for (size_t d = 0; d < N; ++d) {
      sizes_[d] = sizes[d];
      strides_[d] = strides[d];
    }
  }
  TAPER_HD decltype(auto) operator[](Index i) const {
    return TensorAccessor<T, N>(data_, sizes_, strides_)[i];
  }
  TAPER_HD Index size(int64_t dim) const { return static_cast<Index>(sizes_[dim]); }
  TAPER_HD Index stride(int64_t dim) const { return static_cast<Index>(strides_[dim]); }
  TAPER_HD T* data() const { return data_; }

 private:
  T* data_;
  int64_t sizes_[N];
  int64_t strides_[N];
};

/// What LibTorch's accessors know of their pointers; here it makes no difference.
template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = PackedTensorAccessor<T, N, int32_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = PackedTensorAccessor<T, N, int64_t>;

}  // namespace taper

#pragma GCC visibility pop
