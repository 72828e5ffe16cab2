// Events that are not scopes of a thread, such as operations between ranks. One thread may manage
// several such events at a time.
#pragma once

#include <chrono>
#include <string>

#include <taper/framework/debug/run_observer.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// Receives these events. A RunObserver may also be a SpanObserver.
class SpanObserver {
 public:
  using Clock = std::chrono::steady_clock;
  /// Called when an operation that the calling thread manages has ended. Other operations may have
  /// begun and ended meanwhile. `name` is copied.
  virtual void span(RunEvent kind, const char* name, Clock::time_point begin,
                    Clock::time_point end) noexcept = 0;

 protected:
  ~SpanObserver() = default;
};

/// If the run's observer is a SpanObserver, tells it that an operation has just ended.
void tell_span(RunEvent kind, const std::string& name, SpanObserver::Clock::time_point begin);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
