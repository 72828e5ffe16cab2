// Functions for LibTorch's kinds of devices that Taper does not have. Programs call is_available()
// before they choose a device.
#pragma once

#include <cstddef>
#include <cstdint>

#include <taper/framework/core/check.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Functions for Apple's GPUs.
namespace mps {

/// Returns false.
inline bool is_available() { return false; }
/// Does nothing, because there is no generator.
inline void manual_seed(uint64_t) {}
/// Throws Error.
inline void synchronize() { TAPER_CHECK(false, "mps::synchronize: there is no MPS device"); }

}  // namespace mps

/// Functions for Intel's GPUs.
namespace xpu {

/// Returns 0.
inline size_t device_count() { return 0; }
/// Returns false.
inline bool is_available() { return false; }
/// Do nothing, because there is no generator.
///@{
inline void manual_seed(uint64_t) {}
inline void manual_seed_all(uint64_t) {}
///@}
/// Throws Error.
inline void synchronize(int64_t /*device_index*/) {
  TAPER_CHECK(false, "xpu::synchronize: there is no XPU device");
}

}  // namespace xpu
}  // namespace torch::taper

#pragma GCC visibility pop
