// Kernels by which launches of captured steps are recognised: a capture of the CPU keeps launches,
// and what is said beside a kernel's definition (fusion.h, prepared.h) is found by them. Not
// installed.
#pragma once

#include <vector>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper::cpu {

struct KnownKernel {
  const taper::detail::LaunchKind* kind;
  bool (*is)(const taper::detail::Launch& launch, void (*kernel)());
  void (*kernel)();
  /// Whether the launch is one of this kernel.
  bool made(const taper::detail::Launch& launch) const {
    return kind == &launch.kind && is(launch, kernel);
  }
};

template <class... P>
KnownKernel known_kernel(void (*kernel)(P...)) {
  using Launch = taper::detail::KernelLaunch<P...>;
  return {&Launch::its_kind,
          [](const taper::detail::Launch& l, void (*k)()) {
            return Launch::of(l).kernel == reinterpret_cast<void (*)(P...)>(k);
          },
          reinterpret_cast<void (*)()>(kernel)};
}

/// What is known of a launch's kernel, or null.
template <class Known>
const Known* find_kernel(const std::vector<Known>& all, const taper::detail::Launch& launch) {
  for (const Known& k : all)
    if (k.kernel.made(launch)) return &k;
  return nullptr;
}

}  // namespace torch::taper::cpu
