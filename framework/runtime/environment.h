// Reads switches in the environment, such as CUDA_LAUNCH_BLOCKING=1. Not installed.
#pragma once

#include <cstdlib>
#include <cstring>

#include <taper/framework/core/namespaces.h>

namespace torch::taper::detail {

/// Returns whether the environment variable exists and is neither "" nor "0".
inline bool is_on(const char* variable) {
  const char* v = std::getenv(variable);
  return v && *v && std::strcmp(v, "0") != 0;
}

}  // namespace torch::taper::detail
