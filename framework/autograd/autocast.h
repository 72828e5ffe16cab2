// autocast: ops that gain by it run in a 16-bit dtype, those that need them get 32 bits.
//
//   {
//     autocast guard(kCPU);              // bf16 on the CPU, f16 on CUDA devices, or a given dtype
//     loss = criterion(net->forward(x), y);
//   }
//   loss.backward();                     // each op's derivative in the dtype that the op had
//
// Which ops do what is in one table, ops/shared/autocast.h; docs/mixed_precision.md tells the
// rest.
#pragma once

#include <taper/framework/core/tensor.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {

/// What a thread's ops are cast by.
struct AutocastState {
  uint8_t enabled = 0;  // a bit for each kind of device: 1 CPU, 2 CUDA
  bool cache_enabled = true;
  ScalarType dtypes[2] = {kBFloat16, kHalf};
  int nesting = 0;

  /// Takes effect on the calling thread; the cache goes where nothing nests any more.
  void apply() const;
};
/// This thread's; constant-initialised, so that access costs one load.
inline thread_local AutocastState autocast_state;

/// Nothing is cast in this scope: the inside of an op.
class AutocastOff {
 public:
  AutocastOff() : before_(autocast_state.enabled) { autocast_state.enabled = 0; }
  /// Only for devices whose bits these are.
  explicit AutocastOff(uint8_t kinds) : AutocastOff() {
    autocast_state.enabled = static_cast<uint8_t>(before_ & ~kinds);
  }
  ~AutocastOff() { autocast_state.enabled = before_; }
  AutocastOff(const AutocastOff&) = delete;
  AutocastOff& operator=(const AutocastOff&) = delete;

 private:
  const uint8_t before_;
};

/// A state for a scope, in which what is cast is kept at least until its end.
class AutocastScope {
 public:
  explicit AutocastScope(const AutocastState& state);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  const AutocastState before_;
};

/// `x` as `to`. Casts of leaves that want a gradient to the dtype of autocast are kept until the
/// outermost scope ends, so that a weight is cast once for all of its uses: a later call gets the
/// kept one unless the leaf has changed since, has no history and needs one, or was cast in another
/// capture.
Tensor cached_cast(ScalarType to, const Tensor& x);

}  // namespace detail

/// Python's torch.autocast for a scope, and as static functions what LibTorch has in the namespace
/// at::autocast. All of it is of the calling thread.
class autocast {
 public:
  /// Until the end of the scope ops on devices of this kind are cast to `dtype`, by default what
  /// get_autocast_dtype() says, or with `enabled` false not at all. The cache stays as it is unless
  /// `cache_enabled` is given. Warns, and casts nothing, for another dtype than bf16 and f16 on the
  /// CPU, and for CUDA without a device.
  explicit autocast(Device device, optional<ScalarType> dtype = nullopt, bool enabled = true,
                    optional<bool> cache_enabled = nullopt);

  /// Whether ops on devices of this kind are cast. False for kinds that Taper has none of; the
  /// functions that take a dtype or a setting throw Error for these.
  static bool is_autocast_enabled(DeviceType type);
  /// Switches until the next switch, without a scope. Unlike the constructor it checks neither the
  /// dtype nor that there is a CUDA device.
  static void set_autocast_enabled(DeviceType type, bool enabled);
  /// What ops are cast to where nothing else is said: bfloat16 on the CPU and float16 on CUDA until
  /// it is set. Any dtype is taken; the constructor warns of those that autocast cannot use on the
  /// CPU.
  ///@{
  static ScalarType get_autocast_dtype(DeviceType type);
  static void set_autocast_dtype(DeviceType type, ScalarType dtype);
  ///@}
  /// True of the CPU and of CUDA, also without a CUDA device.
  static bool is_autocast_available(DeviceType type) { return type == kCPU || type == kCUDA; }
  /// Drops the kept casts. Who switches autocast on by hand calls it at the end of each step.
  static void clear_cache();
  /// Returns how many scopes there are then. (clear_cache() is to be called when it is none.)
  ///@{
  static int increment_nesting() { return ++detail::autocast_state.nesting; }
  static int decrement_nesting() { return --detail::autocast_state.nesting; }
  ///@}
  /// Whether casts of float32 leaves that require a gradient (weights) are kept for their next use,
  /// until the outermost scope ends. True until set otherwise.
  ///@{
  static bool is_autocast_cache_enabled() { return detail::autocast_state.cache_enabled; }
  static void set_autocast_cache_enabled(bool enabled) {
    detail::autocast_state.cache_enabled = enabled;
  }
  ///@}

  // LibTorch's older names: without one the device is CUDA.
  /// LibTorch's older names of the functions above, for CUDA, or for the CPU where they say so.
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
