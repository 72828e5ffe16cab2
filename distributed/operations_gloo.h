// How a ProcessGroupGloo runs its operations: one after the other, on a thread of its own, over
// connections to all other ranks.
#pragma once

#include <gloo/rendezvous/context.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include <taper/distributed/process_group_gloo.h>
#include <taper/distributed/staging.h>

namespace taper::distributed {

struct ProcessGroupGloo::Impl {
  Impl(int rank, int size, std::shared_ptr<Options> given)
      : rank(rank), size(size), options(*given) {}

  struct Job {
    OperationPtr operation;
    std::shared_ptr<detail::Staging> staging;
    Tensor in, out;  // in memory of the host
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
  std::thread thread;

  /// Meets all ranks at the store. Throws DistError where they do not come in time.
  void start(const intrusive_ptr<distributed::Store>& store);
  /// Waits for the operations that are on their way.
  void stop();
  WorkPtr submit(OperationPtr operation);
  /// No operation runs from now on.
  void abort();

 private:
  /// What an operation does, on the thread.
  void run(const Job& job);
  void reduce_scatter(const Job& job, uint32_t tag);
  void alltoall(const Job& job, uint32_t tag);
  void send(const Job& job);
  void receive(const Job& job);
  std::exception_ptr error_of(const detail::Operation& operation, const std::exception& e) const;
  void serve();
};

}  // namespace taper::distributed
