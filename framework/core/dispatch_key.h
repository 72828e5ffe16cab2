// DispatchKey: the keys by which a program's registered operators choose kernels, and the keys that
// a thread leaves out. Names are LibTorch's. Taper's ops dispatch by device only
// (framework/kernel/dispatch.h).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>

#include <taper/framework/autograd/grad_mode.h>

#pragma GCC visibility push(default)

namespace torch::taper {

/// Runtime keys, then aliases for several of them. If a call has several keys, the kernel of the
/// key that is last in this list runs first. Autograd's keys are in the order of the devices' keys.
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
/// Returns the key's name, such as "AutogradCPU".
const char* toString(DispatchKey key);
/// Writes the key's name.
std::ostream& operator<<(std::ostream& out, DispatchKey key);

/// A set of runtime keys.
class DispatchKeySet {
 public:
  /// Selects all keys.
  enum Full { FULL };
  /// Selects all keys that are above a given one in the list of DispatchKey.
  enum FullAfter { FULL_AFTER };
  constexpr DispatchKeySet() = default;
  /// Contains all keys.
  constexpr DispatchKeySet(Full) : bits_(bit(DispatchKey::EndOfRuntimeKeys) - 1) {}
  /// Contains all keys that are above `key` in the list of DispatchKey. Their kernels run after the
  /// kernel of `key`.
  constexpr DispatchKeySet(FullAfter, DispatchKey key) : bits_(bit(key) - 1) {}
  /// Contains one key.
  constexpr explicit DispatchKeySet(DispatchKey key) : bits_(bit(key)) {}
  /// Contains these keys.
  constexpr explicit DispatchKeySet(std::initializer_list<DispatchKey> keys) {
    for (const DispatchKey key : keys) bits_ |= bit(key);
  }
  /// Returns the set whose raw_repr() is `bits`.
  static constexpr DispatchKeySet from_raw_repr(uint64_t bits) {
    DispatchKeySet set;
    set.bits_ = bits;
    return set;
  }
  /// Returns the set as bits, one for each key.
  constexpr uint64_t raw_repr() const { return bits_; }
  /// Returns whether the set is empty.
  constexpr bool empty() const { return bits_ == 0; }
  /// Returns whether the set contains the key.
  constexpr bool has(DispatchKey key) const { return (bits_ & bit(key)) != 0; }
  /// Returns whether the set contains a key of `o`.
  constexpr bool has_any(DispatchKeySet o) const { return (bits_ & o.bits_) != 0; }
  /// Returns whether the set contains all keys of `o`.
  constexpr bool has_all(DispatchKeySet o) const { return (bits_ & o.bits_) == o.bits_; }
  /// Returns this set with the key added.
  constexpr DispatchKeySet add(DispatchKey key) const { return from_raw_repr(bits_ | bit(key)); }
  /// Returns this set without the key.
  constexpr DispatchKeySet remove(DispatchKey key) const {
    return from_raw_repr(bits_ & ~bit(key));
  }
  /// Returns the union of both sets.
  constexpr DispatchKeySet operator|(DispatchKeySet o) const {
    return from_raw_repr(bits_ | o.bits_);
  }
  /// Returns the intersection of both sets.
  constexpr DispatchKeySet operator&(DispatchKeySet o) const {
    return from_raw_repr(bits_ & o.bits_);
  }
  /// Returns the keys that are not in `o`.
  constexpr DispatchKeySet operator-(DispatchKeySet o) const {
    return from_raw_repr(bits_ & ~o.bits_);
  }
  /// Returns whether the sets are equal.
  constexpr bool operator==(DispatchKeySet o) const { return bits_ == o.bits_; }
  /// Returns whether the sets differ.
  constexpr bool operator!=(DispatchKeySet o) const { return bits_ != o.bits_; }
  /// Returns the key whose kernel runs first, or Undefined for an empty set.
  DispatchKey highestPriorityTypeId() const {
    return empty() ? DispatchKey::Undefined : static_cast<DispatchKey>(64 - __builtin_clzll(bits_));
  }

 private:
  /// Returns the key's bit, or 0 for Undefined.
  static constexpr uint64_t bit(DispatchKey key) {
    return key == DispatchKey::Undefined ? 0 : uint64_t{1} << (static_cast<int>(key) - 1);
  }
  uint64_t bits_ = 0;
};
/// Writes "DispatchKeySet(CPU, AutogradCPU)".
std::ostream& operator<<(std::ostream& out, DispatchKeySet keys);

/// The keys of autograd's kernels.
constexpr DispatchKeySet autograd_dispatch_keyset{
    DispatchKey::AutogradOther,      DispatchKey::AutogradCPU, DispatchKey::AutogradCUDA,
    DispatchKey::AutogradXPU,        DispatchKey::AutogradMPS, DispatchKey::AutogradMeta,
    DispatchKey::AutogradPrivateUse1};
/// The keys of autograd's kernels, and ADInplaceOrView.
constexpr DispatchKeySet autograd_dispatch_keyset_with_ADInplaceOrView =
    autograd_dispatch_keyset | DispatchKeySet(DispatchKey::ADInplaceOrView);
/// The keys whose kernels run after autograd's.
constexpr DispatchKeySet after_autograd_keyset(DispatchKeySet::FULL_AFTER,
                                               DispatchKey::AutogradOther);
/// The keys whose kernels run after ADInplaceOrView's.
constexpr DispatchKeySet after_ADInplaceOrView_keyset(DispatchKeySet::FULL_AFTER,
                                                      DispatchKey::ADInplaceOrView);

/// The keys that this thread adds to each call, and the keys that it removes from each call.
struct ThreadDispatchKeys {
  DispatchKeySet included;  ///< added to a call's keys
  DispatchKeySet excluded;  ///< removed from a call's keys
};
/// Returns the calling thread's keys.
ThreadDispatchKeys& thread_dispatch_keys();

namespace impl {
/// Adds keys to one of this thread's sets until the end of the scope.
template <DispatchKeySet ThreadDispatchKeys::*kSet>
class DispatchKeyGuard {
 public:
  /// Adds these keys.
  explicit DispatchKeyGuard(DispatchKeySet keys) : before_(thread_dispatch_keys().*kSet) {
    thread_dispatch_keys().*kSet = before_ | keys;
  }
  /// Adds one key.
  explicit DispatchKeyGuard(DispatchKey key) : DispatchKeyGuard(DispatchKeySet(key)) {}
  ~DispatchKeyGuard() { thread_dispatch_keys().*kSet = before_; }
  DispatchKeyGuard(const DispatchKeyGuard&) = delete;
  DispatchKeyGuard& operator=(const DispatchKeyGuard&) = delete;

 private:
  DispatchKeySet before_;
};
/// Leaves keys out of this thread's calls until the end of the scope.
using ExcludeDispatchKeyGuard = DispatchKeyGuard<&ThreadDispatchKeys::excluded>;
/// Adds keys to this thread's calls until the end of the scope.
using IncludeDispatchKeyGuard = DispatchKeyGuard<&ThreadDispatchKeys::included>;
}  // namespace impl

/// Skips autograd in the thread's calls: no op records, and registered operators skip their kernels
/// for Autograd. Use it in a kernel that records its derivative itself.
class AutoDispatchBelowAutograd {
 private:
  NoGradGuard no_grad_;
  impl::ExcludeDispatchKeyGuard below_{autograd_dispatch_keyset};
};
/// Skips autograd as AutoDispatchBelowAutograd does. Registered operators also skip their kernels
/// for ADInplaceOrView.
class AutoDispatchBelowADInplaceOrView {
 private:
  NoGradGuard no_grad_;
  impl::ExcludeDispatchKeyGuard below_{autograd_dispatch_keyset_with_ADInplaceOrView};
};

}  // namespace torch::taper

#pragma GCC visibility pop
