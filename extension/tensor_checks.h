// Checks of tensors that an op of a program's own is given: each names the op, the argument and its
// number. Names, and the texts of the errors, are LibTorch's (ATen/TensorUtils.h).
#pragma once

#include <vector>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Sizes and strides of a tensor, without its memory.
class TensorGeometry {
 public:
  TensorGeometry() = default;
  /// Row-major.
  explicit TensorGeometry(IntArrayRef sizes);
  /// Those of a defined tensor.
  explicit TensorGeometry(const Tensor& t);
  /// The number of dimensions.
  int64_t dim() const { return static_cast<int64_t>(sizes_.size()); }
  /// A negative dimension counts from the end; IndexError for one that is not there.
  int64_t size(int64_t dim) const { return sizes_.at(wrapped(dim)); }
  /// In elements; dimensions as for size().
  int64_t stride(int64_t dim) const { return strides_.at(wrapped(dim)); }
  /// Valid while this lives.
  IntArrayRef sizes() const { return sizes_; }
  /// In elements; valid while this lives.
  IntArrayRef strides() const { return strides_; }
  /// In elements, of the first one from the start of the storage.
  int64_t storage_offset() const { return storage_offset_; }
  /// The number of elements.
  int64_t numel() const { return numel_; }
  /// Row-major, without gaps.
  bool is_contiguous() const;
  /// With two dimensions swapped.
  TensorGeometry transpose(int64_t a, int64_t b) const;

 private:
  size_t wrapped(int64_t dim) const;
  std::vector<int64_t> sizes_, strides_;
  int64_t storage_offset_ = 0, numel_ = 1;
};

/// An argument of an op.
struct TensorArg {
  const Tensor& tensor;  ///< must outlive this
  const char* name;      ///< as errors show it
  int pos;               ///< counts from 1
  /// Refers to a tensor that outlives it.
  TensorArg(const Tensor& tensor, const char* name, int pos)
      : tensor(tensor), name(name), pos(pos) {}
  TensorArg(Tensor&& tensor, const char* name, int pos) = delete;
  const Tensor* operator->() const { return &tensor; }  ///< the tensor
  const Tensor& operator*() const { return tensor; }    ///< the tensor
};
/// An argument of which only the geometry counts.
struct TensorGeometryArg {
  TensorGeometry tensor;  ///< sizes and strides
  const char* name;       ///< as errors show it
  int pos;                ///< counts from 1
  /// That of a tensor.
  TensorGeometryArg(const TensorArg& arg) : tensor(arg.tensor), name(arg.name), pos(arg.pos) {}
  /// Of sizes and strides that belong to no tensor.
  TensorGeometryArg(TensorGeometry tensor, const char* name, int pos)
      : tensor(std::move(tensor)), name(name), pos(pos) {}
  const TensorGeometry* operator->() const { return &tensor; }  ///< the geometry
  const TensorGeometry& operator*() const { return tensor; }    ///< the geometry
};
/// "argument #1 'x'".
std::ostream& operator<<(std::ostream& out, const TensorGeometryArg& arg);

/// The op that checks.
using CheckedFrom = const char*;

/// Throws Error unless `t` has `dim` dimensions.
void checkDim(CheckedFrom c, const TensorGeometryArg& t, int64_t dim);
/// As above, of the argument `name`, number `pos`.
void checkDim(CheckedFrom c, const Tensor& t, const char* name, int pos, int64_t dim);
/// The number of dimensions is in [dim_start, dim_end).
void checkDimRange(CheckedFrom c, const TensorGeometryArg& t, int64_t dim_start, int64_t dim_end);
/// Throws Error unless both have one number of dimensions.
void checkSameDim(CheckedFrom c, const TensorGeometryArg& t1, const TensorGeometryArg& t2);
/// Throws Error unless `t` is row-major without gaps.
void checkContiguous(CheckedFrom c, const TensorGeometryArg& t);
/// checkContiguous of each; undefined ones are passed over.
void checkAllContiguous(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error unless `t` has these sizes.
void checkSize(CheckedFrom c, const TensorGeometryArg& t, IntArrayRef sizes);
/// Throws Error unless `t` has `size` elements along `dim`.
void checkSize(CheckedFrom c, const TensorGeometryArg& t, int64_t dim, int64_t size);
/// Throws Error unless `t` has `numel` elements.
void checkNumel(CheckedFrom c, const TensorGeometryArg& t, int64_t numel);
/// Throws Error unless both have one number of elements.
void checkSameNumel(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
/// checkSameNumel of each with the first; undefined ones are passed over.
void checkAllSameNumel(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error unless `t` is of this dtype.
void checkScalarType(CheckedFrom c, const TensorArg& t, ScalarType dtype);
/// Throws Error unless `t` is of one of the dtypes.
void checkScalarTypes(CheckedFrom c, const TensorArg& t, ArrayRef<ScalarType> dtypes);
/// Throws Error unless both are on one CUDA device.
void checkSameGPU(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
/// checkSameGPU of each with the first; undefined ones are passed over.
void checkAllSameGPU(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Dtype and kind of device.
void checkSameType(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
/// checkSameType of each with the first; undefined ones are passed over.
void checkAllSameType(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error unless both have the same sizes.
void checkSameSize(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
/// checkSameSize of each with the first; undefined ones are passed over.
void checkAllSameSize(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error for an undefined tensor.
void checkDefined(CheckedFrom c, const TensorArg& t);
/// checkDefined of each.
void checkAllDefined(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Throws Error unless all defined tensors are of this backend.
void checkBackend(CheckedFrom c, ArrayRef<Tensor> tensors, Backend backend);
/// Throws Error unless all defined tensors are on a device of this kind.
void checkDeviceType(CheckedFrom c, ArrayRef<Tensor> tensors, DeviceType type);
/// Throws Error unless `t` is of this layout.
void checkLayout(CheckedFrom c, const Tensor& t, Layout layout);
/// The same of all defined tensors.
void checkLayout(CheckedFrom c, ArrayRef<Tensor> tensors, Layout layout);
/// `t` has `dim` dimensions, and `size` elements in `dim_size`.
void check_dim_size(const Tensor& t, int64_t dim, int64_t dim_size, int64_t size);

/// The memory of a defined tensor, else null.
void* maybe_data_ptr(const Tensor& t);
/// The memory of an argument that is a defined tensor, else null.
void* maybe_data_ptr(const TensorArg& t);

namespace detail {
/// Row-major strides.
std::vector<int64_t> defaultStrides(IntArrayRef sizes);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
