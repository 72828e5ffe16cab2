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

/// The seed of a generator if the program gives none.
constexpr uint64_t default_rng_seed_val = 67280421310721;

/// The object that a Generator refers to: one stream of random numbers for the ops of one device.
struct GeneratorImpl {
  /// Called by derived classes. `device` is the device whose ops draw from the generator.
  explicit GeneratorImpl(Device device) : device_(device) {}
  virtual ~GeneratorImpl() = default;
  GeneratorImpl(const GeneratorImpl&) = delete;
  GeneratorImpl& operator=(const GeneratorImpl&) = delete;
  /// Deletes the object. intrusive_ptr calls it when the last owner is gone.
  static void destroy(GeneratorImpl* g) { delete g; }

  /// Restarts the stream. Equal seeds give equal numbers. The caller must lock drawing() if other
  /// threads may draw.
  virtual void set_current_seed(uint64_t seed) = 0;
  virtual uint64_t current_seed() const = 0;  ///< the seed that the stream was started with
  /// Restarts the stream with a seed from the system's entropy. Returns the seed.
  virtual uint64_t seed() = 0;
  /// Return and set the state as bytes. Generator::get_state and Generator::set_state call these
  /// functions when the device's queued work is done.
  virtual Tensor get_state() const = 0;
  /// Sets the state that get_state() has returned.
  virtual void set_state(const Tensor& state) = 0;
  virtual intrusive_ptr<GeneratorImpl> clone() const = 0;  ///< a new stream at the same position
  Device device() const { return device_; }                ///< the device whose ops draw from it

  RefCount refs;  ///< number of owners
  /// The lock that a program holds while it uses the generator directly.
  std::mutex mutex_;
  /// Returns the lock that an op holds while it draws its numbers, so that no other op draws in
  /// between. For the CPU, this is mutex_. For other devices, it is another lock: queued work must
  /// not wait for a program that holds mutex_, because the program may wait for queued work.
  std::mutex& drawing() { return device_.is_cpu() ? mutex_ : queued_draws_; }

 private:
  Device device_;
  std::mutex queued_draws_;
};

/// A handle to a GeneratorImpl. Copies share the stream of numbers. clone() makes a new stream.
/// Functions that change or copy the state wait for work queued on the generator's device. They
/// throw Error while the device is captured.
class Generator {
 public:
  Generator() = default;
  /// Shares ownership of `impl`. A null pointer gives an empty handle.
  explicit Generator(intrusive_ptr<GeneratorImpl> impl) : impl_(std::move(impl)) {}
  /// Returns whether the handle refers to a stream. If not, functions that read or change the
  /// stream throw Error.
  bool defined() const { return impl_.defined(); }
  /// Returns the implementation, or null for an empty handle. The implementation lives as long as
  /// any Generator that shares it.
  GeneratorImpl* unsafeGetGeneratorImpl() const { return impl_.get(); }
  /// Returns the implementation as a T. T must be the implementation's type.
  template <class T>
  T* get() const {
    return static_cast<T*>(impl_.get());
  }
  /// Restarts the stream. Equal seeds give equal numbers. This function takes no lock. Lock mutex()
  /// if other threads may draw.
  void set_current_seed(uint64_t seed);
  /// Returns the seed that the stream was started with.
  uint64_t current_seed() const { return impl().current_seed(); }
  /// Restarts the stream with a seed from the system's entropy, and returns that seed.
  uint64_t seed();
  /// Returns the whole state as a tensor of bytes, in PyTorch's layout.
  Tensor get_state() const;
  /// Continues from a state that get_state() of Taper or of PyTorch has returned. Throws for other
  /// bytes. After an error the generator is unchanged.
  void set_state(const Tensor& state);
  /// Returns the lock to hold while using the implementation directly.
  std::mutex& mutex() const { return impl().mutex_; }
  Device device() const { return impl().device(); }  ///< the device whose ops draw from it
  /// Returns a new stream that continues with the same numbers.
  Generator clone() const;
  /// Compare handles. Two handles are equal if both refer to one stream. States are not compared.
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
