// Workspace for the host code of CUDA kernels. For the files of CUDA kernels, not installed.
#pragma once

#include <cstddef>
#if TAPER_CUDA_KERNELS != 1
#include <memory>
#endif

#include <taper/framework/core/namespaces.h>

namespace torch::taper::cuda {

/// Allocates device memory from the caching allocator, for work on the stream of this launch.
void* allocate_scratch(size_t nbytes);
void release_scratch(void* p) noexcept;

/// Holds n uninitialized elements of device memory until the end of the scope. Work that was
/// launched on this stream before the end of the scope may still use them later.
template <class T>
class Scratch {
 public:
#if TAPER_CUDA_KERNELS == 1
  explicit Scratch(int64_t n) : p_(static_cast<T*>(allocate_scratch(n * sizeof(T)))) {}
  ~Scratch() { release_scratch(p_); }
  T* get() const { return p_; }
#else
  explicit Scratch(int64_t n) : p_(new T[static_cast<size_t>(n)]) {}
  T* get() const { return p_.get(); }
#endif
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
#if TAPER_CUDA_KERNELS == 1
  T* p_;
#else
  std::unique_ptr<T[]> p_;
#endif
};

}  // namespace torch::taper::cuda
