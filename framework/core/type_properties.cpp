#include <taper/framework/core/type_properties.h>

#include <ostream>
#include <vector>

#include <taper/framework/core/check.h>

namespace torch::taper {

namespace detail {
DeviceType device_type_of(Backend backend) {
  static constexpr struct {
    Backend backend;
    DeviceType type;
  } kDense[] = {
      {Backend::CPU, kCPU},       {Backend::CUDA, kCUDA}, {Backend::HIP, kHIP},
      {Backend::VE, kVE},         {Backend::XPU, kXPU},   {Backend::XLA, kXLA},
      {Backend::Vulkan, kVulkan}, {Backend::MPS, kMPS},   {Backend::Metal, kMetal},
      {Backend::Meta, kMeta},
  };
  TAPER_CHECK(backend != Backend::Undefined, "Undefined backend is not a valid device type");
  for (const auto& known : kDense)
    if (known.backend == backend) return known.type;
  throw NotImplementedError(
      "toBackend: expected a dense backend, got a sparse one; Taper has dense tensors only");
}
}  // namespace detail

namespace {

const char* name_of(Backend backend) {
  static constexpr const char* kNames[] = {"CPU",    "CUDA",      "HIP",        "VE",
                                           "XPU",    "SparseCPU", "SparseCUDA", "XLA",
                                           "Vulkan", "Metal",     "Meta",       "MPS"};
  return kNames[static_cast<size_t>(backend)];
}

}  // namespace

DeprecatedTypeProperties& type_properties(Backend backend, ScalarType dtype) {
  constexpr size_t kBackends = static_cast<size_t>(Backend::Undefined) + 1, kDtypes = 64;
  const auto row = static_cast<size_t>(backend), column = static_cast<size_t>(dtype);
  TAPER_CHECK(row < kBackends && column < kDtypes,
              "type: expected a Backend and a ScalarType, got ", row, " and ", column);
  static std::vector<DeprecatedTypeProperties> all = [] {
    std::vector<DeprecatedTypeProperties> list;
    for (size_t i = 0; i < kBackends * kDtypes; ++i)
      list.emplace_back(static_cast<Backend>(i / kDtypes), static_cast<ScalarType>(i % kDtypes));
    return list;
  }();
  return all[row * kDtypes + column];
}

DeviceType DeprecatedTypeProperties::device_type() const {
  return detail::device_type_of(backend_);
}
DeprecatedTypeProperties& DeprecatedTypeProperties::toBackend(Backend backend) const {
  return type_properties(backend, dtype_);
}
DeprecatedTypeProperties& DeprecatedTypeProperties::toScalarType(ScalarType dtype) const {
  return type_properties(backend_, dtype);
}
TensorOptions DeprecatedTypeProperties::options(DeviceIndex index) const {
  return TensorOptions(dtype_).device(Device(device_type(), index));
}
TensorOptions DeprecatedTypeProperties::options(optional<Device> device) const {
  if (!device) return options();
  TAPER_CHECK(device->type() == device_type(), "options: expected a device of ", toString(),
              ", got ", *device);
  return options(device->index());
}
std::string DeprecatedTypeProperties::toString() const {
  if (backend_ == Backend::Undefined || dtype_ == ScalarType::Undefined) return "UndefinedType";
  return std::string(name_of(backend_)) + taper::toString(dtype_) + "Type";
}
std::ostream& operator<<(std::ostream& out, const DeprecatedTypeProperties& t) {
  return out << t.toString();
}

}  // namespace torch::taper
