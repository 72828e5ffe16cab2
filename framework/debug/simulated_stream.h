// Streams and events of simulated devices: a thread and an in-order queue for each stream. Not
// installed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>

#include <taper/framework/runtime/stream.h>

namespace torch::taper::simulated {

/// The first error of a device's kernels. After an error, kernels are skipped, because they would
/// use the failed kernel's results. When the error has been thrown to the program, kernels run
/// again. If the device is lost, they never run again.
class DeviceFault {
 public:
  bool is_set() const;
  void set(std::string text);
  /// Marks the device as lost. No kernel runs after this.
  void lose(std::string text);
  /// Throws if the device is lost.
  void check_lost() const;
  /// Throws the fault, if there is one. Clears the fault unless the device is lost.
  void rethrow();
  void clear();

 private:
  mutable std::mutex mutex_;
  std::string text_;
  bool set_ = false, lost_ = false;
};

/// One point in a stream's work. The host and other streams can wait for it.
class Event final : public detail::EventImpl {
 public:
  /// Keeps the event alive until its owner destroys it. Streams that have a record of the event or
  /// a wait for it in their queues keep it alive, too.
  std::shared_ptr<Event> self;

  /// Begins a new record on a device. Returns its number.
  uint64_t begin(DeviceIndex device);
  /// Returns the device of the last record, or -1 if there is no record.
  DeviceIndex device() const;
  void reach(uint64_t record);
  bool is_reached() const;
  uint64_t last() const;
  void wait_for(uint64_t record) const;
  /// Returns the time at which the last record was reached.
  std::chrono::steady_clock::time_point time() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable reached_;
  uint64_t recorded_ = 0, done_ = 0;
  DeviceIndex device_ = -1;
  std::chrono::steady_clock::time_point time_;
};

/// A queue with a worker thread. It is never destroyed: its thread lives as long as the process.
class Stream final : public detail::StreamImpl {
 public:
  Stream(DeviceIndex device, int priority, DeviceFault* fault, int max_delay_us, uint64_t seed);
  /// Queues a kernel. It is skipped if the device has a fault.
  void launch(const char* name, std::function<void()> work);
  /// Queues work that is no kernel. It always runs, and must not throw.
  void push(std::function<void()> work);
  /// Queues a record of an event. The event is reached when all work that was queued before the
  /// record is done.
  void push(std::shared_ptr<Event> event, uint64_t record);
  bool is_idle() const;
  /// Waits until all queued work is done.
  void drain() const;
  /// Makes all streams skip their kernels from now on. For the end of the process.
  static void end_kernels();
  /// Ends the thread when its queue is empty, or after 2 s. Call it after end_kernels().
  void stop();

 private:
  /// Work to do, or, if `work` is empty, an event to reach.
  struct Item {
    std::function<void()> work;
    std::shared_ptr<Event> event;
    uint64_t record = 0;
  };
  void push(Item item);
  void work_off();
  /// Returns whether all items up to number `item` are done. If not, the worker will notify waiting
  /// threads when they are.
  bool is_done_or_awaited(uint64_t item) const;
  void run_kernel(const char* name, const std::function<void()>& work);

  DeviceFault* fault_;
  std::mt19937_64 delays_;
  const int max_delay_us_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  mutable std::condition_variable finished_;
  std::deque<Item> queue_;
  uint64_t queued_ = 0, done_ = 0;
  /// The number of the first item that a thread waits for. (Notifying after each item would take
  /// more time than most items.)
  mutable uint64_t awaited_ = UINT64_MAX;
  bool started_ = false, stopping_ = false;
};

/// Returns the runtime of the requested simulated devices, or null if no devices were requested.
/// All calls return one object.
Runtime* make_runtime();

}  // namespace torch::taper::simulated
