// Tensor: a reference-counted handle to n-dimensional data on one device, with autograd.
//
// The names, arguments and defaults of the methods are LibTorch's. What a method does is documented
// at the function of the same name in ops/; what is declared here without one is explained here.
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
/// Tensors in a row that somebody else owns, as an op's argument: what a vector or a braced list
/// converts to.
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

/// A handle to an n-dimensional array of one dtype on one device, which has a place in the autograd
/// graph. Copies of a handle are the same tensor, views share its memory, and clone() copies the
/// elements. A handle made without arguments is undefined: it has no tensor yet. As in LibTorch it
/// answers questions about its size, [0], and most other methods throw Error. Methods that change a
/// tensor are const, as the handle stays what it is.
class Tensor {
 public:
  Tensor() = default;
  /// The same tensor by a further handle: no element is copied. A handle that was moved from is
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
  /// Assigning to a temporary writes its elements: `x[0] = y` is `x[0].copy_(y)`, and a number is
  /// `fill_(v)`.
  Tensor& operator=(const Tensor& o) &&;
  Tensor& operator=(Tensor&& o) &&;
  Tensor& operator=(const Scalar& v) &&;

  // -------------------------------------------------------------------- what it is
  /// Whether the handle has a tensor.
  bool defined() const { return impl_.defined(); }
  /// Makes the handle undefined; other handles keep the tensor.
  void reset() { impl_.reset(); }
  /// Whether both are handles to one tensor, not just to the same memory.
  bool is_same(const Tensor& o) const { return impl_ == o.impl_; }
  /// How many handles, and saved ones of autograd, the tensor has; 0 when undefined.
  size_t use_count() const { return impl_.use_count(); }
  /// The object behind the handle, which goes on owning it; null when undefined.
  TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
  /// The object behind the handle; throws for an undefined tensor.
  TensorImpl& impl() const {
    if (__builtin_expect(!impl_, 0)) throw_undefined();
    return *impl_;
  }
  /// What owns the object; null when undefined.
  const intrusive_ptr<TensorImpl>& impl_ptr() const { return impl_; }

  /// Number of dimensions: 0 for a tensor of one number, 1 for an undefined tensor.
  ///@{
  int64_t dim() const { return __builtin_expect(!impl_, 0) ? 1 : impl_->sizes.size(); }
  int64_t ndimension() const { return dim(); }
  ///@}
  /// The size of a dimension, or the step from one of its indices to the next, in elements.
  /// Negative dimensions count from the last. Throws IndexError when there is no such dimension.
  ///@{
  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  ///@}
  /// All sizes or strides: the tensor's own, good until it is resized or gone. An undefined tensor
  /// has the sizes [0]; its strides throw Error.
  ///@{
  IntArrayRef sizes() const {
    return __builtin_expect(!impl_, 0) ? undefined_sizes() : IntArrayRef(impl_->sizes);
  }
  IntArrayRef strides() const { return impl().strides; }
  ///@}
  /// Number of elements; 0 for an undefined tensor.
  int64_t numel() const { return impl_ ? impl_->numel : 0; }
  /// Where the first element lies in the storage, in elements; 0 for an undefined tensor.
  int64_t storage_offset() const { return impl_ ? impl_->offset : 0; }
  /// Bytes of one element.
  ///@{
  size_t itemsize() const { return impl().itemsize(); }
  int64_t element_size() const { return static_cast<int64_t>(itemsize()); }
  ///@}
  /// Bytes of all elements: numel() * itemsize(), whatever the strides.
  size_t nbytes() const { return static_cast<size_t>(numel()) * itemsize(); }
  /// The dtype; Undefined for an undefined tensor.
  ///@{
  ScalarType scalar_type() const { return impl_ ? impl_->dtype : ScalarType::Undefined; }
  TypeMeta dtype() const { return scalar_type(); }
  ///@}
  /// Where the elements are, with an index for CUDA.
  Device device() const { return impl().device; }
  /// The index of the CUDA device; -1 for the CPU.
  int64_t get_device() const;
  Layout layout() const { return kStrided; }  ///< always kStrided
  /// The kind of device; both are false for an undefined tensor.
  ///@{
  bool is_cuda() const { return impl_ && impl_->device.is_cuda(); }
  bool is_cpu() const { return impl_ && impl_->device.is_cpu(); }
  ///@}
  /// Whether the elements are in page-locked host memory; false on a CUDA device. `device` may say
  /// whose, a CUDA device: Error for another kind.
  ///@{
  bool is_pinned() const;
  bool is_pinned(optional<Device> device) const;
  ///@}
  /// Whether the dtype is a real floating one.
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  /// Whether the dtype is a complex one.
  bool is_complex() const { return isComplexType(scalar_type()); }
  /// Whether the dtype holds numbers below 0. Throws Error for an undefined tensor.
  bool is_signed() const { return isSignedType(impl().dtype); }
  /// Whether it was made in inference mode, so that autograd cannot save it.
  bool is_inference() const { return impl_ && impl_->inference; }
  /// Whether the only element is other than 0. Waits for the device. Throws Error unless there is
  /// exactly one element.
  bool is_nonzero() const;
  /// Whether the elements lie without gaps in the order of `format`: row-major for Contiguous and
  /// Preserve; the channels-last formats want 4 (3d: 5) dimensions. True for an undefined tensor.
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  /// Contiguous where the tensor is, else the channels-last format that it has; Contiguous for
  /// others.
  MemoryFormat suggest_memory_format() const;
  /// Whether each element has a place of its own and no gap is between them, in any order of
  /// dimensions.
  bool is_non_overlapping_and_dense() const;
  /// Whether both have the same storage, in whatever part of it.
  bool is_alias_of(const Tensor& o) const { return impl().storage == o.impl().storage; }
  /// Whether both have the same storage, offset, sizes and strides.
  bool is_set_to(const Tensor& o) const;
  /// Whether the sizes are equal; nothing is broadcast.
  bool is_same_size(const Tensor& o) const { return sizes() == o.sizes(); }
  bool has_storage() const { return defined(); }  ///< as defined()
  bool is_variable() const { return true; }       ///< always true
#include <taper/framework/core/tensor_absent.inc>
  /// The bytes behind the tensor, which its views share.
  Storage storage() const { return Storage(impl().storage); }
  /// Dtype and device, for factories to make a tensor alike.
  TensorOptions options() const { return TensorOptions(scalar_type()).device(device()); }
  /// "CPUFloatType": LibTorch's name of dtype and device.
  std::string toString() const;
  /// Writes what it is, without elements, to stderr: "[CPUFloatType [2, 3]]".
  void print() const;

  // -------------------------------------------------------------------- reading
  /// The first element, an address on device(): of a CUDA device the host cannot read it, nor does
  /// this wait for queued work.
  void* data_ptr() const { return impl().data; }
  /// LibTorch's older name of data_ptr<T>().
  template <class T>
  T* data() const {
    return data_ptr<T>();
  }
  /// The first element. Throws unless T is the tensor's element type.
  template <class T>
  T* data_ptr() const {
    check_element_type(CppTypeToScalarType<std::remove_const_t<T>>::value);
    return static_cast<T*>(impl_->data);
  }
  /// data_ptr() by LibTorch's names that say what it is for. With T: Error unless that is the
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
  /// The value of a one-element tensor. Waits for the device.
  Scalar item() const;
  template <class T>
  T item() const {
    return item().to<T>();
  }
  /// Typed access to a CPU tensor of N dimensions.
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() const& {
    static_assert(N > 0, "accessor: use data_ptr<T>() or item<T>() for a 0-dim tensor");
    check_accessor(N);
    return TensorAccessor<T, N>(data_ptr<T>(), impl_->sizes.data(), impl_->strides.data());
  }
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() && = delete;
  /// The same with its own copy of the geometry, for kernels: the tensor may be on a device.
  template <class T, size_t N, template <class> class PtrTraits = DefaultPtrTraits,
            class index_t = int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() const& {
    static_assert(N > 0, "packed_accessor: use data_ptr<T>() for a 0-dim tensor");
    check_packed_accessor(N, sizeof(index_t));
    return {data_ptr<T>(), impl_->sizes.data(), impl_->strides.data()};
  }
  /// generic_packed_accessor() with indices of 64 or 32 bits; packed_accessor() is its older name.
  /// Throws Error unless T is the element type and N the number of dimensions, and for more than
  /// 2^31 - 1 elements with 32 bits.
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
  /// Whether autograd records what is done with the tensor: it is a leaf that asks for a gradient,
  /// or was made from one.
  bool requires_grad() const { return impl_ && impl_->requires_grad(); }
  /// Makes a leaf ask for a gradient (or no longer); does nothing to a tensor that an op made.
  /// Throws for integral tensors.
  const Tensor& set_requires_grad(bool v) const;
  /// The same; `false` for a tensor that an op made throws.
  Tensor& requires_grad_(bool v = true) const;
  /// True for tensors made by the user or that need no gradient.
  bool is_leaf() const;
  /// The accumulated gradient; undefined before the first backward.
  const Tensor& grad() const;
  /// The accumulated gradient, to be changed or assigned. The reference is good as long as the
  /// tensor lives.
  Tensor& mutable_grad() const;
  /// The node that made this tensor; null for a leaf.
  intrusive_ptr<autograd::Node> grad_fn() const;
  /// Which output of grad_fn() the tensor is; 0 for a leaf.
  int64_t output_nr() const { return impl().output_nr; }
  /// How often the storage was changed in place; 0 for an undefined tensor. Throws Error for
  /// inference tensors.
  int64_t _version() const {
    if (!impl_) return 0;
    TAPER_CHECK(!impl().inference, "Inference tensors do not track version counter.");
    return impl().version();
  }
  /// Whether a view op made the tensor (detach() does not, nor any op from a tensor of inference
  /// mode), and the tensor that it is a view of, which is no view itself. _base() throws Error for
  /// other tensors.
  ///@{
  bool is_view() const { return impl().view_base.defined(); }
  Tensor _base() const;
  ///@}
  /// Computes the gradients of the leaves this tensor came from and adds them to their `grad`.
  void backward(const Tensor& gradient = {}, optional<bool> retain_graph = nullopt,
                bool create_graph = false, optional<TensorList> inputs = nullopt) const;
  /// Keeps the gradient of a non-leaf in its `grad`.
  void retain_grad() const;
  /// Whether retain_grad() keeps its gradient; false for a leaf, which has one anyway.
  bool retains_grad() const;
  /// Calls `hook(grad)` when the gradient of this tensor is complete; a returned tensor replaces
  /// it. The result identifies the hook for remove_hook.
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
  /// Removes a hook by the number that register_hook gave; one that was removed may be named again.
  /// Throws Error for a number that was never given.
  void remove_hook(unsigned id) const;
  /// Shares the data, not the history.
  Tensor detach() const;
  Tensor& detach_() const;
  /// Shares the data, without history and without version tracking: changes in place are not
  /// counted. variable_data() is LibTorch's other name.
  ///@{
  Tensor data() const;
  Tensor variable_data() const { return data(); }
  ///@}
  /// Shares the data and the count of changes, without history.
  Tensor tensor_data() const { return detach(); }
  /// Makes this handle's object take over `o`'s data and geometry.
  void set_data(const Tensor& o) const;
  /// LibTorch's name of a variable: empty, as nothing here sets one.
  const std::string& name() const;

  // -------------------------------------------------------------------- conversion
  /// The tensor with another dtype, on another device or in another memory format; what is not
  /// given stays. It is this tensor itself where nothing changes and `copy` is false. A gradient
  /// flows back through a floating or complex result. With `non_blocking` the host does not wait
  /// for a copy between pinned memory and a CUDA device. Throws Error for options that require a
  /// gradient and for a device that does not exist.
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
  /// A device by its name: to("cuda:1").
  template <class T, std::enable_if_t<std::is_convertible<const T&, std::string>::value, int> = 0>
  Tensor to(const T& device, bool non_blocking = false, bool copy = false) const {
    return to(Device(std::string(device)), non_blocking, copy);
  }
  /// to(t) by LibTorch's older names.
  ///@{
  Tensor toType(ScalarType t) const { return to(t); }
  Tensor type(ScalarType t) const { return to(t); }
  ///@}
  /// Dtype and kind of device as one value; Undefined ones of an undefined tensor.
  DeprecatedTypeProperties& type() const;
  /// By PyTorch's name of dtype and kind of device: type("torch.cuda.FloatTensor"). A tensor that
  /// is on such a device stays on it. Throws ValueError, with the names there are, for another
  /// text.
  Tensor type(const std::string& name) const;
  /// to(o): the dtype and device of `o`.
  Tensor type_as(const Tensor& o) const { return to(o); }
  /// to() of the CPU, or of a CUDA device: the current one, or that of the index (-1: the current
  /// one). Throws Error when there is no such device.
  ///@{
  Tensor cpu() const;
  Tensor cuda() const;
  Tensor cuda(DeviceIndex index, bool non_blocking = false) const;
  ///@}
  /// Throw Error, as LibTorch does that was built without such devices: "Taper is not linked with
  /// support for hip devices; expected cpu or cuda".
  ///@{
  Tensor hip() const;
  Tensor ve() const;
  ///@}
  /// cpu() or cuda(). Throws Error for Undefined and for devices that Taper has none of, and
  /// NotImplementedError for sparse ones.
  Tensor toBackend(Backend backend) const;
  /// A copy in page-locked memory (itself if it is there already; without CUDA devices a plain
  /// copy).
  Tensor pin_memory() const;
  /// The memory is pinned for CUDA devices: Error for a device of another kind.
  Tensor pin_memory(optional<Device> device) const;
  /// Tells the allocator that work on `stream` uses this CUDA tensor: freed, its memory is not
  /// reused before that work is done.
  void record_stream(const cuda::Stream& stream) const;
  /// Itself where is_contiguous(format), else a copy that is.
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  /// The same values in new memory, through which gradients flow. By default, and with Preserve,
  /// the strides are kept where they are dense; else the elements lie in the order of `format`.
  /// Throws Error for a channels-last format and less than 4 dimensions.
  Tensor clone(optional<MemoryFormat> format = nullopt) const;
  /// Overwrites the elements with those of `src`, broadcast and converted to this dtype and device;
  /// gradients flow to `src`. `non_blocking`: as for to(). Throws Error for sizes that do not
  /// broadcast to these.
  Tensor& copy_(const Tensor& src, bool non_blocking = false) const;
  /// A view of all of it.
  Tensor alias() const;
  /// The tensor itself, as every tensor here is dense, or of that dtype. `masked_grad` concerns
  /// sparse ones.
  Tensor to_dense(optional<ScalarType> dtype = nullopt, optional<bool> /*masked_grad*/ = {}) const {
    return dtype ? to(*dtype) : *this;
  }

  // -------------------------------------------------------------------- indexing
  /// The part at an index of the first dimension: a view with one dimension less. Negative indices
  /// count from the end. A Scalar must be an integer, a tensor a 0-dim one of integers, which is
  /// waited for. Throws IndexError for others, and for what is out of range.
  Tensor operator[](int64_t index) const;
  Tensor operator[](const Scalar& index) const;
  Tensor operator[](const Tensor& index) const;
  /// x[...] of Python, with integers, slices, None, "...", bools and tensors
  /// (framework/core/indexing.h): a view, but with bools or tensors a copy (an integer in a 0-dim
  /// tensor counts as an integer). Throws IndexError for indices out of range and too many of them,
  /// Error for an empty list.
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  /// x[...] = value of Python, in place: `value` is broadcast to what index() of these indices
  /// gives, without its leading dimensions of size 1. Throws as index() does, and Error where
  /// the sizes do not fit.
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& value) const;
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Scalar& value) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices,
                     const Tensor& value) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices,
                     const Scalar& value) const;
  /// As the functions of ops/index/index_advanced.h: entry d is for dimension d, nullopt is all of
  /// it. The result is a copy; with `accumulate` values are added to what is there.
  ///@{
  Tensor index(const std::vector<optional<Tensor>>& indices) const;
  Tensor& index_put_(const std::vector<optional<Tensor>>& indices, const Tensor& values,
                     bool accumulate = false) const;
  Tensor index_put(const std::vector<optional<Tensor>>& indices, const Tensor& values,
                   bool accumulate = false) const;
  ///@}

  // -------------------------------------------------------------------- operators
  /// neg() and bitwise_not(): new tensors.
  ///@{
  Tensor operator-() const;
  Tensor operator~() const;
  ///@}
  /// In place: add_(), sub_(), mul_(), div_(), bitwise_and_(), bitwise_or_() and bitwise_xor_(),
  /// with their errors. They return the handle itself.
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
  /// An index of `index_nbytes` must hold the number of elements.
  void check_packed_accessor(size_t dims, size_t index_nbytes) const;
  unsigned register_hook_impl(std::function<Tensor(const Tensor&)> hook) const;

  intrusive_ptr<TensorImpl> impl_;
};

namespace detail {
/// The handle itself, for what returns it as LibTorch does: methods that change a tensor are const,
/// because the handle stays as it is, and return a Tensor&.
inline Tensor& as_mutable(const Tensor& x) { return const_cast<Tensor&>(x); }
}  // namespace detail

/// LibTorch's text of a tensor.
std::ostream& operator<<(std::ostream& out, const Tensor& t);
/// The same with a given line width; the default of operator<< is 80.
std::ostream& print(std::ostream& out, const Tensor& t, int64_t linesize);
/// The same on the standard output.
void print(const Tensor& t, int64_t linesize = 80);
/// Python's text of a tensor: tensor([1., 2.], grad_fn=<MulBackward0>).
std::string repr(const Tensor& t);

namespace detail {
/// A new tensor with uninitialised memory, row-major, no gradient.
Tensor make_tensor(IntArrayRef sizes, ScalarType dtype, Device device, const char* op = "empty");
/// Like make_tensor with the sizes, dtype and device of `like`, its strides when dense.
Tensor make_like(const Tensor& like);
Tensor make_like(const Tensor& like, ScalarType dtype);
/// A tensor of its own over the same memory with the same geometry: no history, not a view.
Tensor share_data(const TensorImpl& t);
/// The same memory with another geometry, for view ops. Checks nothing.
Tensor share_data(const TensorImpl& t, const Dims& sizes, const Dims& strides, int64_t offset);
/// The same memory with complex elements as two real ones, in a last dimension; and back. Checks
/// nothing.
Tensor share_as_real(const TensorImpl& t);
Tensor share_as_complex(const TensorImpl& t);
/// The same bytes as elements of another dtype; the offset counts those. Checks nothing.
Tensor share_in_units(const TensorImpl& t, ScalarType dtype, const Dims& sizes, const Dims& strides,
                      int64_t offset);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
