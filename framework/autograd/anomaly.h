// Anomaly mode: backward names the forward op that made a NaN, and the source line that called it.
#pragma once

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper::autograd {

/// Process-wide switch. While on, every node keeps the call stack of its forward op, which comes as
/// a warning when an error comes out of the node, and backward throws on the first NaN gradient.
class AnomalyMode {
 public:
  static bool is_enabled() { return enabled_; }  ///< false at the start
  /// Whether backward throws on a NaN gradient while the mode is on; true unless set otherwise.
  static bool should_check_nan() { return check_nan_; }
  /// With `check_nan` false only the call stacks are kept and shown. To be called when no other
  /// thread runs backward: the switch is not atomic.
  static void set_enabled(bool enabled, bool check_nan = true) {
    enabled_ = enabled;
    check_nan_ = check_nan;
  }

 private:
  inline static bool enabled_ = false;
  inline static bool check_nan_ = true;
};

/// Anomaly mode for a scope.
class DetectAnomalyGuard {
 public:
  /// Warns, once, that programs get slower.
  explicit DetectAnomalyGuard(bool check_nan = true);
  ~DetectAnomalyGuard() { AnomalyMode::set_enabled(before_, check_before_); }
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
  DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;

 private:
  bool before_, check_before_;
};

}  // namespace torch::taper::autograd

#pragma GCC visibility pop
