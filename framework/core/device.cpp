#include <taper/framework/core/device.h>

#include <ostream>

#include <taper/framework/core/dispatch_key.h>

namespace torch::taper {

// ---------------------------------------------------------------------- device
namespace {

struct NamedType {
  DeviceType type;
  const char* name;
};
constexpr NamedType kTypes[] = {
    {kCPU, "cpu"},
    {kCUDA, "cuda"},
    {DeviceType::MKLDNN, "mkldnn"},
    {DeviceType::OPENGL, "opengl"},
    {DeviceType::OPENCL, "opencl"},
    {DeviceType::IDEEP, "ideep"},
    {kHIP, "hip"},
    {kFPGA, "fpga"},
    {kMAIA, "maia"},
    {kORT, "ort"},
    {kXLA, "xla"},
    {kVulkan, "vulkan"},
    {kMetal, "metal"},
    {kXPU, "xpu"},
    {kMPS, "mps"},
    {kMeta, "meta"},
    {kHPU, "hpu"},
    {kVE, "ve"},
    {kLazy, "lazy"},
    {kIPU, "ipu"},
    {kMTIA, "mtia"},
    {kPrivateUse1, "privateuseone"},
};

const char* name_of(DeviceType t) {
  for (const NamedType& n : kTypes)
    if (n.type == t) return n.name;
  return "unknown";
}

[[noreturn]] void bad_text(const std::string& text) {
  throw Error("Invalid device string: '" + text +
              "'; expected 'cpu', 'cuda' or 'cuda:N' with N a device number");
}

DeviceIndex parse_index(const std::string& text, const std::string& digits) {
  const bool leading_zero = digits.size() > 1 && digits[0] == '0';
  if (digits.empty() || digits.size() > 3 || leading_zero ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    bad_text(text);
  const int value = std::stoi(digits);
  if (value > 127) bad_text(text);
  return static_cast<DeviceIndex>(value);
}

DeviceType parse_type(const std::string& text, const std::string& name) {
  for (const NamedType& n : kTypes)
    if (name == n.name) return n.type;
  bad_text(text);
}

}  // namespace

void detail::throw_no_devices(DeviceType type) {
  throw Error(concat("Taper is not linked with support for ", name_of(type),
                     " devices; expected cpu or cuda"));
}

Device::Device(const std::string& text) {
  const size_t colon = text.find(':');
  type_ = Device(parse_type(text, text.substr(0, colon))).type();
  if (colon == std::string::npos) return;
  index_ = parse_index(text, text.substr(colon + 1));
}

std::string Device::str() const {
  return has_index() ? std::string(name_of(type_)) + ":" + std::to_string(index_) : name_of(type_);
}

std::string repr(Device d) {
  std::string text = std::string("device(type='") + name_of(d.type()) + "'";
  if (d.has_index()) text += ", index=" + std::to_string(d.index());
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, DeviceType t) { return out << name_of(t); }
std::ostream& operator<<(std::ostream& out, const Device& d) { return out << d.str(); }

// ---------------------------------------------------------------------- dispatch_key
const char* toString(DispatchKey key) {
  static const char* const names[] = {"Undefined",
                                      "CPU",
                                      "CUDA",
                                      "XPU",
                                      "MPS",
                                      "Meta",
                                      "PrivateUse1",
                                      "BackendSelect",
                                      "ADInplaceOrView",
                                      "AutogradOther",
                                      "AutogradCPU",
                                      "AutogradCUDA",
                                      "AutogradXPU",
                                      "AutogradMPS",
                                      "AutogradMeta",
                                      "AutogradPrivateUse1",
                                      "AutocastCPU",
                                      "AutocastCUDA",
                                      "EndOfRuntimeKeys",
                                      "Autograd",
                                      "CompositeImplicitAutograd",
                                      "CompositeExplicitAutograd"};
  return names[static_cast<int>(key)];
}
std::ostream& operator<<(std::ostream& out, DispatchKey key) { return out << toString(key); }

std::ostream& operator<<(std::ostream& out, DispatchKeySet keys) {
  out << "DispatchKeySet(";
  const char* separator = "";
  for (int i = 1; i < static_cast<int>(DispatchKey::EndOfRuntimeKeys); ++i) {
    if (!keys.has(static_cast<DispatchKey>(i))) continue;
    out << separator << static_cast<DispatchKey>(i);
    separator = ", ";
  }
  return out << ")";
}

ThreadDispatchKeys& thread_dispatch_keys() {
  thread_local ThreadDispatchKeys keys;
  return keys;
}

}  // namespace torch::taper
