// Anomaly mode: backward names the forward op that made a NaN, and the source line that called it.
#pragma once

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// A switch for the whole process. While it is on, every node keeps the call stack of its forward
/// op. If a node throws, a warning shows its stack. Backward throws on the first NaN gradient.
class AnomalyMode {
 public:
  static bool is_enabled() { return enabled_; }  ///< false by default
  /// Returns whether backward throws on a NaN gradient while the mode is on. True by default.
  static bool should_check_nan() { return check_nan_; }
  /// Sets the mode. With `check_nan` false, call stacks are kept and shown, but NaNs do not throw.
  /// Call it only while no other thread runs backward: the switch is not atomic.
  static void set_enabled(bool enabled, bool check_nan = true) {
    enabled_ = enabled;
    check_nan_ = check_nan;
  }

 private:
  inline static bool enabled_ = false;
  inline static bool check_nan_ = true;
};

/// Turns anomaly mode on until the end of the scope.
class DetectAnomalyGuard {
 public:
  /// Warns once that programs get slower.
  explicit DetectAnomalyGuard(bool check_nan = true);
  ~DetectAnomalyGuard() { AnomalyMode::set_enabled(before_, check_before_); }
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
  DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;

 private:
  bool before_, check_before_;
};

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
