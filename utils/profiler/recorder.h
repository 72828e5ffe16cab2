// Keeps what the library tells of a run, thread by thread. Not installed.
#pragma once

#include <chrono>

#include <taper/utils/profiler/event.h>

namespace taper::utils::profiler {

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

}  // namespace taper::utils::profiler
