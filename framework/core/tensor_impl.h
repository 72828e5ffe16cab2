// TensorImpl: the object that a Tensor handle refers to.
#pragma once

#include <taper/framework/core/options.h>
#include <taper/framework/core/storage.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace autograd {
struct Node;
}

struct AutogradExtra;

/// Sizes and strides over a storage, and the tensor's place in the autograd graph. It is one
/// allocation from the pool. Rare parts (gradient, hooks) are in AutogradExtra.
struct TensorImpl : detail::Pooled<TensorImpl> {
  TensorImpl() = default;
  ~TensorImpl();
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;
  /// Deletes the object. intrusive_ptr calls it for the last owner.
  static void destroy(TensorImpl* t);

  RefCount refs;                             ///< owners: handles, and what autograd saves
  ScalarType dtype = ScalarType::Undefined;  ///< element type
  Device device;                             ///< device of the storage
  /// True if the elements are row-major without gaps. Most kernels have a faster loop for this.
  bool contiguous = true;
  /// True for a leaf that requires a gradient. A tensor with grad_fn always requires a gradient.
  bool leaf_requires_grad = false;
  /// True if the tensor was made in inference mode. Autograd refuses to save it.
  bool inference = false;
  /// True for results of `Tensor::data()`. Their in-place changes are not counted.
  bool untracked = false;
  /// True for a tensor that was made from a C++ number. Type promotion treats it as a Scalar.
  bool wrapped_number = false;
  /// True for a registered parameter of a module. repr() shows this.
  bool parameter = false;
  /// Why an in-place write to this view is an error when its base requires a gradient.
  enum class ViewOrigin : uint8_t {
    kDefault,
    kNoGrad,
    kMultiOutput,
    kInference,
    kCustomFunction,
    kOtherDtype
  };
  ViewOrigin view_origin = ViewOrigin::kDefault;  ///< used for views only

  /// The address of the first element: storage->data + offset * element size.
  void* data = nullptr;
  int64_t numel = 0;                   ///< number of elements
  int64_t offset = 0;                  ///< position of the first element, in elements
  Dims sizes;                          ///< size of each dimension
  Dims strides;                        ///< stride of each dimension, in elements
  intrusive_ptr<StorageImpl> storage;  ///< shared with views

  /// The node that made this tensor (null for a leaf), and the tensor's index among the node's
  /// outputs.
  ///@{
  intrusive_ptr<autograd::Node> grad_fn;
  uint32_t output_nr = 0;
  ///@}
  /// The version of the storage when a view's grad_fn was set. If the versions differ, grad_fn is
  /// stale.
  uint32_t view_version = 0;
  /// The tensor that this is a differentiable view of. It is never a view itself.
  intrusive_ptr<TensorImpl> view_base;
  /// Gradient, hooks and other rare parts, owned. Null until one of them exists.
  AutogradExtra* extra = nullptr;

  /// Returns whether the tensor requires a gradient itself: it is a leaf with leaf_requires_grad,
  /// or it has a grad_fn.
  bool has_history() const { return leaf_requires_grad || grad_fn.defined(); }
  /// Returns whether autograd records ops on the tensor: the tensor or its view_base has history.
  bool requires_grad() const { return has_history() || (view_base && view_base->has_history()); }
  size_t itemsize() const { return elementSize(dtype); }  ///< bytes of an element
  /// Counts an in-place change, unless the tensor is untracked or of inference mode.
  void bump_version() {
    if (!untracked && !inference) detail::count_up(storage->version);
  }
  /// Returns the number of in-place changes of the storage, modulo 2^32.
  uint32_t version() const { return storage->version.load(std::memory_order_relaxed); }
  /// Sets numel and contiguous from sizes and strides.
  void update_geometry();
  /// Sets sizes, and strides to row-major.
  void set_contiguous_sizes(IntArrayRef new_sizes);
};

/// Computes row-major strides: the stride of a dimension is the product of the sizes (at least 1)
/// after it.
void contiguous_strides(const Dims& sizes, Dims& strides);

}  // namespace torch::taper

#pragma GCC visibility pop
