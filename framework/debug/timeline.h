// Timeline: what ran on which stream, and when.
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
  std::string name;        ///< of the op that has queued it
  DeviceIndex device = 0;  ///< where it ran
  int stream = 0;          ///< Stream::id; -1 where it was queued by no op of Taper's
  int64_t begin_ns = 0;    ///< from when
  int64_t end_ns = 0;      ///< to when
  std::string kernel{};    ///< its own name, as CUPTI tells it; empty where times are not CUPTI's
  uint64_t launch = 0;     ///< what one op has queued has one number; 0 where that is not known

  /// Whether both ran at the same time for a while.
  bool overlaps(const TimelineEvent& o) const { return begin_ns < o.end_ns && o.begin_ns < end_ns; }
};

/// Records what runs on the CUDA devices while it lives, or until stop(). One records at a time. On
/// a GPU each kernel is an event, with the times that CUPTI tells; all of a replay's belong to the
/// launch "graph". Where CUPTI is not installed, or refuses, or TAPER_CUPTI=0 is set, an event is a
/// launch, with the times of CUDA events before and after it: they include what else stands between
/// them in the stream, such as several kernels of one op, and recording them costs time.
class Timeline {
 public:
  /// Starts to record. Throws Error while another one records.
  Timeline();
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Waits for all devices and ends the recording. Throws what a kernel has thrown; the recording
  /// has ended then too.
  void stop();
  /// What was recorded, sorted by the begin.
  std::vector<TimelineEvent> events() const;
  /// The events as JSON in Chrome's trace format: a device is a process, a stream a thread.
  std::string chrome_trace() const;
  /// Writes chrome_trace() to a file. Throws Error when that fails.
  void export_chrome_trace(const std::string& path) const;

 private:
  bool recording_ = true;
  std::vector<TimelineEvent> events_;
};

}  // namespace cuda

namespace detail {

/// Whether a timeline records what simulated devices run, and whether it marks launches by events.
extern std::atomic<bool> timeline_records, timeline_spans;

/// Timelines that start from now on mark launches by events also on simulated devices. For tests.
void set_timeline_by_events(bool by_events);

/// What is queued on `stream` from here to the end of the scope is one event, between two events of
/// the device, where a timeline needs these; of no stream nothing. `name` is copied.
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
  EventImpl* begin_ = nullptr;  // or null, and
  uint64_t launch_ = 0;         // the number by which kernels tell that they are of this one
};

/// The time from here to the end of the scope is one event of `stream`.
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
