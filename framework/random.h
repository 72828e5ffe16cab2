// The CPU's random numbers: PyTorch's generator (mt19937), number for number.
#pragma once

#include <taper/framework/generator.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper {

/// mt19937 as PyTorch keeps it: the words of the current block, and how many of them are left.
class Mt19937 {
 public:
  static constexpr int kWords = 624;
  explicit Mt19937(uint64_t seed = 5489);
  uint64_t seed() const { return seed_; }
  uint32_t operator()() {
    if (--left_ == 0) next_block();
    return temper(words_[next_++]);
  }
  /// The next n words, as n calls give them.
  void fill(uint32_t* to, int64_t n);

  // PyTorch's state: left_ - 1 words remain, from index next_ on.
  int32_t left() const { return left_; }
  uint32_t next() const { return next_; }
  const uint32_t* words() const { return words_; }
  /// False, and nothing changes, when the numbers cannot be a state.
  bool set_state(uint64_t seed, int32_t left, uint64_t next, const uint64_t* words);

 private:
  static uint32_t temper(uint32_t w) {
    w ^= w >> 11;
    w ^= (w << 7) & 0x9d2c5680u;
    w ^= (w << 15) & 0xefc60000u;
    return w ^ (w >> 18);
  }
  void next_block();

  uint64_t seed_;
  int32_t left_ = 1;
  uint32_t next_ = 0;
  uint32_t words_[kWords];
};

/// The generator of CPU tensors. Its numbers and its state are PyTorch's. Not locked inside: an op
/// holds `mutex_` while it draws. Devices have one each: for their numbers, or for keys of them.
struct CPUGeneratorImpl final : GeneratorImpl {
  explicit CPUGeneratorImpl(uint64_t seed = default_rng_seed_val, Device device = Device());
  void set_current_seed(uint64_t seed) override;
  uint64_t current_seed() const override { return engine_.seed(); }
  uint64_t seed() override;
  Tensor get_state() const override;
  void set_state(const Tensor& state) override;
  intrusive_ptr<GeneratorImpl> clone() const override;
  static DeviceType device_type() { return kCPU; }

  uint32_t random() { return engine_(); }
  /// Two words; the first is the upper half.
  uint64_t random64() {
    const uint64_t high = engine_();
    return (high << 32) | engine_();
  }
  /// The next n words, as n calls of random() give them.
  void fill(uint32_t* to, int64_t n) { engine_.fill(to, n); }

  // Normal numbers come in pairs; the second of a pair waits here.
  optional<float> next_float_normal_sample() const { return next_float_; }
  optional<double> next_double_normal_sample() const { return next_double_; }
  void set_next_float_normal_sample(optional<float> v) { next_float_ = v; }
  void set_next_double_normal_sample(optional<double> v) { next_double_ = v; }
  Mt19937 engine() const { return engine_; }
  void set_engine(const Mt19937& engine) { engine_ = engine; }

 private:
  Mt19937 engine_;
  optional<float> next_float_;
  optional<double> next_double_;
};

/// Seeds the default generators: the same seed gives the same numbers, those of PyTorch. May be
/// called from any thread.
void manual_seed(uint64_t seed);
namespace cuda {
/// Seeds the current device's default generator, or those of all devices. Without devices nothing
/// happens.
void manual_seed(uint64_t seed);
void manual_seed_all(uint64_t seed);
/// A key for the random numbers of a program's own kernel, which each launch takes anew from a
/// generator of the device (none: the default one). In a captured step it lies where `place` points
/// to, and is a new one in each replay.
struct RandomKeyOfLaunch {
  uint64_t key = 0;
  const uint64_t* place = nullptr;
};
RandomKeyOfLaunch random_key_for_launch(const optional<Generator>& generator = nullopt);
/// A device's default generator (-1: the current device). Throws Error when there is no device.
const Generator& default_generator(DeviceIndex device = -1);
}  // namespace cuda
/// The generator that ops use when they are given none.
const Generator& default_generator();
/// The current seed of the default generator.
uint64_t initial_seed();

namespace detail {
const Generator& getDefaultCPUGenerator();
Generator createCPUGenerator(uint64_t seed = default_rng_seed_val);
/// A seed from the system's entropy, of 53 bits.
uint64_t getNonDeterministicRandom();
/// The generator in `g`, or the default one of the device. Throws for another device's generator.
CPUGeneratorImpl* generator_for(Device device, const optional<Generator>& g);
}  // namespace detail

}  // namespace taper

#pragma GCC visibility pop
