// Forces one way to compute an op (framework/kernel/ways.h) for a scope.
#pragma once

#include <taper/framework/core/namespaces.h>

namespace torch::taper::testing {

/// Calls force(name), and force(nullptr) at the end.
template <auto force>
class ForcedWay {
 public:
  explicit ForcedWay(const char* name) { force(name); }
  ~ForcedWay() { force(nullptr); }
  ForcedWay(const ForcedWay&) = delete;
  ForcedWay& operator=(const ForcedWay&) = delete;
};

}  // namespace torch::taper::testing
