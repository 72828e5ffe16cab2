#include <taper/utils/profiler/profiler.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include <taper/framework/runtime/access.h>
#include <taper/framework/runtime/devices.h>
#include <taper/utils/profiler/recorder.h>

namespace torch::taper::utils::profiler {
namespace {

bool records(ProfilerAction action) { return action != ProfilerAction::kNone; }
bool keeps(ProfilerAction action) {
  return action == ProfilerAction::kRecord || action == ProfilerAction::kRecordAndSave;
}

/// Returns the times on devices by name and device, in the order of their launches. Times of
/// kernels of one launch are summed.
std::map<std::pair<std::string, int>, std::vector<int64_t>> times_of(
    const std::vector<cuda::TimelineEvent>& on_devices) {
  std::map<std::tuple<std::string, int, uint64_t>, int64_t> sums;
  uint64_t number = 0;
  for (const cuda::TimelineEvent& e : on_devices)
    sums[{e.name, e.device, e.launch ? e.launch : ++number}] += e.end_ns - e.begin_ns;
  std::map<std::pair<std::string, int>, std::vector<int64_t>> times;
  for (const auto& [what, ns] : sums) times[{std::get<0>(what), std::get<1>(what)}].push_back(ns);
  return times;
}

}  // namespace

void add_device_times(std::vector<Event>& events,
                      const std::vector<cuda::TimelineEvent>& on_devices) {
  auto times = times_of(on_devices);
  std::vector<Event*> ops;
  for (Event& e : events)
    if (e.kind == EventKind::kOp && e.device.is_cuda()) ops.push_back(&e);
  std::stable_sort(ops.begin(), ops.end(),
                   [](auto* a, auto* b) { return a->begin_ns < b->begin_ns; });
  std::map<std::pair<std::string, int>, size_t> seen;
  for (Event* e : ops) {
    const std::pair<std::string, int> key(e->name, e->device.index());
    const size_t k = seen[key]++;
    if (k < times[key].size()) e->device_ns = times[key][k];
  }
}

Schedule schedule(int64_t wait, int64_t warmup, int64_t active, int64_t repeat,
                  int64_t skip_first) {
  TAPER_CHECK_VALUE(wait >= 0 && warmup >= 0 && active > 0 && repeat >= 0 && skip_first >= 0,
                    "schedule: expected wait, warmup, repeat and skip_first of at least 0 and "
                    "active of at least 1, got ",
                    wait, ", ", warmup, ", ", repeat, ", ", skip_first, " and ", active);
  return [=](int64_t step) {
    const int64_t cycle = wait + warmup + active, n = step - skip_first;
    if (n < 0 || (repeat > 0 && n / cycle >= repeat)) return ProfilerAction::kNone;
    const int64_t in_cycle = n % cycle;
    if (in_cycle < wait) return ProfilerAction::kNone;
    if (in_cycle < wait + warmup) return ProfilerAction::kWarmup;
    return in_cycle + 1 < cycle ? ProfilerAction::kRecord : ProfilerAction::kRecordAndSave;
  };
}

TraceHandler tensorboard_trace_handler(const std::string& directory, const std::string& worker) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  TAPER_CHECK(!failed, "tensorboard_trace_handler: ", directory,
              " could not be made: ", failed.message());
  auto count = std::make_shared<int64_t>(0);
  return [=](Profile& profile) {
    profile.export_chrome_trace(directory + "/" + worker + "." + std::to_string(++*count) +
                                ".pt.trace.json");
  };
}

Profile::Profile(ProfileOptions options) : options_(std::move(options)) {
  action_ = options_.schedule() ? options_.schedule()(0) : ProfilerAction::kRecord;
  if (records(action_)) start();
  begin_step();
}

Profile::~Profile() {
  if (recording_) stop_recording();
}

void Profile::start() {
  std::unique_ptr<cuda::Timeline> timeline;
  if (options_.devices() && cuda::is_available()) timeline = std::make_unique<cuda::Timeline>();
  const Clock::time_point before = Clock::now();
  start_recording(options_.record_shapes(), options_.profile_memory());
  timeline_ = std::move(timeline);
  timeline_start_ns_ =
      std::chrono::duration_cast<std::chrono::nanoseconds>(before - Clock::now()).count();
  recording_ = true;
}

void Profile::finish() {
  recording_ = false;
  std::exception_ptr fault;
  if (timeline_) try {
      timeline_->stop();
    } catch (...) {
      fault = std::current_exception();
    }
  Recording all = stop_recording();
  events_ = std::move(all.events);
  memory_ = std::move(all.memory);
  device_events_.clear();
  if (timeline_) device_events_ = timeline_->events();
  timeline_.reset();
  for (cuda::TimelineEvent& e : device_events_) {
    e.begin_ns += timeline_start_ns_;
    e.end_ns += timeline_start_ns_;
  }
  add_device_times(events_, device_events_);
  if (fault) std::rethrow_exception(fault);
}

void Profile::begin_step() {
  if (!recording_) return;
  if (auto* observer = taper::detail::run_observer())
    observer->begin(EventKind::kScope, ("ProfilerStep#" + std::to_string(step_)).c_str(), Device(),
                    0, {});
}
void Profile::end_step() {
  if (!recording_) return;
  if (auto* observer = taper::detail::run_observer()) observer->end();
}

void Profile::step() {
  if (stopped_) return;
  end_step();
  const ProfilerAction before = action_;
  ++step_;
  if (options_.schedule()) action_ = options_.schedule()(step_);
  // A recording ends with its cycle, at the next warm-up, or if nothing more is to be recorded.
  const bool ends = recording_ && (before == ProfilerAction::kRecordAndSave || !records(action_) ||
                                   (before == ProfilerAction::kWarmup && keeps(action_)));
  if (ends) finish();
  if (ends && before == ProfilerAction::kRecordAndSave && options_.on_trace_ready())
    options_.on_trace_ready()(*this);
  if (records(action_) && !recording_) start();
  begin_step();
}

void Profile::stop() {
  if (std::exchange(stopped_, true) || !recording_) return;
  end_step();
  const bool kept = keeps(action_);
  finish();
  if (kept && options_.on_trace_ready()) options_.on_trace_ready()(*this);
}

KeyAverages Profile::key_averages(bool group_by_input_shape) const {
  return KeyAverages(events_, group_by_input_shape);
}
MemoryTimeline Profile::memory_timeline(const std::vector<Tensor>& parameters) const {
  return MemoryTimeline(events_, memory_, parameters);
}

}  // namespace torch::taper::utils::profiler
