// Tensor: a reference-counted handle to n-dimensional data on one device, with autograd.
//
// The names, arguments and defaults of the methods are LibTorch's. A method is documented at the
// function of its name in ops/. Methods without such a function are documented here.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <taper/framework/core/accessor.h>
#include <taper/framework/core/array_ref.h>
#include <taper/framework/core/dtype.h>
#include <taper/framework/core/options.h>
#include <taper/framework/core/scalar.h>
#include <taper/framework/core/storage.h>
#include <taper/framework/core/tensor_impl.h>
#include <taper/framework/core/type_properties.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper {

class Tensor;
/// A list of tensors as an op's argument. It does not own the tensors. A vector or a braced list
/// converts to it.
using TensorList = ArrayRef<Tensor>;
namespace indexing {
class TensorIndex;
}
namespace cuda {
class Stream;
}
namespace detail {
class TensorDataContainer;
}
namespace autograd {
struct Node;
struct Edge;
}  // namespace autograd

/// A handle to an n-dimensional array of one dtype on one device. The array may be part of an
/// autograd graph. Copies of a handle refer to one tensor, views share its memory, and clone()
/// copies the elements. A default-constructed handle is undefined: it has no tensor. As in LibTorch
/// it has sizes [0], and most other methods throw Error. Methods that change a tensor are const,
/// because the handle stays unchanged.
class Tensor {
 public:
  Tensor() = default;
  /// Make one more handle to the tensor, without copying elements. A handle that was moved from is
  /// undefined.
  ///@{
  explicit Tensor(intrusive_ptr<TensorImpl> impl) : impl_(std::move(impl)) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor& o) & {
    impl_ = o.impl_;
    return *this;
  }
  Tensor& operator=(Tensor&& o) & noexcept {
    impl_ = std::move(o.impl_);
    return *this;
  }
  ///@}
  /// Assigning to a temporary writes its elements: `x[0] = y` is `x[0].copy_(y)`, and `x[0] = 2` is
  /// `x[0].fill_(2)`.
  Tensor& operator=(const Tensor& o) &&;
  Tensor& operator=(Tensor&& o) &&;
  Tensor& operator=(const Scalar& v) &&;

  // -------------------------------------------------------------------- properties
  /// Refuses a tensor as a condition. The compiler shows the next line.
  explicit operator bool() const = delete;  // to use a tensor as a condition, add .item<bool>()

  /// Returns whether the handle has a tensor.
  bool defined() const { return impl_.defined(); }
  /// Makes the handle undefined. Other handles keep the tensor.
  void reset() { impl_.reset(); }
  /// Returns whether both handles refer to one tensor, not only to one memory.
  bool is_same(const Tensor& o) const { return impl_ == o.impl_; }
  /// Returns the number of the tensor's owners: handles, and nodes that saved it. Returns 0 if
  /// undefined.
  size_t use_count() const { return impl_.use_count(); }
  /// Returns the object behind the handle, which still owns it, or null if undefined.
  TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
  /// Returns the object behind the handle. Throws for an undefined tensor.
  TensorImpl& impl() const {
    if (__builtin_expect(!impl_, 0)) throw_undefined();
    return *impl_;
  }
  /// Returns the handle's owning pointer to the object, null if undefined.
  const intrusive_ptr<TensorImpl>& impl_ptr() const { return impl_; }

  /// Return the number of dimensions: 0 for a tensor of one number, 1 for an undefined tensor.
  ///@{
  int64_t dim() const { return __builtin_expect(!impl_, 0) ? 1 : impl_->sizes.size(); }
  int64_t ndimension() const { return dim(); }
  ///@}
  /// Return the size of a dimension, and its stride in elements. Negative dimensions count from the
  /// last. Throw IndexError if there is no such dimension.
  ///@{
  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  ///@}
  /// Return all sizes or strides without a copy. The views are valid until the tensor is resized or
  /// destroyed. An undefined tensor has the sizes [0]. strides() throws Error for it.
  ///@{
  IntArrayRef sizes() const {
    return __builtin_expect(!impl_, 0) ? undefined_sizes() : IntArrayRef(impl_->sizes);
  }
  IntArrayRef strides() const { return impl().strides; }
  ///@}
  /// Returns the number of elements, 0 for an undefined tensor.
  int64_t numel() const { return impl_ ? impl_->numel : 0; }
  /// Returns the position of the first element in the storage, in elements, 0 for an undefined
  /// tensor.
  int64_t storage_offset() const { return impl_ ? impl_->offset : 0; }
  /// Return the size of one element in bytes.
  ///@{
  size_t itemsize() const { return impl().itemsize(); }
  int64_t element_size() const { return static_cast<int64_t>(itemsize()); }
  ///@}
  /// Returns the size of all elements in bytes: numel() * itemsize(), whatever the strides.
  size_t nbytes() const { return static_cast<size_t>(numel()) * itemsize(); }
  /// Return the dtype, Undefined for an undefined tensor.
  ///@{
  ScalarType scalar_type() const { return impl_ ? impl_->dtype : ScalarType::Undefined; }
  TypeMeta dtype() const { return scalar_type(); }
  ///@}
  /// Returns the device of the elements, with an index for CUDA.
  Device device() const { return impl().device; }
  /// Returns the index of the CUDA device, -1 for the CPU.
  int64_t get_device() const;
  Layout layout() const { return kStrided; }  ///< always kStrided
  /// Return whether the device is of this kind. Both functions return false for an undefined
  /// tensor.
  ///@{
  bool is_cuda() const { return impl_ && impl_->device.is_cuda(); }
  bool is_cpu() const { return impl_ && impl_->device.is_cpu(); }
  ///@}
  /// Return whether the elements are in page-locked host memory. Return false for a tensor on a
  /// CUDA device. Throw Error if `device` is given and is not a CUDA device.
  ///@{
  bool is_pinned() const;
  bool is_pinned(optional<Device> device) const;
  ///@}
  /// Returns whether the dtype is a real floating one.
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  /// Returns whether the dtype is a complex one.
  bool is_complex() const { return isComplexType(scalar_type()); }
  /// Returns whether the dtype holds numbers below 0. Throws Error for an undefined tensor.
  bool is_signed() const { return isSignedType(impl().dtype); }
  /// Returns whether the tensor was made in inference mode. Autograd cannot save such a tensor.
  bool is_inference() const { return impl_ && impl_->inference; }
  /// Returns whether the only element is not 0. Synchronizes with the device. Throws Error unless
  /// there is exactly one element.
  bool is_nonzero() const;
  /// Returns whether the elements are in memory without gaps, in the order of `format`: row-major
  /// for Contiguous and Preserve. ChannelsLast needs 4 dimensions, ChannelsLast3d needs 5. Returns
  /// true for an undefined tensor.
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  /// Returns the first format for which is_contiguous(format) is true, of Contiguous, ChannelsLast
  /// and ChannelsLast3d. Returns Contiguous if there is none.
  MemoryFormat suggest_memory_format() const;
  /// Returns whether the elements are in memory without gaps or overlaps, in any order of
  /// dimensions.
  bool is_non_overlapping_and_dense() const;
  /// Returns whether the two tensors share a storage.
  bool is_alias_of(const Tensor& o) const { return impl().storage == o.impl().storage; }
  /// Returns whether both tensors have one storage, and equal offsets, sizes and strides.
  bool is_set_to(const Tensor& o) const;
  /// Returns whether the sizes are equal, without broadcasting.
  bool is_same_size(const Tensor& o) const { return sizes() == o.sizes(); }
  bool has_storage() const { return defined(); }  ///< defined()
  bool is_variable() const { return true; }       ///< always true
#include <taper/framework/core/tensor_absent.inc>
  /// Returns the storage, which the tensor shares with its views.
  Storage storage() const { return Storage(impl().storage); }
  /// Returns dtype and device, to make another tensor with them.
  TensorOptions options() const { return TensorOptions(scalar_type()).device(device()); }
  /// Returns LibTorch's name of dtype and device: "CPUFloatType".
  std::string toString() const;
  /// Prints toString() and the sizes to stderr: "[CPUFloatType [2, 3]]".
  void print() const;

  // -------------------------------------------------------------------- reading
  /// Returns a pointer to the first element, on device(). The host cannot read a CUDA device's
  /// memory. The function does not wait for queued work.
  void* data_ptr() const { return impl().data; }
  /// Returns data_ptr<T>(). LibTorch's older name.
  template <class T>
  T* data() const {
    return data_ptr<T>();
  }
  /// Returns a pointer to the first element. Throws unless T is the tensor's element type.
  template <class T>
  T* data_ptr() const {
    check_element_type(CppTypeToScalarType<std::remove_const_t<T>>::value);
    return static_cast<T*>(impl_->data);
  }
  /// LibTorch's names of data_ptr() that state the access. With T they throw Error unless T is the
  /// tensor's element type.
  ///@{
  template <class T>
  const T* const_data_ptr() const {
    return data_ptr<T>();
  }
  const void* const_data_ptr() const { return data_ptr(); }
  template <class T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  void* mutable_data_ptr() const { return data_ptr(); }
  ///@}
  /// Return the value of a one-element tensor. Synchronizes with the device.
  Scalar item() const;
  template <class T>
  T item() const {
    return item().to<T>();
  }
  /// Returns typed access to a CPU tensor of N dimensions.
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() const& {
    static_assert(N > 0, "accessor: use data_ptr<T>() or item<T>() for a 0-dim tensor");
    check_accessor(N);
    return TensorAccessor<T, N>(data_ptr<T>(), impl_->sizes.data(), impl_->strides.data());
  }
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() && = delete;
  /// Returns typed access with a copy of sizes and strides, for kernels. The tensor may be on any
  /// device.
  template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
            class index_t = int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() const& {
    static_assert(N > 0, "packed_accessor: use data_ptr<T>() for a 0-dim tensor");
    check_packed_accessor(N, sizeof(index_t));
    return {data_ptr<T>(), impl_->sizes.data(), impl_->strides.data()};
  }
  /// Call generic_packed_accessor(), with indices of 64 or 32 bits. packed_accessor() is its older
  /// name. Throw Error unless T is the element type and N the number of dimensions. Indices of 32
  /// bits also throw Error for more than 2^31 - 1 elements.
  ///@{
  template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const& {
    return generic_packed_accessor<T, N, PtrTraits, int64_t>();
  }
  template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const& {
    return generic_packed_accessor<T, N, PtrTraits, int32_t>();
  }
  template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
            class index_t = int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, index_t> packed_accessor() const& {
    return generic_packed_accessor<T, N, PtrTraits, index_t>();
  }
  ///@}

  // -------------------------------------------------------------------- autograd
  /// Returns whether autograd records ops on the tensor: it is a leaf that requires a gradient, or
  /// an op computed it from such a leaf.
  bool requires_grad() const { return impl_ && impl_->requires_grad(); }
  /// Sets whether a leaf requires a gradient. Does nothing to a tensor that an op made. Throws for
  /// integral tensors.
  const Tensor& set_requires_grad(bool v) const;
  /// Sets whether a leaf requires a gradient. Throws if `v` is false and an op made the tensor.
  Tensor& requires_grad_(bool v = true) const;
  /// Returns whether the tensor has no grad_fn: the user made it, or it needs no gradient.
  bool is_leaf() const;
  /// Returns the accumulated gradient, undefined before the first backward.
  const Tensor& grad() const;
  /// Returns a reference to the accumulated gradient. You may change it or assign to it. It is
  /// valid as long as the tensor.
  Tensor& mutable_grad() const;
  /// Returns the node that made this tensor, null for a leaf.
  intrusive_ptr<autograd::Node> grad_fn() const;
  /// Returns the index of the tensor among grad_fn()'s outputs, 0 for a leaf.
  int64_t output_nr() const { return impl().output_nr; }
  /// Returns the number of in-place changes of the storage, 0 for an undefined tensor. Throws Error
  /// for inference tensors.
  int64_t _version() const {
    if (!impl_) return 0;
    TAPER_CHECK(!impl().inference, "Inference tensors do not track version counter.");
    return impl().version();
  }
  /// is_view() returns whether the tensor is a differentiable view. _base() returns the viewed
  /// tensor, which is never a view itself. _base() throws Error if is_view() is false. Results of
  /// detach() are no views. Results of view ops on a tensor of inference mode are no views.
  ///@{
  bool is_view() const { return impl().view_base.defined(); }
  Tensor _base() const;
  ///@}
  /// Computes the gradients of the leaves that this tensor was computed from. Adds each gradient to
  /// its leaf's `grad`.
  void backward(const Tensor& gradient = {}, optional<bool> retain_graph = nullopt,
                bool create_graph = false, optional<TensorList> inputs = nullopt) const;
  /// Keeps the gradient of a non-leaf in its `grad`.
  void retain_grad() const;
  /// Returns whether retain_grad() keeps the gradient. False for a leaf, which keeps its gradient
  /// anyway.
  bool retains_grad() const;
  /// Calls `hook(grad)` when the gradient of this tensor is complete. If the hook returns a tensor,
  /// the returned tensor replaces the gradient. Returns a number for remove_hook.
  template <class Hook>
  unsigned register_hook(Hook&& hook) const {
    using R = std::invoke_result_t<Hook, Tensor>;
    if constexpr (std::is_void<R>::value)
      return register_hook_impl([h = std::forward<Hook>(hook)](const Tensor& g) mutable {
        h(g);
        return Tensor();
      });
    else
      return register_hook_impl(
          [h = std::forward<Hook>(hook)](const Tensor& g) mutable { return Tensor(h(g)); });
  }
  /// Removes a hook by the number that register_hook returned. A number may be removed twice.
  /// Throws Error if register_hook() never returned this number.
  void remove_hook(unsigned id) const;
  /// detach() returns a tensor that shares the data, without history. detach_() drops the history
  /// of this tensor.
  Tensor detach() const;
  Tensor& detach_() const;
  /// Return a tensor that shares the data, without history. In-place changes of the result are not
  /// counted. variable_data() is LibTorch's other name.
  ///@{
  Tensor data() const;
  Tensor variable_data() const { return data(); }
  ///@}
  /// Returns a tensor that shares the data and the version counter, without history.
  Tensor tensor_data() const { return detach(); }
  /// Replaces this tensor's data, sizes and strides with those of `o`.
  void set_data(const Tensor& o) const;
  /// Returns an empty string. In LibTorch it is the name of a variable, which Taper does not have.
  const std::string& name() const;

  // -------------------------------------------------------------------- conversion
  /// Return the tensor with another dtype, device or memory format. Options that are not given stay
  /// unchanged. They return the tensor itself if nothing changes and `copy` is false. A gradient
  /// flows back through a floating or complex result. With `non_blocking` the host does not wait
  /// for a copy between pinned memory and a CUDA device. Throw Error for options with
  /// requires_grad(true), and for a device that does not exist.
  Tensor to(TensorOptions options, bool non_blocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(Device device, bool non_blocking = false, bool copy = false) const;
  Tensor to(DeviceType device, bool non_blocking = false, bool copy = false) const {
    return to(Device(device), non_blocking, copy);
  }
  Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  Tensor to(TypeMeta dtype, bool non_blocking = false, bool copy = false) const {
    return to(dtype.toScalarType(), non_blocking, copy);
  }
  Tensor to(const Tensor& other, bool non_blocking = false, bool copy = false,
            optional<MemoryFormat> format = nullopt) const;
  /// Returns the tensor on a device given by name: to("cuda:1").
  template <class T, std::enable_if_t<std::is_convertible<const T&, std::string>::value, int> = 0>
  Tensor to(const T& device, bool non_blocking = false, bool copy = false) const {
    return to(Device(std::string(device)), non_blocking, copy);
  }
  /// Return to(t). LibTorch's older names.
  ///@{
  Tensor toType(ScalarType t) const { return to(t); }
  Tensor type(ScalarType t) const { return to(t); }
  ///@}
  /// Returns the dtype and the kind of device as one value. For an undefined tensor, both are
  /// Undefined.
  DeprecatedTypeProperties& type() const;
  /// Converts the tensor to a dtype and a kind of device, given by PyTorch's name:
  /// type("torch.cuda.FloatTensor"). A tensor on a device of this kind stays there. Throws
  /// ValueError, which lists the names, for another text.
  Tensor type(const std::string& name) const;
  /// Returns to(o): the tensor with the dtype and device of `o`.
  Tensor type_as(const Tensor& o) const { return to(o); }
  /// cpu() returns the tensor on the CPU. cuda() returns it on the CUDA device `index`. No index,
  /// or -1, means the current device. Both throw Error if there is no such device.
  ///@{
  Tensor cpu() const;
  Tensor cuda() const;
  Tensor cuda(DeviceIndex index, bool non_blocking = false) const;
  ///@}
  /// Throw Error, like LibTorch built without these devices: "Taper is not linked with support for
  /// hip devices; expected cpu or cuda".
  ///@{
  Tensor hip() const;
  Tensor ve() const;
  ///@}
  /// Returns cpu() or cuda(). Throws Error for Undefined and for devices that Taper lacks, and
  /// NotImplementedError for sparse backends.
  Tensor toBackend(Backend backend) const;
  /// Returns a copy in page-locked memory. A tensor that is in page-locked memory is returned
  /// itself. Without CUDA devices it returns a plain copy.
  Tensor pin_memory() const;
  /// Returns a copy that is pinned for a CUDA device. Throws Error for a device of another kind.
  Tensor pin_memory(optional<Device> device) const;
  /// Tells the allocator that work queued on `stream` uses this CUDA tensor. The allocator reuses
  /// the memory only after this work.
  void record_stream(const cuda::Stream& stream) const;
  /// Returns this tensor if is_contiguous(format), else a contiguous copy.
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  /// Returns a copy in new memory. Gradients flow through the copy. By default, and with Preserve,
  /// dense strides are kept. Other formats give the elements the order of `format`. Throws Error
  /// for a channels-last format with fewer than 4 dimensions.
  Tensor clone(optional<MemoryFormat> format = nullopt) const;
  /// Overwrites the elements with those of `src`, broadcast and converted to this dtype and device.
  /// Gradients flow to `src`. `non_blocking` works as in to(). Throws Error if the sizes do not
  /// broadcast.
  Tensor& copy_(const Tensor& src, bool non_blocking = false) const;
  /// Returns a view of the whole tensor.
  Tensor alias() const;
  /// Returns the tensor itself, or to(*dtype) if `dtype` is given. Every tensor in Taper is dense.
  /// `masked_grad` has no effect, because it concerns sparse tensors.
  Tensor to_dense(optional<ScalarType> dtype = nullopt, optional<bool> /*masked_grad*/ = {}) const {
    return dtype ? to(*dtype) : *this;
  }

  // -------------------------------------------------------------------- indexing
  /// Return a view of the slice at an index of the first dimension, with one dimension less.
  /// Negative indices count from the end. A Scalar must be an integer. A tensor must be 0-dim and
  /// integral, and the function waits for its value. Throw IndexError for other tensors, and for an
  /// index out of range.
  Tensor operator[](int64_t index) const;
  Tensor operator[](const Scalar& index) const;
  Tensor operator[](const Tensor& index) const;
  /// Return x[...] of Python, with integers, slices, None, "...", bools and tensors
  /// (framework/core/indexing.h). The result is a copy if an index is a bool or a tensor, and a
  /// view otherwise. A 0-dim integral tensor counts as an integer. Throw IndexError for indices out
  /// of range and for too many indices, and Error for an empty list.
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  /// Assign x[...] = value as in Python, in-place. Leading dimensions of size 1 are dropped from
  /// `value`. Then it is broadcast to the sizes of index(). Throw the errors of index(), and Error
  /// if the sizes do not broadcast.
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& value) const;
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices,
                     const Tensor& value) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices,
                     const Scalar& value) const;
  /// Index like the functions of ops/index/index_advanced.h. Entry d is for dimension d, and
  /// nullopt selects the whole dimension. The result is a copy. With `accumulate`, values are added
  /// to the elements.
  ///@{
  Tensor index(const std::vector<optional<Tensor>>& indices) const;
  Tensor& index_put_(const std::vector<optional<Tensor>>& indices, const Tensor& values,
                     bool accumulate = false) const;
  Tensor index_put(const std::vector<optional<Tensor>>& indices, const Tensor& values,
                   bool accumulate = false) const;
  ///@}

  // -------------------------------------------------------------------- operators
  /// Return neg() and bitwise_not(): new tensors.
  ///@{
  Tensor operator-() const;
  Tensor operator~() const;
  ///@}
  /// Apply add_(), sub_(), mul_(), div_(), bitwise_and_(), bitwise_or_() and bitwise_xor_()
  /// in-place, with their errors. They return the handle itself.
  ///@{
  Tensor& operator+=(const Tensor& o);
  Tensor& operator+=(const Scalar& o);
  Tensor& operator-=(const Tensor& o);
  Tensor& operator-=(const Scalar& o);
  Tensor& operator*=(const Tensor& o);
  Tensor& operator*=(const Scalar& o);
  Tensor& operator/=(const Tensor& o);
  Tensor& operator/=(const Scalar& o);
  Tensor& operator&=(const Tensor& o);
  Tensor& operator|=(const Tensor& o);
  Tensor& operator^=(const Tensor& o);
  ///@}

#include <taper/framework/core/tensor_methods.inc>

 private:
  [[noreturn]] static void throw_undefined();
  static IntArrayRef undefined_sizes();
  void check_element_type(ScalarType expected) const {
    if (__builtin_expect(impl().dtype != expected, 0)) throw_element_type(expected);
  }
  [[noreturn]] void throw_element_type(ScalarType expected) const;
  void check_accessor(size_t dims) const;
  /// Throws unless the tensor has `dims` dimensions and an index of `index_nbytes` bytes can hold
  /// numel().
  void check_packed_accessor(size_t dims, size_t index_nbytes) const;
  unsigned register_hook_impl(std::function<Tensor(const Tensor&)> hook) const;

  intrusive_ptr<TensorImpl> impl_;
};

namespace detail {
/// Returns the handle itself as Tensor&. Methods that change a tensor are const, because the handle
/// stays unchanged. They return Tensor&, as in LibTorch.
inline Tensor& as_mutable(const Tensor& x) { return const_cast<Tensor&>(x); }
}  // namespace detail

/// Prints LibTorch's text of a tensor.
std::ostream& operator<<(std::ostream& out, const Tensor& t);
/// Prints a tensor with a given line width. operator<< uses 80.
std::ostream& print(std::ostream& out, const Tensor& t, int64_t linesize);
/// Prints a tensor to the standard output.
void print(const Tensor& t, int64_t linesize = 80);
/// Returns Python's text of a tensor: tensor([1., 2.], grad_fn=<MulBackward0>).
std::string repr(const Tensor& t);

namespace detail {
/// Returns a new row-major tensor with uninitialised memory and no gradient.
Tensor make_tensor(IntArrayRef sizes, ScalarType dtype, Device device, const char* op = "empty");
/// Return a new tensor with the sizes and the device of `like`, and its strides if they are dense.
/// Without `dtype`, the result has the dtype of `like`.
Tensor make_like(const Tensor& like);
Tensor make_like(const Tensor& like, ScalarType dtype);
/// Returns a new tensor over the memory of `t` with its sizes and strides. The result has no
/// history and is not a view.
Tensor share_data(const TensorImpl& t);
/// Returns a tensor over the memory of `t` with other sizes and strides, for view ops. Checks
/// nothing.
Tensor share_data(const TensorImpl& t, const Dims& sizes, const Dims& strides, int64_t offset);
/// Return a tensor over the memory of `t`, without checks. share_as_real turns each complex element
/// into two real ones in a new last dimension. share_as_complex does the reverse.
Tensor share_as_real(const TensorImpl& t);
Tensor share_as_complex(const TensorImpl& t);
/// Returns a tensor over the bytes of `t` as elements of another dtype. `offset` is in elements of
/// that dtype. Checks nothing.
Tensor share_in_units(const TensorImpl& t, ScalarType dtype, const Dims& sizes, const Dims& strides,
                      int64_t offset);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
