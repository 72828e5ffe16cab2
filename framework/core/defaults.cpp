#include <taper/framework/core/defaults.h>

#include <taper/framework/runtime/devices.h>

namespace torch::taper {

void set_default_device(Device device) {
  detail::existing_device(device);
  detail::thread_default_device = device;
}

void set_default_tensor_type(const std::string& name) {
  const detail::TensorType type = detail::parse_tensor_type(name);
  TAPER_CHECK_TYPE(isFloatingType(type.dtype),
                   "only floating-point types are supported as the default type, got '", name, "'");
  set_default_device(type.device);
  set_default_dtype(type.dtype);
}

namespace detail {

TensorType parse_tensor_type(const std::string& name) {
  const auto begins = [&](const std::string& text) { return name.rfind(text, 0) == 0; };
  const bool cuda = begins("torch.cuda.");
  const std::string kind = begins("torch.") ? name.substr(cuda ? 11 : 6) : "";
  std::string names;
  for (const ScalarType t :
       {kByte, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble, kBool, kBFloat16}) {
    const std::string its_kind = concat(toString(t), "Tensor");
    if (kind == its_kind) return {cuda ? kCUDA : kCPU, t};
    names += names.empty() ? its_kind : ", " + its_kind;
  }
  throw ValueError(
      concat("invalid type: '", name, "'; expected 'torch.' or 'torch.cuda.' and one of ", names));
}

}  // namespace detail
}  // namespace torch::taper
