// Taper's interface for a program's CUDA code. This header does not use CUDA's types.
// <c10/cuda/...> and <ATen/cuda/...> use CUDA's types and call this interface.
#pragma once

#include <array>
#include <mutex>
#include <utility>

#include <taper/extension/allocator.h>
#include <taper/framework/memory/memory.h>
#include <taper/framework/random/random.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper::cuda {

/// Throws Error, because the CUDA call `call` has failed. `words` is CUDA's description of the
/// error. On simulated devices, the message says that the program's kernels need a GPU or
/// launch_host.
[[noreturn]] void throw_cuda_error(const char* words, const char* call, const char* file, int line);
/// Reports the failed CUDA call as a warning.
void warn_of_cuda_error(const char* words, const char* call, const char* file, int line);

/// A statistic of the allocator, with LibTorch's names.
struct Stat {
  int64_t current = 0;    ///< current value
  int64_t peak = 0;       ///< peak
  int64_t allocated = 0;  ///< sum of all increases
  int64_t freed = 0;      ///< sum of all decreases
};
/// Three statistics: of all blocks, of small blocks, and of large blocks. Taper sets only the
/// first.
using StatArray = std::array<Stat, 3>;
/// Statistics of a device's caching allocator.
struct DeviceStats {
  StatArray allocation;           ///< number of blocks of tensors. Only Stat::allocated is set
  StatArray segment;              ///< number of segments of the device. Only Stat::allocated is set
  StatArray allocated_bytes;      ///< bytes in blocks of tensors
  StatArray reserved_bytes;       ///< bytes in all segments
  StatArray active_bytes;         ///< equal to allocated_bytes
  StatArray requested_bytes;      ///< equal to allocated_bytes
  int64_t num_alloc_retries = 0;  ///< number of requests that first had to empty the cache
  int64_t num_ooms = 0;           ///< number of requests that failed
};
/// Returns the statistics of a device's allocator. Throws Error if there is no such device.
DeviceStats device_stats(DeviceIndex device);

/// The random state of a launch: the seed and the offset of Philox. In a captured step, they are in
/// device memory.
struct PhiloxCudaState {
  /// A number, or in a captured step the address of a number.
  union Payload {
    uint64_t val;         ///< the number
    const uint64_t* ptr;  ///< the number's address in device memory, used if captured_ is true
  };
  Payload seed_{0};                 ///< the seed: Philox's key
  Payload offset_{0};               ///< Philox's first counter
  uint64_t offset_intragraph_ = 0;  ///< added to the offset in a captured step
  bool captured_ = false;           ///< whether seed_ and offset_ are addresses
};

/// A device's generator for a program's kernels. Every launch gets a new seed, and the offset is
/// always 0. The seeds come from the generator that also provides the keys of Taper's kernels.
class CUDAGeneratorImpl {
 public:
  /// Uses a device's generator.
  explicit CUDAGeneratorImpl(Generator generator) : generator_(std::move(generator)) {}
  /// Returns the state of a launch in which each thread draws at most `increment` numbers.
  PhiloxCudaState philox_cuda_state(uint64_t increment);
  /// Returns {seed, offset}. Throws Error during a capture of the device's stream.
  std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t increment);
  uint64_t current_seed() const { return generator_.current_seed(); }  ///< the seed that was set
  /// Sets the seed and restarts the generator.
  void set_current_seed(uint64_t seed) { generator_.set_current_seed(seed); }
  Device device() const { return generator_.device(); }  ///< the generator's device
  /// A mutex that programs lock while they call this object, as in LibTorch.
  std::mutex mutex_;

 private:
  Generator generator_;
};
/// Returns a wrapper of `generator`, or of the device's default generator if `generator` is empty.
/// The wrapper is never destroyed.
CUDAGeneratorImpl* cuda_generator(const optional<Generator>& generator, DeviceIndex device = -1);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
