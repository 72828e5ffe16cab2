// A dtype and a kind of device as one value: what LibTorch's Tensor::type() returns.
#pragma once

#include <string>

#include <taper/framework/core/options.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// As LibTorch's class of this name. Those of type_properties() last as long as the process.
class DeprecatedTypeProperties {
 public:
  /// An object of its own; type_properties() gives the shared one.
  DeprecatedTypeProperties(Backend backend, ScalarType dtype) : backend_(backend), dtype_(dtype) {}
  Backend backend() const { return backend_; }  ///< kind of device
  /// The kind of device. Throws Error for Undefined, NotImplementedError for sparse backends.
  DeviceType device_type() const;
  /// The dtype, in its two types.
  ///@{
  ScalarType scalarType() const { return dtype_; }
  TypeMeta typeMeta() const { return dtype_; }
  ///@}
  Layout layout() const { return kStrided; }  ///< always kStrided
  bool is_sparse() const { return false; }    ///< always false
  /// Whether the backend is Backend::CUDA.
  bool is_cuda() const { return backend_ == Backend::CUDA; }
  /// "CPUFloatType", "UndefinedType".
  std::string toString() const;

  /// The shared object with another kind of device, or another dtype.
  ///@{
  DeprecatedTypeProperties& toBackend(Backend backend) const;
  DeprecatedTypeProperties& toScalarType(ScalarType dtype) const;
  DeprecatedTypeProperties& cpu() const { return toBackend(Backend::CPU); }
  DeprecatedTypeProperties& cuda() const { return toBackend(Backend::CUDA); }
  ///@}

  /// Throws Error for a backend that Taper has no devices of.
  TensorOptions options(DeviceIndex index = -1) const;
  /// Throws Error for a device of another kind.
  TensorOptions options(optional<Device> device) const;
  /// options(): dtype and kind of device, without an index.
  operator TensorOptions() const { return options(); }

  /// Whether dtype and kind of device are the same.
  ///@{
  bool operator==(const DeprecatedTypeProperties& o) const {
    return backend_ == o.backend_ && dtype_ == o.dtype_;
  }
  bool operator!=(const DeprecatedTypeProperties& o) const { return !(*this == o); }
  ///@}

 private:
  Backend backend_;
  ScalarType dtype_;
};

/// The one object of these. Throws Error for a backend or dtype that is no name of its list.
DeprecatedTypeProperties& type_properties(Backend backend, ScalarType dtype);
/// Writes toString().
std::ostream& operator<<(std::ostream& out, const DeprecatedTypeProperties& t);

namespace detail {
/// Kinds of devices by backend. Throw Error for Undefined, NotImplementedError for sparse ones.
DeviceType device_type_of(Backend backend);
/// What AT_DISPATCH_... is given: a dtype, or a type() that has one.
inline ScalarType dispatched_dtype(ScalarType dtype) { return dtype; }
inline ScalarType dispatched_dtype(const DeprecatedTypeProperties& t) { return t.scalarType(); }
}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
