// TensorAccessor: typed, unchecked element access to a tensor of known rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <taper/framework/array_ref.h>
#include <taper/framework/dtype.h>

#pragma GCC visibility push(default)

namespace taper {

/// How an accessor holds its pointer: plain, or promised not to overlap others.
template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

/// What accessors of any number of dimensions share. Refers to sizes and strides that must outlive
/// it.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class TensorAccessorBase {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;
  TAPER_HD TensorAccessorBase(PtrType data, const index_t* sizes, const index_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  TAPER_HD index_t size(index_t dim) const { return sizes_[dim]; }
  TAPER_HD index_t stride(index_t dim) const { return strides_[dim]; }
  ArrayRef<index_t> sizes() const { return {sizes_, N}; }
  ArrayRef<index_t> strides() const { return {strides_, N}; }
  TAPER_HD PtrType data() { return data_; }
  TAPER_HD const PtrType data() const { return data_; }

 protected:
  PtrType data_;
  const index_t* sizes_;
  const index_t* strides_;
};

/// A view of N dimensions that indexes like a nested array: a[i][j].
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class TensorAccessor : public TensorAccessorBase<T, N, PtrTraits, index_t> {
 public:
  using TensorAccessorBase<T, N, PtrTraits, index_t>::TensorAccessorBase;
  TAPER_HD TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    return {this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1};
  }
};
template <class T, template <class> class PtrTraits, class index_t>
class TensorAccessor<T, 1, PtrTraits, index_t>
    : public TensorAccessorBase<T, 1, PtrTraits, index_t> {
 public:
  using TensorAccessorBase<T, 1, PtrTraits, index_t>::TensorAccessorBase;
  TAPER_HD T& operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};

/// An accessor that owns its geometry, so that it can be a kernel's argument. The memory may be a
/// device's.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;
  template <class Given>
  GenericPackedTensorAccessor(PtrType data, const Given* sizes, const Given* strides)
      : data_(data) {
    for (size_t d = 0; d < N; ++d) {
      sizes_[d] = static_cast<index_t>(sizes[d]);
      strides_[d] = static_cast<index_t>(strides[d]);
    }
  }
  TAPER_HD decltype(auto) operator[](index_t i) const {
    return TensorAccessor<T, N, PtrTraits, index_t>(data_, sizes_, strides_)[i];
  }
  TAPER_HD index_t size(index_t dim) const { return sizes_[dim]; }
  TAPER_HD index_t stride(index_t dim) const { return strides_[dim]; }
  TAPER_HD PtrType data() { return data_; }
  TAPER_HD const PtrType data() const { return data_; }
  /// The same memory with two dimensions exchanged. Throws IndexError unless both are dimensions.
  GenericPackedTensorAccessor transpose(index_t a, index_t b) const {
    for (index_t d : {a, b})
      TAPER_CHECK_INDEX(d >= 0 && d < static_cast<index_t>(N), "Index ", d,
                        " is not within bounds of a tensor of dimension ", N);
    GenericPackedTensorAccessor other(*this);
    std::swap(other.sizes_[a], other.sizes_[b]);
    std::swap(other.strides_[a], other.strides_[b]);
    return other;
  }

 private:
  PtrType data_;
  index_t sizes_[N];
  index_t strides_[N];
};

template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
/// The older name.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;

}  // namespace taper

#pragma GCC visibility pop
