// Allocators: memory for a program's own use, with LibTorch's interface.
#pragma once

#include <taper/framework/core/storage.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Gives memory that frees itself. Programs derive from it, and wrap what it gives by from_blob or
/// make_storage.
struct Allocator {
  virtual ~Allocator();
  /// Throws OutOfMemoryError.
  virtual DataPtr allocate(size_t nbytes) = 0;
  /// Frees what raw_allocate gives; null where that is not to be had.
  virtual DeleterFnPtr raw_deleter() const { return nullptr; }
  /// Copies between memories of this allocator. Throws NotImplementedError for devices.
  virtual void copy_data(void* to, const void* from, size_t nbytes) const;
  /// Whether the context is the memory itself.
  virtual bool is_simple_data_ptr(const DataPtr& p) const { return p.get() == p.get_context(); }
  /// A copy in new memory.
  DataPtr clone(const void* data, size_t nbytes);
  /// Memory that raw_deallocate frees. Throws Error where the context is not the memory itself.
  void* raw_allocate(size_t nbytes);
  /// Frees what raw_allocate gave. Throws Error where there is no raw_deleter().
  void raw_deallocate(void* p);
};

/// Taper's own memory of a kind of device (of CUDA devices: of the current one, for its current
/// stream). Throws Error for kinds that Taper has none of.
Allocator* GetAllocator(DeviceType type);
inline Allocator* GetCPUAllocator() { return GetAllocator(kCPU); }  ///< of the host
inline Allocator* getCPUAllocator() { return GetAllocator(kCPU); }  ///< of the host

/// A storage of this memory, which is freed when the storage goes.
Storage make_storage(DataPtr data, size_t nbytes);

/// A pointer with a deleter that may be any callable.
struct InefficientStdFunctionContext {
  /// `p`, for which `deleter(p)` is called when nobody has it any more. Throws Error for none.
  static DataPtr makeDataPtr(void* p, std::function<void(void*)> deleter, Device device);
};

}  // namespace torch::taper

#pragma GCC visibility pop
