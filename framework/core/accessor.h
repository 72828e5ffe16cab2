// TensorAccessor: typed, unchecked element access to a tensor of known rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/core/dtype.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// How an accessor holds its pointer: plain, or promised not to overlap others.
template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;  ///< nothing is promised of it
};
/// For memory that the kernel reaches through no other pointer.
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;  ///< promised not to overlap others
};

/// What accessors of any number of dimensions share. Refers to sizes and strides that must outlive
/// it.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class TensorAccessorBase {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;  ///< the pointer that PtrTraits gives
  /// `data` points to the element at index 0 of every dimension; `sizes` and `strides` (in
  /// elements) have N numbers each.
  TAPER_HD TensorAccessorBase(PtrType data, const index_t* sizes, const index_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  /// Of dimension 0 to N - 1. Not checked, and negative numbers do not count from the end.
  TAPER_HD index_t size(index_t dim) const { return sizes_[dim]; }
  /// From one index of the dimension to the next, in elements. Not checked.
  TAPER_HD index_t stride(index_t dim) const { return strides_[dim]; }
  /// All N sizes; refers to the memory that the accessor was made with.
  ArrayRef<index_t> sizes() const { return {sizes_, N}; }
  /// All N strides, in elements; refers to the memory that the accessor was made with.
  ArrayRef<index_t> strides() const { return {strides_, N}; }
  /// Where the element at index 0 of every dimension is.
  TAPER_HD PtrType data() { return data_; }
  /// Where the element at index 0 of every dimension is.
  TAPER_HD const PtrType data() const { return data_; }

 protected:
  PtrType data_;            ///< the element at index 0 of every dimension
  const index_t* sizes_;    ///< N sizes, not owned
  const index_t* strides_;  ///< N strides in elements, not owned
};

/// A view of N dimensions that indexes like a nested array: a[i][j].
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class TensorAccessor : public TensorAccessorBase<T, N, PtrTraits, index_t> {
 public:
  using TensorAccessorBase<T, N, PtrTraits, index_t>::TensorAccessorBase;
  /// The accessor of slice `i` of the first dimension. Not checked.
  TAPER_HD TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    return {this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1};
  }
};
/// With one dimension left an index gives the element itself.
template <class T, template <class> class PtrTraits, class index_t>
class TensorAccessor<T, 1, PtrTraits, index_t>
    : public TensorAccessorBase<T, 1, PtrTraits, index_t> {
 public:
  using TensorAccessorBase<T, 1, PtrTraits, index_t>::TensorAccessorBase;
  /// Element `i`, which may be written. Not checked.
  TAPER_HD T& operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};

/// An accessor that owns its geometry, so that it can be a kernel's argument. The memory may be a
/// device's.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename PtrTraits<T>::PtrType;  ///< the pointer that PtrTraits gives
  /// Copies N sizes and strides (in elements), converted to index_t without a check; `data` points
  /// to the element at index 0 of every dimension.
  template <class Given>
  GenericPackedTensorAccessor(PtrType data, const Given* sizes, const Given* strides)
      : data_(data) {
    for (size_t d = 0; d < N; ++d) {
      sizes_[d] = static_cast<index_t>(sizes[d]);
      strides_[d] = static_cast<index_t>(strides[d]);
    }
  }
  /// Of one dimension the element, of more the accessor of slice `i`, which refers to this object's
  /// sizes and strides. Not checked.
  TAPER_HD decltype(auto) operator[](index_t i) const {
    return TensorAccessor<T, N, PtrTraits, index_t>(data_, sizes_, strides_)[i];
  }
  /// Of dimension 0 to N - 1, not checked; strides are in elements.
  ///@{
  TAPER_HD index_t size(index_t dim) const { return sizes_[dim]; }
  TAPER_HD index_t stride(index_t dim) const { return strides_[dim]; }
  ///@}
  /// Where the element at index 0 of every dimension is.
  ///@{
  TAPER_HD PtrType data() { return data_; }
  TAPER_HD const PtrType data() const { return data_; }
  ///@}
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

/// With sizes, strides and indices of 32 bits, or of 64.
///@{
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
///@}
/// The older name.
template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;

}  // namespace torch::taper

#pragma GCC visibility pop
