// The key of a launch's random numbers (philox.h). Not installed.
#pragma once

#include <mutex>

#include <taper/framework/core/dtype.h>
#include <taper/framework/random/random.h>

namespace torch::taper::cuda {

/// Returns the generator's next number, as the key of a launch.
inline uint64_t draw_key(CPUGeneratorImpl* generator) {
  const std::lock_guard<std::mutex> lock(generator->drawing());
  return generator->random64();
}

#if TAPER_CUDA_KERNELS == 1
/// Returns the address of a captured launch's key. Each replay writes a new key there. Null outside
/// captures.
const uint64_t* key_for_replays(CPUGeneratorImpl* generator);
#endif

/// A key as a kernel's argument. (On simulated devices, a launch draws its key each time it runs,
/// also in a replay.)
class RandomKey {
 public:
#if TAPER_CUDA_KERNELS == 1
  explicit RandomKey(const GeneratorPtr& generator) : place_(key_for_replays(generator.get())) {
    if (!place_) value_ = draw_key(generator.get());
  }
  TAPER_HD uint64_t operator()() const { return place_ ? *place_ : value_; }

 private:
  const uint64_t* place_;
  uint64_t value_ = 0;
#else
  explicit RandomKey(const GeneratorPtr& generator) : value_(draw_key(generator.get())) {}
  uint64_t operator()() const { return value_; }

 private:
  uint64_t value_;
#endif
};

}  // namespace torch::taper::cuda
