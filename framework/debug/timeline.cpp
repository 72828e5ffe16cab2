#include <taper/framework/debug/timeline.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include <taper/framework/autograd/node.h>
#include <taper/framework/debug/kernel_records.h>
#include <taper/framework/debug/run_observer.h>
#include <taper/framework/debug/run_span.h>
#include <taper/framework/runtime/access.h>
#include <taper/framework/runtime/devices.h>
#include <taper/framework/runtime/runtime.h>

namespace torch::taper {
namespace {

using Clock = detail::TimelineMark::Clock;
using Json = nlohmann::ordered_json;

/// Describes the work between two events.
struct Span {
  cuda::TimelineEvent what;
  detail::EventImpl *begin, *end;
};

/// Holds the state of a recording.
struct Record {
  std::mutex mutex;
  Clock::time_point start;
  std::vector<cuda::TimelineEvent> events;
  std::vector<Span> spans;
  /// Holds an event of each device, at its timeline's `what.begin_ns`. Each device has its own
  /// clock.
  std::vector<Span> origins;
  /// Kernels report their own times if `by_kernels` is set. `launches` then names their launches,
  /// counted from 1.
  std::atomic<bool> by_kernels{false};
  std::vector<cuda::TimelineEvent> launches;
};
Record& recording() {
  static Record& r = *new Record;
  return r;
}

std::atomic<bool> by_events{false};

int64_t ns_of(Clock::duration d) {
  return static_cast<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}
int64_t ns_of_ms(double ms) { return static_cast<int64_t>(ms * 1e6); }

void mark_origins(Record& r) {
  Runtime& runtime = detail::require_cuda();
  for (DeviceIndex i = 0; i < cuda::device_count(); ++i) {
    detail::EventImpl* const e = runtime.make_event(true);
    runtime.record(e, cuda::default_stream(i).impl());
    runtime.synchronize(e);
    r.origins.push_back({{"", i, 0, ns_of(Clock::now() - r.start), 0}, e, nullptr});
  }
}

// Reads the times of the spans. The devices have been synchronized. A failed device may not report
// times, so its events are left out.
void take_spans(Record& r) {
  Runtime& runtime = detail::require_cuda();
  for (Span& s : r.spans) {
    const Span& origin = r.origins[static_cast<size_t>(s.what.device)];
    try {
      s.what.begin_ns = origin.what.begin_ns + ns_of_ms(runtime.elapsed_ms(origin.begin, s.begin));
      s.what.end_ns = s.what.begin_ns + ns_of_ms(runtime.elapsed_ms(s.begin, s.end));
      r.events.push_back(s.what);
    } catch (const Error&) {
    }
  }
}

// Reads the times that kernels report themselves. A kernel that Taper has not queued appears by its
// own name.
void take_kernels(Record& r) {
  r.by_kernels = false;
  const int64_t start = ns_of(r.start.time_since_epoch());
  for (detail::KernelRecord& k : detail::stop_kernel_records()) {
    if (k.begin_ns < start) continue;
    cuda::TimelineEvent e{k.name, k.device, -1, 0, 0};
    if (k.launch > 0 && k.launch <= r.launches.size()) {
      e = r.launches[k.launch - 1];
      e.launch = k.launch;
    }
    e.begin_ns = k.begin_ns - start;
    e.end_ns = k.end_ns - start;
    e.kernel = std::move(k.name);
    r.events.push_back(std::move(e));
  }
}

// Ends the recording.
void end_recording(Record& r) noexcept {
  detail::timeline_records = detail::timeline_spans = false;
  if (r.by_kernels.exchange(false)) try {
      (void)detail::stop_kernel_records();
    } catch (const std::exception&) {
      // These records are discarded.
    }
  r.launches.clear();
  for (const std::vector<Span>* spans : {&r.spans, &r.origins})
    for (const Span& s : *spans)
      for (detail::EventImpl* e : {s.begin, s.end})
        if (e) cuda_runtime()->destroy_event(e);
  r.spans.clear();
  r.origins.clear();
}

/// Returns a name of a device or a stream in Chrome's format.
Json label(const char* what, int pid, int tid, std::string name) {
  return {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}};
}

Json slice(const cuda::TimelineEvent& e) {
  const auto us = [](int64_t ns) { return static_cast<double>(ns) / 1000; };
  Json all{{"ph", "X"},
           {"cat", e.name == "memcpy" ? "gpu_memcpy" : "kernel"},
           {"name", e.kernel.empty() ? e.name : e.kernel},
           {"pid", e.device},
           {"tid", e.stream},
           {"ts", us(e.begin_ns)},
           {"dur", us(e.end_ns - e.begin_ns)}};
  if (!e.kernel.empty()) all["args"] = {{"Op", e.name}};
  return all;
}

}  // namespace

namespace detail {

std::atomic<bool> timeline_records{false}, timeline_spans{false};

void set_timeline_by_events(bool value) { by_events = value; }

// Does nothing in a capture, whose work runs in replays.
void TimelineSpan::begin(StreamImpl* stream, const char* name) {
  if (!stream || stream->capture) return;
  if (Record& r = recording(); r.by_kernels) {
    const std::lock_guard<std::mutex> lock(r.mutex);
    r.launches.push_back({name, stream->device, stream->id, 0, 0});
    launch_ = r.launches.size();
    begin_launch_record(launch_);
  } else {
    Runtime& runtime = require_cuda();
    begin_ = runtime.make_event(true);
    runtime.record(begin_, stream);
  }
  stream_ = stream;
  name_ = name;
}

void TimelineSpan::end() noexcept try {
  if (launch_) return end_launch_record();
  Runtime& runtime = require_cuda();
  EventImpl* const end = runtime.make_event(true);
  runtime.record(end, stream_);
  Record& r = recording();
  const std::lock_guard<std::mutex> lock(r.mutex);
  if (timeline_spans)
    return r.spans.push_back({{name_, stream_->device, stream_->id, 0, 0}, begin_, end});
  // The timeline has ended meanwhile.
  runtime.destroy_event(begin_);
  runtime.destroy_event(end);
} catch (const std::exception&) {
  // The device has failed. The next wait for it throws the error.
}

void TimelineMark::add() const {
  const Clock::time_point end = Clock::now();
  Record& r = recording();
  const std::lock_guard<std::mutex> lock(r.mutex);
  // The mark may have begun in a timeline that has ended.
  if (!timeline_records || begin_ < r.start) return;
  r.events.push_back(
      {name_, stream_.device, stream_.id, ns_of(begin_ - r.start), ns_of(end - r.start)});
}

}  // namespace detail

namespace cuda {

Timeline::Timeline() {
  Record& r = recording();
  const std::lock_guard<std::mutex> lock(r.mutex);
  TAPER_CHECK(!detail::timeline_records && !detail::timeline_spans,
              "Timeline: expected no other one to record, and one does; stop() it first");
  r.start = Clock::now();
  r.events.clear();
  r.launches.clear();
  const bool spans = by_events || detail::on_gpu();
  r.by_kernels = detail::on_gpu() && detail::start_kernel_records();
  if (spans && !r.by_kernels) mark_origins(r);
  (spans ? detail::timeline_spans : detail::timeline_records) = true;
}

Timeline::~Timeline() {
  if (!recording_) return;
  Record& r = recording();
  const std::lock_guard<std::mutex> lock(r.mutex);
  end_recording(r);
}

void Timeline::stop() {
  if (!recording_) return;
  std::exception_ptr fault;
  for (DeviceIndex i = 0; i < device_count(); ++i) try {
      synchronize(i);
    } catch (...) {
      if (!fault) fault = std::current_exception();
    }
  Record& r = recording();
  const std::lock_guard<std::mutex> lock(r.mutex);
  try {
    if (r.by_kernels)
      take_kernels(r);
    else if (detail::timeline_spans)
      take_spans(r);
  } catch (const std::exception&) {
    if (!fault) fault = std::current_exception();
  }
  end_recording(r);
  recording_ = false;
  events_ = std::exchange(r.events, {});
  std::stable_sort(events_.begin(), events_.end(),
                   [](auto& a, auto& b) { return a.begin_ns < b.begin_ns; });
  if (fault) std::rethrow_exception(fault);
}

std::vector<TimelineEvent> Timeline::events() const { return events_; }

std::string Timeline::chrome_trace() const {
  Json list = Json::array();
  std::map<std::pair<int, int>, bool> named;
  for (const TimelineEvent& e : events_) {
    if (std::exchange(named[{e.device, -1}], true) == false)
      list.push_back(label("process_name", e.device, 0, Device(kCUDA, e.device).str()));
    if (std::exchange(named[{e.device, e.stream}], true) == false)
      list.push_back(label("thread_name", e.device, e.stream,
                           e.stream < 0 ? "other streams" : "stream " + std::to_string(e.stream)));
    list.push_back(slice(e));
  }
  return Json{{"traceEvents", std::move(list)}}.dump(1);
}

void Timeline::export_chrome_trace(const std::string& path) const {
  std::ofstream file(path);
  file << chrome_trace() << '\n';
  TAPER_CHECK(file.flush().good(), "export_chrome_trace: cannot write '", path, "'");
}

}  // namespace cuda
}  // namespace torch::taper

namespace torch::taper::detail {

std::atomic<bool> run_is_observed{false};

namespace {
std::atomic<RunObserver*> current{nullptr};
constexpr uint32_t kRunBit = 2;  // of launch_observers
}  // namespace

void set_run_observer(RunObserver* observer) {
  current = observer;
  run_is_observed = observer != nullptr;
  if (observer)
    launch_observers |= kRunBit;
  else
    launch_observers &= ~kRunBit;
}

RunObserver* run_observer() { return current.load(std::memory_order_acquire); }

void tell_span(RunEvent kind, const std::string& name, SpanObserver::Clock::time_point begin) {
  if (auto* const observer = dynamic_cast<SpanObserver*>(run_observer()))
    observer->span(kind, name.c_str(), begin, SpanObserver::Clock::now());
}

void RunScope::begin(RunEvent kind, const char* name, uint64_t sequence_nr) {
  observer_ = run_observer();
  if (observer_) observer_->begin(kind, name, Device(), sequence_nr, {});
}

RunScope::RunScope(RunObserver* observer, const char* name, Device device,
                   const std::vector<Access>& operands)
    : observer_(observer) {
  if (observer_)
    observer_->begin(RunEvent::kOp, name, device, autograd::next_sequence_nr(), operands);
}

}  // namespace torch::taper::detail
