// Simulated CUDA devices: memory of the host, a thread for each stream. See docs/devices.md.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/device.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// How simulated devices behave.
struct SimulationOptions {
  /// Bytes that each device has.
  size_t memory = size_t{1} << 30;
  /// Before each kernel a stream sleeps for a random time of up to so many microseconds, so that
  /// streams drift apart and a missing wait shows. 0: never.
  int max_delay_us = 0;
  /// Seed of the delays.
  uint64_t seed = 0;
  /// Devices reach each other's memory.
  bool peer_access = true;
  /// But for these pairs, numbered as before CUDA_VISIBLE_DEVICES. Copies between devices without
  /// peer access go over the host.
  std::vector<std::pair<int, int>> without_peer_access;
  std::string name = "Simulated CUDA device";  ///< get_device_name(): this and a number
};

/// Makes `count` simulated devices the CUDA devices of this process. Call it before the first use
/// of any device; the environment variable TAPER_SIMULATED_CUDA_DEVICES=count does the same.
/// Throws Error later than that, ValueError unless 0 <= count <= kMaxDevices.
void simulate_devices(int count, const SimulationOptions& options = {});
/// Whether the CUDA devices are simulated ones.
bool is_simulated();

// Faults, for tests of how a program takes them. All throw Error when `device` is no simulated one.

/// The n-th kernel that is queued on `device` from now on fails (1: the next one), or the n-th of
/// the name `kernel`. As on CUDA the error surfaces at the next synchronisation.
void simulate_kernel_fault(DeviceIndex device, int n = 1, const std::string& kernel = "");
/// The n-th request of memory from now on is refused (1: the next one), and `times` - 1 after it.
/// The caching allocator makes one when nothing in its cache fits, and again when it is refused.
void simulate_full_memory(DeviceIndex device, int n = 1, int times = 2);
/// From now on every use of `device` throws Error, and what is queued there is dropped. Other
/// devices go on.
void simulate_device_loss(DeviceIndex device);
/// Takes all of these back, and drops an error that nobody has seen.
void end_simulated_faults(DeviceIndex device);

}  // namespace torch::taper::cuda

namespace torch::taper::detail {

/// Free bytes of all simulated devices, by their numbers before CUDA_VISIBLE_DEVICES. Asking is no
/// use of a device.
std::vector<size_t> simulated_free_memory();

}  // namespace torch::taper::detail

#pragma GCC visibility pop
