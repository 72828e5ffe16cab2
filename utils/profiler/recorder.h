// Keeps what the library tells of a run, thread by thread. Not installed.
#pragma once

#include <chrono>

#include <taper/framework/debug/timeline.h>
#include <taper/utils/profiler/event.h>

namespace torch::taper::utils::profiler {

using Clock = std::chrono::steady_clock;

/// What was recorded between start_recording() and stop_recording().
struct Recording {
  Clock::time_point start;
  std::vector<Event> events;        ///< parents before what they contain; by thread, then by begin
  std::vector<MemoryEvent> memory;  ///< by time
};

/// Throws Error while a recording goes on: there is one in a process.
void start_recording(bool with_shapes, bool with_memory);
/// What has not ended ends now.
Recording stop_recording();

#pragma GCC visibility push(default)  // for tests
/// Gives the k-th op of a name on a device the time of the k-th launch of that name there.
void add_device_times(std::vector<Event>& events,
                      const std::vector<cuda::TimelineEvent>& on_devices);
#pragma GCC visibility pop

}  // namespace torch::taper::utils::profiler
