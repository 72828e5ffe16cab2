// A dtype and a kind of device as one value, the result of LibTorch's Tensor::type().
#pragma once

#include <string>

#include <taper/framework/core/options.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// LibTorch's class of this name. Objects of type_properties() last as long as the process.
class DeprecatedTypeProperties {
 public:
  /// Makes a new object. type_properties() returns the shared one.
  DeprecatedTypeProperties(Backend backend, ScalarType dtype) : backend_(backend), dtype_(dtype) {}
  Backend backend() const { return backend_; }  ///< kind of device
  /// Returns the kind of device. Throws Error for Undefined, NotImplementedError for sparse
  /// backends.
  DeviceType device_type() const;
  /// Return the dtype, as a ScalarType or as a TypeMeta.
  ///@{
  ScalarType scalarType() const { return dtype_; }
  TypeMeta typeMeta() const { return dtype_; }
  ///@}
  Layout layout() const { return kStrided; }  ///< always kStrided
  bool is_sparse() const { return false; }    ///< always false
  /// Returns whether the backend is Backend::CUDA.
  bool is_cuda() const { return backend_ == Backend::CUDA; }
  /// Returns "CPUFloatType", "UndefinedType".
  std::string toString() const;

  /// Return the shared object of the given kind of device or dtype. The other property stays equal.
  ///@{
  DeprecatedTypeProperties& toBackend(Backend backend) const;
  DeprecatedTypeProperties& toScalarType(ScalarType dtype) const;
  DeprecatedTypeProperties& cpu() const { return toBackend(Backend::CPU); }
  DeprecatedTypeProperties& cuda() const { return toBackend(Backend::CUDA); }
  ///@}

  /// Returns options with this dtype and device. Throws Error for a backend that Taper has no
  /// devices of.
  TensorOptions options(DeviceIndex index = -1) const;
  /// Returns options with this dtype and `device`. Throws Error for a device of another kind.
  TensorOptions options(optional<Device> device) const;
  /// Converts to options(): dtype and kind of device, without an index.
  operator TensorOptions() const { return options(); }

  /// Compare dtype and kind of device.
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

/// Returns the shared object of a backend and a dtype. Throws Error for values that are not
/// enumerators.
DeprecatedTypeProperties& type_properties(Backend backend, ScalarType dtype);
/// Writes toString().
std::ostream& operator<<(std::ostream& out, const DeprecatedTypeProperties& t);

namespace detail {
/// Returns the kind of device of a backend. Throws Error for Undefined, NotImplementedError for
/// sparse backends.
DeviceType device_type_of(Backend backend);
/// Return the dtype of an argument of AT_DISPATCH_...: a dtype, or a type() that has one.
inline ScalarType dispatched_dtype(ScalarType dtype) { return dtype; }
inline ScalarType dispatched_dtype(const DeprecatedTypeProperties& t) { return t.scalarType(); }
}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
