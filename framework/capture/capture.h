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

/// A recording as a list of launches. A launch is a kernel with its arguments by value. For the CPU
/// and for simulated devices.
class LaunchList : public Recording {
 public:
  void add(const char* name, std::function<void()> work) {
    steps_.push_back({name, std::move(work), nullptr});
  }
  void add(const char* name, std::shared_ptr<const Launch> launch) {
    steps_.push_back({name, nullptr, std::move(launch)});
  }
  size_t size() const { return steps_.size(); }
  /// Replaces each chain of launches by one step (framework/fusion/cpu/fusion.h). `lifetimes` are
  /// the lifetimes of memory that was allocated during the capture.
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

/// An event's position in a capture. `clock` describes the work before the event.
struct CapturedPoint {
  uint64_t capture;  ///< Capture::id
  races::Clock clock;
};

/// A recorded launch. The race detector checks it at each replay.
struct WatchedLaunch {
  const char* name;
  std::vector<Access> accesses;
};

/// A running capture: its streams, its memory, and the objects that it keeps.
class Capture {
 public:
  /// Begins a capture of work on the stream `origin`, or of the CPU's work if `origin` is null.
  /// Throws the runtime's errors.
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
  /// Returns the log of memory that is allocated from the pool during the capture.
  BlockLog& log() const { return origin_ ? pool_->device_log() : pool_->host_log(); }
  /// Add work or a launch to the recording, which is one of the CPU or of a simulated device.
  void add(const char* name, std::function<void()> work);
  void add(const char* name, std::shared_ptr<const Launch> launch);
  /// Notes a kernel or a copy for the race detector. Called before it is recorded.
  void note(StreamImpl* stream, const char* name, std::vector<Access> accesses);
  /// Keeps an object alive as long as the graph.
  void keep(std::shared_ptr<const void> object);

  void record(EventImpl& event, StreamImpl* stream);
  /// Makes the stream wait for the event. From now on, work of the stream is captured, too. Throws
  /// Error for an event that was recorded outside the capture.
  void wait(StreamImpl* stream, EventImpl& event);

  /// Ends the capture. Throws Error if the recording cannot be used.
  void end();
  /// For a capture of the CPU: return the steps recorded so far, and the memory that each step
  /// reads and writes.
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
  std::vector<races::Clock> clocks_;  // clocks_[i]: the work before the next launch of streams_[i]
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
/// Returns the calling thread's capture of the CPU if `device` is the CPU, otherwise the capture of
/// the device's current stream. Null if there is none.
Capture* capture_of(Device device);
/// If work on `device` is captured, keeps a copy of `object` alive for replays.
template <class T>
void keep_for_replays(Device device, const T& object) {
  if (!observes_launches()) return;
  if (Capture* c = capture_of(device)) c->keep(std::make_shared<const T>(object));
}

/// During its lifetime, the calling thread's work on the CPU runs at once instead of being
/// captured. Use it to compute constants of the graph.
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
