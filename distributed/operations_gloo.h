// Runs a ProcessGroupGloo's operations over connections to all other ranks. Collectives run one
// after the other on a separate thread. Messages run concurrently, and each has a thread that waits
// for it. Not installed.
#pragma once

#include <gloo/rendezvous/context.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include <taper/distributed/own_thread.h>
#include <taper/distributed/process_group_gloo.h>
#include <taper/distributed/staging.h>

namespace torch::taper::distributed {

/// Blocks SIGPIPE on this thread and on threads that this thread starts. Gloo writes to connections
/// without MSG_NOSIGNAL. If the peer has closed the connection, SIGPIPE would end the process. If
/// SIGPIPE is blocked, the write returns an error instead.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec at_once{};
    if (::sigismember(&before_, SIGPIPE)) return;
    ::sigtimedwait(&pipe_, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
};

struct ProcessGroupGloo::Impl : std::enable_shared_from_this<ProcessGroupGloo::Impl> {
  Impl(int rank, int size, std::shared_ptr<Options> given)
      : rank(rank), size(size), options(*given) {}

  struct Job {
    OperationPtr operation;
    std::shared_ptr<detail::Staging> staging;
    Tensor in, out;  // in the host's memory
    WorkPtr work;
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;  // of a message
    std::chrono::steady_clock::time_point deadline;          // of a message
  };
  /// The data that a small reduction sends and receives.
  struct Exchange {
    std::vector<uint8_t> memory;
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
  };
  const int rank, size;
  Options options;
  intrusive_ptr<distributed::Store> store;
  std::shared_ptr<gloo::rendezvous::Context> context;
  std::mutex mutex;  // guards the members below
  std::condition_variable changed, message_came;
  std::deque<Job> jobs, messages;  // messages are in flight
  std::exception_ptr broken;
  bool ends = false, has_told = false;  // has_told: other ranks were told of a failure
  Exchange last_exchange;               // used by the thread. Other ranks may not have read it yet
  detail::OwnThread thread;
  std::vector<detail::OwnThread> waiters;  // for messages
  size_t idle_waiters = 0;

  /// Connects all ranks through the store. Throws DistError if they do not connect in time.
  void start(const intrusive_ptr<distributed::Store>& store);
  /// Waits for pending operations.
  void stop();
  WorkPtr submit(OperationPtr operation);
  /// Ends the group. No further operation runs.
  void abort();
  /// Throws the error that has made the group unusable.
  void check_usable();

 private:
  /// Runs an operation. Called on the thread of collectives.
  void run(const Job& job);
  void reduce_on_all(const detail::Operation& o, uint32_t tag, const Tensor& host);
  void exchange_and_reduce(const detail::Operation& o, uint32_t tag, const Tensor& host);
  void finish_exchange();
  void reduce_scatter(const Job& job, uint32_t tag);
  void alltoall(const Job& job, uint32_t tag);
  void begin_message(Job job);
  void post(Job& job);
  void wait_for_message(Job& job);
  void fail(const Job& job, const std::exception& e);
  std::string text_of(const detail::Operation& operation, const std::string& why) const;
  void serve();
  void serve_messages();
};

}  // namespace torch::taper::distributed
