// autocast: ops that are faster in a 16-bit dtype run in it, and ops that need 32 bits get them.
//
//   {
//     autocast guard(kCPU);              // bf16 on the CPU, f16 on CUDA devices, or a given dtype
//     loss = criterion(net->forward(x), y);
//   }
//   loss.backward();                     // each derivative in the dtype that its op had
//
// The table of ops is in ops/shared/op_table.cpp. See also docs/mixed_precision.md.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {

/// Bits of AutocastState::door: autocast on the CPU, on CUDA, on both, and modes. If a bit is set,
/// the thread's ops show their calls at the door.
constexpr uint8_t kCastsCpu = 1, kCastsCuda = 2, kCasts = kCastsCpu | kCastsCuda, kModes = 4;

/// A thread's settings of autocast, and the word that each op reads first (door.h).
struct AutocastState {
  uint8_t door = 0;
  bool cache_enabled = true;
  ScalarType dtypes[2] = {kBFloat16, kHalf};
  int nesting = 0;

  /// Returns the kinds of devices whose ops are cast, as bits.
  uint8_t casts() const { return door & kCasts; }
  /// Casts ops on these kinds of devices. The bit of modes stays unchanged.
  void set_casts(int kinds) { door = static_cast<uint8_t>((door & ~kCasts) | (kinds & kCasts)); }
  /// Sets the calling thread's state to this state, except the bit of modes, because modes belong
  /// to the thread that entered them. Then clears the cache if no scope is open.
  void apply() const;
};
/// This thread's state. It is constant-initialised, so that access costs one load.
inline thread_local AutocastState autocast_state;
/// Returns whether modes are on. If so, a fused op must call the ops that it consists of, so that
/// modes see these ops.
inline bool has_modes() { return autocast_state.door & kModes; }

/// Turns autocast off until the end of the scope. Ops use it around their work.
class AutocastOff {
 public:
  AutocastOff() : AutocastOff(kCasts) {}
  /// Turns autocast off only for the kinds of devices whose bit in `kinds` is set.
  explicit AutocastOff(uint8_t kinds) : before_(autocast_state.casts()) {
    autocast_state.set_casts(before_ & ~kinds);
  }
  ~AutocastOff() { autocast_state.set_casts(before_); }
  AutocastOff(const AutocastOff&) = delete;
  AutocastOff& operator=(const AutocastOff&) = delete;

 private:
  const uint8_t before_;
};

/// Sets a state until the end of the scope. Cached casts are kept at least until then.
class AutocastScope {
 public:
  explicit AutocastScope(const AutocastState& state);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  const AutocastState before_;
};

/// Returns `x` cast to dtype `to`. Casts to autocast's dtype are cached for leaves that require a
/// gradient, until the outermost scope ends. So a weight is cast once for all uses. A cached cast
/// is not used if the leaf was changed after the cast, or if the cast was made in another capture.
/// It is also not used if it has no history although history is recorded.
Tensor cached_cast(ScalarType to, const Tensor& x);

}  // namespace detail

/// Turns on autocast until the end of the scope, like Python's torch.autocast. Its static functions
/// are those of LibTorch's namespace at::autocast. Everything concerns the calling thread only.
class autocast {
 public:
  /// Casts ops on devices of this kind to `dtype`, by default get_autocast_dtype(), until the end
  /// of the scope. With `enabled` false it casts nothing. The cache setting is kept unless
  /// `cache_enabled` is given. Warns, and casts nothing, for a dtype other than bf16 and f16 on the
  /// CPU, and for CUDA without a device.
  explicit autocast(Device device, optional<ScalarType> dtype = nullopt, bool enabled = true,
                    optional<bool> cache_enabled = nullopt);

  /// Returns whether ops on devices of this kind are cast. Returns false for kinds that Taper has
  /// no devices of. The setters, and get_autocast_dtype(), throw Error for these kinds.
  static bool is_autocast_enabled(DeviceType type);
  /// Turns autocast on or off without a scope. Unlike the constructor it checks neither the dtype
  /// nor that there is a CUDA device.
  static void set_autocast_enabled(DeviceType type, bool enabled);
  /// Get and set the default dtype of casts: bfloat16 on the CPU and float16 on CUDA until it is
  /// set. Any dtype is accepted. The constructor warns of a dtype that autocast cannot use on the
  /// CPU.
  ///@{
  static ScalarType get_autocast_dtype(DeviceType type);
  static void set_autocast_dtype(DeviceType type, ScalarType dtype);
  ///@}
  /// Returns true for the CPU and CUDA, even without a CUDA device.
  static bool is_autocast_available(DeviceType type) { return type == kCPU || type == kCUDA; }
  /// Drops cached casts. Call it at the end of each step if you switch autocast on without a scope.
  static void clear_cache();
  /// Change the nesting of scopes, and return the new number of scopes. Call clear_cache() when it
  /// is 0.
  ///@{
  static int increment_nesting() { return ++detail::autocast_state.nesting; }
  static int decrement_nesting() { return --detail::autocast_state.nesting; }
  ///@}
  /// Get and set whether casts of float32 leaves that require a gradient (weights) are cached until
  /// the outermost scope ends. True by default.
  ///@{
  static bool is_autocast_cache_enabled() { return detail::autocast_state.cache_enabled; }
  static void set_autocast_cache_enabled(bool enabled) {
    detail::autocast_state.cache_enabled = enabled;
  }
  ///@}

  /// LibTorch's older names of the functions above, for CUDA, or for the CPU if the name says so.
  ///@{
  static bool is_enabled() { return is_autocast_enabled(kCUDA); }
  static void set_enabled(bool enabled) { set_autocast_enabled(kCUDA, enabled); }
  static bool is_cpu_enabled() { return is_autocast_enabled(kCPU); }
  static void set_cpu_enabled(bool enabled) { set_autocast_enabled(kCPU, enabled); }
  static ScalarType get_autocast_gpu_dtype() { return get_autocast_dtype(kCUDA); }
  static void set_autocast_gpu_dtype(ScalarType dtype) { set_autocast_dtype(kCUDA, dtype); }
  static ScalarType get_autocast_cpu_dtype() { return get_autocast_dtype(kCPU); }
  static void set_autocast_cpu_dtype(ScalarType dtype) { set_autocast_dtype(kCPU, dtype); }
  ///@}

 private:
  const detail::AutocastScope scope_;
};

namespace amp {
using taper::autocast;
}  // namespace amp

}  // namespace torch::taper

#pragma GCC visibility pop
