// What factories that are given no dtype and no device take.
//
// The default dtype is the process's, the default device the calling thread's; both as in PyTorch.
// Tensors made from others (zeros_like, new_ones, results of ops) follow those, from_blob follows
// its memory, and what a file holds comes to the CPU.
#pragma once

#include <string>

#include <taper/framework/core/device.h>
#include <taper/framework/core/dtype.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Throws Error when there is no such device. A CUDA device without an index is the one that is
/// current when a tensor is made.
void set_default_device(Device device);

/// Sets dtype and device by a name of PyTorch's: "torch.FloatTensor", "torch.cuda.HalfTensor".
/// Throws ValueError, with the names there are, for another text, TypeError for one that is not
/// floating, Error without a CUDA device.
void set_default_tensor_type(const std::string& name);

/// Sets the default dtype until the end of the scope.
class DefaultDtypeGuard {
 public:
  /// Throws TypeError as set_default_dtype does. The dtype is the process's: other threads see it,
  /// too.
  explicit DefaultDtypeGuard(TypeMeta dtype) : before_(get_default_dtype()) {
    set_default_dtype(dtype);
  }
  ~DefaultDtypeGuard() { set_default_dtype(before_); }
  DefaultDtypeGuard(const DefaultDtypeGuard&) = delete;
  DefaultDtypeGuard& operator=(const DefaultDtypeGuard&) = delete;

 private:
  TypeMeta before_;
};

/// Sets the thread's default device until the end of the scope.
class DefaultDeviceGuard {
 public:
  /// Throws Error when there is no such device.
  explicit DefaultDeviceGuard(Device device) : before_(get_default_device()) {
    set_default_device(device);
  }
  ~DefaultDeviceGuard() { detail::thread_default_device = before_; }
  DefaultDeviceGuard(const DefaultDeviceGuard&) = delete;
  DefaultDeviceGuard& operator=(const DefaultDeviceGuard&) = delete;

 private:
  Device before_;
};

/// set_default_tensor_type until the end of the scope.
class DefaultTensorTypeGuard {
 public:
  /// Throws as set_default_tensor_type does; nothing is changed then.
  explicit DefaultTensorTypeGuard(const std::string& name)
      : dtype_(get_default_dtype()), device_(get_default_device()) {
    set_default_tensor_type(name);
  }

 private:
  DefaultDtypeGuard dtype_;
  DefaultDeviceGuard device_;
};

namespace detail {

/// A dtype on a kind of device.
struct TensorType {
  DeviceType device;
  ScalarType dtype;
};
/// Reads "torch.FloatTensor", "torch.cuda.LongTensor". Throws ValueError with the names there are.
TensorType parse_tensor_type(const std::string& name);

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
