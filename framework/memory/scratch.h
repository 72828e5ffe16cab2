// Scratch: workspace for a kernel of the CPU. The memory comes from the allocator of tensors'
// memory. Not installed.
#pragma once

#include <cstdint>

#include <taper/framework/core/storage.h>

namespace torch::taper::cpu {

/// Owns memory for `count` elements until the end of its scope. The elements are not initialized.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t count)
      : nbytes_(static_cast<size_t>(count) * sizeof(T)),
        data_(static_cast<T*>(taper::detail::pool_allocate(nbytes_))) {}
  ~Scratch() { taper::detail::pool_release(data_, nbytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* get() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  size_t nbytes_;
  T* data_;
};

}  // namespace torch::taper::cpu
