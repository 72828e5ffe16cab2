// Storage: the bytes behind one or more tensors, and the host memory they come from.
#pragma once

#include <functional>
#include <memory>

#include <taper/framework/device.h>
#include <taper/framework/intrusive.h>

#pragma GCC visibility push(default)

namespace taper {

/// Frees what a DataPtr's context is.
using DeleterFnPtr = void (*)(void*);

/// A pointer to memory on a device, and a context that is freed with it: what a program's own
/// Allocator gives. Without a context it owns nothing.
class DataPtr {
 public:
  DataPtr() : context_(nullptr, keep) {}
  DataPtr(void* data, Device device) : data_(data), context_(nullptr, keep), device_(device) {}
  DataPtr(void* data, void* context, DeleterFnPtr deleter, Device device)
      : data_(data), context_(context, deleter ? deleter : keep), device_(device) {}
  void* get() const { return data_; }
  void* mutable_get() { return data_; }
  void* operator->() const { return data_; }
  explicit operator bool() const { return data_ || context_; }
  Device device() const { return device_; }
  void* get_context() const { return context_.get(); }
  DeleterFnPtr get_deleter() const { return context_.get_deleter(); }
  /// The context, which the caller is to free from now on.
  void* release_context() { return context_.release(); }
  std::unique_ptr<void, DeleterFnPtr>&& move_context() { return std::move(context_); }
  /// The context as T where it has that deleter, else null.
  template <class T>
  T* cast_context(DeleterFnPtr expected) const {
    return get_deleter() == expected ? static_cast<T*>(get_context()) : nullptr;
  }
  void clear() {
    data_ = nullptr;
    context_.reset();
  }
  void unsafe_set_device(Device device) { device_ = device; }
  friend bool operator==(const DataPtr& p, std::nullptr_t) { return !p; }
  friend bool operator!=(const DataPtr& p, std::nullptr_t) { return static_cast<bool>(p); }

 private:
  static void keep(void*) {}
  void* data_ = nullptr;
  std::unique_ptr<void, DeleterFnPtr> context_;
  Device device_;
};

/// A block of memory on one device, shared by a tensor and its views.
struct StorageImpl {
  enum class Origin : uint8_t { kInline, kBlock, kExternal };

  RefCount refs;
  /// Counts in-place changes; autograd compares it with the value at the time of saving.
  std::atomic<uint32_t> version{0};
  Device device;
  Origin origin = Origin::kInline;
  void* data = nullptr;
  size_t nbytes = 0;
  /// Only for kExternal: called once with `data`.
  std::function<void(void*)>* deleter = nullptr;

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
  explicit Storage(intrusive_ptr<StorageImpl> impl) : impl_(std::move(impl)) {}
  void* data() const { return impl_ ? impl_->data : nullptr; }
  void* mutable_data() const { return data(); }
  template <class T>
  T* data() const {
    return static_cast<T*>(data());
  }
  size_t nbytes() const { return impl_ ? impl_->nbytes : 0; }
  Device device() const { return impl_->device; }
  DeviceType device_type() const { return device().type(); }
  /// The memory, still the storage's own.
  DataPtr data_ptr() const { return impl_ ? DataPtr(data(), device()) : DataPtr(); }
  DataPtr mutable_data_ptr() const { return data_ptr(); }
  StorageImpl* unsafeGetStorageImpl() const { return impl_.get(); }
  size_t use_count() const { return impl_.use_count(); }
  bool is_alias_of(const Storage& o) const { return impl_ == o.impl_; }
  explicit operator bool() const { return impl_.defined(); }
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

}  // namespace taper

#pragma GCC visibility pop
