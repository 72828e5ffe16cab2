// Profile: what a program does, how long it takes and what memory it needs.
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

/// A part of a program, by a name of its own, in whatever profile records it. Costs a comparison
/// where none does.
///
///   const RecordFunction part("augment");
class RecordFunction : public taper::detail::RunScope {
 public:
  /// From here on.
  explicit RecordFunction(const std::string& name) : RunScope(EventKind::kScope, name) {}
};

/// What a profile does in a step.
enum class ProfilerAction {
  kNone,          ///< nothing
  kWarmup,        ///< records, and forgets
  kRecord,        ///< records
  kRecordAndSave  ///< records; at the step's end on_trace_ready is called
};
using Schedule = std::function<ProfilerAction(int64_t step)>;

/// Steps in cycles of `wait` that are not recorded, `warmup` whose record is forgotten, `active`
/// ones; so many cycles (0: without end) after `skip_first` steps. Throws ValueError for negative
/// numbers and for less than one active step.
Schedule schedule(int64_t wait, int64_t warmup, int64_t active, int64_t repeat = 0,
                  int64_t skip_first = 0);

class Profile;
using TraceHandler = std::function<void(Profile&)>;

/// A handler that writes each trace as DIRECTORY/WORKER.NUMBER.pt.trace.json, where TensorBoard's
/// plug-in for profiles looks for them. Makes the directory. Throws Error where it cannot.
TraceHandler tensorboard_trace_handler(const std::string& directory,
                                       const std::string& worker = "taper");

/// Of a Profile.
struct ProfileOptions {
  /// Which steps are recorded; none: all from the start to stop().
  TAPER_ARG(Schedule, schedule);
  /// Called with the profile when a cycle of the schedule, or stop(), has ended a recording.
  TAPER_ARG(TraceHandler, on_trace_ready);
  /// Whether ops tell the sizes and dtypes of their operands.
  TAPER_ARG(bool, record_shapes) = true;
  /// Whether tensors' memory is followed.
  TAPER_ARG(bool, profile_memory) = true;
  /// Whether CUDA devices, where there are any, tell when they ran what (cuda::Timeline).
  TAPER_ARG(bool, devices) = true;
};

/// Records ops, backward nodes, modules, steps of optimizers, waits for batches, copies and named
/// parts, of all threads of the process, while it lives or until stop(). One records at a time.
class Profile {
 public:
  /// Starts, unless the schedule says otherwise. Throws Error while another profile, or a
  /// cuda::Timeline, records.
  explicit Profile(ProfileOptions options = {});
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// A step of training has ended.
  void step();
  /// Ends the recording, and waits for the devices. A second call does nothing.
  void stop();

  /// What the last recording that ended saw: by thread, then by begin, each before what it
  /// contains.
  const std::vector<Event>& events() const { return events_; }
  /// The same of devices: their kernels and copies.
  const std::vector<cuda::TimelineEvent>& device_events() const { return device_events_; }
  /// The memory of tensors that came and went, by time.
  const std::vector<MemoryEvent>& memory_events() const { return memory_; }

  /// The sums of events of one name; of ops, if wanted, also of one list of sizes.
  KeyAverages key_averages(bool group_by_input_shape = false) const;
  /// The bytes of tensors over time, by what they are for. `parameters`: what is trained.
  MemoryTimeline memory_timeline(const std::vector<Tensor>& parameters = {}) const;

  /// All events as JSON in Chrome's trace format: threads of the host and, a process each, devices
  /// with their streams; arrows from ops to the nodes of their derivatives; the bytes in use.
  /// Throws Error when the file cannot be written.
  void export_chrome_trace(const std::string& path) const;
  /// The same into a stream.
  void export_chrome_trace(std::ostream& out) const;
  /// A line "outer;inner;innermost MICROSECONDS" for each stack of events, with the time that is in
  /// none of the events in it: what flamegraph.pl and speedscope.app draw. Throws Error when the
  /// file cannot be written.
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
