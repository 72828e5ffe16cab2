// The streams and events of simulated devices: a thread and an in-order queue for each stream.
// Not installed.
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

/// The first error of a device's kernels. From then on its kernels are skipped (they would work on
/// what the failed one has left), until the program has the error; for ever when the device is
/// lost.
class DeviceFault {
 public:
  bool is_set() const;
  void set(std::string text);
  /// Nothing runs any more.
  void lose(std::string text);
  /// Throws if the device is lost.
  void check_lost() const;
  /// Throws the fault, if there is one, and forgets it unless the device is lost.
  void rethrow();
  void clear();

 private:
  mutable std::mutex mutex_;
  std::string text_;
  bool set_ = false, lost_ = false;
};

/// One point in a stream's work; waited for by the host and by other streams.
class Event final : public detail::EventImpl {
 public:
  /// Keeps the event alive until it is destroyed by its owner; streams that still have to reach it
  /// or to wait for it have shares of their own.
  std::shared_ptr<Event> self;

  /// A new record begins, on a device; returns its number.
  uint64_t begin(DeviceIndex device);
  /// Where the last record is; -1 without one.
  DeviceIndex device() const;
  void reach(uint64_t record);
  bool is_reached() const;
  uint64_t last() const;
  void wait_for(uint64_t record) const;
  /// When the last record was reached.
  std::chrono::steady_clock::time_point time() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable reached_;
  uint64_t recorded_ = 0, done_ = 0;
  DeviceIndex device_ = -1;
  std::chrono::steady_clock::time_point time_;
};

/// A queue, and the thread that works it off. Never destroyed: its thread lives as long as the
/// process.
class Stream final : public detail::StreamImpl {
 public:
  Stream(DeviceIndex device, int priority, DeviceFault* fault, int max_delay_us, uint64_t seed);
  /// Queues a kernel; it is skipped once the device has a fault.
  void launch(const char* name, std::function<void()> work);
  /// Queues something that is no kernel: it always runs, and does not throw.
  void push(std::function<void()> work);
  /// Queues a record of an event. The stream is past it just when the event is reached: whoever
  /// sees the one sees the other.
  void push(std::shared_ptr<Event> event, uint64_t record);
  bool is_idle() const;
  /// Waits until all that is queued now is done.
  void drain() const;
  /// From now on all streams skip their kernels. For the end of the process.
  static void end_kernels();
  /// Ends the thread when it has come to the end of its queue, or after 2 s. After end_kernels().
  void stop();

 private:
  /// Work to do, or (where there is none) an event to reach.
  struct Item {
    std::function<void()> work;
    std::shared_ptr<Event> event;
    uint64_t record = 0;
  };
  void push(Item item);
  void work_off();
  /// Whether all items up to this one are done; if not, the worker tells when they are.
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
  /// The first item that somebody waits for. (To wake a waiter for each item that is done would
  /// cost more than most items.)
  mutable uint64_t awaited_ = UINT64_MAX;
  bool started_ = false, stopping_ = false;
};

/// The runtime of the simulated devices that were asked for, the same every time; null for none.
Runtime* make_runtime();

}  // namespace torch::taper::simulated
