// What goes on beside other things of a thread, so that it has no place among the scopes there: an
// operation between ranks, one of several that a thread looks after.
#pragma once

#include <chrono>
#include <string>

#include <taper/framework/debug/run_observer.h>

#pragma GCC visibility push(default)

namespace torch::taper::detail {

/// A RunObserver that hears of these, too.
class SpanObserver {
 public:
  using Clock = std::chrono::steady_clock;
  /// Something that the calling thread looked after has ended; others may have begun and ended
  /// meanwhile. `name` is copied.
  virtual void span(RunEvent kind, const char* name, Clock::time_point begin,
                    Clock::time_point end) noexcept = 0;

 protected:
  ~SpanObserver() = default;
};

/// Tells who is told of the run, where that is a SpanObserver, what has ended now.
void tell_span(RunEvent kind, const std::string& name, SpanObserver::Clock::time_point begin);

}  // namespace torch::taper::detail

#pragma GCC visibility pop
