// How a ProcessGroupGloo runs its operations: one after the other, on a thread of its own, over
// connections to all other ranks.
#pragma once

#include <gloo/rendezvous/context.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <taper/distributed/process_group_gloo.h>
#include <taper/distributed/staging.h>

namespace taper::distributed {

/// What all ranks must agree on, in one number: operations of different ones never meet, and end at
/// the time limit. (Gloo itself ends the process where sizes differ.)
inline uint64_t mix(uint64_t a, uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2);
  a *= 0xBF58476D1CE4E5B9u;
  return a ^ a >> 29;
}

struct ProcessGroupGloo::Impl {
  Impl(int rank, int size, std::shared_ptr<Options> given)
      : rank(rank), size(size), options(*given) {}

  struct Job {
    std::string what;
    std::function<void()> run;
    WorkPtr work;
  };
  const int rank, size;
  Options options;
  std::shared_ptr<gloo::rendezvous::Context> context;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  std::exception_ptr broken;
  bool ends = false;
  uint64_t sequence = 0;
  std::thread thread;

  /// Meets all ranks at the store. Throws DistError where they do not come in time.
  void start(const intrusive_ptr<distributed::Store>& store);
  /// Waits for the operations that are on their way.
  void stop();
  std::chrono::milliseconds limit(std::chrono::milliseconds given) const {
    return given == kUnsetTimeout ? options.timeout : given;
  }
  /// Of the next collective operation.
  uint32_t tag(const char* op, const Tensor& t, uint64_t more = 0);
  /// Queues an operation: `run` on the thread, `after` in wait().
  WorkPtr submit(const char* op, const Tensor& t, std::shared_ptr<detail::Staging> staging,
                 std::function<void()> run, std::function<void()> after = nullptr);

 private:
  std::exception_ptr error_of(const std::string& what, const std::exception& e) const;
  void serve();
};

}  // namespace taper::distributed
