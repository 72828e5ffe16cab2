// Work: an operation of a process group that is on its way.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include <taper/distributed/store.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::distributed {

constexpr std::chrono::milliseconds kNoTimeout = Store::kNoTimeout;

/// Ends once, well or with an error. Any thread may ask and wait.
class Work : public intrusive_ptr_target {
 public:
  /// Whether it has ended, well or not.
  bool isCompleted() const;
  /// Whether it has ended well.
  bool isSuccess() const;
  /// What it threw; null: nothing, or it goes on.
  std::exception_ptr exception() const;
  /// The rank that sent what was received.
  int sourceRank() const { return source_; }
  /// Waits for its end and, of tensors on CUDA devices, lets the current streams wait for the
  /// results. Throws what it threw; DistError when it goes on beyond `timeout` (kNoTimeout: its own
  /// limit is enough). Returns true.
  bool wait(std::chrono::milliseconds timeout = kNoTimeout);
  /// The same.
  void synchronize() { wait(); }
  /// The tensors that it has written.
  std::vector<Tensor> result() const { return result_; }

  /// Of backends: it has ended, with an error or (null) well.
  void finish(std::exception_ptr error = nullptr);
  /// Of backends: to be called by wait(), once, on the thread that waits.
  void on_wait(std::function<void()> f) { on_wait_ = std::move(f); }
  /// Of backends: what result() and sourceRank() say.
  void set_result(std::vector<Tensor> result) { result_ = std::move(result); }
  /// See set_result().
  void set_source(int rank) { source_ = rank; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool completed_ = false;
  std::exception_ptr error_;
  std::function<void()> on_wait_;
  std::vector<Tensor> result_;
  int source_ = -1;
};

}  // namespace taper::distributed

#pragma GCC visibility pop
