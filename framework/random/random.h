// The CPU's random numbers, identical to those of PyTorch's generator (mt19937).
#pragma once

#include <taper/framework/core/tensor.h>
#include <taper/framework/random/generator.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// The generator mt19937, with the state of PyTorch's: the words of the current block, and the
/// number of words left.
class Mt19937 {
 public:
  static constexpr int kWords = 624;  ///< number of 32-bit words of a block
  /// Starts the sequence of `seed`. Only the lower 32 bits of the seed matter.
  explicit Mt19937(uint64_t seed = 5489);
  uint64_t seed() const { return seed_; }  ///< all 64 bits of the given seed
  /// Returns the next 32 random bits.
  uint32_t operator()() {
    if (--left_ == 0) next_block();
    return temper(words_[next_++]);
  }
  /// Writes the next n words to `to`, like n calls of operator().
  void fill(uint32_t* to, int64_t n);

  /// Return the parts of PyTorch's state. left() - 1 of the block's kWords words remain. They begin
  /// at index next(). words() returns the engine's words before tempering, valid while the engine
  /// lives.
  ///@{
  int32_t left() const { return left_; }
  uint32_t next() const { return next_; }
  const uint32_t* words() const { return words_; }
  ///@}
  /// Sets the state. If the arguments cannot be a state, returns false and changes nothing.
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

/// The generator of CPU tensors. Its numbers and its state are PyTorch's. It takes no lock: an op
/// locks drawing() while it draws. CUDA devices have generators of this type, too. They make the
/// numbers of simulated devices, and keys for the numbers of CUDA kernels.
struct CPUGeneratorImpl final : GeneratorImpl {
  /// Starts the sequence of `seed`. `device` is the device whose ops draw from the generator. The
  /// host computes the numbers.
  explicit CPUGeneratorImpl(uint64_t seed = default_rng_seed_val, Device device = Device());
  /// Starts the sequence of `seed`. Drops the stored second number of a pair of normal numbers.
  void set_current_seed(uint64_t seed) override;
  /// Returns the seed of the sequence, which the last seeding or set_state() has set.
  uint64_t current_seed() const override { return engine_.seed(); }
  /// Starts the sequence of a seed of 53 bits from the system's entropy. Returns this seed.
  uint64_t seed() override;
  /// Returns the whole state as a new kByte tensor on the CPU, [5056], in PyTorch's layout.
  Tensor get_state() const override;
  /// Continues from a state that get_state() has returned, or from the 5048 bytes of a state of
  /// PyTorch before 1.6. Throws TypeError unless `state` is a kByte tensor on the CPU. Throws Error
  /// for another size or invalid bytes. After an error the generator is unchanged.
  void set_state(const Tensor& state) override;
  /// Returns a new generator with the device and the state of this one.
  intrusive_ptr<GeneratorImpl> clone() const override;
  /// Returns kCPU, for CUDA devices' generators too. device() returns the actual device.
  static DeviceType device_type() { return kCPU; }

  /// Returns the next 32 random bits.
  uint32_t random() { return engine_(); }
  /// Returns 64 random bits: the next two words, the first one in the upper half.
  uint64_t random64() {
    const uint64_t high = engine_();
    return (high << 32) | engine_();
  }
  /// Writes the next n words to `to`, like n calls of random().
  void fill(uint32_t* to, int64_t n) { engine_.fill(to, n); }

  /// Normal numbers are made in pairs. These functions get and set the stored second number of a
  /// pair, separately for float and double. It is empty if no number is stored.
  ///@{
  optional<float> next_float_normal_sample() const { return next_float_; }
  optional<double> next_double_normal_sample() const { return next_double_; }
  void set_next_float_normal_sample(optional<float> v) { next_float_ = v; }
  void set_next_double_normal_sample(optional<double> v) { next_double_ = v; }
  ///@}
  /// Return a copy of the engine, and replace the engine. The stored second number of a pair is
  /// kept.
  ///@{
  Mt19937 engine() const { return engine_; }
  void set_engine(const Mt19937& engine) { engine_ = engine; }
  ///@}
  /// Returns the index of the next draw that a GPU's capture records. A capture does not draw
  /// numbers, but each replay does. After GeneratorStates::restore(), indices repeat: a repeated
  /// index means the draw that had this index first.
  uint64_t next_recorded_draw() { return recorded_draws_++; }
  /// Continues with the numbers of `from`, a generator of any device, and with its indices of
  /// recorded draws. This generator's device and locks do not change.
  void copy_numbers(const CPUGeneratorImpl& from);

 private:
  Mt19937 engine_;
  optional<float> next_float_;
  optional<double> next_double_;
  uint64_t recorded_draws_ = 0;
};

/// A kernel's reference to its generator. It owns the generator, because a queued kernel may draw
/// after the caller's handle is destroyed.
using GeneratorPtr = intrusive_ptr<CPUGeneratorImpl>;

/// Seeds the default generators of the CPU and of all CUDA devices. Equal seeds give equal numbers.
/// The CPU's numbers are PyTorch's. Any thread may call this function.
void manual_seed(uint64_t seed);
namespace cuda {
/// Seed the default generator of the current CUDA device, or of all CUDA devices. Do nothing if
/// there are no CUDA devices.
///@{
void manual_seed(uint64_t seed);
void manual_seed_all(uint64_t seed);
///@}
/// A key for the random numbers of a program's kernel. Each launch needs a new key. In a captured
/// step, the key is at the address `place`, and each replay writes a new key there.
struct RandomKeyOfLaunch {
  uint64_t key = 0;                 ///< the key, if `place` is null
  const uint64_t* place = nullptr;  ///< address of a captured kernel's key, else null
};
/// Draws a key for a launch on the current stream of the generator's device. Without a generator,
/// uses the default generator of the current device. Throws Error for a generator of the CPU, and
/// if there are no CUDA devices.
RandomKeyOfLaunch random_key_for_launch(const optional<Generator>& generator = nullopt);
/// Returns the default generator of a CUDA device (-1: the current device). Throws Error if there
/// is no such device.
const Generator& default_generator(DeviceIndex device = -1);
}  // namespace cuda
/// Returns the CPU's default generator. Ops on CPU tensors use it if the program passes no
/// generator.
const Generator& default_generator();
/// Returns the current seed of the CPU's default generator.
uint64_t initial_seed();

namespace detail {
const Generator& getDefaultCPUGenerator();
Generator createCPUGenerator(uint64_t seed = default_rng_seed_val);
/// Returns a seed of 53 bits from the system's entropy.
uint64_t getNonDeterministicRandom();
/// Returns the generator in `g`, or the default generator of `device` if `g` is empty. Throws Error
/// if the generator in `g` is for another device.
GeneratorPtr generator_for(Device device, const optional<Generator>& g);
}  // namespace detail

}  // namespace torch::taper

#pragma GCC visibility pop
