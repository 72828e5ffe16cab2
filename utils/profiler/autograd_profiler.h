// LibTorch's profiler, by its names: what <torch/csrc/autograd/profiler.h> gives programs. It is a
// Profile.
//
//   torch::autograd::profiler::RecordProfile guard("trace.json");  // to the end of the scope
//
//   using namespace torch::autograd::profiler;
//   const std::set<ActivityType> activities = {ActivityType::CPU, ActivityType::CUDA};
//   const ProfilerConfig config(ProfilerState::KINETO, /*report_input_shapes=*/true);
//   prepareProfiler(config, activities);
//   enableProfiler(config, activities);
//   ...
//   disableProfiler()->save("trace.json");
//
// Unlike LibTorch's it records all threads of the process, not those alone that descend from the
// caller's, and ops have the names of their kernels ("exp", not "aten::exp").
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include <taper/extension/record_function.h>
#include <taper/utils/profiler/profiler.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::profiler::libtorch {

/// What is recorded: the host, and CUDA devices (simulated ones, too). There are no others.
enum class ActivityType { CPU = 0, XPU, CUDA, HPU, MTIA, PrivateUse1, NUM_KINETO_ACTIVITIES };

/// How. Of these CPU, CUDA, KINETO and KINETO_GPU_FALLBACK can be asked for. (NVTX ranges are
/// written beside, by builds for GPUs.)
enum class ProfilerState {
  Disabled = 0,
  CPU,
  CUDA,
  NVTX,
  ITT,
  PRIVATEUSE1,
  KINETO,
  KINETO_GPU_FALLBACK,
  KINETO_PRIVATEUSE1_FALLBACK,
  KINETO_PRIVATEUSE1,
  KINETO_ONDEMAND,
  NUM_PROFILER_STATES
};

/// What is kept of a run. Call stacks, flops and hierarchies of modules are not recorded: asking
/// for them changes nothing.
struct ProfilerConfig {
  /// Sizes and dtypes of operands; memory.
  explicit ProfilerConfig(ProfilerState how, bool with_shapes = false, bool with_memory = false,
                          bool with_stacks = false, bool with_flop_counts = false,
                          bool with_hierarchy = false)
      : state(how),
        report_input_shapes(with_shapes),
        profile_memory(with_memory),
        with_stack(with_stacks),
        with_flops(with_flop_counts),
        with_modules(with_hierarchy) {}
  /// Whether nothing is recorded.
  bool disabled() const { return state == ProfilerState::Disabled; }

  ProfilerState state;       ///< as it was given
  bool report_input_shapes;  ///< as it was given
  bool profile_memory;       ///< as it was given
  bool with_stack;           ///< as it was given
  bool with_flops;           ///< as it was given
  bool with_modules;         ///< as it was given
};

/// Something that took a while, on a thread of the host or on a device; with `profile_memory` also
/// memory of tensors that came or went, by the name "[memory]".
class KinetoEvent {
 public:
  /// Of the host; times are since `start_ns`.
  KinetoEvent(const Event& event, uint64_t start_ns);
  /// Of a device.
  KinetoEvent(const cuda::TimelineEvent& event, uint64_t start_ns);
  /// Of memory.
  KinetoEvent(const MemoryEvent& event, uint64_t start_ns);

  /// Of the kernel, node, module or part.
  std::string name() const { return name_; }
  uint64_t startNs() const { return start_ns_; }               ///< nanoseconds since 1970
  uint64_t endNs() const { return end_ns_; }                   ///< nanoseconds since 1970
  uint64_t durationNs() const { return end_ns_ - start_ns_; }  ///< between them
  uint64_t startThreadId() const { return thread_; }           ///< from 1; 0 on a device
  uint64_t endThreadId() const { return thread_; }  ///< the same: parts end where they began
  DeviceType deviceType() const { return device_.type(); }  ///< where it ran
  int deviceIndex() const { return device_.index(); }       ///< where it ran; -1 on the host
  int64_t deviceResourceId() const { return resource_; }    ///< a device's stream, or the thread
  int64_t sequenceNr() const { return sequence_nr_; }       ///< of its node on the tape, or -1
  uint8_t scope() const { return static_cast<uint8_t>(scope_); }  ///< a RecordScope
  bool isAsync() const { return false; }  ///< no part ends on another thread
  /// Whether sizes of operands were recorded, and there are any.
  bool hasShapes() const { return !shapes_.empty(); }
  /// Sizes of what an op reads, in the order of its kernel.
  ArrayRef<std::vector<int64_t>> shapes() const { return shapes_; }
  /// See hasShapes().
  bool hasTypes() const { return !dtypes_.empty(); }
  /// Of what an op reads: "Float", as LibTorch's names of dtypes are printed.
  ArrayRef<std::string> dtypes() const { return dtypes_; }
  /// Of "[memory]": bytes that came (or, below 0, went).
  int64_t nBytes() const { return nbytes_; }
  /// Of an op on a device: microseconds that its kernel took there, where it was seen; else -1.
  int64_t cudaElapsedUs() const { return device_us_; }

 private:
  std::string name_;
  uint64_t start_ns_ = 0, end_ns_ = 0, thread_ = 0;
  Device device_;
  int64_t resource_ = 0, sequence_nr_ = -1, nbytes_ = 0, device_us_ = -1;
  RecordScope scope_ = RecordScope::FUNCTION;
  std::vector<std::vector<int64_t>> shapes_;
  std::vector<std::string> dtypes_;
};

/// What a run of the profiler saw.
class ProfilerResult {
 public:
  /// Of a Profile that has ended; events of the host in other scopes are left out, where there are
  /// some.
  ProfilerResult(std::unique_ptr<Profile> profile, uint64_t start_ns, const ProfilerConfig& config,
                 const std::unordered_set<RecordScope>& scopes);
  /// When it began: nanoseconds since 1970.
  uint64_t trace_start_ns() const { return start_ns_; }
  /// Those of the host, by thread and begin, then devices', then memory's.
  const std::vector<KinetoEvent>& events() const { return events_; }
  /// Writes a trace in Chrome's format, with all scopes. Throws Error where it cannot.
  void save(const std::string& path) const { profile_->export_chrome_trace(path); }
  /// The profile itself, with its tables.
  const Profile& profile() const { return *profile_; }

 private:
  std::unique_ptr<Profile> profile_;
  uint64_t start_ns_;
  std::vector<KinetoEvent> events_;
};

/// Makes devices ready to be recorded. Throws what enableProfiler throws for a wrong state.
void prepareProfiler(const ProfilerConfig& config, const std::set<ActivityType>& activities);
/// Starts. `scopes`: which events of the host events() will list; all where there is none. Throws
/// ValueError for a state that is not there, Error while another profile records.
void enableProfiler(const ProfilerConfig& config, const std::set<ActivityType>& activities,
                    const std::unordered_set<RecordScope>& scopes = {});
/// Ends it, and waits for devices. Throws Error where none was enabled.
std::unique_ptr<ProfilerResult> disableProfiler();
/// Whether one is enabled, by any thread.
bool profilerEnabled();
/// Of the one that is enabled. Throws Error where none is.
ProfilerConfig getProfilerConfig();

/// A profile from here to the end of the scope, as a trace in Chrome's format.
class RecordProfile {
 public:
  /// Into a stream, which must outlive this.
  explicit RecordProfile(std::ostream& out);
  /// Into a file. Throws Error where it cannot be opened.
  explicit RecordProfile(const std::string& filename);
  ~RecordProfile();
  RecordProfile(const RecordProfile&) = delete;
  RecordProfile& operator=(const RecordProfile&) = delete;

 private:
  std::unique_ptr<std::ofstream> file_;
  std::ostream& out_;
  std::unique_ptr<Profile> profile_;
};

/// What a LegacyEvent is.
enum class LegacyEventKind : uint16_t { Mark, PushRange, PopRange, MemoryAlloc };

/// The begin or the end of a part, or memory that came or went.
class LegacyEvent {
 public:
  /// At a time since the profile's start.
  LegacyEvent(LegacyEventKind kind, std::string name, uint64_t thread, int64_t ns)
      : kind_(kind), name_(std::move(name)), thread_(thread), ns_(ns) {}
  LegacyEventKind kind() const { return kind_; }      ///< which of them
  std::string kindStr() const;                        ///< "mark", "push", "pop", "memory_alloc"
  const char* name() const { return name_.c_str(); }  ///< of the part
  uint64_t threadId() const { return thread_; }       ///< from 1
  double cpuUs() const { return static_cast<double>(ns_) / 1000; }  ///< since the start
  /// Microseconds from this event to a later one.
  double cpuElapsedUs(const LegacyEvent& later) const { return later.cpuUs() - cpuUs(); }
  /// Sizes of what an op reads; of a push.
  std::vector<std::vector<int64_t>> shapes() const { return shapes_; }
  int64_t sequenceNr() const { return sequence_nr_; }        ///< of its node on the tape, or -1
  int64_t cpuMemoryUsage() const { return cpu_bytes_; }      ///< of a memory_alloc on the host
  int64_t cudaMemoryUsage() const { return device_bytes_; }  ///< of a memory_alloc on a device
  DeviceIndex device() const { return device_; }             ///< of a memory_alloc, -1 on the host
  uint8_t scope() const { return static_cast<uint8_t>(scope_); }  ///< a RecordScope

 private:
  friend class LegacyLists;
  LegacyEventKind kind_;
  std::string name_;
  uint64_t thread_;
  int64_t ns_;
  std::vector<std::vector<int64_t>> shapes_;
  int64_t sequence_nr_ = -1, cpu_bytes_ = 0, device_bytes_ = 0;
  DeviceIndex device_ = -1;
  RecordScope scope_ = RecordScope::FUNCTION;
};
/// A list for each thread, in the order of time. The first has a mark named "__start_profile", the
/// last one "__stop_profile".
using thread_event_lists = std::vector<std::vector<LegacyEvent>>;

/// The old way to start: as enableProfiler, the state says whether devices are recorded.
void enableProfilerLegacy(const ProfilerConfig& config);
/// Its end. Throws Error where none was enabled.
thread_event_lists disableProfilerLegacy();

/// enableProfilerLegacy to the end of the scope, where `callback` is given the lists.
class TLSLegacyProfilerGuard {
 public:
  /// Throws what enableProfilerLegacy throws.
  explicit TLSLegacyProfilerGuard(const ProfilerConfig& config,
                                  std::function<void(const thread_event_lists&)> callback = nullptr)
      : callback_(std::move(callback)) {
    enableProfilerLegacy(config);
  }
  ~TLSLegacyProfilerGuard();
  TLSLegacyProfilerGuard(const TLSLegacyProfilerGuard&) = delete;
  TLSLegacyProfilerGuard& operator=(const TLSLegacyProfilerGuard&) = delete;

 private:
  std::function<void(const thread_event_lists&)> callback_;
};

}  // namespace torch::taper::utils::profiler::libtorch

#pragma GCC visibility pop
