// TensorImpl: what a Tensor handle points to.
#pragma once

#include <taper/framework/core/options.h>
#include <taper/framework/core/storage.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace autograd {
struct Node;
}

struct AutogradExtra;

/// Geometry over a storage, and the tensor's place in the autograd graph. One allocation from the
/// pool; the rare parts (gradient, hooks) are in AutogradExtra.
struct TensorImpl : detail::Pooled<TensorImpl> {
  TensorImpl() = default;
  ~TensorImpl();
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;
  /// Deletes the object: what intrusive_ptr calls for the last owner.
  static void destroy(TensorImpl* t);

  RefCount refs;                             ///< owners: handles, and what autograd saves
  ScalarType dtype = ScalarType::Undefined;  ///< element type
  Device device;                             ///< that of the storage
  /// Row-major with no gaps: most kernels have a shortcut for it.
  bool contiguous = true;
  /// A leaf that asks for a gradient. A tensor with grad_fn requires one anyway.
  bool leaf_requires_grad = false;
  /// Made in inference mode: autograd refuses to save it.
  bool inference = false;
  /// `Tensor::data()`: changes to it are invisible to autograd.
  bool untracked = false;
  /// A C++ number made into a tensor: weighs like a Scalar in type promotion.
  bool wrapped_number = false;
  /// Registered as a module's parameter: repr() says so.
  bool parameter = false;
  /// Why writing in place to this view is an error when its base asks for a gradient.
  enum class ViewOrigin : uint8_t {
    kDefault,
    kNoGrad,
    kMultiOutput,
    kInference,
    kCustomFunction,
    kOtherDtype
  };
  ViewOrigin view_origin = ViewOrigin::kDefault;  ///< counts for views only

  /// First element: storage->data + offset * element size.
  void* data = nullptr;
  int64_t numel = 0;                   ///< number of elements
  int64_t offset = 0;                  ///< of the first element in the storage, in elements
  Dims sizes;                          ///< of each dimension, in elements
  Dims strides;                        ///< from one index of a dimension to the next, in elements
  intrusive_ptr<StorageImpl> storage;  ///< shared with views

  /// The node that made this tensor (null for a leaf), and which of its outputs this is.
  ///@{
  intrusive_ptr<autograd::Node> grad_fn;
  uint32_t output_nr = 0;
  ///@}
  /// A view's grad_fn is stale when the storage's version differs from this.
  uint32_t view_version = 0;
  /// The tensor this one is a differentiable view of; itself never a view.
  intrusive_ptr<TensorImpl> view_base;
  /// Gradient, hooks and the like, owned; null until there is one.
  AutogradExtra* extra = nullptr;

  /// Whether it asks for a gradient itself: as a leaf, or as a result of what does.
  bool has_history() const { return leaf_requires_grad || grad_fn.defined(); }
  /// Whether autograd records what is done with it: as a leaf that asks for a gradient, as a result
  /// of such, or as a view of one.
  bool requires_grad() const { return has_history() || (view_base && view_base->has_history()); }
  size_t itemsize() const { return elementSize(dtype); }  ///< bytes of an element
  /// Notes a change in place, unless the tensor is untracked or of inference mode.
  void bump_version() {
    if (!untracked && !inference) detail::count_up(storage->version);
  }
  /// How often the storage was changed in place, modulo 2^32.
  uint32_t version() const { return storage->version.load(std::memory_order_relaxed); }
  /// Sets numel and contiguous from sizes and strides.
  void update_geometry();
  /// Sets sizes, and strides to row-major.
  void set_contiguous_sizes(IntArrayRef new_sizes);
};

/// Row-major strides: the stride of a dimension is the product of the sizes (at least 1) after it.
void contiguous_strides(const Dims& sizes, Dims& strides);

}  // namespace torch::taper

#pragma GCC visibility pop
