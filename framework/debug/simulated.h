// Simulated CUDA devices. They use the host's memory, and one thread for each stream. See
// docs/simulated_devices.md.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <taper/framework/core/device.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Options of simulated devices.
struct SimulationOptions {
  /// Bytes of memory of each device.
  size_t memory = size_t{1} << 30;
  /// Before each kernel, a stream sleeps for a random time of up to this number of microseconds.
  /// Streams then run at different speeds, so that a missing synchronization becomes visible. 0
  /// means no delay.
  int max_delay_us = 0;
  /// Seed of the delays.
  uint64_t seed = 0;
  /// Whether devices can access each other's memory directly.
  bool peer_access = true;
  /// Pairs of devices without peer access, even if peer_access is true. Devices have the numbers
  /// that they have without CUDA_VISIBLE_DEVICES. Copies between devices without peer access go
  /// through the host.
  std::vector<std::pair<int, int>> without_peer_access;
  std::string name = "Simulated CUDA device";  ///< get_device_name() returns this and a number
};

/// Makes `count` simulated devices the CUDA devices of this process. Call it before the first use
/// of any device. The environment variable TAPER_SIMULATED_CUDA_DEVICES=count has the same effect.
/// Throws Error after the first use of a device, and ValueError unless 0 <= count <= kMaxDevices.
void simulate_devices(int count, const SimulationOptions& options = {});
/// Returns whether the CUDA devices are simulated.
bool is_simulated();

// Functions that cause faults, to test how a program reacts. All of them throw Error if `device` is
// not simulated.

/// Makes a kernel fail: the n-th kernel that is queued on `device` from now on (1: the next one).
/// If `kernel` is not empty, only kernels of this name are counted. As in CUDA, the next
/// synchronization throws the error.
void simulate_kernel_fault(DeviceIndex device, int n = 1, const std::string& kernel = "");
/// Refuses the n-th request for memory of `device` from now on (1: the next one), and the `times` -
/// 1 requests after it. The caching allocator makes a request if its cache has no block of suitable
/// size. It makes a second request if the first is refused.
void simulate_full_memory(DeviceIndex device, int n = 1, int times = 2);
/// Makes every use of `device` throw Error from now on, and drops its queued work. Other devices
/// continue.
void simulate_device_loss(DeviceIndex device);
/// Ends all faults of `device`, and drops an error that was not thrown yet.
void end_simulated_faults(DeviceIndex device);

}  // namespace torch::taper::cuda

namespace torch::taper::detail {

/// Returns the free bytes of each simulated device. The order of the devices is that without
/// CUDA_VISIBLE_DEVICES. The call is not a use of a device.
std::vector<size_t> simulated_free_memory();

}  // namespace torch::taper::detail

#pragma GCC visibility pop
