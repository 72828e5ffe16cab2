// Tensors over memory of the caller, described step by step.
#pragma once

#include <functional>
#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// What for_blob makes a tensor of; each step but the last returns the maker.
class TensorMaker {
 public:
  using ContextDeleter = void (*)(void*);  ///< gets what context() was given

  /// Of memory of the caller, which is not copied.
  TensorMaker(void* data, IntArrayRef sizes) : data_(data), sizes_(sizes) {}
  /// In elements; row-major ones without.
  TensorMaker& strides(OptionalIntArrayRef v);
  /// The first element's place in the memory, in elements.
  TensorMaker& storage_offset(optional<int64_t> v) {
    offset_ = v.value_or(0);
    return *this;
  }
  /// Called with the memory when the last tensor over it is gone.
  TensorMaker& deleter(std::function<void(void*)> v) {
    deleter_ = std::move(v);
    return *this;
  }
  /// What owns the memory: `deleter` (none: nothing) is called with it in the memory's place.
  TensorMaker& context(void* owner, ContextDeleter deleter = nullptr);
  /// The device that the memory is on.
  TensorMaker& target_device(optional<Device> v) {
    device_ = v;
    return *this;
  }
  /// Dtype, device (unless target_device is given) and whether the tensor requires a gradient.
  TensorMaker& options(TensorOptions v) {
    options_ = v;
    return *this;
  }
  /// Throws Error for a negative offset, and where there is no memory for elements.
  Tensor make_tensor();

 private:
  void* data_;
  Dims sizes_;
  optional<Dims> strides_;
  int64_t offset_ = 0;
  std::function<void(void*)> deleter_;
  optional<Device> device_;
  TensorOptions options_;
};

/// from_blob in steps: for_blob(data, {2, 3}).strides({1, 2}).deleter(free).make_tensor().
inline TensorMaker for_blob(void* data, IntArrayRef sizes) { return {data, sizes}; }

/// The first `size` numbers of a file as a vector of the options' dtype on the CPU, mapped rather
/// than read. With `shared` what is written to the tensor goes to the file. Throws Error for a file
/// that is missing or too short.
Tensor from_file(std::string_view filename, optional<bool> shared = nullopt,
                 optional<int64_t> size = 0, TensorOptions options = {});

}  // namespace torch::taper

#pragma GCC visibility pop
