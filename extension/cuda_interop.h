// Taper's interface for a program's CUDA code. It names no CUDA type: <c10/cuda/...> and
// <ATen/cuda/...> do.
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

/// Throws Error with CUDA's words for a failed call. On simulated devices it says that the
/// program's kernels need a GPU, or launch_host.
[[noreturn]] void throw_cuda_error(const char* words, const char* call, const char* file, int line);
/// Issues this error as a warning.
void warn_of_cuda_error(const char* words, const char* call, const char* file, int line);

/// A figure of the allocator, with LibTorch's names.
struct Stat {
  int64_t current = 0;    ///< current value
  int64_t peak = 0;       ///< peak
  int64_t allocated = 0;  ///< sum of all increases
  int64_t freed = 0;      ///< sum of all decreases
};
/// Figures of all blocks, small ones, large ones. Taper counts only all together.
using StatArray = std::array<Stat, 3>;
/// Figures of a device's caching allocator.
struct DeviceStats {
  StatArray allocation;           ///< blocks of tensors: only `allocated`
  StatArray segment;              ///< segments from the device: only `allocated`
  StatArray allocated_bytes;      ///< bytes in blocks of tensors
  StatArray reserved_bytes;       ///< bytes in all segments
  StatArray active_bytes;         ///< as allocated_bytes
  StatArray requested_bytes;      ///< as allocated_bytes
  int64_t num_alloc_retries = 0;  ///< requests for which the cache had to be emptied
  int64_t num_ooms = 0;           ///< requests that were refused
};
/// Returns the figures of a device's allocator. Throws Error if there is no such device.
DeviceStats device_stats(DeviceIndex device);

/// The random state of a launch: keys of Philox, as a program's kernels draw them. In a captured
/// step they are in device memory.
struct PhiloxCudaState {
  /// A number, or its address in a captured step.
  union Payload {
    uint64_t val;         ///< the number
    const uint64_t* ptr;  ///< its address in device memory, if captured_ is true
  };
  Payload seed_{0};                 ///< the key
  Payload offset_{0};               ///< the first counter
  uint64_t offset_intragraph_ = 0;  ///< added to it in a captured step
  bool captured_ = false;           ///< whether seed_ and offset_ are addresses
};

/// A device's generator for a program's kernels. Every launch gets a new seed, so that the offset
/// is always 0. Seeds come from the stream of numbers that provides the keys of Taper's kernels.
class CUDAGeneratorImpl {
 public:
  /// Uses a device's generator.
  explicit CUDAGeneratorImpl(Generator generator) : generator_(std::move(generator)) {}
  /// Returns the state of a launch in which each thread draws at most `increment` numbers.
  PhiloxCudaState philox_cuda_state(uint64_t increment);
  /// Returns {seed, offset}. Throws Error while the device's stream is captured.
  std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t increment);
  uint64_t current_seed() const { return generator_.current_seed(); }          ///< as set
  void set_current_seed(uint64_t seed) { generator_.set_current_seed(seed); }  ///< restarts
  Device device() const { return generator_.device(); }  ///< the generator's device
  /// Programs hold it around their calls, as in LibTorch.
  std::mutex mutex_;

 private:
  Generator generator_;
};
/// Returns the wrapper of a generator, or of the device's default one. It lives as long as the
/// process.
CUDAGeneratorImpl* cuda_generator(const optional<Generator>& generator, DeviceIndex device = -1);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
