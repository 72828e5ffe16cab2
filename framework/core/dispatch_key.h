// DispatchKey: what an operator of a program's registry is called for, and which keys a thread
// leaves out. Names are LibTorch's. (Taper's own ops know devices only:
// framework/kernel/dispatch.h.)
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>

#include <taper/framework/autograd/grad_mode.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Runtime keys, the last of a call's going first, then names of several of them. Autograd's come
/// in the order of the devices.
enum class DispatchKey : uint8_t {
  Undefined,
  CPU,
  CUDA,
  XPU,
  MPS,
  Meta,
  PrivateUse1,
  BackendSelect,
  ADInplaceOrView,
  AutogradOther,
  AutogradCPU,
  AutogradCUDA,
  AutogradXPU,
  AutogradMPS,
  AutogradMeta,
  AutogradPrivateUse1,
  AutocastCPU,
  AutocastCUDA,
  EndOfRuntimeKeys,
  Autograd,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
  CatchAll = CompositeImplicitAutograd
};
/// The key's name: "AutogradCPU".
const char* toString(DispatchKey key);
/// Writes the key's name.
std::ostream& operator<<(std::ostream& out, DispatchKey key);

/// A set of runtime keys.
class DispatchKeySet {
 public:
  /// Says that all keys are meant.
  enum Full { FULL };
  /// Says that all keys after one are meant.
  enum FullAfter { FULL_AFTER };
  constexpr DispatchKeySet() = default;
  /// All keys.
  constexpr DispatchKeySet(Full) : bits_(bit(DispatchKey::EndOfRuntimeKeys) - 1) {}
  /// All keys that come after `key`.
  constexpr DispatchKeySet(FullAfter, DispatchKey key) : bits_(bit(key) - 1) {}
  /// One key.
  constexpr explicit DispatchKeySet(DispatchKey key) : bits_(bit(key)) {}
  /// These keys.
  constexpr explicit DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (const DispatchKey key : keys) bits_ |= bit(key);
  }
  /// The set that raw_repr() gave.
  static constexpr DispatchKeySet from_raw_repr(uint64_t bits) {
    DispatchKeySet set;
    set.bits_ = bits;
    return set;
  }
  /// A bit for each key.
  constexpr uint64_t raw_repr() const { return bits_; }
  /// Whether there is no key in it.
  constexpr bool empty() const { return bits_ == 0; }
  /// Whether the key is in it.
  constexpr bool has(DispatchKey key) const { return (bits_ & bit(key)) != 0; }
  /// Whether one of `o` is in it.
  constexpr bool has_any(DispatchKeySet o) const { return (bits_ & o.bits_) != 0; }
  /// Whether all of `o` are in it.
  constexpr bool has_all(DispatchKeySet o) const { return (bits_ & o.bits_) == o.bits_; }
  /// With the key, too.
  constexpr DispatchKeySet add(DispatchKey key) const { return from_raw_repr(bits_ | bit(key)); }
  /// Without the key.
  constexpr DispatchKeySet remove(DispatchKey key) const {
    return from_raw_repr(bits_ & ~bit(key));
  }
  /// The keys of either.
  constexpr DispatchKeySet operator|(DispatchKeySet o) const {
    return from_raw_repr(bits_ | o.bits_);
  }
  /// The keys of both.
  constexpr DispatchKeySet operator&(DispatchKeySet o) const {
    return from_raw_repr(bits_ & o.bits_);
  }
  /// The keys that `o` has not.
  constexpr DispatchKeySet operator-(DispatchKeySet o) const {
    return from_raw_repr(bits_ & ~o.bits_);
  }
  /// Whether the keys are the same.
  constexpr bool operator==(DispatchKeySet o) const { return bits_ == o.bits_; }
  /// Whether they are not.
  constexpr bool operator!=(DispatchKeySet o) const { return bits_ != o.bits_; }
  /// The key that goes first; Undefined for an empty set.
  DispatchKey highestPriorityTypeId() const {
    return empty() ? DispatchKey::Undefined : static_cast<DispatchKey>(64 - __builtin_clzll(bits_));
  }

 private:
  /// Undefined has none.
  static constexpr uint64_t bit(DispatchKey key) {
    return key == DispatchKey::Undefined ? 0 : uint64_t{1} << (static_cast<int>(key) - 1);
  }
  uint64_t bits_ = 0;
};
/// Writes "DispatchKeySet(CPU, AutogradCPU)".
std::ostream& operator<<(std::ostream& out, DispatchKeySet keys);

/// Those for which autograd's kernels are called.
constexpr DispatchKeySet autograd_dispatch_keyset{
    DispatchKey::AutogradOther,      DispatchKey::AutogradCPU, DispatchKey::AutogradCUDA,
    DispatchKey::AutogradXPU,        DispatchKey::AutogradMPS, DispatchKey::AutogradMeta,
    DispatchKey::AutogradPrivateUse1};
/// With ADInplaceOrView, too.
constexpr DispatchKeySet autograd_dispatch_keyset_with_ADInplaceOrView =
    autograd_dispatch_keyset | DispatchKeySet(DispatchKey::ADInplaceOrView);
/// Those that come after autograd's.
constexpr DispatchKeySet after_autograd_keyset(DispatchKeySet::FULL_AFTER,
                                               DispatchKey::AutogradOther);
/// Those that come after ADInplaceOrView.
constexpr DispatchKeySet after_ADInplaceOrView_keyset(DispatchKeySet::FULL_AFTER,
                                                      DispatchKey::ADInplaceOrView);

/// What this thread adds to the keys of each call, and leaves out of them.
struct ThreadDispatchKeys {
  DispatchKeySet included;  ///< added to a call's keys
  DispatchKeySet excluded;  ///< left out of them
};
/// The calling thread's.
ThreadDispatchKeys& thread_dispatch_keys();

namespace impl {
/// Adds keys to one of this thread's sets, for a scope.
template <DispatchKeySet ThreadDispatchKeys::*kSet>
class DispatchKeyGuard {
 public:
  /// Adds these.
  explicit DispatchKeyGuard(DispatchKeySet keys) : before_(thread_dispatch_keys().*kSet) {
    thread_dispatch_keys().*kSet = before_ | keys;
  }
  /// Adds one.
  explicit DispatchKeyGuard(DispatchKey key) : DispatchKeyGuard(DispatchKeySet(key)) {}
  ~DispatchKeyGuard() { thread_dispatch_keys().*kSet = before_; }
  DispatchKeyGuard(const DispatchKeyGuard&) = delete;
  DispatchKeyGuard& operator=(const DispatchKeyGuard&) = delete;

 private:
  DispatchKeySet before_;
};
/// Leaves keys out of this thread's calls, for a scope.
using ExcludeDispatchKeyGuard = DispatchKeyGuard<&ThreadDispatchKeys::excluded>;
/// Adds keys to this thread's calls, for a scope.
using IncludeDispatchKeyGuard = DispatchKeyGuard<&ThreadDispatchKeys::included>;
}  // namespace impl

/// The thread's calls reach what lies below autograd: no op records, and operators of a registry
/// skip their kernels for Autograd. For kernels that have a derivative of their own.
class AutoDispatchBelowAutograd {
 private:
  NoGradGuard no_grad_;
  impl::ExcludeDispatchKeyGuard below_{autograd_dispatch_keyset};
};
/// The same, and their kernels for ADInplaceOrView.
class AutoDispatchBelowADInplaceOrView {
 private:
  NoGradGuard no_grad_;
  impl::ExcludeDispatchKeyGuard below_{autograd_dispatch_keyset_with_ADInplaceOrView};
};

}  // namespace torch::taper

#pragma GCC visibility pop
