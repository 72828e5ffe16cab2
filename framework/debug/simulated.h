// Simulated CUDA devices: memory of the host, with a thread for each stream. See
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
  /// Streams then drift apart, so that a missing synchronization shows. 0: never.
  int max_delay_us = 0;
  /// Seed of the delays.
  uint64_t seed = 0;
  /// Whether devices reach each other's memory.
  bool peer_access = true;
  /// Exceptions to peer_access, with numbers from before CUDA_VISIBLE_DEVICES. Copies between
  /// devices without peer access go through the host.
  std::vector<std::pair<int, int>> without_peer_access;
  std::string name = "Simulated CUDA device";  ///< get_device_name() returns this and a number
};

/// Makes `count` simulated devices the CUDA devices of this process. Call it before the first use
/// of any device. The environment variable TAPER_SIMULATED_CUDA_DEVICES=count has this effect too.
/// Throws Error after the first use, ValueError unless 0 <= count <= kMaxDevices.
void simulate_devices(int count, const SimulationOptions& options = {});
/// Returns whether the CUDA devices are simulated ones.
bool is_simulated();

// Faults, for tests of a program's reaction. All throw Error if `device` is not simulated.

/// Makes the n-th kernel fail that is queued on `device` from now on (1: the next one). If `kernel`
/// is not empty, only kernels of this name matter. As in CUDA the error surfaces at the next
/// synchronization.
void simulate_kernel_fault(DeviceIndex device, int n = 1, const std::string& kernel = "");
/// Refuses the n-th request of memory from now on (1: the next one), and the `times` - 1 requests
/// after it. The caching allocator makes a request if its cache has no fitting block, and again if
/// it is refused.
void simulate_full_memory(DeviceIndex device, int n = 1, int times = 2);
/// Lets every use of `device` throw Error from now on, and drops its queued work. Other devices
/// continue.
void simulate_device_loss(DeviceIndex device);
/// Ends all these faults, and drops an error that was not thrown yet.
void end_simulated_faults(DeviceIndex device);

}  // namespace torch::taper::cuda

namespace torch::taper::detail {

/// Returns the free bytes of all simulated devices, by their numbers before CUDA_VISIBLE_DEVICES.
/// The call is not a use of a device.
std::vector<size_t> simulated_free_memory();

}  // namespace torch::taper::detail

#pragma GCC visibility pop
