#include <taper/utils/profiler/recorder.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>

#include <taper/framework/core/check.h>
#include <taper/framework/debug/run_span.h>
#include <taper/framework/runtime/access.h>
#ifdef TAPER_WITH_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace torch::taper::utils::profiler {
namespace {

using taper::detail::Access;

/// Describes an event during recording. Only its name allocates memory.
struct RawEvent {
  std::string name;
  EventKind kind;
  Device device;
  uint64_t sequence_nr;
  int64_t parent;
  Clock::time_point begin, end;
  size_t first_operand, operands;
  int64_t allocated, freed;
};
struct RawOperand {
  ScalarType dtype;
  bool written;
  Dims sizes;
};
/// Describes work beside the events of the thread.
struct RawSpan {
  std::string name;
  EventKind kind;
  Clock::time_point begin, end;
};
struct RawMemory {
  Clock::time_point time;
  const void* address;
  int64_t nbytes;
  Device device;
  int64_t event;
};

/// Holds the records of one thread. Only this thread takes the lock, until a recording ends.
struct ThreadLog {
  std::mutex mutex;
  std::vector<RawEvent> events;
  std::vector<RawOperand> operands;
  std::vector<RawMemory> memory;
  std::vector<RawSpan> spans;
  std::vector<int64_t> open;  // open events, outer ones first
};

class Recorder final : public taper::detail::RunObserver, public taper::detail::SpanObserver {
 public:
  void begin(EventKind kind, const char* name, Device device, uint64_t sequence_nr,
             const std::vector<Access>& operands) noexcept override try {
    ThreadLog& log = own_log();
    const std::lock_guard<std::mutex> lock(log.mutex);
    const size_t first = log.operands.size();
    if (with_shapes_)
      for (const Access& a : operands) log.operands.push_back({a.dtype, a.writes, a.sizes});
    const int64_t parent = log.open.empty() ? -1 : log.open.back();
    log.open.push_back(static_cast<int64_t>(log.events.size()));
    log.events.push_back({name,
                          kind,
                          device,
                          sequence_nr,
                          parent,
                          {},
                          {},
                          first,
                          log.operands.size() - first,
                          0,
                          0});
    log.events.back().begin = Clock::now();
#ifdef TAPER_WITH_NVTX
    nvtxRangePushA(name);
#endif
  } catch (const std::bad_alloc&) {
    lost_ = true;
  }

  void end() noexcept override {
    const Clock::time_point now = Clock::now();
    ThreadLog& log = own_log();
    const std::lock_guard<std::mutex> lock(log.mutex);
    if (log.open.empty()) return;  // it began before the recording
    log.events[static_cast<size_t>(log.open.back())].end = now;
    log.open.pop_back();
#ifdef TAPER_WITH_NVTX
    nvtxRangePop();
#endif
  }

  void span(EventKind kind, const char* name, Clock::time_point begin,
            Clock::time_point end) noexcept override try {
    ThreadLog& log = own_log();
    const std::lock_guard<std::mutex> lock(log.mutex);
    log.spans.push_back({name, kind, begin, end});
  } catch (const std::bad_alloc&) {
    lost_ = true;
  }

  void allocated(const void* p, size_t nbytes, Device device) noexcept override {
    add_memory(p, static_cast<int64_t>(nbytes), device);
  }
  void freed(const void* p, size_t nbytes, Device device) noexcept override {
    add_memory(p, -static_cast<int64_t>(nbytes), device);
  }

  void start(bool with_shapes, bool with_memory) {
    const std::lock_guard<std::mutex> lock(mutex_);
    TAPER_CHECK(!taper::detail::run_observer(),
                "Profile: expected no other one to record, and one does; stop() it first");
    with_shapes_ = with_shapes;
    with_memory_ = with_memory;
    lost_ = false;
    for (const auto& log : logs_) clear(*log);
    start_ = Clock::now();
    taper::detail::set_run_observer(this);
  }
  Recording stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    taper::detail::set_run_observer(nullptr);
    Recording all{start_, {}, {}};
    int64_t thread = 0;
    for (const auto& log : logs_) {
      const std::lock_guard<std::mutex> own(log->mutex);
      if (!log->events.empty() || !log->memory.empty()) take(*log, ++thread, all);
      thread = take_spans(*log, thread, all);
      clear(*log);
    }
    std::stable_sort(all.memory.begin(), all.memory.end(),
                     [](auto& a, auto& b) { return a.time_ns < b.time_ns; });
    TAPER_CHECK(!lost_, "Profile: there was no memory for all that happened");
    return all;
  }

 private:
  ThreadLog& own_log() {
    // The pointer is trivially destructible, because a thread frees tensors until its very end.
    static thread_local ThreadLog* own = nullptr;
    if (!own) {
      auto log = std::make_unique<ThreadLog>();
      const std::lock_guard<std::mutex> lock(mutex_);
      logs_.push_back(std::move(log));
      own = logs_.back().get();
    }
    return *own;
  }
  static void clear(ThreadLog& log) {
    log.events.clear();
    log.operands.clear();
    log.memory.clear();
    log.spans.clear();
    log.open.clear();
  }
  void add_memory(const void* p, int64_t nbytes, Device device) noexcept try {
    if (!with_memory_) return;
    ThreadLog& log = own_log();
    const std::lock_guard<std::mutex> lock(log.mutex);
    const int64_t event = log.open.empty() ? -1 : log.open.back();
    log.memory.push_back({Clock::now(), p, nbytes, device, event});
    if (event < 0) return;
    RawEvent& around = log.events[static_cast<size_t>(event)];
    (nbytes > 0 ? around.allocated : around.freed) += std::abs(nbytes);
  } catch (const std::bad_alloc&) {
    lost_ = true;
  }
  int64_t ns(Clock::time_point t) const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(t - start_).count();
  }
  void take(const ThreadLog& log, int64_t thread, Recording& all) const {
    const auto base = static_cast<int64_t>(all.events.size());
    const Clock::time_point now = Clock::now();
    const auto index = [base](int64_t own) { return own < 0 ? -1 : base + own; };
    for (const RawEvent& e : log.events) {
      Event event{e.name,   e.kind,        thread, ns(e.begin), 0,      index(e.parent),
                  e.device, e.sequence_nr, {},     e.allocated, e.freed};
      event.end_ns = ns(e.end == Clock::time_point() ? now : e.end);
      for (size_t i = 0; i < e.operands; ++i) {
        const RawOperand& o = log.operands[e.first_operand + i];
        event.operands.push_back({o.dtype, o.sizes.vec(), o.written});
      }
      all.events.push_back(std::move(event));
    }
    for (const RawMemory& m : log.memory)
      all.memory.push_back({ns(m.time), m.address, m.nbytes, m.device, index(m.event)});
  }

  /// Gives overlapping spans separate threads: each takes the first free thread. Returns the number
  /// of the last thread.
  int64_t take_spans(ThreadLog& log, int64_t thread, Recording& all) const {
    std::stable_sort(log.spans.begin(), log.spans.end(),
                     [](auto& a, auto& b) { return a.begin < b.begin; });
    std::vector<std::vector<Event>> lanes;
    for (const RawSpan& s : log.spans) {
      if (s.begin < start_) continue;  // it began before the recording
      const int64_t begin = ns(s.begin);
      const auto lane = std::find_if(lanes.begin(), lanes.end(),
                                     [&](auto& l) { return l.back().end_ns <= begin; });
      Event event;
      event.name = s.name;
      event.kind = s.kind;
      event.thread = thread + 1 + (lane - lanes.begin());
      event.begin_ns = begin;
      event.end_ns = ns(s.end);
      if (lane == lanes.end())
        lanes.push_back({std::move(event)});
      else
        lane->push_back(std::move(event));
    }
    for (auto& lane : lanes) std::move(lane.begin(), lane.end(), std::back_inserter(all.events));
    return thread + static_cast<int64_t>(lanes.size());
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<ThreadLog>> logs_;  // also of ended threads
  Clock::time_point start_;
  std::atomic<bool> with_shapes_{true}, with_memory_{true}, lost_{false};
};

// Is never destroyed, because threads report their last tensors after main has ended.
Recorder& recorder() {
  static Recorder& r = *new Recorder;
  return r;
}

}  // namespace

void start_recording(bool with_shapes, bool with_memory) {
  recorder().start(with_shapes, with_memory);
}
Recording stop_recording() { return recorder().stop(); }

}  // namespace torch::taper::utils::profiler
