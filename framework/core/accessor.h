// TensorAccessor: typed, unchecked element access to a tensor of known rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/core/dtype.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Holds an accessor's pointer as a plain T*.
template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;  ///< other pointers may point to this memory
};
/// Holds an accessor's pointer as `T* __restrict__`. A kernel must reach this memory through no
/// other pointer.
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;  ///< no other pointer may point to this memory
};

/// Base of accessors of any rank. Refers to sizes and strides that must outlive it.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class TensorAccessorBase {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;  ///< the pointer that PtrTraits gives
  /// `data` points to the element at index 0 of every dimension. `sizes` and `strides` (in
  /// elements) have N numbers each.
  TAPER_HD TensorAccessorBase(PtrType data, const index_t* sizes, const index_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  /// Returns the size of dimension `dim`, 0 to N - 1. `dim` is not checked, and a negative number
  /// does not mean a dimension from the end.
  TAPER_HD index_t size(index_t dim) const { return sizes_[dim]; }
  /// Returns the stride of dimension `dim` in elements. `dim` is not checked.
  TAPER_HD index_t stride(index_t dim) const { return strides_[dim]; }
  /// Returns all N sizes. The result refers to the array that the constructor got.
  ArrayRef<index_t> sizes() const { return {sizes_, N}; }
  /// Returns all N strides, in elements. The result refers to the array that the constructor got.
  ArrayRef<index_t> strides() const { return {strides_, N}; }
  /// Returns a pointer to the element at index 0 of every dimension.
  TAPER_HD PtrType data() { return data_; }
  /// Returns a pointer to the element at index 0 of every dimension.
  TAPER_HD const PtrType data() const { return data_; }

 protected:
  PtrType data_;            ///< the element at index 0 of every dimension
  const index_t* sizes_;    ///< N sizes, not owned
  const index_t* strides_;  ///< N strides in elements, not owned
};

/// Indexes a view of N dimensions like a nested array: a[i][j].
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class TensorAccessor : public TensorAccessorBase<T, N, PtrTraits, index_t> {
 public:
  using TensorAccessorBase<T, N, PtrTraits, index_t>::TensorAccessorBase;
  /// Returns the accessor of slice `i` of the first dimension. Not checked.
  TAPER_HD TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    return {this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1};
  }
};
/// Accessor of one dimension: an index gives the element.
template <class T, template <class> class PtrTraits, class index_t>
class TensorAccessor<T, 1, PtrTraits, index_t>
    : public TensorAccessorBase<T, 1, PtrTraits, index_t> {
 public:
  using TensorAccessorBase<T, 1, PtrTraits, index_t>::TensorAccessorBase;
  /// Returns element `i`, which may be written. Not checked.
  TAPER_HD T& operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};

/// An accessor that copies sizes and strides, so that it can be a kernel's argument. The memory may
/// be on a device.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;  ///< the pointer that PtrTraits gives
  /// Copies N sizes and strides (in elements), converted to index_t without a check. `data` points
  /// to the element at index 0 of every dimension.
  template <class Given>
  GenericPackedTensorAccessor(PtrType data, const Given* sizes, const Given* strides)
      : data_(data) {
    for (size_t d = 0; d < N; ++d) {
      sizes_[d] = static_cast<index_t>(sizes[d]);
      strides_[d] = static_cast<index_t>(strides[d]);
    }
  }
  /// Returns the element of a 1-d accessor, else the accessor of slice `i`. The slice refers to
  /// this object's sizes and strides. Not checked.
  TAPER_HD decltype(auto) operator[](index_t i) const {
    return TensorAccessor<T, N, PtrTraits, index_t>(data_, sizes_, strides_)[i];
  }
  /// Return the size or the stride (in elements) of dimension 0 to N - 1. Not checked.
  ///@{
  TAPER_HD index_t size(index_t dim) const { return sizes_[dim]; }
  TAPER_HD index_t stride(index_t dim) const { return strides_[dim]; }
  ///@}
  /// Return a pointer to the element at index 0 of every dimension.
  ///@{
  TAPER_HD PtrType data() { return data_; }
  TAPER_HD const PtrType data() const { return data_; }
  ///@}
  /// Returns an accessor of this memory with two dimensions exchanged. Throws IndexError unless `a`
  /// and `b` are from 0 to N - 1.
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

/// Accessors whose sizes, strides and indices have 32 or 64 bits.
///@{
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
///@}
/// LibTorch's older name.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;

}  // namespace torch::taper

#pragma GCC visibility pop
