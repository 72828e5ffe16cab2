#include <taper/framework/core/dispatch_key.h>

#include <ostream>

namespace torch::taper {

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
