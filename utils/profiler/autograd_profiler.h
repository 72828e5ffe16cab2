// LibTorch's profiler, with the names of <torch/csrc/autograd/profiler.h>. It uses a Profile
// (profiler.h).
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
// It differs from LibTorch's profiler in two ways. It records all threads of the process, not only
// the caller's thread and its descendants. Ops have the names of their kernels ("exp", not
// "aten::exp").
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

/// The devices to record. Only the host and CUDA devices (also simulated ones) exist in Taper.
enum class ActivityType { CPU = 0, XPU, CUDA, HPU, MTIA, PrivateUse1, NUM_KINETO_ACTIVITIES };

/// The kinds of recording. CPU, CUDA, KINETO and KINETO_GPU_FALLBACK are supported. (Builds for
/// GPUs also write NVTX ranges.)
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

/// Says what to record. Call stacks, flops and hierarchies of modules are never recorded, even if
/// they are requested.
struct ProfilerConfig {
  /// Sets what to record: sizes and dtypes of operands (`with_shapes`), and allocations and
  /// releases of memory (`with_memory`).
  explicit ProfilerConfig(ProfilerState how, bool with_shapes = false, bool with_memory = false,
                          bool with_stacks = false, bool with_flop_counts = false,
                          bool with_hierarchy = false)
      : state(how),
        report_input_shapes(with_shapes),
        profile_memory(with_memory),
        with_stack(with_stacks),
        with_flops(with_flop_counts),
        with_modules(with_hierarchy) {}
  /// Returns whether nothing is recorded.
  bool disabled() const { return state == ProfilerState::Disabled; }

  ProfilerState state;       ///< the argument of the constructor
  bool report_input_shapes;  ///< the argument of the constructor
  bool profile_memory;       ///< the argument of the constructor
  bool with_stack;           ///< the argument of the constructor
  bool with_flops;           ///< the argument of the constructor
  bool with_modules;         ///< the argument of the constructor
};

/// An interval on a thread of the host or on a device. With `profile_memory`, some events are
/// allocations and releases of tensor memory, with the name "[memory]".
class KinetoEvent {
 public:
  /// Makes an event of the host. Times are relative to `start_ns`.
  KinetoEvent(const Event& event, uint64_t start_ns);
  /// Makes an event of a device.
  KinetoEvent(const cuda::TimelineEvent& event, uint64_t start_ns);
  /// Makes an event of memory.
  KinetoEvent(const MemoryEvent& event, uint64_t start_ns);

  /// Returns the name of the kernel, node, module or range.
  std::string name() const { return name_; }
  uint64_t startNs() const { return start_ns_; }               ///< nanoseconds since 1970
  uint64_t endNs() const { return end_ns_; }                   ///< nanoseconds since 1970
  uint64_t durationNs() const { return end_ns_ - start_ns_; }  ///< duration
  /// Number of the host's thread, from 1. 0 for an event of a device.
  uint64_t startThreadId() const { return thread_; }
  uint64_t endThreadId() const { return thread_; }          ///< equals startThreadId()
  DeviceType deviceType() const { return device_.type(); }  ///< kind of device that ran it
  int deviceIndex() const { return device_.index(); }       ///< index of the device, -1 on the host
  /// The stream on a device, or the host's thread.
  int64_t deviceResourceId() const { return resource_; }
  int64_t sequenceNr() const { return sequence_nr_; }  ///< number of the node on the tape, or -1
  uint8_t scope() const { return static_cast<uint8_t>(scope_); }  ///< a RecordScope
  bool isAsync() const { return false; }                          ///< always false
  /// Returns whether the op has operands and their sizes were recorded.
  bool hasShapes() const { return !shapes_.empty(); }
  /// Returns the sizes of an op's inputs, in the order of its kernel.
  ArrayRef<std::vector<int64_t>> shapes() const { return shapes_; }
  /// Returns whether the op has operands and their dtypes were recorded.
  bool hasTypes() const { return !dtypes_.empty(); }
  /// Returns the dtypes of an op's inputs, as LibTorch prints them: "Float".
  ArrayRef<std::string> dtypes() const { return dtypes_; }
  /// Returns the number of bytes of a "[memory]" event. It is negative for a release.
  int64_t nBytes() const { return nbytes_; }
  /// Returns the microseconds of an op's kernel on a device, or -1 if unknown.
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

/// What the profiler has recorded between enableProfiler() and disableProfiler().
class ProfilerResult {
 public:
  /// Takes a Profile that has ended. If `scopes` is not empty, host events of other scopes are
  /// omitted.
  ProfilerResult(std::unique_ptr<Profile> profile, uint64_t start_ns, const ProfilerConfig& config,
                 const std::unordered_set<RecordScope>& scopes);
  /// Returns the start time: nanoseconds since 1970.
  uint64_t trace_start_ns() const { return start_ns_; }
  /// Returns the events of the host by thread and start time, then the events of devices, then the
  /// events of memory.
  const std::vector<KinetoEvent>& events() const { return events_; }
  /// Writes a trace in Chrome's format, with all scopes. Throws Error on failure.
  void save(const std::string& path) const { profile_->export_chrome_trace(path); }
  /// Returns the profile, with its tables.
  const Profile& profile() const { return *profile_; }

 private:
  std::unique_ptr<Profile> profile_;
  uint64_t start_ns_;
  std::vector<KinetoEvent> events_;
};

/// Prepares devices for recording. Throws ValueError for an unsupported state, like enableProfiler.
void prepareProfiler(const ProfilerConfig& config, const std::set<ActivityType>& activities);
/// Starts the profiler. `scopes` selects the host events that events() returns. If `scopes` is
/// empty, events() returns all host events. Throws ValueError for an unsupported state, and Error
/// while another profile records.
void enableProfiler(const ProfilerConfig& config, const std::set<ActivityType>& activities,
                    const std::unordered_set<RecordScope>& scopes = {});
/// Ends the profiler, and waits for devices. Throws Error if no profiler was enabled.
std::unique_ptr<ProfilerResult> disableProfiler();
/// Returns whether any thread has enabled a profiler.
bool profilerEnabled();
/// Returns the configuration of the enabled profiler. Throws Error if there is none.
ProfilerConfig getProfilerConfig();

/// Profiles until the end of the scope, and writes a trace in Chrome's format.
class RecordProfile {
 public:
  /// Writes to a stream, which must outlive this object.
  explicit RecordProfile(std::ostream& out);
  /// Writes to a file. Throws Error if the file cannot be opened.
  explicit RecordProfile(const std::string& filename);
  ~RecordProfile();
  RecordProfile(const RecordProfile&) = delete;
  RecordProfile& operator=(const RecordProfile&) = delete;

 private:
  std::unique_ptr<std::ofstream> file_;
  std::ostream& out_;
  std::unique_ptr<Profile> profile_;
};

/// Kinds of a LegacyEvent.
enum class LegacyEventKind : uint16_t { Mark, PushRange, PopRange, MemoryAlloc };

/// An event of the older interface: the start or the end of a range, or an allocation or release of
/// memory.
class LegacyEvent {
 public:
  /// Makes an event that happened `ns` nanoseconds after the profile's start.
  LegacyEvent(LegacyEventKind kind, std::string name, uint64_t thread, int64_t ns)
      : kind_(kind), name_(std::move(name)), thread_(thread), ns_(ns) {}
  LegacyEventKind kind() const { return kind_; }      ///< kind of event
  std::string kindStr() const;                        ///< "mark", "push", "pop", "memory_alloc"
  const char* name() const { return name_.c_str(); }  ///< name of the range
  uint64_t threadId() const { return thread_; }       ///< from 1
  /// Microseconds since the profile's start.
  double cpuUs() const { return static_cast<double>(ns_) / 1000; }
  /// Microseconds from this event to a later one.
  double cpuElapsedUs(const LegacyEvent& later) const { return later.cpuUs() - cpuUs(); }
  /// Returns the sizes of an op's inputs, if this event is the start of the op.
  std::vector<std::vector<int64_t>> shapes() const { return shapes_; }
  int64_t sequenceNr() const { return sequence_nr_; }    ///< number of the node on the tape, or -1
  int64_t cpuMemoryUsage() const { return cpu_bytes_; }  ///< bytes of a memory_alloc on the host
  /// Bytes of a memory_alloc on a device.
  int64_t cudaMemoryUsage() const { return device_bytes_; }
  DeviceIndex device() const { return device_; }  ///< device of a memory_alloc, -1 on the host
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
/// For each thread, a list of its events, ordered by time. The first list has a mark named
/// "__start_profile". The last list has a mark named "__stop_profile".
using thread_event_lists = std::vector<std::vector<LegacyEvent>>;

/// Starts a profile, like enableProfiler. disableProfilerLegacy() ends it and returns lists of
/// events. The state says whether devices are recorded.
void enableProfilerLegacy(const ProfilerConfig& config);
/// Ends the profile that enableProfilerLegacy() started, and returns its events. Throws Error if no
/// profile was started.
thread_event_lists disableProfilerLegacy();

/// Calls enableProfilerLegacy. At the end of the scope, it ends the profile and passes the lists of
/// events to `callback`.
class TLSLegacyProfilerGuard {
 public:
  /// Throws like enableProfilerLegacy.
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
