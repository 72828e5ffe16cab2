// TensorOptions: dtype, device and the other options of factories.
#pragma once

#include <type_traits>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/core/device.h>
#include <taper/framework/core/dtype.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// How a tensor's elements are stored: always Strided (dense). Programs may compare a layout with
/// Sparse. Asking for a sparse tensor throws NotImplementedError.
enum class Layout : int8_t { Strided, Sparse };
/// The layouts by LibTorch's short names.
///@{
constexpr Layout kStrided = Layout::Strided;
constexpr Layout kSparse = Layout::Sparse;
///@}
/// Writes "Strided" or "Sparse".
std::ostream& operator<<(std::ostream& out, Layout l);

/// LibTorch's older type: a kind of device and a layout in one value. Taper's tensors have CPU or
/// CUDA.
enum class Backend : int8_t {
  CPU,
  CUDA,
  HIP,
  VE,
  XPU,
  SparseCPU,
  SparseCUDA,
  XLA,
  Vulkan,
  Metal,
  Meta,
  MPS,
  Undefined,
};

/// The order of a tensor's dimensions in memory, from the outermost. Contiguous means the order of
/// the sizes (row-major). Preserve means the order of the tensor that is copied. ChannelsLast is N,
/// H, W, C for sizes [N, C, H, W]. ChannelsLast3d is N, D, H, W, C for [N, C, D, H, W].
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
/// Writes the enumerator's name, such as "ChannelsLast".
std::ostream& operator<<(std::ostream& out, MemoryFormat f);

/// Options of a factory. Options that are not set have default values. A dtype, a device or a
/// layout converts to TensorOptions. Each setter returns a changed copy.
class TensorOptions {
 public:
  TensorOptions() = default;
  /// Sets this one option. A text is a device's name, such as "cuda:1". Any other text throws
  /// Error. A layout throws NotImplementedError unless it is kStrided.
  ///@{
  TensorOptions(ScalarType t) : dtype_(t), has_dtype_(true) {}
  TensorOptions(TypeMeta t) : TensorOptions(t.toScalarType()) {}
  TensorOptions(Device d) : device_(d), has_device_(true) {}
  TensorOptions(DeviceType d) : TensorOptions(Device(d)) {}
  TensorOptions(const std::string& device) : TensorOptions(Device(device)) {}
  // A template, so that the number 0 does not convert as a null pointer.
  template <class T, std::enable_if_t<std::is_same<T, const char*>::value, int> = 0>
  TensorOptions(T device) : TensorOptions(Device(device)) {}
  TensorOptions(Layout l) { *this = layout(l); }
  TensorOptions(MemoryFormat f) : memory_format_(f), has_memory_format_(true) {}
  ///@}

  /// Return a copy with this option set. An empty optional unsets it, so that the default applies.
  /// An index of -1 means the current CUDA device when a tensor is made. device_index(i) is
  /// device(kCUDA, i).
  ///@{
  TensorOptions dtype(optional<ScalarType> t) const {
    TensorOptions r = *this;
    r.has_dtype_ = t.has_value();
    if (t) r.dtype_ = *t;
    return r;
  }
  template <class T>
  TensorOptions dtype() const {
    return dtype(CppTypeToScalarType<T>::value);
  }
  TensorOptions device(optional<Device> d) const {
    TensorOptions r = *this;
    r.has_device_ = d.has_value();
    if (d) r.device_ = *d;
    return r;
  }
  TensorOptions device(Device d) const { return device(optional<Device>(d)); }
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const {
    return device(Device(type, index));
  }
  TensorOptions device_index(DeviceIndex index) const { return device(Device(kCUDA, index)); }
  TensorOptions requires_grad(optional<bool> v) const {
    TensorOptions r = *this;
    r.requires_grad_ = v.value_or(false);
    r.has_requires_grad_ = v.has_value();
    return r;
  }
  TensorOptions pinned_memory(optional<bool> v) const {
    TensorOptions r = *this;
    r.pinned_memory_ = v.value_or(false);
    r.has_pinned_memory_ = v.has_value();
    return r;
  }
  TensorOptions memory_format(optional<MemoryFormat> f) const {
    TensorOptions r = *this;
    r.has_memory_format_ = f.has_value();
    if (f) r.memory_format_ = *f;
    return r;
  }
  ///@}
  /// Returns an unchanged copy for kStrided. Throws NotImplementedError for kSparse: Taper has only
  /// strided tensors.
  TensorOptions layout(optional<Layout> l) const {
    TAPER_CHECK_AS(NotImplementedError, l.value_or(kStrided) == kStrided,
                   "TensorOptions: expected layout kStrided, got a sparse layout; "
                   "Taper has dense tensors only");
    return *this;
  }

  /// Return the option. If it is not set, return its default: the current default_dtype() and
  /// get_default_device(), kStrided, and false. scalar_type() and dtype() return equal dtypes, as a
  /// ScalarType and as a TypeMeta.
  ///@{
  ScalarType scalar_type() const { return has_dtype_ ? dtype_ : default_dtype(); }
  TypeMeta dtype() const { return scalar_type(); }
  Device device() const { return has_device_ ? device_ : get_default_device(); }
  Layout layout() const { return kStrided; }
  bool requires_grad() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_memory_; }
  ///@}
  /// Return whether the option is set. has_layout() is always false, as there is one layout.
  ///@{
  bool has_dtype() const { return has_dtype_; }
  bool has_device() const { return has_device_; }
  bool has_layout() const { return false; }
  bool has_requires_grad() const { return has_requires_grad_; }
  bool has_pinned_memory() const { return has_pinned_memory_; }
  bool has_memory_format() const { return has_memory_format_; }
  ///@}
  /// Return the option, or nullopt if it is not set.
  ///@{
  optional<ScalarType> dtype_opt() const {
    return has_dtype_ ? optional<ScalarType>(dtype_) : nullopt;
  }
  optional<Device> device_opt() const { return has_device_ ? optional<Device>(device_) : nullopt; }
  optional<MemoryFormat> memory_format_opt() const {
    return has_memory_format_ ? optional<MemoryFormat>(memory_format_) : nullopt;
  }
  ///@}
  /// Returns these options, overridden by the options that `o` sets.
  TensorOptions merge_in(const TensorOptions& o) const {
    TensorOptions r = *this;
    if (o.has_dtype_) r = r.dtype(o.dtype_);
    if (o.has_device_) r = r.device(o.device_);
    if (o.has_requires_grad_) r = r.requires_grad(o.requires_grad_);
    if (o.has_pinned_memory_) r = r.pinned_memory(o.pinned_memory_);
    if (o.has_memory_format_) r = r.memory_format(o.memory_format_);
    return r;
  }

 private:
  ScalarType dtype_ = ScalarType::Float;
  Device device_;
  MemoryFormat memory_format_ = MemoryFormat::Contiguous;
  bool has_dtype_ = false, has_device_ = false, has_requires_grad_ = false;
  bool has_pinned_memory_ = false, has_memory_format_ = false;
  bool requires_grad_ = false, pinned_memory_ = false;
};

/// Prints "TensorOptions(dtype=float (default), device=cpu, ...)": every option, set or not.
std::ostream& operator<<(std::ostream& out, const TensorOptions& o);

/// Make options with one option set, like the constructors and setters of TensorOptions. Setters
/// can follow: `dtype(kInt).device(kCUDA)`.
///@{
inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
inline TensorOptions dtype(TypeMeta t) { return TensorOptions(t); }
template <class T>
TensorOptions dtype() {
  return TensorOptions(CppTypeToScalarType<T>::value);
}
inline TensorOptions device(Device d) { return TensorOptions(d); }
inline TensorOptions device(DeviceType type, DeviceIndex index = -1) {
  return TensorOptions(Device(type, index));
}
inline TensorOptions device_index(DeviceIndex index) { return TensorOptions().device_index(index); }
inline TensorOptions layout(Layout l) { return TensorOptions(l); }
inline TensorOptions requires_grad(bool v = true) { return TensorOptions().requires_grad(v); }
inline TensorOptions memory_format(MemoryFormat f) { return TensorOptions(f); }
///@}

}  // namespace torch::taper

#pragma GCC visibility pop
