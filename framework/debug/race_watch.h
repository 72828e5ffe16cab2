// The internals of the race detector: vector clocks for streams, events and the host. Not
// installed.
//
// A launch is before a second launch if the second launch's stream has waited for an event after
// the first launch. This wait may be indirect. The first launch is also before the second if the
// host waited for the first, then queued the second. All threads of the host are treated as one
// thread. Their work is ordered by time.
#pragma once

#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <taper/framework/debug/race_detector.h>
#include <taper/framework/debug/race_shadow.h>
#include <taper/framework/runtime/stream.h>

#pragma GCC visibility push(default)  // for the tests

namespace torch::taper::races {

/// The race detector. While it holds its lock, it calls no function that takes another lock.
class Detector {
 public:
  /// Checks a launch that is about to be queued on `stream`. If `stream` is null, checks work that
  /// the host is about to run.
  void launch(detail::StreamImpl* stream, const char* name,
              const std::vector<detail::Access>& accesses);

  void record(detail::EventImpl* event, detail::StreamImpl* stream);
  void wait(detail::StreamImpl* stream, detail::EventImpl* event);
  void destroy(detail::EventImpl* event);

  /// Return a clock: after all work that is queued on the stream or on the device's streams, or at
  /// the last record of the event.
  Clock clock_of(detail::StreamImpl* stream);
  Clock clock_of(DeviceIndex device);
  Clock clock_of(detail::EventImpl* event);
  /// Notes that the host has waited for all work before `clock`.
  void host_reaches(const Clock& clock);

  /// Notes that `nbytes` bytes at p were allocated for a tensor, for use on `stream`.
  void allocate(const void* p, size_t nbytes, detail::StreamImpl* stream);
  /// Notes that the stream's uses of this memory so far need no synchronization with later uses:
  /// the allocator keeps the memory until these uses are done.
  void keep_for(const void* p, size_t nbytes, detail::StreamImpl* stream);
  /// Notes that this memory is no longer used.
  void forget(const void* p, size_t nbytes);

  /// Forgets everything except the reports.
  void reset(bool throws);
  bool throws();
  std::vector<cuda::RaceReport> reports();
  void set_reports(std::vector<cuda::RaceReport> reports);
  /// Adds the reports of another detector.
  void add_reports(const std::vector<cuda::RaceReport>& reports);

 private:
  struct Stream {
    detail::StreamImpl* impl;
    Clock clock;
  };
  /// A tensor's memory, from its key in allocations_ up to `end`.
  struct Allocation {
    uintptr_t end;
    uint32_t stream;
    uint64_t moment;
  };
  using Conflict = std::pair<std::shared_ptr<const Use>, std::shared_ptr<const Use>>;

  uint32_t index_of(detail::StreamImpl* stream);
  bool knows_nothing();
  std::vector<Conflict> conflicts(const std::vector<std::shared_ptr<const Use>>& uses,
                                  const Clock& clock);
  void report(const Conflict& conflict);
  bool lost_its_memory(const Use& use, const Use& now) const;
  cuda::RaceAccess describe(const Use& use) const;

  static constexpr uint32_t kHost = ~uint32_t{0};

  std::mutex mutex_;
  bool throws_ = false;
  std::vector<Stream> streams_;
  std::unordered_map<detail::StreamImpl*, uint32_t> indices_;
  std::unordered_map<detail::EventImpl*, Clock> events_;
  Clock host_;
  Shadow shadow_;
  size_t sweep_at_ = kSweep;
  uint64_t moment_ = 0;
  std::map<uintptr_t, Allocation> allocations_;
  std::vector<cuda::RaceReport> reports_;
  std::set<std::tuple<std::string, void*, std::string, void*>> known_;

  static constexpr size_t kSweep = 4096;
};

Detector& detector();

/// Reads TAPER_RACE_DETECTOR. Throws ValueError unless it is 0, 1 or throw.
void enable_from_environment();

/// Returns a report as text, with a remedy.
std::string text_of(const cuda::RaceReport& report);

/// During its lifetime, queries of streams and events by the calling thread do not count as waits
/// of the host. The library makes these queries, not the program.
class QuietQueries {
 public:
  QuietQueries();
  ~QuietQueries();
  static bool active();
};

}  // namespace torch::taper::races

#pragma GCC visibility pop
