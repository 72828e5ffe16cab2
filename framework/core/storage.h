// Storage: the bytes behind one or more tensors, and the host memory they come from.
#pragma once

#include <functional>
#include <memory>

#include <taper/framework/core/device.h>
#include <taper/framework/core/intrusive.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Frees what a DataPtr's context is.
using DeleterFnPtr = void (*)(void*);

/// A pointer to memory on a device, and a context that is freed with it: what a program's own
/// Allocator gives. Without a context it owns nothing.
class DataPtr {
 public:
  DataPtr() : context_(nullptr, keep) {}
  /// Memory at `data`, which may be null. A context that is not null is given to the deleter when
  /// the DataPtr goes; a null deleter does nothing.
  ///@{
  DataPtr(void* data, Device device) : data_(data), context_(nullptr, keep), device_(device) {}
  DataPtr(void* data, void* context, DeleterFnPtr deleter, Device device)
      : data_(data), context_(context, deleter ? deleter : keep), device_(device) {}
  ///@}
  /// The memory, on device(); null where there is none.
  ///@{
  void* get() const { return data_; }
  void* mutable_get() { return data_; }
  void* operator->() const { return data_; }
  ///@}
  /// Whether there is memory or a context.
  explicit operator bool() const { return data_ || context_; }
  /// Where the memory is.
  Device device() const { return device_; }
  /// The context, still owned, and what frees it. Never a null deleter.
  ///@{
  void* get_context() const { return context_.get(); }
  DeleterFnPtr get_deleter() const { return context_.get_deleter(); }
  ///@}
  /// The context, which the caller is to free from now on.
  void* release_context() { return context_.release(); }
  /// The context to be moved from: what is made of it frees the context.
  std::unique_ptr<void, DeleterFnPtr>&& move_context() { return std::move(context_); }
  /// The context as T where it has that deleter, else null.
  template <class T>
  T* cast_context(DeleterFnPtr expected) const {
    return get_deleter() == expected ? static_cast<T*>(get_context()) : nullptr;
  }
  /// Frees the context and sets the memory to null; device() stays.
  void clear() {
    data_ = nullptr;
    context_.reset();
  }
  /// Changes what device() says. No bytes move.
  void unsafe_set_device(Device device) { device_ = device; }
  /// Whether there is neither memory nor context.
  ///@{
  friend bool operator==(const DataPtr& p, std::nullptr_t) { return !p; }
  friend bool operator!=(const DataPtr& p, std::nullptr_t) { return static_cast<bool>(p); }
  ///@}

 private:
  static void keep(void*) {}
  void* data_ = nullptr;
  std::unique_ptr<void, DeleterFnPtr> context_;
  Device device_;
};

/// A block of memory on one device, shared by a tensor and its views.
struct StorageImpl {
  /// Whose the bytes are: in one block with this object, in a block of their own from the
  /// allocator, or somebody else's.
  enum class Origin : uint8_t { kInline, kBlock, kExternal };

  RefCount refs;  ///< owners: tensors and Storage handles
  /// Counts in-place changes; autograd compares it with the value at the time of saving.
  std::atomic<uint32_t> version{0};
  Device device;                    ///< where the bytes are
  Origin origin = Origin::kInline;  ///< whose the bytes are
  void* data = nullptr;             ///< first byte
  size_t nbytes = 0;                ///< size in bytes, as it was asked for
  /// Only for kExternal: called once with `data`.
  std::function<void(void*)>* deleter = nullptr;

  /// Frees the bytes and the object: what intrusive_ptr calls for the last owner.
  static void destroy(StorageImpl* s);
};

/// Uninitialised memory on `device`, aligned to 64 bytes.
/// Throws OutOfMemoryError when there is none.
intrusive_ptr<StorageImpl> allocate_storage(size_t nbytes, Device device);
/// Memory owned by somebody else; `deleter` (may be empty) runs when the last tensor is gone.
intrusive_ptr<StorageImpl> wrap_storage(void* data, size_t nbytes, Device device,
                                        std::function<void(void*)> deleter);

/// A handle to a StorageImpl, as `Tensor::storage()` returns it.
class Storage {
 public:
  Storage() = default;
  /// A further owner of that storage.
  explicit Storage(intrusive_ptr<StorageImpl> impl) : impl_(std::move(impl)) {}
  /// The first byte, null for an empty handle. T is not checked against any dtype.
  ///@{
  void* data() const { return impl_ ? impl_->data : nullptr; }
  void* mutable_data() const { return data(); }
  template <class T>
  T* data() const {
    return static_cast<T*>(data());
  }
  ///@}
  /// Bytes of the whole storage, of which a tensor may use a part; 0 for an empty handle.
  size_t nbytes() const { return impl_ ? impl_->nbytes : 0; }
  /// Where the bytes are. The handle must not be empty: this is not checked.
  ///@{
  Device device() const { return impl_->device; }
  DeviceType device_type() const { return device().type(); }
  ///@}
  /// The memory without a context: it stays the storage's own, and is good as long as that.
  ///@{
  DataPtr data_ptr() const { return impl_ ? DataPtr(data(), device()) : DataPtr(); }
  DataPtr mutable_data_ptr() const { return data_ptr(); }
  ///@}
  /// The object behind the handle, which goes on owning it; null for an empty handle.
  StorageImpl* unsafeGetStorageImpl() const { return impl_.get(); }
  /// How many tensors and handles own the storage; 0 for an empty handle.
  size_t use_count() const { return impl_.use_count(); }
  /// Whether both are handles to the same storage.
  bool is_alias_of(const Storage& o) const { return impl_ == o.impl_; }
  /// Whether the handle has a storage.
  explicit operator bool() const { return impl_.defined(); }
  /// As unsafeGetStorageImpl().
  StorageImpl* impl() const { return impl_.get(); }

 private:
  intrusive_ptr<StorageImpl> impl_;
};

namespace detail {

/// Memory for the objects that every op makes (tensors, nodes, small storages): thread-local free
/// lists by size class. `nbytes` at release must be what it was at allocation. 64-byte aligned.
void* pool_allocate(size_t nbytes);
void pool_release(void* p, size_t nbytes) noexcept;

/// Gives a class its memory from the pool.
template <class T>
struct Pooled {
  static void* operator new(size_t nbytes) { return pool_allocate(nbytes); }
  static void operator delete(void* p, size_t nbytes) { pool_release(p, nbytes); }
};

}  // namespace detail

/// Bytes that the host allocator keeps for reuse.
size_t cached_host_memory();
/// Gives them back to the system.
void empty_host_cache();

}  // namespace torch::taper

#pragma GCC visibility pop
