// Whether ops record a graph, per thread.
#pragma once

#include <taper/framework/core/namespaces.h>

#pragma GCC visibility push(default)

namespace torch::taper {

namespace detail {
struct ThreadModes {
  bool grad = true;
  bool inference = false;
};
/// This thread's modes; constant-initialised, so that access costs one load.
inline thread_local ThreadModes thread_modes;
}  // namespace detail

/// LibTorch's static interface to this thread's gradient mode.
struct GradMode {
  static bool is_enabled() { return detail::thread_modes.grad; }  ///< true in a new thread
  /// Sets it for the calling thread until it is set again; AutoGradMode does it for a scope.
  static void set_enabled(bool v) { detail::thread_modes.grad = v; }
};

/// Sets the gradient mode for a scope.
class AutoGradMode {
 public:
  /// Of the calling thread; the destructor sets back what was before.
  explicit AutoGradMode(bool enabled) : before_(GradMode::is_enabled()) {
    GradMode::set_enabled(enabled);
  }
  ~AutoGradMode() { GradMode::set_enabled(before_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool before_;
};

/// No op in this scope records a graph.
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// Like NoGradGuard, and tensors made in the scope can never enter a graph: ops neither track views
/// nor count versions for them.
class InferenceMode {
 public:
  /// `enabled` false is the other way round: within the scope inference mode is off and gradient
  /// mode on.
  explicit InferenceMode(bool enabled = true) : before_(detail::thread_modes) {
    detail::thread_modes.inference = enabled;
    detail::thread_modes.grad = !enabled;
  }
  ~InferenceMode() { detail::thread_modes = before_; }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;
  /// Whether the calling thread is in inference mode.
  static bool is_enabled() { return detail::thread_modes.inference; }

 private:
  detail::ThreadModes before_;
};

}  // namespace torch::taper

#pragma GCC visibility pop
