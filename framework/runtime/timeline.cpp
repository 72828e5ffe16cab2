#include <taper/framework/runtime/timeline.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

namespace taper {
namespace {

using Clock = detail::TimelineMark::Clock;
using Json = nlohmann::ordered_json;

/// What is being recorded.
struct Record {
  std::mutex mutex;
  Clock::time_point start;
  std::vector<cuda::TimelineEvent> events;
};
Record& recording() {
  static Record& r = *new Record;
  return r;
}

/// A name for a device or a stream in Chrome's format.
Json label(const char* what, int pid, int tid, std::string name) {
  return {{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}};
}

Json slice(const cuda::TimelineEvent& e) {
  const auto us = [](int64_t ns) { return static_cast<double>(ns) / 1000; };
  return {{"ph", "X"},
          {"cat", e.name == "memcpy" ? "gpu_memcpy" : "kernel"},
          {"name", e.name},
          {"pid", e.device},
          {"tid", e.stream},
          {"ts", us(e.begin_ns)},
          {"dur", us(e.end_ns - e.begin_ns)}};
}

}  // namespace

namespace detail {

std::atomic<bool> timeline_records{false};

void TimelineMark::add() const {
  const Clock::time_point end = Clock::now();
  const auto ns = [](Clock::duration d) {
    return static_cast<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
  };
  Record& r = recording();
  const std::lock_guard<std::mutex> lock(r.mutex);
  // It may have begun for a timeline that has ended.
  if (!timeline_records || begin_ < r.start) return;
  r.events.push_back({name_, stream_.device, stream_.id, ns(begin_ - r.start), ns(end - r.start)});
}

}  // namespace detail

namespace cuda {

Timeline::Timeline() {
  Record& r = recording();
  const std::lock_guard<std::mutex> lock(r.mutex);
  TAPER_CHECK(!detail::timeline_records,
              "Timeline: expected no other one to record, and one does; stop() it first");
  r.start = Clock::now();
  r.events.clear();
  detail::timeline_records = true;
}

Timeline::~Timeline() {
  if (recording_) detail::timeline_records = false;
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
  detail::timeline_records = recording_ = false;
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
      list.push_back(
          label("thread_name", e.device, e.stream, "stream " + std::to_string(e.stream)));
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
}  // namespace taper
