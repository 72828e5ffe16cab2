// Allocator: allocates memory for a program, with LibTorch's interface.
#pragma once

#include <taper/framework/core/storage.h>
#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// An allocator of memory. The DataPtr that allocate() returns frees the memory. Programs derive
/// from this class. from_blob or make_storage make tensors and storages from the memory.
struct Allocator {
  virtual ~Allocator();
  /// Allocates memory. Throws OutOfMemoryError.
  virtual DataPtr allocate(size_t nbytes) = 0;
  /// Returns the deleter for memory from raw_allocate, or null if there is none.
  virtual DeleterFnPtr raw_deleter() const { return nullptr; }
  /// Copies `nbytes` bytes between two areas of memory from this allocator. Throws
  /// NotImplementedError for memory of devices.
  virtual void copy_data(void* to, const void* from, size_t nbytes) const;
  /// Returns whether the context of `p` is the pointer to the memory itself.
  virtual bool is_simple_data_ptr(const DataPtr& p) const { return p.get() == p.get_context(); }
  /// Allocates memory and copies `nbytes` bytes of `data` into it.
  DataPtr clone(const void* data, size_t nbytes);
  /// Allocates memory that raw_deallocate frees. Throws Error unless is_simple_data_ptr() is true.
  void* raw_allocate(size_t nbytes);
  /// Frees memory from raw_allocate. Throws Error if there is no raw_deleter().
  void raw_deallocate(void* p);
};

/// Returns Taper's allocator for a kind of device. The allocator of CUDA allocates on the current
/// device, for its current stream. Throws Error for kinds of devices that Taper does not support.
Allocator* GetAllocator(DeviceType type);
inline Allocator* GetCPUAllocator() { return GetAllocator(kCPU); }  ///< the host's allocator
inline Allocator* getCPUAllocator() { return GetAllocator(kCPU); }  ///< the host's allocator

/// Makes a storage of the memory of `data`. When the storage is destroyed, it frees the memory.
Storage make_storage(DataPtr data, size_t nbytes);

/// Makes DataPtrs whose deleter is a std::function.
struct InefficientStdFunctionContext {
  /// Returns a DataPtr for `p`. When the DataPtr is destroyed, it calls `deleter(p)`. Throws Error
  /// for an empty deleter.
  static DataPtr makeDataPtr(void* p, std::function<void(void*)> deleter, Device device);
};

}  // namespace torch::taper

#pragma GCC visibility pop
