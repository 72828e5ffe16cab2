// Generator: a handle to a stream of random numbers.
#pragma once

#include <mutex>

#include <taper/framework/array_ref.h>
#include <taper/framework/device.h>
#include <taper/framework/intrusive.h>

#pragma GCC visibility push(default)

namespace taper {

class Tensor;
class Generator;

/// The seed of a generator that was given none.
constexpr uint64_t default_rng_seed_val = 67280421310721;

/// What a Generator points to: one stream of random numbers for one kind of device.
struct GeneratorImpl {
  explicit GeneratorImpl(Device device) : device_(device) {}
  virtual ~GeneratorImpl() = default;
  GeneratorImpl(const GeneratorImpl&) = delete;
  GeneratorImpl& operator=(const GeneratorImpl&) = delete;
  static void destroy(GeneratorImpl* g) { delete g; }

  virtual void set_current_seed(uint64_t seed) = 0;
  virtual uint64_t current_seed() const = 0;
  /// Takes a seed from the system's entropy and returns it.
  virtual uint64_t seed() = 0;
  virtual Tensor get_state() const = 0;
  virtual void set_state(const Tensor& state) = 0;
  virtual intrusive_ptr<GeneratorImpl> clone() const = 0;
  Device device() const { return device_; }

  RefCount refs;
  /// Held while numbers are drawn: one op draws its numbers in one piece.
  std::mutex mutex_;

 private:
  Device device_;
};

/// A handle to a GeneratorImpl. Copies share the stream; clone() does not.
class Generator {
 public:
  Generator() = default;
  explicit Generator(intrusive_ptr<GeneratorImpl> impl) : impl_(std::move(impl)) {}
  bool defined() const { return impl_.defined(); }
  GeneratorImpl* unsafeGetGeneratorImpl() const { return impl_.get(); }
  /// The implementation as T, which must be its type.
  template <class T>
  T* get() const {
    return static_cast<T*>(impl_.get());
  }
  void set_current_seed(uint64_t seed) { impl().set_current_seed(seed); }
  uint64_t current_seed() const { return impl().current_seed(); }
  uint64_t seed() { return impl().seed(); }
  /// The whole state as a tensor of bytes, in PyTorch's layout.
  Tensor get_state() const;
  /// Continues from a state that get_state() gave, here or in PyTorch. Throws for other bytes and
  /// leaves the generator as it was.
  void set_state(const Tensor& state);
  /// The lock to hold around direct use of the implementation.
  std::mutex& mutex() const { return impl().mutex_; }
  Device device() const { return impl().device(); }
  Generator clone() const { return Generator(impl().clone()); }
  friend bool operator==(const Generator& a, const Generator& b) { return a.impl_ == b.impl_; }
  friend bool operator!=(const Generator& a, const Generator& b) { return a.impl_ != b.impl_; }

 private:
  GeneratorImpl& impl() const {
    TAPER_CHECK(impl_.defined(), "Generator: expected a defined generator, got an empty handle");
    return *impl_;
  }
  intrusive_ptr<GeneratorImpl> impl_;
};

}  // namespace taper

#pragma GCC visibility pop
