// Storage: the bytes of one or more tensors. Also the pool and the cache of host memory.
#pragma once

#include <functional>
#include <memory>

#include <taper/framework/core/device.h>
#include <taper/framework/core/intrusive.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Frees a DataPtr's context.
using DeleterFnPtr = void (*)(void*);

/// A pointer to memory on a device, and a context. The destructor frees the context. A DataPtr
/// without a context owns nothing. A program's Allocator returns a DataPtr.
class DataPtr {
 public:
  DataPtr() : context_(nullptr, keep) {}
  /// Points to `data`, which may be null. If `context` is not null, the destructor calls
  /// deleter(context). A null deleter does nothing.
  ///@{
  DataPtr(void* data, Device device) : data_(data), context_(nullptr, keep), device_(device) {}
  DataPtr(void* data, void* context, DeleterFnPtr deleter, Device device)
      : data_(data), context_(context, deleter ? deleter : keep), device_(device) {}
  ///@}
  /// Return the memory, on device(), or null if there is none.
  ///@{
  void* get() const { return data_; }
  void* mutable_get() { return data_; }
  void* operator->() const { return data_; }
  ///@}
  /// Returns whether there is memory or a context.
  explicit operator bool() const { return data_ || context_; }
  /// Returns the device of the memory.
  Device device() const { return device_; }
  /// Return the context, which this DataPtr still owns, and its deleter. The deleter is never null.
  ///@{
  void* get_context() const { return context_.get(); }
  DeleterFnPtr get_deleter() const { return context_.get_deleter(); }
  ///@}
  /// Returns the context. The caller must free it.
  void* release_context() { return context_.release(); }
  /// Returns the context as an rvalue. A std::unique_ptr that is constructed from the result frees
  /// the context.
  std::unique_ptr<void, DeleterFnPtr>&& move_context() { return std::move(context_); }
  /// Returns the context as a T* if its deleter is `expected`, else null.
  template <class T>
  T* cast_context(DeleterFnPtr expected) const {
    return get_deleter() == expected ? static_cast<T*>(get_context()) : nullptr;
  }
  /// Frees the context and sets the memory to null. device() stays.
  void clear() {
    data_ = nullptr;
    context_.reset();
  }
  /// Changes the result of device(). Copies no memory.
  void unsafe_set_device(Device device) { device_ = device; }
  /// These operators compare with null. A DataPtr is null if it has neither memory nor context.
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
  /// Where the bytes are. kInline: in one block with this object. kBlock: in a separate block from
  /// the allocator. kExternal: in memory that somebody else owns.
  enum class Origin : uint8_t { kInline, kBlock, kExternal };

  RefCount refs;  ///< owners: tensors and Storage handles
  /// Counts in-place changes. Autograd compares the count with the count at the time of saving.
  std::atomic<uint32_t> version{0};
  Device device;                    ///< device of the bytes
  Origin origin = Origin::kInline;  ///< origin of the bytes
  void* data = nullptr;             ///< first byte
  size_t nbytes = 0;                ///< size in bytes, as requested
  /// Used for kExternal, may be null. destroy() calls it once with `data`.
  std::function<void(void*)>* deleter = nullptr;

  /// Frees the bytes and the object. intrusive_ptr calls it for the last owner.
  static void destroy(StorageImpl* s);
};

/// Allocates uninitialised memory on `device`, aligned to 64 bytes. Throws OutOfMemoryError if the
/// memory does not suffice.
intrusive_ptr<StorageImpl> allocate_storage(size_t nbytes, Device device);
/// Wraps memory that somebody else owns. After the last owner is gone, `deleter` is called with
/// `data`. It may be empty.
intrusive_ptr<StorageImpl> wrap_storage(void* data, size_t nbytes, Device device,
                                        std::function<void(void*)> deleter);

/// A handle to a StorageImpl, as `Tensor::storage()` returns it.
class Storage {
 public:
  Storage() = default;
  /// Becomes one more owner of `impl`.
  explicit Storage(intrusive_ptr<StorageImpl> impl) : impl_(std::move(impl)) {}
  /// Return the first byte, or null for an empty handle. T is not checked against any dtype.
  ///@{
  void* data() const { return impl_ ? impl_->data : nullptr; }
  void* mutable_data() const { return data(); }
  template <class T>
  T* data() const {
    return static_cast<T*>(data());
  }
  ///@}
  /// Returns the size of the whole storage in bytes, or 0 for an empty handle. A tensor may use a
  /// part of it.
  size_t nbytes() const { return impl_ ? impl_->nbytes : 0; }
  /// Return the device of the bytes. The handle must not be empty: this is not checked.
  ///@{
  Device device() const { return impl_->device; }
  DeviceType device_type() const { return device().type(); }
  ///@}
  /// Return a DataPtr to the memory, without a context. The storage still owns the memory. The
  /// pointer is valid as long as the storage.
  ///@{
  DataPtr data_ptr() const { return impl_ ? DataPtr(data(), device()) : DataPtr(); }
  DataPtr mutable_data_ptr() const { return data_ptr(); }
  ///@}
  /// Returns the object behind the handle, which still owns it, or null for an empty handle.
  StorageImpl* unsafeGetStorageImpl() const { return impl_.get(); }
  /// Returns the number of tensors and handles that own the storage, 0 for an empty handle.
  size_t use_count() const { return impl_.use_count(); }
  /// Returns whether both handles refer to one storage.
  bool is_alias_of(const Storage& o) const { return impl_ == o.impl_; }
  /// Returns whether the handle has a storage.
  explicit operator bool() const { return impl_.defined(); }
  /// Returns unsafeGetStorageImpl().
  StorageImpl* impl() const { return impl_.get(); }

 private:
  intrusive_ptr<StorageImpl> impl_;
};

namespace detail {

/// Allocate and release memory for the objects that every op makes: tensors, nodes and small
/// storages. Each thread has lists of free blocks, one list per size class. `nbytes` must be equal
/// at allocation and release. The memory is aligned to 64 bytes.
void* pool_allocate(size_t nbytes);
void pool_release(void* p, size_t nbytes) noexcept;

/// Lets objects of class T allocate from the pool with `new`.
template <class T>
struct Pooled {
  static void* operator new(size_t nbytes) { return pool_allocate(nbytes); }
  static void operator delete(void* p, size_t nbytes) { pool_release(p, nbytes); }
};

}  // namespace detail

/// Returns the number of bytes that the host allocator caches.
size_t cached_host_memory();
/// Returns cached memory to the system.
void empty_host_cache();

}  // namespace torch::taper

#pragma GCC visibility pop
