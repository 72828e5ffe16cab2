// Generator: a handle to a stream of random numbers.
#pragma once

#include <mutex>

#include <taper/framework/core/array_ref.h>
#include <taper/framework/core/device.h>
#include <taper/framework/core/intrusive.h>

#pragma GCC visibility push(default)

namespace torch::taper {

class Tensor;
class Generator;

/// The seed of a generator that was given none.
constexpr uint64_t default_rng_seed_val = 67280421310721;

/// What a Generator points to: one stream of random numbers for one kind of device.
struct GeneratorImpl {
  /// For a derived class; `device` is the kind of device whose ops draw from it.
  explicit GeneratorImpl(Device device) : device_(device) {}
  virtual ~GeneratorImpl() = default;
  GeneratorImpl(const GeneratorImpl&) = delete;
  GeneratorImpl& operator=(const GeneratorImpl&) = delete;
  /// What intrusive_ptr calls when the last owner is gone.
  static void destroy(GeneratorImpl* g) { delete g; }

  /// Starts the stream anew: the same seed gives the same numbers. The caller holds drawing() where
  /// other threads may draw.
  virtual void set_current_seed(uint64_t seed) = 0;
  virtual uint64_t current_seed() const = 0;  ///< that the stream was started with
  /// Takes a seed from the system's entropy and returns it.
  virtual uint64_t seed() = 0;
  /// The state as bytes. Generator's functions of these names call them when what is queued on the
  /// device is done.
  virtual Tensor get_state() const = 0;
  /// See get_state().
  virtual void set_state(const Tensor& state) = 0;
  virtual intrusive_ptr<GeneratorImpl> clone() const = 0;  ///< a new stream at the same place
  Device device() const { return device_; }                ///< whose ops draw from it

  RefCount refs;  ///< how many Generators and other owners there are
  /// A program's lock, around what it does with the generator itself.
  std::mutex mutex_;
  /// Held while numbers are drawn: one op draws its numbers in one piece. It is mutex_ for the CPU.
  /// What is queued on a device must not wait for a program that holds mutex_, since that may wait
  /// for what is queued.
  std::mutex& drawing() { return device_.is_cpu() ? mutex_ : queued_draws_; }

 private:
  Device device_;
  std::mutex queued_draws_;
};

/// A handle to a GeneratorImpl. Copies share the stream; clone() does not. What changes or copies
/// the state waits for what is queued on the generator's device, and throws Error where that is
/// captured.
class Generator {
 public:
  Generator() = default;
  /// One more owner of `impl`; a null pointer gives an empty handle.
  explicit Generator(intrusive_ptr<GeneratorImpl> impl) : impl_(std::move(impl)) {}
  /// Whether there is a stream; without one all that reads or changes it throws Error.
  bool defined() const { return impl_.defined(); }
  /// Null for an empty handle; belongs to the Generators that share it.
  GeneratorImpl* unsafeGetGeneratorImpl() const { return impl_.get(); }
  /// The implementation as T, which must be its type.
  template <class T>
  T* get() const {
    return static_cast<T*>(impl_.get());
  }
  /// Starts the stream anew: the same seed gives the same numbers. Takes no lock: hold mutex()
  /// where other threads may draw.
  void set_current_seed(uint64_t seed);
  /// The seed with which the stream was started.
  uint64_t current_seed() const { return impl().current_seed(); }
  /// Starts the stream anew with a seed from the system's entropy, and returns that seed.
  uint64_t seed();
  /// The whole state as a tensor of bytes, in PyTorch's layout.
  Tensor get_state() const;
  /// Continues from a state that get_state() gave, here or in PyTorch. Throws for other bytes and
  /// leaves the generator as it was.
  void set_state(const Tensor& state);
  /// The lock to hold around direct use of the implementation.
  std::mutex& mutex() const { return impl().mutex_; }
  Device device() const { return impl().device(); }  ///< whose ops draw from it
  /// A stream of its own that goes on with the same numbers.
  Generator clone() const;
  /// Whether both are handles to the same stream; streams are not compared by state.
  ///@{
  friend bool operator==(const Generator& a, const Generator& b) { return a.impl_ == b.impl_; }
  friend bool operator!=(const Generator& a, const Generator& b) { return a.impl_ != b.impl_; }
  ///@}

 private:
  GeneratorImpl& impl() const {
    TAPER_CHECK(impl_.defined(), "Generator: expected a defined generator, got an empty handle");
    return *impl_;
  }
  intrusive_ptr<GeneratorImpl> impl_;
};

}  // namespace torch::taper

#pragma GCC visibility pop
