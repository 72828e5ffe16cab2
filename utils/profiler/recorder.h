// Records events of the library, thread by thread. Not installed.
#pragma once

#include <chrono>

#include <taper/framework/debug/timeline.h>
#include <taper/utils/profiler/event.h>

namespace torch::taper::utils::profiler {

using Clock = std::chrono::steady_clock;

/// The record between start_recording() and stop_recording().
struct Recording {
  Clock::time_point start;
  std::vector<Event> events;        ///< sorted by thread, then by start, outer events first
  std::vector<MemoryEvent> memory;  ///< sorted by time
};

/// Starts to record. Throws Error during a recording, because a process has only one recording at a
/// time.
void start_recording(bool with_shapes, bool with_memory);
/// Ends the recording, and all unfinished events.
Recording stop_recording();

#pragma GCC visibility push(default)  // for tests
/// Sets device_ns of events. On each device, the k-th op with a name gets the time of the k-th
/// launch with this name.
void add_device_times(std::vector<Event>& events,
                      const std::vector<cuda::TimelineEvent>& on_devices);
#pragma GCC visibility pop

}  // namespace torch::taper::utils::profiler
