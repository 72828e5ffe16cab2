// The CPU's random numbers: PyTorch's generator (mt19937), number for number.
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// mt19937 as PyTorch keeps it: the words of the current block, and how many of them are left.
class Mt19937 {
 public:
  static constexpr int kWords = 624;  ///< 32-bit words of a block
  /// The start of a seed's sequence, which depends on the lower 32 bits of the seed.
  explicit Mt19937(uint64_t seed = 5489);
  uint64_t seed() const { return seed_; }  ///< the seed as it was given, all 64 bits
  /// The next 32 random bits.
  uint32_t operator()() {
    if (--left_ == 0) next_block();
    return temper(words_[next_++]);
  }
  /// The next n words, as n calls give them.
  void fill(uint32_t* to, int64_t n);

  /// PyTorch's state: of the kWords words of the block left() - 1 remain, from index next() on.
  /// They are kept untempered, in the engine's own memory.
  ///@{
  int32_t left() const { return left_; }
  uint32_t next() const { return next_; }
  const uint32_t* words() const { return words_; }
  ///@}
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
/// holds drawing() while it draws. Devices have one each: for their numbers, or for keys of them.
struct CPUGeneratorImpl final : GeneratorImpl {
  /// Starts the sequence of a seed. `device` is the one that the generator belongs to; the numbers
  /// themselves are computed by the host.
  explicit CPUGeneratorImpl(uint64_t seed = default_rng_seed_val, Device device = Device());
  /// Starts the sequence of a seed anew. Normal numbers that wait are dropped.
  void set_current_seed(uint64_t seed) override;
  /// The seed of the sequence: set last, or told by set_state().
  uint64_t current_seed() const override { return engine_.seed(); }
  /// Takes a seed from the system's entropy, of 53 bits, sets and returns it.
  uint64_t seed() override;
  /// The whole state as a new kByte tensor on the CPU, [5056], in PyTorch's layout.
  Tensor get_state() const override;
  /// Goes on from what get_state() gave, or from the 5048 bytes that PyTorch wrote before 1.6.
  /// Throws TypeError unless it is a kByte tensor on the CPU, and Error for another size or bytes
  /// that are no state; then nothing changes.
  void set_state(const Tensor& state) override;
  /// A new generator of the same device in the same state.
  intrusive_ptr<GeneratorImpl> clone() const override;
  /// kCPU, for CUDA devices' generators too: device() tells whose it is.
  static DeviceType device_type() { return kCPU; }

  /// The next 32 random bits.
  uint32_t random() { return engine_(); }
  /// Two words; the first is the upper half.
  uint64_t random64() {
    const uint64_t high = engine_();
    return (high << 32) | engine_();
  }
  /// The next n words, as n calls of random() give them.
  void fill(uint32_t* to, int64_t n) { engine_.fill(to, n); }

  /// Normal numbers come in pairs. The second of a pair waits here, in float and double apart;
  /// empty when there is none.
  ///@{
  optional<float> next_float_normal_sample() const { return next_float_; }
  optional<double> next_double_normal_sample() const { return next_double_; }
  void set_next_float_normal_sample(optional<float> v) { next_float_ = v; }
  void set_next_double_normal_sample(optional<double> v) { next_double_ = v; }
  ///@}
  /// A copy of the engine, and its replacement. Normal numbers that wait are left as they are.
  ///@{
  Mt19937 engine() const { return engine_; }
  void set_engine(const Mt19937& engine) { engine_ = engine; }
  ///@}
  /// The number of the next draw that a GPU's capture records. Replays draw, not captures. A number
  /// that comes again, behind GeneratorStates::restore(), names the same draw.
  uint64_t next_recorded_draw() { return recorded_draws_++; }
  /// Takes over the numbers that follow, and those of recorded draws, from a generator of any
  /// device. The device and the locks stay.
  void copy_numbers(const CPUGeneratorImpl& from);

 private:
  Mt19937 engine_;
  optional<float> next_float_;
  optional<double> next_double_;
  uint64_t recorded_draws_ = 0;
};

/// How a kernel gets the generator: a queued one draws when the caller's handle may be gone.
using GeneratorPtr = intrusive_ptr<CPUGeneratorImpl>;

/// Seeds the default generators: the same seed gives the same numbers, those of PyTorch. May be
/// called from any thread.
void manual_seed(uint64_t seed);
namespace cuda {
/// Seeds the current device's default generator, or those of all devices. Without devices nothing
/// happens.
///@{
void manual_seed(uint64_t seed);
void manual_seed_all(uint64_t seed);
///@}
/// A key for the random numbers of a program's own kernel, which each launch takes anew from a
/// generator of the device (none: the default one). In a captured step it lies where `place` points
/// to, and is a new one in each replay.
struct RandomKeyOfLaunch {
  uint64_t key = 0;                 ///< the key, where `place` is null
  const uint64_t* place = nullptr;  ///< where a captured kernel reads its key, else null
};
/// Draws such a key for a launch on the current stream of the generator's device. Throws Error for
/// a generator of the CPU and when there are no CUDA devices.
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
GeneratorPtr generator_for(Device device, const optional<Generator>& g);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
