// What a program's own CUDA code asks of Taper. Names no CUDA type: <c10/cuda/...> and
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

/// Throws Error with CUDA's words for a call that failed; where the devices are simulated ones it
/// says that the program's own kernels need a GPU, or launch_host.
[[noreturn]] void throw_cuda_error(const char* words, const char* call, const char* file, int line);
/// The same as a warning.
void warn_of_cuda_error(const char* words, const char* call, const char* file, int line);

/// A figure of the allocator, with LibTorch's names.
struct Stat {
  int64_t current = 0;    ///< now
  int64_t peak = 0;       ///< the greatest so far
  int64_t allocated = 0;  ///< the sum of all that came
  int64_t freed = 0;      ///< the sum of all that went
};
/// Of all blocks, small ones, large ones; Taper counts all together.
using StatArray = std::array<Stat, 3>;
/// Figures of a device's caching allocator.
struct DeviceStats {
  StatArray allocation;           ///< blocks that tensors have had: `allocated` alone
  StatArray segment;              ///< pieces of memory that the device gave: `allocated` alone
  StatArray allocated_bytes;      ///< in blocks that tensors have
  StatArray reserved_bytes;       ///< in all pieces
  StatArray active_bytes;         ///< as allocated_bytes
  StatArray requested_bytes;      ///< as allocated_bytes
  int64_t num_alloc_retries = 0;  ///< requests that had to wait for the cache to be emptied
  int64_t num_ooms = 0;           ///< requests that were refused
};
/// Throws Error where there is no such device.
DeviceStats device_stats(DeviceIndex device);

/// The random numbers of a launch: keys of Philox, as kernels of a program draw them. In a captured
/// step they lie in device memory.
struct PhiloxCudaState {
  /// A number, or where a captured step finds it.
  union Payload {
    uint64_t val;         ///< the number
    const uint64_t* ptr;  ///< its place in the device's memory, where captured_ is true
  };
  Payload seed_{0};                 ///< the key
  Payload offset_{0};               ///< the first number of the counter
  uint64_t offset_intragraph_ = 0;  ///< to be added to it in a captured step
  bool captured_ = false;           ///< whether seed_ and offset_ are places
};

/// A device's generator as a program's kernels see it: every launch gets a seed of its own, so that
/// the offset is always 0. Drawn from the same stream of numbers as Taper's own kernels' keys.
class CUDAGeneratorImpl {
 public:
  /// Of a device's generator.
  explicit CUDAGeneratorImpl(Generator generator) : generator_(std::move(generator)) {}
  /// For a launch of which each thread draws at most `increment` numbers.
  PhiloxCudaState philox_cuda_state(uint64_t increment);
  /// {seed, offset}; Error while the device's stream is captured.
  std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t increment);
  uint64_t current_seed() const { return generator_.current_seed(); }          ///< as it was set
  void set_current_seed(uint64_t seed) { generator_.set_current_seed(seed); }  ///< begins anew
  Device device() const { return generator_.device(); }  ///< whose generator it is
  /// Held by programs around their calls, as LibTorch asks.
  std::mutex mutex_;

 private:
  Generator generator_;
};
/// That of a generator (of none: of the device's default one). Lives as long as the process.
CUDAGeneratorImpl* cuda_generator(const optional<Generator>& generator, DeviceIndex device = -1);

}  // namespace torch::taper::cuda

#pragma GCC visibility pop
