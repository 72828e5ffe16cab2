// Tensors over memory of the caller, built in steps.
#pragma once

#include <functional>
#include <string_view>

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Builds a tensor for for_blob. Each function except make_tensor() returns this object, so that
/// calls can be chained.
class TensorMaker {
 public:
  using ContextDeleter = void (*)(void*);  ///< called with context()'s owner

  /// Describes memory of the caller. The memory is not copied.
  TensorMaker(void* data, IntArrayRef sizes) : data_(data), sizes_(sizes) {}
  /// Sets strides in elements. The default is row-major.
  TensorMaker& strides(OptionalIntArrayRef v);
  /// Sets the offset of the first element, in elements.
  TensorMaker& storage_offset(optional<int64_t> v) {
    offset_ = v.value_or(0);
    return *this;
  }
  /// Sets a function that is called with the memory after the last tensor over this memory is gone.
  TensorMaker& deleter(std::function<void(void*)> v) {
    deleter_ = std::move(v);
    return *this;
  }
  /// Sets the owner of the memory. `deleter`, if any, is called with the owner instead of the
  /// memory.
  TensorMaker& context(void* owner, ContextDeleter deleter = nullptr);
  /// Sets the device of the memory.
  TensorMaker& target_device(optional<Device> v) {
    device_ = v;
    return *this;
  }
  /// Sets dtype, device (unless target_device is given) and requires_grad.
  TensorMaker& options(TensorOptions v) {
    options_ = v;
    return *this;
  }
  /// Returns the tensor. Throws Error for a negative offset, and if `data` is null although there
  /// are elements.
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

/// Starts a from_blob in steps: for_blob(data, {2, 3}).strides({1, 2}).deleter(free).make_tensor().
inline TensorMaker for_blob(void* data, IntArrayRef sizes) { return {data, sizes}; }

/// Returns the first `size` numbers of a file, mapped into memory, as a vector on the CPU with the
/// dtype of `options`. If `shared` is true, writes to the tensor change the file. Throws Error for
/// a missing file and for a file that is too short. If `size` is 0, the tensor is empty and the
/// file is not opened.
Tensor from_file(std::string_view filename, optional<bool> shared = nullopt,
                 optional<int64_t> size = 0, TensorOptions options = {});

}  // namespace torch::taper

#pragma GCC visibility pop
