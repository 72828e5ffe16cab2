// Per-thread modes that decide whether ops record a graph.
#pragma once

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {
struct ThreadModes {
  bool grad = true;
  bool inference = false;
};
/// This thread's modes. They are constant-initialised, so that access costs one load.
inline thread_local ThreadModes thread_modes;
}  // namespace detail

/// LibTorch's static interface to this thread's gradient mode.
struct GradMode {
  static bool is_enabled() { return detail::thread_modes.grad; }  ///< true in a new thread
  /// Sets the calling thread's gradient mode. AutoGradMode sets it for a scope.
  static void set_enabled(bool v) { detail::thread_modes.grad = v; }
};

/// Sets the gradient mode until the end of the scope.
class AutoGradMode {
 public:
  /// Sets the calling thread's mode. The destructor restores the previous mode.
  explicit AutoGradMode(bool enabled) : before_(GradMode::is_enabled()) {
    GradMode::set_enabled(enabled);
  }
  ~AutoGradMode() { GradMode::set_enabled(before_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool before_;
};

/// Turns gradient mode off in the scope: no op records a graph.
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// Turns inference mode on in the scope. No op records a graph, as with NoGradGuard. Tensors made
/// in the scope can never enter a graph, and ops neither track views nor count versions for them.
class InferenceMode {
 public:
  /// With `enabled` false, turns inference mode off and gradient mode on within the scope.
  explicit InferenceMode(bool enabled = true) : before_(detail::thread_modes) {
    detail::thread_modes.inference = enabled;
    detail::thread_modes.grad = !enabled;
  }
  ~InferenceMode() { detail::thread_modes = before_; }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;
  /// Returns whether the calling thread is in inference mode.
  static bool is_enabled() { return detail::thread_modes.inference; }

 private:
  detail::ThreadModes before_;
};

}  // namespace torch::taper

#pragma GCC visibility pop
