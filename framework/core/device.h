// Device: where a tensor's bytes are, and where its ops run.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include <taper/framework/core/check.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Kinds of devices. Taper has CPU and CUDA devices. Programs can compare with the other kinds, but
/// constructing a Device of another kind throws Error.
enum class DeviceType : int8_t {
  CPU = 0,
  CUDA = 1,
  MKLDNN = 2,
  OPENGL = 3,
  OPENCL = 4,
  IDEEP = 5,
  HIP = 6,
  FPGA = 7,
  ORT = 8,
  MAIA = 8,
  XLA = 9,
  Vulkan = 10,
  Metal = 11,
  XPU = 12,
  MPS = 13,
  Meta = 14,
  HPU = 15,
  VE = 16,
  Lazy = 17,
  IPU = 18,
  MTIA = 19,
  PrivateUse1 = 20,
  COMPILE_TIME_MAX_DEVICE_TYPES = 21,
};
/// The values of DeviceType. Taper has devices of kCPU and kCUDA. kORT and kMAIA are one value.
///@{
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
constexpr DeviceType kHIP = DeviceType::HIP;
constexpr DeviceType kXLA = DeviceType::XLA;
constexpr DeviceType kVulkan = DeviceType::Vulkan;
constexpr DeviceType kMetal = DeviceType::Metal;
constexpr DeviceType kXPU = DeviceType::XPU;
constexpr DeviceType kMPS = DeviceType::MPS;
constexpr DeviceType kMeta = DeviceType::Meta;
constexpr DeviceType kVE = DeviceType::VE;
constexpr DeviceType kFPGA = DeviceType::FPGA;
constexpr DeviceType kORT = DeviceType::ORT;
constexpr DeviceType kMAIA = DeviceType::MAIA;
constexpr DeviceType kHPU = DeviceType::HPU;
constexpr DeviceType kLazy = DeviceType::Lazy;
constexpr DeviceType kIPU = DeviceType::IPU;
constexpr DeviceType kMTIA = DeviceType::MTIA;
constexpr DeviceType kPrivateUse1 = DeviceType::PrivateUse1;
///@}
/// One more than the largest value of DeviceType.
constexpr int COMPILE_TIME_MAX_DEVICE_TYPES =
    static_cast<int>(DeviceType::COMPILE_TIME_MAX_DEVICE_TYPES);
using DeviceIndex = int8_t;  ///< from 0, or -1 for the current device

namespace detail {
/// Throws Error: "Taper is not linked with support for mps devices; expected cpu or cuda".
[[noreturn]] void throw_no_devices(DeviceType type);
}  // namespace detail

/// A device type and an index. Index -1 means the current device.
class Device {
 public:
  using Type = DeviceType;  ///< LibTorch's nested name

  constexpr Device() = default;
  /// Throws Error for a type without devices in Taper.
  constexpr Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {
    if (type != kCPU && type != kCUDA) detail::throw_no_devices(type);
  }
  /// Parses "cpu", "cuda" or "cuda:1". Throws Error, which lists the accepted texts, for anything
  /// else.
  ///@{
  Device(const std::string& text);
  Device(const char* text) : Device(std::string(text)) {}
  ///@}

  constexpr DeviceType type() const { return type_; }        ///< kCPU or kCUDA
  constexpr DeviceIndex index() const { return index_; }     ///< -1 if none was given
  constexpr bool has_index() const { return index_ != -1; }  ///< whether an index was given
  void set_index(DeviceIndex index) { index_ = index; }      ///< not checked
  /// Return whether the device has this type, with any index.
  ///@{
  constexpr bool is_cuda() const { return type_ == kCUDA; }
  constexpr bool is_cpu() const { return type_ == kCPU; }
  ///@}
  /// Returns the name, such as "cpu" or "cuda:1".
  std::string str() const;
  /// Compare types and indices: "cuda" and "cuda:0" are not equal.
  ///@{
  friend constexpr bool operator==(Device a, Device b) {
    return a.type_ == b.type_ && a.index_ == b.index_;
  }
  friend constexpr bool operator!=(Device a, Device b) { return !(a == b); }
  ///@}

 private:
  DeviceType type_ = DeviceType::CPU;
  DeviceIndex index_ = -1;
};

namespace detail {
/// The calling thread's default device. It is constant-initialised, so that access costs one load.
inline thread_local Device thread_default_device;
}  // namespace detail

/// Returns the default device of factories. Index -1 means the current CUDA device. It is the CPU
/// until set_default_device (framework/core/defaults.h) changes it for this thread.
inline Device get_default_device() { return detail::thread_default_device; }

/// Returns Python's text: device(type='cuda', index=1).
std::string repr(Device d);
/// Print "cuda" for a type, and what str() returns for a device.
///@{
std::ostream& operator<<(std::ostream& out, DeviceType t);
std::ostream& operator<<(std::ostream& out, const Device& d);
///@}

}  // namespace torch::taper

#pragma GCC visibility pop
