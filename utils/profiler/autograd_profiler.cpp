#include <taper/utils/profiler/autograd_profiler.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <utility>

#include <taper/framework/core/check.h>
#include <taper/framework/core/warning.h>

namespace torch::taper::utils::profiler::libtorch {
namespace {

/// Holds the enabled profile, of which a process has at most one.
struct Enabled {
  std::unique_ptr<Profile> profile;
  ProfilerConfig config;
  std::unordered_set<RecordScope> scopes;
  uint64_t start_ns;
};
std::mutex mutex;
std::unique_ptr<Enabled> enabled;

uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

void check_state(const char* op, ProfilerState state) {
  static const char* const names[] = {"Disabled",
                                      "CPU",
                                      "CUDA",
                                      "NVTX",
                                      "ITT",
                                      "PRIVATEUSE1",
                                      "KINETO",
                                      "KINETO_GPU_FALLBACK",
                                      "KINETO_PRIVATEUSE1_FALLBACK",
                                      "KINETO_PRIVATEUSE1",
                                      "KINETO_ONDEMAND"};
  const auto i = static_cast<size_t>(state);
  TAPER_CHECK_VALUE(state == ProfilerState::CPU || state == ProfilerState::CUDA ||
                        state == ProfilerState::KINETO ||
                        state == ProfilerState::KINETO_GPU_FALLBACK,
                    op, ": expected the state CPU, CUDA, KINETO or KINETO_GPU_FALLBACK, got ",
                    i < std::size(names) ? names[i] : "none");
}

void enable(const char* op, const ProfilerConfig& config, bool devices,
            const std::unordered_set<RecordScope>& scopes) {
  check_state(op, config.state);
  const std::lock_guard<std::mutex> lock(mutex);
  TAPER_CHECK(!enabled, op, ": expected no profiler that is enabled, and one is; disable it first");
  const uint64_t start = now_ns();
  auto profile = std::make_unique<Profile>(ProfileOptions()
                                               .record_shapes(config.report_input_shapes)
                                               .profile_memory(config.profile_memory)
                                               .devices(devices));
  enabled.reset(new Enabled{std::move(profile), config, scopes, start});
}

std::unique_ptr<Enabled> disable(const char* op) {
  const std::lock_guard<std::mutex> lock(mutex);
  TAPER_CHECK(enabled, op, ": expected a profiler that is enabled, and none is");
  std::unique_ptr<Enabled> ended = std::move(enabled);
  ended->profile->stop();
  return ended;
}

RecordScope scope_of(EventKind kind) {
  if (kind == EventKind::kBackwardNode) return RecordScope::BACKWARD_FUNCTION;
  return kind == EventKind::kOp || kind == EventKind::kCopy ? RecordScope::FUNCTION
                                                            : RecordScope::USER_SCOPE;
}

/// Returns whether the event is a Profile's own step around all others.
bool is_step(const Event& e) { return e.parent < 0 && e.name.rfind("ProfilerStep#", 0) == 0; }

int64_t number_of(uint64_t sequence_nr) {
  return sequence_nr == 0 ? -1 : static_cast<int64_t>(sequence_nr);
}

std::vector<std::vector<int64_t>> sizes_read(const Event& e) {
  std::vector<std::vector<int64_t>> sizes;
  for (const Operand& o : e.operands)
    if (!o.written) sizes.push_back(o.sizes);
  return sizes;
}

}  // namespace

// ---------------------------------------------------------------------- KinetoEvent
KinetoEvent::KinetoEvent(const Event& e, uint64_t start_ns)
    : name_(e.name),
      start_ns_(start_ns + static_cast<uint64_t>(e.begin_ns)),
      end_ns_(start_ns + static_cast<uint64_t>(e.end_ns)),
      thread_(static_cast<uint64_t>(e.thread)),
      resource_(e.thread),
      sequence_nr_(number_of(e.sequence_nr)),
      device_us_(e.device_ns > 0 ? e.device_ns / 1000 : -1),
      scope_(scope_of(e.kind)),
      shapes_(sizes_read(e)) {
  for (const Operand& o : e.operands)
    if (!o.written) dtypes_.emplace_back(toString(o.dtype));
}

KinetoEvent::KinetoEvent(const cuda::TimelineEvent& e, uint64_t start_ns)
    : name_(e.name),
      start_ns_(start_ns + static_cast<uint64_t>(e.begin_ns)),
      end_ns_(start_ns + static_cast<uint64_t>(e.end_ns)),
      device_(kCUDA, e.device),
      resource_(e.stream) {}

KinetoEvent::KinetoEvent(const MemoryEvent& e, uint64_t start_ns)
    : name_("[memory]"),
      start_ns_(start_ns + static_cast<uint64_t>(e.time_ns)),
      end_ns_(start_ns_),
      device_(e.device),
      nbytes_(e.nbytes) {}

// ---------------------------------------------------------------------- ProfilerResult
ProfilerResult::ProfilerResult(std::unique_ptr<Profile> profile, uint64_t start_ns,
                               const ProfilerConfig& config,
                               const std::unordered_set<RecordScope>& scopes)
    : profile_(std::move(profile)), start_ns_(start_ns) {
  for (const Event& e : profile_->events())
    if (!is_step(e) && (scopes.empty() || scopes.count(scope_of(e.kind))))
      events_.emplace_back(e, start_ns);
  for (const cuda::TimelineEvent& e : profile_->device_events()) events_.emplace_back(e, start_ns);
  if (config.profile_memory)
    for (const MemoryEvent& e : profile_->memory_events()) events_.emplace_back(e, start_ns);
}

void prepareProfiler(const ProfilerConfig& config, const std::set<ActivityType>& activities) {
  check_state("prepareProfiler", config.state);
  if (activities.count(ActivityType::CUDA) && cuda::is_available()) cuda::synchronize();
}

void enableProfiler(const ProfilerConfig& config, const std::set<ActivityType>& activities,
                    const std::unordered_set<RecordScope>& scopes) {
  enable("enableProfiler", config, activities.count(ActivityType::CUDA) > 0, scopes);
}

std::unique_ptr<ProfilerResult> disableProfiler() {
  const std::unique_ptr<Enabled> ended = disable("disableProfiler");
  return std::make_unique<ProfilerResult>(std::move(ended->profile), ended->start_ns, ended->config,
                                          ended->scopes);
}

bool profilerEnabled() {
  const std::lock_guard<std::mutex> lock(mutex);
  return enabled != nullptr;
}

ProfilerConfig getProfilerConfig() {
  const std::lock_guard<std::mutex> lock(mutex);
  TAPER_CHECK(enabled, "getProfilerConfig: expected a profiler that is enabled, and none is");
  return enabled->config;
}

// ---------------------------------------------------------------------- RecordProfile
RecordProfile::RecordProfile(std::ostream& out)
    : out_(out), profile_(std::make_unique<Profile>()) {}

RecordProfile::RecordProfile(const std::string& filename)
    : file_(std::make_unique<std::ofstream>(filename)), out_(*file_) {
  TAPER_CHECK(file_->good(), "RecordProfile: cannot open '", filename, "'");
  profile_ = std::make_unique<Profile>();
}

RecordProfile::~RecordProfile() {
  try {
    profile_->stop();
    profile_->export_chrome_trace(out_);
    out_.flush();
  } catch (const std::exception& e) {
    taper::detail::warn_user(taper::detail::concat("RecordProfile: ", e.what()));
  }
}

// ---------------------------------------------------------------------- LegacyEvent
std::string LegacyEvent::kindStr() const {
  static const char* const names[] = {"mark", "push", "pop", "memory_alloc"};
  return names[static_cast<size_t>(kind_)];
}

/// Makes lists of begins and ends from events that hold both.
class LegacyLists {
 public:
  explicit LegacyLists(const Profile& profile) : events_(profile.events()) {
    for (size_t i = 0; i < events_.size(); ++i) push(i);
    close_to(-1);
    // The entries of a thread so far are in order of time.
    std::vector<size_t> lengths;
    for (const auto& list : lists_) lengths.push_back(list.size());
    for (const MemoryEvent& m : profile.memory_events()) add(m);
    lengths.resize(lists_.size());
    for (size_t i = 0; i < lists_.size(); ++i)
      std::inplace_merge(lists_[i].begin(), lists_[i].begin() + ptrdiff_t(lengths[i]),
                         lists_[i].end(), [](auto& a, auto& b) { return a.ns_ < b.ns_; });
  }
  thread_event_lists take() {
    if (lists_.empty()) lists_.emplace_back();
    const int64_t last = lists_.back().empty() ? 0 : lists_.back().back().ns_;
    lists_[0].insert(lists_[0].begin(), {LegacyEventKind::Mark, "__start_profile", 1, 0});
    lists_.back().emplace_back(LegacyEventKind::Mark, "__stop_profile", lists_.size(), last);
    return std::move(lists_);
  }

 private:
  std::vector<LegacyEvent>& of_thread(int64_t thread) {
    const auto n = static_cast<size_t>(std::max<int64_t>(thread, 1));
    if (lists_.size() < n) lists_.resize(n);
    return lists_[n - 1];
  }
  LegacyEvent& add(LegacyEventKind kind, const std::string& name, int64_t thread, int64_t ns) {
    return of_thread(thread).emplace_back(kind, name, static_cast<uint64_t>(thread), ns);
  }
  // Ends the open events, except `event` and those around it.
  void close_to(int64_t event) {
    for (; !open_.empty() && open_.back() != event; open_.pop_back()) {
      const Event& e = events_[static_cast<size_t>(open_.back())];
      add(LegacyEventKind::PopRange, e.name, e.thread, e.end_ns);
    }
  }
  void push(size_t index) {
    const Event& e = events_[index];
    if (is_step(e)) return;
    close_to(e.parent);
    LegacyEvent& begin = add(LegacyEventKind::PushRange, e.name, e.thread, e.begin_ns);
    begin.shapes_ = sizes_read(e);
    begin.sequence_nr_ = number_of(e.sequence_nr);
    begin.scope_ = scope_of(e.kind);
    open_.push_back(static_cast<int64_t>(index));
  }
  void add(const MemoryEvent& m) {
    const int64_t thread = m.event < 0 ? 1 : events_[static_cast<size_t>(m.event)].thread;
    LegacyEvent& e = add(LegacyEventKind::MemoryAlloc, "", thread, m.time_ns);
    (m.device.is_cpu() ? e.cpu_bytes_ : e.device_bytes_) = m.nbytes;
    e.device_ = m.device.is_cpu() ? DeviceIndex(-1) : m.device.index();
  }

  const std::vector<Event>& events_;
  std::vector<int64_t> open_;
  thread_event_lists lists_;
};

void enableProfilerLegacy(const ProfilerConfig& config) {
  const bool devices =
      config.state == ProfilerState::CUDA || config.state == ProfilerState::KINETO_GPU_FALLBACK;
  enable("enableProfilerLegacy", config, devices, {});
}

thread_event_lists disableProfilerLegacy() {
  const std::unique_ptr<Enabled> ended = disable("disableProfilerLegacy");
  return LegacyLists(*ended->profile).take();
}

TLSLegacyProfilerGuard::~TLSLegacyProfilerGuard() {
  try {
    const thread_event_lists lists = disableProfilerLegacy();
    if (callback_) callback_(lists);
  } catch (const std::exception& e) {
    taper::detail::warn_user(taper::detail::concat("TLSLegacyProfilerGuard: ", e.what()));
  }
}

}  // namespace torch::taper::utils::profiler::libtorch
