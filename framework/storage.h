// Storage: the bytes behind one or more tensors, and the host memory they come from.
#pragma once

#include <functional>

#include <taper/framework/device.h>
#include <taper/framework/intrusive.h>

#pragma GCC visibility push(default)

namespace taper {

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
