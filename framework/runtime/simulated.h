// Simulated CUDA devices: memory of the host, a thread for each stream. See docs/devices.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/device.h>

namespace taper::cuda {

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
  std::string name = "Simulated CUDA device";
};

/// Makes `count` simulated devices the CUDA devices of this process. Call it before the first use
/// of any device; the environment variable TAPER_SIMULATED_CUDA_DEVICES=count does the same.
/// Throws Error later than that, ValueError unless 0 <= count <= kMaxDevices.
void simulate_devices(int count, const SimulationOptions& options = {});
/// Whether the CUDA devices are simulated ones.
bool is_simulated();

}  // namespace taper::cuda
