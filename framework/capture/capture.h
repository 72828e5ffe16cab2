// The internals of captures (graph.h). Not installed.
#pragma once

#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include <taper/framework/capture/graph_pool.h>
#include <taper/framework/debug/race_watch.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper::detail {

/// Work as a list of launches, each a kernel with its arguments by value. For the CPU and for
/// simulated devices.
class LaunchList : public Recording {
 public:
  void add(const char* name, std::function<void()> work) {
    steps_.push_back({name, std::move(work), nullptr});
  }
  void add(const char* name, std::shared_ptr<const Launch> launch) {
    steps_.push_back({name, nullptr, std::move(launch)});
  }
  size_t size() const { return steps_.size(); }
  /// Fuses launches that can run tile by tile into one step (framework/fusion/cpu/fusion.h).
  /// `lifetimes` are those of the memory that was allocated in the capture.
  void fuse(const std::vector<BlockLifetime>& lifetimes);
  void replay(StreamImpl*) override;

  struct Step {
    const char* name;
    std::function<void()> work;
    std::shared_ptr<const Launch> launch;  ///< instead of work, on the CPU
  };
  const std::vector<Step>& steps() const { return steps_; }

 protected:
  std::vector<Step> steps_;
};

/// An event's position in a capture: the work before it.
struct CapturedPoint {
  uint64_t capture;  ///< Capture::id
  races::Clock clock;
};

/// A recorded launch, for the race detector at each replay.
struct WatchedLaunch {
  const char* name;
  std::vector<Access> accesses;
};

/// A running capture: its streams, its memory, and the objects that it keeps.
class Capture {
 public:
  /// Begins a capture, of the CPU if `origin` is null. Throws the runtime's errors.
  Capture(StreamImpl* origin, std::shared_ptr<GraphPool> pool);
  /// Ends the capture.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// Returns a number that is unique among the process's captures.
  uint64_t id() const { return id_; }
  StreamImpl* origin() const { return origin_; }
  const std::shared_ptr<GraphPool>& pool() const { return pool_; }
  const std::shared_ptr<Recording>& recording() const { return recording_; }
  /// Returns the log of the memory that comes from the pool during the capture.
  BlockLog& log() const { return origin_ ? pool_->device_log() : pool_->host_log(); }
  /// Add to the recording of the CPU or of a simulated device.
  void add(const char* name, std::function<void()> work);
  void add(const char* name, std::shared_ptr<const Launch> launch);
  /// Called before a kernel or a copy is recorded.
  void note(StreamImpl* stream, const char* name, std::vector<Access> accesses);
  /// Keeps an object as long as the graph.
  void keep(std::shared_ptr<const void> object);

  void record(EventImpl& event, StreamImpl* stream);
  /// Makes the stream wait for the event. The stream joins the capture. Throws Error for an event
  /// that was recorded outside the capture.
  void wait(StreamImpl* stream, EventImpl& event);

  /// Ends the capture. Throws Error if the recording is unusable.
  void end();
  /// For a capture of the CPU: the steps recorded so far, and the memory that each step reads and
  /// writes.
  ///@{
  const std::vector<LaunchList::Step>& steps() const {
    return static_cast<const LaunchList&>(*recording_).steps();
  }
  const std::vector<WatchedLaunch>& watched() const { return watched_; }
  ///@}
  std::vector<WatchedLaunch> take_watched() { return std::move(watched_); }
  std::vector<std::shared_ptr<const void>> take_kept() { return std::move(kept_); }
  /// Returns the memory that the CPU's replays need. Known after end().
  const GraphMemory& memory() const { return memory_; }

 private:
  uint32_t index_of(StreamImpl* stream);
  bool is_joined() const;
  void leave();

  const uint64_t id_;
  StreamImpl* const origin_;
  const std::thread::id thread_;
  const std::shared_ptr<GraphPool> pool_;
  std::shared_ptr<Recording> recording_;
  bool goes_on_ = false;
  std::mutex mutex_;  // guards what follows
  std::vector<StreamImpl*> streams_;
  std::vector<races::Clock> clocks_;  // for each stream: the work before its next launch
  std::unique_ptr<races::Detector> order_;
  std::vector<WatchedLaunch> watched_;
  std::vector<std::shared_ptr<const void>> kept_;
  GraphMemory memory_;
};

/// Records a launch in the calling thread's capture of the CPU.
void record_launch(const char* name, std::shared_ptr<const Launch> launch);
/// Returns the calling thread's capture of the CPU, or null.
Capture* host_capture();
/// Returns the calling thread's capture, or null.
Capture* thread_capture();
/// Returns the capture of the CPU's work, or of the device's current stream, or null.
Capture* capture_of(Device device);
/// Keeps an object for replays of the capture on `device`. Does nothing without a capture.
template <class T>
void keep_for_replays(Device device, const T& object) {
  if (!observes_launches()) return;
  if (Capture* c = capture_of(device)) c->keep(std::make_shared<const T>(object));
}

/// Lets the calling thread's work on the CPU run even while it is captured, to compute constants of
/// the graph.
class CaptureSuspension {
 public:
  CaptureSuspension();
  ~CaptureSuspension();
  CaptureSuspension(const CaptureSuspension&) = delete;
  CaptureSuspension& operator=(const CaptureSuspension&) = delete;

 private:
  Capture* before_;
};

}  // namespace torch::taper::detail
