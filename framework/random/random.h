// The CPU's random numbers, identical to those of PyTorch's generator (mt19937).
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// mt19937 with PyTorch's state: the words of the current block, and the number of words left.
class Mt19937 {
 public:
  static constexpr int kWords = 624;  ///< 32-bit words of a block
  /// Starts the sequence of a seed. Only the lower 32 bits matter.
  explicit Mt19937(uint64_t seed = 5489);
  uint64_t seed() const { return seed_; }  ///< the seed as given, all 64 bits
  /// Returns the next 32 random bits.
  uint32_t operator()() {
    if (--left_ == 0) next_block();
    return temper(words_[next_++]);
  }
  /// Writes the next n words, which n calls of operator() would return.
  void fill(uint32_t* to, int64_t n);

  /// Return PyTorch's state. Of the kWords words of the block, left() - 1 remain, from index next()
  /// on. The words are untempered, in the engine's memory.
  ///@{
  int32_t left() const { return left_; }
  uint32_t next() const { return next_; }
  const uint32_t* words() const { return words_; }
  ///@}
  /// Sets the state. Returns false, and changes nothing, if the numbers cannot be a state.
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

/// The generator of CPU tensors. Its numbers and its state are PyTorch's. It does not lock: an op
/// holds drawing() while it draws. Each device has one. It makes the device's numbers, or keys for
/// them.
struct CPUGeneratorImpl final : GeneratorImpl {
  /// Starts the sequence of a seed. `device` is the generator's device. The host computes the
  /// numbers.
  explicit CPUGeneratorImpl(uint64_t seed = default_rng_seed_val, Device device = Device());
  /// Restarts the sequence of a seed. Drops a waiting normal number.
  void set_current_seed(uint64_t seed) override;
  /// Returns the seed of the sequence, from the last seeding or set_state().
  uint64_t current_seed() const override { return engine_.seed(); }
  /// Sets and returns a seed of 53 bits from the system's entropy.
  uint64_t seed() override;
  /// Returns the whole state as a new kByte tensor on the CPU, [5056], in PyTorch's layout.
  Tensor get_state() const override;
  /// Continues from a state of get_state(), or from the 5048 bytes that PyTorch wrote before 1.6.
  /// Throws TypeError unless it is a kByte tensor on the CPU, and Error for another size or invalid
  /// bytes. Nothing changes then.
  void set_state(const Tensor& state) override;
  /// Returns a new generator with this device and state.
  intrusive_ptr<GeneratorImpl> clone() const override;
  /// Returns kCPU, for CUDA devices' generators too. device() returns the actual device.
  static DeviceType device_type() { return kCPU; }

  /// Returns the next 32 random bits.
  uint32_t random() { return engine_(); }
  /// Returns 64 random bits of two words, the first in the upper half.
  uint64_t random64() {
    const uint64_t high = engine_();
    return (high << 32) | engine_();
  }
  /// Writes the next n words, which n calls of random() would return.
  void fill(uint32_t* to, int64_t n) { engine_.fill(to, n); }

  /// Get and set the waiting second number of a pair of normal numbers, for float and double
  /// separately. Empty if there is none.
  ///@{
  optional<float> next_float_normal_sample() const { return next_float_; }
  optional<double> next_double_normal_sample() const { return next_double_; }
  void set_next_float_normal_sample(optional<float> v) { next_float_ = v; }
  void set_next_double_normal_sample(optional<double> v) { next_double_ = v; }
  ///@}
  /// Return a copy of the engine, and replace it. A waiting normal number is kept.
  ///@{
  Mt19937 engine() const { return engine_; }
  void set_engine(const Mt19937& engine) { engine_ = engine; }
  ///@}
  /// Returns the index of the next draw that a GPU's capture records. Captures do not draw, but
  /// replays do. If an index recurs after GeneratorStates::restore(), it means the same draw.
  uint64_t next_recorded_draw() { return recorded_draws_++; }
  /// Continues with the numbers and the indices of recorded draws of `from`, a generator of any
  /// device. The device and the locks are kept.
  void copy_numbers(const CPUGeneratorImpl& from);

 private:
  Mt19937 engine_;
  optional<float> next_float_;
  optional<double> next_double_;
  uint64_t recorded_draws_ = 0;
};

/// A kernel's reference to the generator. A queued kernel may draw after the caller's handle is
/// gone.
using GeneratorPtr = intrusive_ptr<CPUGeneratorImpl>;

/// Seeds the default generators. Equal seeds give equal numbers, which are PyTorch's. May be called
/// from any thread.
void manual_seed(uint64_t seed);
namespace cuda {
/// Seed the current device's default generator, or those of all devices. Do nothing without
/// devices.
///@{
void manual_seed(uint64_t seed);
void manual_seed_all(uint64_t seed);
///@}
/// A key for the random numbers of a program's kernel. Each launch draws a new key from a generator
/// of the device (none: the default one). In a captured step the key is at `place`, and each replay
/// writes a new key there.
struct RandomKeyOfLaunch {
  uint64_t key = 0;                 ///< the key, if `place` is null
  const uint64_t* place = nullptr;  ///< address of a captured kernel's key, else null
};
/// Draws a key for a launch on the current stream of the generator's device. Throws Error for a
/// generator of the CPU and if there are no CUDA devices.
RandomKeyOfLaunch random_key_for_launch(const optional<Generator>& generator = nullopt);
/// Returns a device's default generator (-1: the current device). Throws Error if there is no
/// device.
const Generator& default_generator(DeviceIndex device = -1);
}  // namespace cuda
/// Returns the generator of ops that are given none.
const Generator& default_generator();
/// Returns the current seed of the default generator.
uint64_t initial_seed();

namespace detail {
const Generator& getDefaultCPUGenerator();
Generator createCPUGenerator(uint64_t seed = default_rng_seed_val);
/// Returns a seed from the system's entropy, of 53 bits.
uint64_t getNonDeterministicRandom();
/// Returns the generator in `g`, or the device's default. Throws for another device's generator.
GeneratorPtr generator_for(Device device, const optional<Generator>& g);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
