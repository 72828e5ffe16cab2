#include <taper/extension/allocator.h>

#include <cstring>

#include <taper/framework/memory/memory.h>

namespace torch::taper {
namespace {

struct HostAllocator final : Allocator {
  DataPtr allocate(size_t nbytes) override {
    void* const p = ::operator new(nbytes, std::align_val_t(64), std::nothrow);
    if (!p) throw OutOfMemoryError(detail::concat("CPU out of memory: ", nbytes, " bytes"));
    return {p, p, release, Device()};
  }
  DeleterFnPtr raw_deleter() const override { return release; }
  static void release(void* p) { ::operator delete(p, std::align_val_t(64)); }
};

struct CudaAllocator final : Allocator {
  DataPtr allocate(size_t nbytes) override {
    const DeviceIndex device = cuda::current_device();
    void* const p = cuda::caching_allocator_alloc(nbytes, device);
    return {p, p, cuda::caching_allocator_delete, Device(kCUDA, device)};
  }
  DeleterFnPtr raw_deleter() const override { return cuda::caching_allocator_delete; }
  void copy_data(void*, const void*, size_t) const override {
    throw NotImplementedError("Allocator::copy_data: expected memory of the host; copy tensors");
  }
};

/// Frees memory with a callable, for DataPtr, which frees with a function.
struct WithDeleter {
  void* p;
  std::function<void(void*)> deleter;
  static void release(void* context) {
    auto* const self = static_cast<WithDeleter*>(context);
    self->deleter(self->p);
    delete self;
  }
};

}  // namespace

Allocator::~Allocator() = default;
void Allocator::copy_data(void* to, const void* from, size_t nbytes) const {
  if (nbytes > 0) std::memcpy(to, from, nbytes);
}
DataPtr Allocator::clone(const void* data, size_t nbytes) {
  DataPtr copy = allocate(nbytes);
  copy_data(copy.get(), data, nbytes);
  return copy;
}
void* Allocator::raw_allocate(size_t nbytes) {
  DataPtr p = allocate(nbytes);
  TAPER_CHECK(is_simple_data_ptr(p),
              "raw_allocate: expected an allocator whose context is the memory itself");
  return p.release_context();
}
void Allocator::raw_deallocate(void* p) {
  TAPER_CHECK(raw_deleter(), "raw_deallocate: expected an allocator with a raw_deleter");
  raw_deleter()(p);
}

Allocator* GetAllocator(DeviceType type) {
  static auto& host = *new HostAllocator;
  static auto& device = *new CudaAllocator;
  if (type == kCPU) return &host;
  TAPER_CHECK(type == kCUDA, "Allocator for ", type, " is not set: expected cpu or cuda");
  return &device;
}

Storage make_storage(DataPtr data, size_t nbytes) {
  const Device device = data.device();
  void* const p = data.get();
  auto owner = std::make_shared<DataPtr>(std::move(data));
  return Storage(wrap_storage(p, nbytes, device, [owner](void*) { owner->clear(); }));
}

DataPtr InefficientStdFunctionContext::makeDataPtr(void* p, std::function<void(void*)> deleter,
                                                   Device device) {
  TAPER_CHECK(deleter, "makeDataPtr: expected a deleter, got none");
  return {p, new WithDeleter{p, std::move(deleter)}, WithDeleter::release, device};
}

}  // namespace torch::taper
