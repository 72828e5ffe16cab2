// Allocators: memory for a program's use, with LibTorch's interface.
#pragma once

#include <taper/framework/core/storage.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Allocates memory whose pointers free it. Programs derive from this class, and wrap the memory
/// with from_blob or make_storage.
struct Allocator {
  virtual ~Allocator();
  /// Allocates memory. Throws OutOfMemoryError.
  virtual DataPtr allocate(size_t nbytes) = 0;
  /// Returns the deleter for memory from raw_allocate, or null if there is none.
  virtual DeleterFnPtr raw_deleter() const { return nullptr; }
  /// Copies between two memory areas of this allocator. Throws NotImplementedError for the memory
  /// of devices.
  virtual void copy_data(void* to, const void* from, size_t nbytes) const;
  /// Returns whether the context is the memory itself.
  virtual bool is_simple_data_ptr(const DataPtr& p) const { return p.get() == p.get_context(); }
  /// Returns a copy in new memory.
  DataPtr clone(const void* data, size_t nbytes);
  /// Allocates memory that raw_deallocate frees. Throws Error if the context is not the memory
  /// itself.
  void* raw_allocate(size_t nbytes);
  /// Frees memory from raw_allocate. Throws Error if there is no raw_deleter().
  void raw_deallocate(void* p);
};

/// Returns Taper's allocator for a kind of device. The allocator of CUDA allocates on the current
/// device, for its current stream. Throws Error for kinds of devices that Taper does not support.
Allocator* GetAllocator(DeviceType type);
inline Allocator* GetCPUAllocator() { return GetAllocator(kCPU); }  ///< the host's allocator
inline Allocator* getCPUAllocator() { return GetAllocator(kCPU); }  ///< the host's allocator

/// Makes a storage of this memory. The memory is freed with the storage.
Storage make_storage(DataPtr data, size_t nbytes);

/// A pointer with any callable as its deleter.
struct InefficientStdFunctionContext {
  /// Wraps `p`. When the last owner is destroyed, it calls `deleter(p)`. Throws Error for an empty
  /// deleter.
  static DataPtr makeDataPtr(void* p, std::function<void(void*)> deleter, Device device);
};

}  // namespace torch::taper

#pragma GCC visibility pop
