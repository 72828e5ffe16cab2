// Timeline: kernels and copies by stream and time.
//
//   cuda::Timeline timeline;
//   train();
//   timeline.stop();
//   timeline.export_chrome_trace("trace.json");  // for chrome://tracing or ui.perfetto.dev
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)

namespace torch::taper {
namespace cuda {

/// One kernel, or one copy ("memcpy"), on a stream. Times are nanoseconds since the timeline's
/// start.
struct TimelineEvent {
  std::string name;        ///< name of the op that queued it
  DeviceIndex device = 0;  ///< device that ran it
  int stream = 0;          ///< Stream::id, -1 if no op of Taper queued it
  int64_t begin_ns = 0;    ///< start time
  int64_t end_ns = 0;      ///< end time
  std::string kernel{};    ///< the kernel's name from CUPTI, empty without CUPTI
  uint64_t launch = 0;     ///< equal for all work that one op queued, 0 if unknown

  /// Returns whether this event and `o` overlap in time.
  bool overlaps(const TimelineEvent& o) const { return begin_ns < o.end_ns && o.begin_ns < end_ns; }
};

/// Records the work of the CUDA devices during its lifetime, or until stop(). Only one timeline can
/// record at a time. On a GPU, each kernel is an event with CUPTI's times. All kernels of a replay
/// belong to the launch "graph". Without CUPTI (not installed, in use by another profiler, or
/// TAPER_CUPTI=0), each launch is an event instead. CUDA events before and after the launch give
/// its times. The event then includes everything between these CUDA events in the stream, such as
/// several kernels of one op. Recording slows the program down.
class Timeline {
 public:
  /// Starts to record. Throws Error if another timeline records.
  Timeline();
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Waits for all devices and ends the recording. If a kernel has failed, ends the recording and
  /// throws the kernel's error.
  void stop();
  /// Returns the recorded events, sorted by start time.
  std::vector<TimelineEvent> events() const;
  /// Returns the events as JSON in Chrome's trace format: a device is a process, a stream a thread.
  std::string chrome_trace() const;
  /// Writes chrome_trace() to a file. Throws Error on failure.
  void export_chrome_trace(const std::string& path) const;

 private:
  bool recording_ = true;
  std::vector<TimelineEvent> events_;
};

}  // namespace cuda

namespace detail {

/// timeline_records: whether a timeline records work of simulated devices. timeline_spans: whether
/// a timeline marks launches by events.
extern std::atomic<bool> timeline_records, timeline_spans;

/// If `by_events`, later timelines mark launches by events on simulated devices, too. For tests.
void set_timeline_by_events(bool by_events);

/// The work that is queued on `stream` until the end of the scope becomes one event of the
/// timeline. Two CUDA events mark the begin and the end of this work, unless CUPTI records. Does
/// nothing if `stream` is null or no timeline needs marks. `name` is copied.
class TimelineSpan {
 public:
  TimelineSpan(StreamImpl* stream, const char* name) {
    if (timeline_spans.load(std::memory_order_relaxed)) begin(stream, name);
  }
  ~TimelineSpan() {
    if (stream_) end();
  }
  TimelineSpan(const TimelineSpan&) = delete;
  TimelineSpan& operator=(const TimelineSpan&) = delete;

 private:
  void begin(StreamImpl* stream, const char* name);
  void end() noexcept;
  StreamImpl* stream_ = nullptr;
  const char* name_ = nullptr;
  EventImpl* begin_ = nullptr;  // start of the span, null with CUPTI
  uint64_t launch_ = 0;         // with CUPTI: the number by which kernels refer to this launch
};

/// The time until the end of the scope becomes one event of `stream` in the timeline.
class TimelineMark {
 public:
  using Clock = std::chrono::steady_clock;
  TimelineMark(const char* name, const StreamImpl& stream) : name_(name), stream_(stream) {
    if (timeline_records.load(std::memory_order_relaxed)) begin_ = Clock::now();
  }
  ~TimelineMark() {
    if (begin_ != Clock::time_point()) add();
  }
  TimelineMark(const TimelineMark&) = delete;
  TimelineMark& operator=(const TimelineMark&) = delete;

 private:
  void add() const;
  const char* name_;
  const StreamImpl& stream_;
  Clock::time_point begin_{};
};

}  // namespace detail
}  // namespace torch::taper

#pragma GCC visibility pop
