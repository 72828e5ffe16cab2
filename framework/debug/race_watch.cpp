#include <taper/framework/debug/race_watch.h>

#include <algorithm>
#include <cstdio>

#include <taper/framework/debug/backtrace.h>

namespace torch::taper::races {

/// Limits the program lines that a report names for each of the two uses.
constexpr size_t kReportedLines = 2;

Detector& detector() {
  static Detector& one = *new Detector;
  return one;
}

// ---------------------------------------------------------------------- launches
uint32_t Detector::index_of(detail::StreamImpl* stream) {
  const auto [it, is_new] = indices_.emplace(stream, static_cast<uint32_t>(streams_.size()));
  if (is_new) streams_.push_back({stream, {}});
  return it->second;
}

bool Detector::knows_nothing() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return shadow_.size() == 0;
}

void Detector::launch(detail::StreamImpl* stream, const char* name,
                      const std::vector<detail::Access>& accesses) {
  if (!stream && knows_nothing()) return;  // uses of the host are not stored
  auto launch = std::make_shared<Launch>();
  launch->name = name;
  // Capturing the stack is the slowest part here. The host's stack is only needed for a report.
  if (stream) launch->stack = detail::capture_stack(kReportedLines);
  std::vector<std::shared_ptr<const Use>> uses;
  for (const detail::Access& a : accesses) {
    auto use = std::make_shared<Use>(Use{launch, Extent(a), a.writes});
    if (!use->extent.empty()) uses.push_back(std::move(use));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  launch->stream = stream ? index_of(stream) : kHost;
  launch->moment = ++moment_;
  if (stream) streams_[launch->stream].clock.join(host_);
  const Clock clock = stream ? streams_[launch->stream].clock : host_;
  const std::vector<Conflict> found = conflicts(uses, clock);
  if (!stream && !found.empty()) launch->stack = detail::capture_stack(kReportedLines);
  for (const Conflict& c : found) report(c);
  // A use of the host ends before the host queues other work.
  if (!stream) return;
  launch->number = clock[launch->stream] + 1;
  streams_[launch->stream].clock.set(launch->stream, launch->number);
  for (auto& use : uses) shadow_.add(std::move(use), clock);
  if (shadow_.size() < sweep_at_) return;
  shadow_.forget_before(host_);
  sweep_at_ = std::max(kSweep, 2 * shadow_.size());
}

std::vector<Detector::Conflict> Detector::conflicts(
    const std::vector<std::shared_ptr<const Use>>& uses, const Clock& clock) {
  std::vector<Conflict> all;
  for (const auto& use : uses)
    for (const auto& other : shadow_.conflicts(use->extent, use->writes, clock))
      all.emplace_back(other, use);
  return all;
}

// ---------------------------------------------------------------------- order
void Detector::record(detail::EventImpl* event, detail::StreamImpl* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Clock& clock = streams_[index_of(stream)].clock;
  clock.join(host_);
  events_[event] = clock;
}

void Detector::wait(detail::StreamImpl* stream, detail::EventImpl* event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = events_.find(event);
  if (it != events_.end()) streams_[index_of(stream)].clock.join(it->second);
}

void Detector::destroy(detail::EventImpl* event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.erase(event);
}

Clock Detector::clock_of(detail::StreamImpl* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return streams_[index_of(stream)].clock;
}

Clock Detector::clock_of(DeviceIndex device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Clock clock;
  for (const Stream& s : streams_)
    if (s.impl->device == device) clock.join(s.clock);
  return clock;
}

Clock Detector::clock_of(detail::EventImpl* event) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = events_.find(event);
  return it == events_.end() ? Clock() : it->second;
}

void Detector::host_reaches(const Clock& clock) {
  const std::lock_guard<std::mutex> lock(mutex_);
  host_.join(clock);
}

// ---------------------------------------------------------------------- memory
void Detector::allocate(const void* p, size_t nbytes, detail::StreamImpl* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto begin = reinterpret_cast<uintptr_t>(p), end = begin + nbytes;
  // The memory that was here before has been freed.
  auto it = allocations_.lower_bound(begin);
  if (it != allocations_.begin() && std::prev(it)->second.end > begin) --it;
  while (it != allocations_.end() && it->first < end) it = allocations_.erase(it);
  allocations_[begin] = {end, index_of(stream), ++moment_};
}

void Detector::keep_for(const void* p, size_t nbytes, detail::StreamImpl* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto begin = reinterpret_cast<uintptr_t>(p);
  shadow_.forget(begin, begin + nbytes, streams_[index_of(stream)].clock);
}

void Detector::forget(const void* p, size_t nbytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto begin = reinterpret_cast<uintptr_t>(p);
  shadow_.forget(begin, begin + nbytes);
}

// ---------------------------------------------------------------------- reports
void Detector::report(const Conflict& conflict) {
  const auto& [first, second] = conflict;
  const bool is_new =
      known_
          .emplace(first->launch->name, detail::first_outside_caller(first->launch->stack),
                   second->launch->name, detail::first_outside_caller(second->launch->stack))
          .second;
  if (!is_new && !throws_) return;
  cuda::RaceReport r{describe(*first), describe(*second), lost_its_memory(*first, *second), ""};
  r.text = text_of(r);
  if (is_new) reports_.push_back(r);
  if (throws_) throw Error(r.text);
  std::fprintf(stderr, "%s\n", r.text.c_str());
}

// Returns whether the memory of `use` was freed and then allocated for another stream before `now`.
bool Detector::lost_its_memory(const Use& use, const Use& now) const {
  const uintptr_t at = std::max(use.extent.begin(), now.extent.begin());
  auto it = allocations_.upper_bound(at);
  if (it == allocations_.begin()) return false;
  const Allocation& a = (--it)->second;
  return at < a.end && a.moment > use.launch->moment && a.stream != use.launch->stream;
}

cuda::RaceAccess Detector::describe(const Use& use) const {
  cuda::RaceAccess a;
  a.op = use.launch->name;
  a.writes = use.writes;
  a.where = detail::source_lines(use.launch->stack, kReportedLines);
  if (use.launch->stream == kHost) {
    a.stream = "the host";
  } else {
    const detail::StreamImpl& s = *streams_[use.launch->stream].impl;
    a.stream = (s.id == 0 ? "the default stream" : "stream " + std::to_string(s.id)) + " of " +
               Device(kCUDA, s.device).str();
  }
  return a;
}

void Detector::reset(bool throws) {
  const std::lock_guard<std::mutex> lock(mutex_);
  throws_ = throws;
  streams_.clear();
  indices_.clear();
  events_.clear();
  host_ = Clock();
  shadow_ = Shadow();
  allocations_.clear();
}

bool Detector::throws() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return throws_;
}

std::vector<cuda::RaceReport> Detector::reports() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return reports_;
}

void Detector::add_reports(const std::vector<cuda::RaceReport>& reports) {
  const std::lock_guard<std::mutex> lock(mutex_);
  reports_.insert(reports_.end(), reports.begin(), reports.end());
}

void Detector::set_reports(std::vector<cuda::RaceReport> reports) {
  const std::lock_guard<std::mutex> lock(mutex_);
  reports_ = std::move(reports);
  known_.clear();
}

}  // namespace torch::taper::races
