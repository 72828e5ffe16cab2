// Checks of tensors that an op of a program's own is given: each names the op, the argument and its
// number. Names, and the texts of the errors, are LibTorch's (ATen/TensorUtils.h).
#pragma once

#include <vector>

#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// Sizes and strides of a tensor, without its memory.
class TensorGeometry {
 public:
  TensorGeometry() = default;
  /// Row-major.
  explicit TensorGeometry(IntArrayRef sizes);
  explicit TensorGeometry(const Tensor& t);
  int64_t dim() const { return static_cast<int64_t>(sizes_.size()); }
  /// A negative dimension counts from the end; IndexError for one that is not there.
  int64_t size(int64_t dim) const { return sizes_.at(wrapped(dim)); }
  int64_t stride(int64_t dim) const { return strides_.at(wrapped(dim)); }
  IntArrayRef sizes() const { return sizes_; }
  IntArrayRef strides() const { return strides_; }
  int64_t storage_offset() const { return storage_offset_; }
  int64_t numel() const { return numel_; }
  bool is_contiguous() const;
  TensorGeometry transpose(int64_t a, int64_t b) const;

 private:
  size_t wrapped(int64_t dim) const;
  std::vector<int64_t> sizes_, strides_;
  int64_t storage_offset_ = 0, numel_ = 1;
};

/// An argument of an op: `pos` counts from 1.
struct TensorArg {
  const Tensor& tensor;
  const char* name;
  int pos;
  TensorArg(const Tensor& tensor, const char* name, int pos)
      : tensor(tensor), name(name), pos(pos) {}
  TensorArg(Tensor&& tensor, const char* name, int pos) = delete;
  const Tensor* operator->() const { return &tensor; }
  const Tensor& operator*() const { return tensor; }
};
/// An argument of which only the geometry counts.
struct TensorGeometryArg {
  TensorGeometry tensor;
  const char* name;
  int pos;
  TensorGeometryArg(const TensorArg& arg) : tensor(arg.tensor), name(arg.name), pos(arg.pos) {}
  TensorGeometryArg(TensorGeometry tensor, const char* name, int pos)
      : tensor(std::move(tensor)), name(name), pos(pos) {}
  const TensorGeometry* operator->() const { return &tensor; }
  const TensorGeometry& operator*() const { return tensor; }
};
/// "argument #1 'x'".
std::ostream& operator<<(std::ostream& out, const TensorGeometryArg& arg);

/// The op that checks.
using CheckedFrom = const char*;

// Each throws Error unless what its name says holds. Those of lists pass over undefined tensors.
void checkDim(CheckedFrom c, const TensorGeometryArg& t, int64_t dim);
void checkDim(CheckedFrom c, const Tensor& t, const char* name, int pos, int64_t dim);
/// The number of dimensions is in [dim_start, dim_end).
void checkDimRange(CheckedFrom c, const TensorGeometryArg& t, int64_t dim_start, int64_t dim_end);
void checkSameDim(CheckedFrom c, const TensorGeometryArg& t1, const TensorGeometryArg& t2);
void checkContiguous(CheckedFrom c, const TensorGeometryArg& t);
void checkAllContiguous(CheckedFrom c, ArrayRef<TensorArg> tensors);
void checkSize(CheckedFrom c, const TensorGeometryArg& t, IntArrayRef sizes);
void checkSize(CheckedFrom c, const TensorGeometryArg& t, int64_t dim, int64_t size);
void checkNumel(CheckedFrom c, const TensorGeometryArg& t, int64_t numel);
void checkSameNumel(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
void checkAllSameNumel(CheckedFrom c, ArrayRef<TensorArg> tensors);
void checkScalarType(CheckedFrom c, const TensorArg& t, ScalarType dtype);
void checkScalarTypes(CheckedFrom c, const TensorArg& t, ArrayRef<ScalarType> dtypes);
void checkSameGPU(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
void checkAllSameGPU(CheckedFrom c, ArrayRef<TensorArg> tensors);
/// Dtype and kind of device.
void checkSameType(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
void checkAllSameType(CheckedFrom c, ArrayRef<TensorArg> tensors);
void checkSameSize(CheckedFrom c, const TensorArg& t1, const TensorArg& t2);
void checkAllSameSize(CheckedFrom c, ArrayRef<TensorArg> tensors);
void checkDefined(CheckedFrom c, const TensorArg& t);
void checkAllDefined(CheckedFrom c, ArrayRef<TensorArg> tensors);
void checkBackend(CheckedFrom c, ArrayRef<Tensor> tensors, Backend backend);
void checkDeviceType(CheckedFrom c, ArrayRef<Tensor> tensors, DeviceType type);
void checkLayout(CheckedFrom c, const Tensor& t, Layout layout);
void checkLayout(CheckedFrom c, ArrayRef<Tensor> tensors, Layout layout);
/// `t` has `dim` dimensions, and `size` elements in `dim_size`.
void check_dim_size(const Tensor& t, int64_t dim, int64_t dim_size, int64_t size);

/// The memory of a defined tensor, else null.
void* maybe_data_ptr(const Tensor& t);
void* maybe_data_ptr(const TensorArg& t);

namespace detail {
/// Row-major strides.
std::vector<int64_t> defaultStrides(IntArrayRef sizes);
}  // namespace detail

}  // namespace taper

#pragma GCC visibility pop
