// The inside of captures (graph.h): what goes where while one records. Not installed.
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

/// Work that is kept as a list of launches, each a kernel with its arguments by value: the CPU's,
/// and that of simulated devices.
class LaunchList : public Recording {
 public:
  void add(const char* name, std::function<void()> work) {
    steps_.push_back({name, std::move(work), nullptr});
  }
  void add(const char* name, std::shared_ptr<const Launch> launch) {
    steps_.push_back({name, nullptr, std::move(launch)});
  }
  size_t size() const { return steps_.size(); }
  /// Makes one step of launches that can be run tile by tile (framework/fusion/cpu/fusion.h).
  /// `lifetimes` are those of the memory that was allocated meanwhile.
  void fuse(const std::vector<BlockLifetime>& lifetimes);
  void replay(StreamImpl*) override;

  struct Step {
    const char* name;
    std::function<void()> work;
    std::shared_ptr<const Launch> launch;  ///< in place of work, on the CPU
  };
  const std::vector<Step>& steps() const { return steps_; }

 protected:
  std::vector<Step> steps_;
};

/// An event's place in a capture: what comes before it.
struct CapturedPoint {
  uint64_t capture;  ///< Capture::id
  races::Clock clock;
};

/// A recorded launch as the race detector sees it at each replay.
struct WatchedLaunch {
  const char* name;
  std::vector<Access> accesses;
};

/// A capture that is going on: its streams, its memory, what it keeps.
class Capture {
 public:
  /// Of the CPU where `origin` is null. Throws what the runtime throws.
  Capture(StreamImpl* origin, std::shared_ptr<GraphPool> pool);
  /// Ends it.
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  /// Of all captures of the process another.
  uint64_t id() const { return id_; }
  StreamImpl* origin() const { return origin_; }
  const std::shared_ptr<GraphPool>& pool() const { return pool_; }
  const std::shared_ptr<Recording>& recording() const { return recording_; }
  /// Of the memory that comes from the pool meanwhile.
  BlockLog& log() const { return origin_ ? pool_->device_log() : pool_->host_log(); }
  /// The recording of the CPU and of simulated devices.
  void add(const char* name, std::function<void()> work);
  void add(const char* name, std::shared_ptr<const Launch> launch);
  /// A kernel or a copy is about to be recorded.
  void note(StreamImpl* stream, const char* name, std::vector<Access> accesses);
  /// For as long as the graph lives.
  void keep(std::shared_ptr<const void> object);

  void record(EventImpl& event, StreamImpl* stream);
  /// The stream joins if it is not here yet. Throws Error for an event that is from elsewhere.
  void wait(StreamImpl* stream, EventImpl& event);

  /// Ends it; throws Error when the recording is of no use.
  void end();
  /// Of a capture of the CPU: what it has recorded so far, and what each step of it reads and
  /// writes.
  ///@{
  const std::vector<LaunchList::Step>& steps() const {
    return static_cast<const LaunchList&>(*recording_).steps();
  }
  const std::vector<WatchedLaunch>& watched() const { return watched_; }
  ///@}
  std::vector<WatchedLaunch> take_watched() { return std::move(watched_); }
  std::vector<std::shared_ptr<const void>> take_kept() { return std::move(kept_); }
  /// What the CPU's replays need; known at the end.
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
  std::vector<races::Clock> clocks_;  // of each stream: what comes before its next launch
  std::unique_ptr<races::Detector> order_;
  std::vector<WatchedLaunch> watched_;
  std::vector<std::shared_ptr<const void>> kept_;
  GraphMemory memory_;
};

/// Records a launch in the calling thread's capture of the CPU.
void record_launch(const char* name, std::shared_ptr<const Launch> launch);
/// The calling thread's capture of the CPU, or null.
Capture* host_capture();
/// The calling thread's capture, or null.
Capture* thread_capture();
/// The capture of the CPU's work, or of the device's current stream, or null.
Capture* capture_of(Device device);
/// Keeps an object for replays of what is captured now on `device`; nothing without a capture.
template <class T>
void keep_for_replays(Device device, const T& object) {
  if (!observes_launches()) return;
  if (Capture* c = capture_of(device)) c->keep(std::make_shared<const T>(object));
}

/// Lets the CPU run what the calling thread does, also while it captures: for values that are
/// constants of the graph.
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
