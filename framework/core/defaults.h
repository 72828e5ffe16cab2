// Default dtype and device of factories.
//
// The default dtype belongs to the process, the default device to the calling thread, as in
// PyTorch. Functions that make a tensor from a given tensor (zeros_like, new_ones, ops) use the
// dtype and device of the given tensor. from_blob uses the device of its memory. Files are loaded
// to the CPU.
#pragma once

#include <string>

#include <taper/framework/core/device.h>
#include <taper/framework/core/dtype.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Sets the calling thread's default device. Throws Error if there is no such device. A CUDA device
/// without an index means the current device at each call of a factory.
void set_default_device(Device device);

/// Sets the default dtype and device by PyTorch's name: "torch.FloatTensor",
/// "torch.cuda.HalfTensor". Throws ValueError, which lists the names, for any other text. Throws
/// TypeError for a dtype that is not floating. Throws Error for a CUDA name if there is no CUDA
/// device.
void set_default_tensor_type(const std::string& name);

/// Sets the default dtype until the end of the scope.
class DefaultDtypeGuard {
 public:
  /// Throws TypeError as set_default_dtype does. The dtype belongs to the process, so other threads
  /// see it too.
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
  /// Throws Error if there is no such device.
  explicit DefaultDeviceGuard(Device device) : before_(get_default_device()) {
    set_default_device(device);
  }
  ~DefaultDeviceGuard() { detail::thread_default_device = before_; }
  DefaultDeviceGuard(const DefaultDeviceGuard&) = delete;
  DefaultDeviceGuard& operator=(const DefaultDeviceGuard&) = delete;

 private:
  Device before_;
};

/// Calls set_default_tensor_type, and restores the defaults at the end of the scope.
class DefaultTensorTypeGuard {
 public:
  /// Throws the errors of set_default_tensor_type. If it throws, it changes nothing.
  explicit DefaultTensorTypeGuard(const std::string& name)
      : dtype_(get_default_dtype()), device_(get_default_device()) {
    set_default_tensor_type(name);
  }

 private:
  DefaultDtypeGuard dtype_;
  DefaultDeviceGuard device_;
};

namespace detail {

/// A dtype and a kind of device.
struct TensorType {
  DeviceType device;
  ScalarType dtype;
};
/// Parses "torch.FloatTensor", "torch.cuda.LongTensor" and similar names. Throws ValueError, which
/// lists the names, for any other text.
TensorType parse_tensor_type(const std::string& name);

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
