// Profile: records the time and memory of a program's parts.
//
//   utils::profiler::Profile profile;
//   for (auto& batch : *loader) {
//     train(batch);
//     profile.step();
//   }
//   profile.stop();
//   std::cout << profile.key_averages().table("self_cpu_time_total");
//   profile.export_chrome_trace("trace.json");  // for ui.perfetto.dev or chrome://tracing
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/debug/timeline.h>
#include <taper/utils/profiler/event.h>
#include <taper/utils/profiler/key_averages.h>
#include <taper/utils/profiler/memory_timeline.h>

#pragma GCC visibility push(default)

namespace torch::taper::utils::profiler {

/// A named range of a program, from the constructor to the destructor. A Profile that is recording
/// records the range. If no Profile is recording, a range costs one comparison.
///
///   const RecordFunction part("augment");
class RecordFunction : public taper::detail::RunScope {
 public:
  /// Begins the range.
  explicit RecordFunction(const std::string& name) : RunScope(EventKind::kScope, name) {}
};

/// What a Profile does in a step.
enum class ProfilerAction {
  kNone,          ///< nothing
  kWarmup,        ///< records the step, and drops the record
  kRecord,        ///< records
  kRecordAndSave  ///< records the step, and calls on_trace_ready at the end of the step
};
/// A function that returns the action for a step. The first step is 0.
using Schedule = std::function<ProfilerAction(int64_t step)>;

/// Returns a schedule of cycles: `wait` steps that are not recorded, `warmup` steps whose record is
/// dropped, and `active` recorded steps. After `skip_first` steps, there are `repeat` cycles. If
/// `repeat` is 0, the cycles do not end. Throws ValueError for negative numbers and for fewer than
/// one active step.
Schedule schedule(int64_t wait, int64_t warmup, int64_t active, int64_t repeat = 0,
                  int64_t skip_first = 0);

class Profile;
/// A function that a Profile calls when a recording has ended.
using TraceHandler = std::function<void(Profile&)>;

/// Returns a handler that writes each trace as DIRECTORY/WORKER.NUMBER.pt.trace.json, for
/// TensorBoard's profiler plug-in. The handler makes the directory, and throws Error if it cannot
/// write.
TraceHandler tensorboard_trace_handler(const std::string& directory,
                                       const std::string& worker = "taper");

/// Options of a Profile.
struct ProfileOptions {
  /// Selects the recorded steps. Without a schedule, everything from the start to stop() is
  /// recorded.
  TAPER_ARG(Schedule, schedule);
  /// The function that is called when a cycle of the schedule, or stop(), has ended a recording.
  TAPER_ARG(TraceHandler, on_trace_ready);
  /// Whether ops record the sizes and dtypes of their operands.
  TAPER_ARG(bool, record_shapes) = true;
  /// Whether tensors' memory is recorded.
  TAPER_ARG(bool, profile_memory) = true;
  /// Whether CUDA devices, if any, record their kernels and times (cuda::Timeline).
  TAPER_ARG(bool, devices) = true;
};

/// Records ops, backward nodes, modules, steps of optimizers, waits for batches, copies and named
/// ranges. It records all threads of the process, from its construction until stop() or its
/// destruction. Only one profile can record at a time.
class Profile {
 public:
  /// Starts to record, if the schedule records the first step. Throws Error while another Profile,
  /// or a cuda::Timeline, is recording.
  explicit Profile(ProfileOptions options = {});
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Ends a step of training.
  void step();
  /// Ends the recording, and waits for the devices. A second call does nothing.
  void stop();

  /// Returns the events of the last recording that has ended. They are sorted by thread, then by
  /// start. Outer events come before nested events.
  const std::vector<Event>& events() const { return events_; }
  /// Returns the events of devices: their kernels and copies.
  const std::vector<cuda::TimelineEvent>& device_events() const { return device_events_; }
  /// Returns the allocations and releases of tensors' memory, by time.
  const std::vector<MemoryEvent>& memory_events() const { return memory_; }

  /// Returns the sums of events by name, and optionally by the sizes of ops' inputs.
  KeyAverages key_averages(bool group_by_input_shape = false) const;
  /// Returns the bytes of tensors over time, by purpose. `parameters` are the trained tensors.
  MemoryTimeline memory_timeline(const std::vector<Tensor>& parameters = {}) const;

  /// Writes all events as JSON in Chrome's trace format. The trace shows the threads of the host,
  /// and each device as a process with its streams. It has arrows from each op to its node of the
  /// backward pass, and a curve of the bytes in use. Throws Error if the file cannot be written.
  void export_chrome_trace(const std::string& path) const;
  /// Writes the same trace to a stream.
  void export_chrome_trace(std::ostream& out) const;
  /// Writes a line "outer;inner;innermost MICROSECONDS" for each stack of events, for flamegraph.pl
  /// and speedscope.app. The time excludes nested events. Throws Error if the file cannot be
  /// written.
  void export_stacks(const std::string& path) const;

 private:
  void start();
  void finish();
  void begin_step();
  void end_step();

  ProfileOptions options_;
  bool stopped_ = false, recording_ = false;
  int64_t step_ = 0;
  ProfilerAction action_ = ProfilerAction::kNone;
  std::unique_ptr<cuda::Timeline> timeline_;
  int64_t timeline_start_ns_ = 0;
  std::vector<Event> events_;
  std::vector<cuda::TimelineEvent> device_events_;
  std::vector<MemoryEvent> memory_;
};

}  // namespace torch::taper::utils::profiler

#pragma GCC visibility pop
