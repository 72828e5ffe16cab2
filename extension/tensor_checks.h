// Checks of tensors for a program's ops. Each error names the op, the argument and its number. The
// names of functions and the texts of errors are LibTorch's (ATen/TensorUtils.h).
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Sizes and strides of a tensor, without its memory.
class TensorGeometry {
 public:
  TensorGeometry() = default;
  /// Makes a geometry with these sizes and row-major strides.
  explicit TensorGeometry(IntArrayRef sizes);
  /// Takes the sizes, strides and offset of `t`, a defined tensor.
  explicit TensorGeometry(const Tensor& t);
  /// Returns the number of dimensions.
  int64_t dim() const { return static_cast<int64_t>(sizes_.size()); }
  /// Returns the size of dimension `dim`. A negative `dim` counts from the end. Throws IndexError
  /// for a dimension that does not exist.
  int64_t size(int64_t dim) const { return sizes_.at(wrapped(dim)); }
  /// Returns the stride of dimension `dim`, in elements. `dim` is as in size().
  int64_t stride(int64_t dim) const { return strides_.at(wrapped(dim)); }
  /// Returns all sizes. They are valid while this object exists.
  IntArrayRef sizes() const { return sizes_; }
  /// Returns all strides, in elements. They are valid while this object exists.
  IntArrayRef strides() const { return strides_; }
  /// Returns the offset of the first element in the storage, in elements.
  int64_t storage_offset() const { return storage_offset_; }
  /// Returns the number of elements.
  int64_t numel() const { return numel_; }
  /// Returns whether the strides are row-major, without gaps.
  bool is_contiguous() const;
  /// Returns the geometry with two dimensions exchanged.
  TensorGeometry transpose(int64_t a, int64_t b) const;

 private:
  size_t wrapped(int64_t dim) const;
  std::vector<int64_t> sizes_, strides_;
  int64_t storage_offset_ = 0, numel_ = 1;
};

/// An argument of an op.
struct TensorArg {
  const Tensor& tensor;  ///< must outlive this object
  const char* name;      ///< the name in messages
  int pos;               ///< number of the argument, from 1
  /// Refers to a tensor, which must outlive this object.
  TensorArg(const Tensor& tensor, const char* name, int pos)
      : tensor(tensor), name(name), pos(pos) {}
  TensorArg(Tensor&& tensor, const char* name, int pos) = delete;
  const Tensor* operator->() const { return &tensor; }  ///< the tensor
  const Tensor& operator*() const { return tensor; }    ///< the tensor
};
/// The sizes and strides of an argument, for checks that do not need its memory.
struct TensorGeometryArg {
  TensorGeometry tensor;  ///< sizes and strides
  const char* name;       ///< the name in messages
  int pos;                ///< number of the argument, from 1
  /// Takes the geometry of a tensor.
  TensorGeometryArg(const TensorArg& arg) : tensor(arg.tensor), name(arg.name), pos(arg.pos) {}
  /// Takes a geometry, which need not belong to a tensor.
  TensorGeometryArg(TensorGeometry tensor, const char* name, int pos)
      : tensor(std::move(tensor)), name(name), pos(pos) {}
  const TensorGeometry* operator->() const { return &tensor; }  ///< the geometry
  const TensorGeometry& operator*() const { return tensor; }    ///< the geometry
};
/// Prints "argument #1 'x'".
std::ostream& operator<<(std::ostream& out, const TensorGeometryArg& arg);

/// The name of the op that calls the check.
using CheckedFrom = const char*;

/// Throws Error unless `t` has `dim` dimensions.
void checkDim(CheckedFrom c, const TensorGeometryArg& t, int64_t dim);
/// Calls checkDim for the argument `name` with number `pos`.
void checkDim(CheckedFrom c, const Tensor& t, const char* name, int pos, int64_t dim);
/// Throws Error unless the number of dimensions is in [dim_start, dim_end).
void checkDimRange(CheckedFrom c, const TensorGeometryArg& t, int64_t dim_start, int64_t dim_end);
/// Throws Error unless `t1` and `t2` have equal numbers of dimensions.
void checkSameDim(CheckedFrom c, const TensorGeometryArg& t1, const TensorGeometryArg& t2);
/// Throws Error unless `t` is row-major without gaps.
void checkContiguous(CheckedFrom c, const TensorGeometryArg& t);
/// Calls checkContiguous for each tensor. Undefined tensors are skipped.
void checkAllContiguous(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error unless `t` has these sizes.
void checkSize(CheckedFrom c, const TensorGeometryArg& t, IntArrayRef sizes);
/// Throws Error unless `t` has `size` elements along `dim`.
void checkSize(CheckedFrom c, const TensorGeometryArg& t, int64_t dim, int64_t size);
/// Throws Error unless `t` has `numel` elements.
void checkNumel(CheckedFrom c, const TensorGeometryArg& t, int64_t numel);
/// Throws Error unless `t1` and `t2` have equal numbers of elements.
void checkSameNumel(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
/// Calls checkSameNumel for the first tensor and each other tensor. Undefined tensors are skipped.
void checkAllSameNumel(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error unless `t` has this dtype.
void checkScalarType(CheckedFrom c, const TensorArg& t, ScalarType dtype);
/// Throws Error unless `t` has one of the dtypes.
void checkScalarTypes(CheckedFrom c, const TensorArg& t, ArrayRef<ScalarType> dtypes);
/// Throws Error unless `t1` and `t2` are on the same CUDA device.
void checkSameGPU(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
/// Calls checkSameGPU for the first tensor and each other tensor. Undefined tensors are skipped.
void checkAllSameGPU(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error unless `t1` and `t2` have the same dtype and kind of device.
void checkSameType(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
/// Calls checkSameType for the first tensor and each other tensor. Undefined tensors are skipped.
void checkAllSameType(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error unless `t1` and `t2` have equal sizes.
void checkSameSize(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
/// Calls checkSameSize for the first tensor and each other tensor. Undefined tensors are skipped.
void checkAllSameSize(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error for an undefined tensor.
void checkDefined(CheckedFrom c, const TensorArg& t);
/// Calls checkDefined for each tensor.
void checkAllDefined(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error unless all defined tensors are of this backend.
void checkBackend(CheckedFrom c, ArrayRef<Tensor> tensors, Backend backend);
/// Throws Error unless all defined tensors are on a device of this kind.
void checkDeviceType(CheckedFrom c, ArrayRef<Tensor> tensors, DeviceType type);
/// Throws Error unless `t` has this layout.
void checkLayout(CheckedFrom c, const Tensor& t, Layout layout);
/// Throws Error unless all defined tensors have this layout.
void checkLayout(CheckedFrom c, ArrayRef<Tensor> tensors, Layout layout);
/// Throws Error unless `t` has `dim` dimensions, and dimension `dim_size` has size `size`.
void check_dim_size(const Tensor& t, int64_t dim, int64_t dim_size, int64_t size);

/// Returns the memory of a defined tensor, and null for an undefined tensor.
void* maybe_data_ptr(const Tensor& t);
/// Returns the memory of a defined tensor, and null for an undefined tensor.
void* maybe_data_ptr(const TensorArg& t);

namespace detail {
/// Returns the row-major strides of a tensor with these sizes.
std::vector<int64_t> defaultStrides(IntArrayRef sizes);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
