// Work: an operation of a process group that is on its way.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <taper/distributed/store.h>
#include <taper/framework/tensor.h>

#pragma GCC visibility push(default)

namespace taper::distributed {

constexpr std::chrono::milliseconds kNoTimeout = Store::kNoTimeout;

/// An intrusive_ptr that programs for LibTorch before 1.9 may keep as a std::shared_ptr, as it was
/// then.
template <class T>
class Handle : public intrusive_ptr<T> {
 public:
  using intrusive_ptr<T>::intrusive_ptr;
  /// None.
  Handle() = default;
  /// A share of what `p` points to.
  Handle(intrusive_ptr<T> p) : intrusive_ptr<T>(std::move(p)) {}
  /// Keeps the object until the last of them is gone.
  operator std::shared_ptr<T>() const {
    return std::shared_ptr<T>(this->get(), [keep = *this](T*) mutable { keep.reset(); });
  }
};

/// Ends once, well or with an error. Any thread may ask and wait.
class Work : public intrusive_ptr_target {
 public:
  /// Whether it has ended, well or not.
  virtual bool isCompleted() const;
  /// Whether it has ended well.
  virtual bool isSuccess() const;
  /// What it threw; null: nothing, or it goes on.
  virtual std::exception_ptr exception() const;
  /// The rank that sent what was received.
  int sourceRank() const { return source_; }
  /// Waits for its end and, of tensors on CUDA devices, lets the current streams wait for the
  /// results. Throws what it threw; DistError when it goes on beyond `timeout` (kNoTimeout: its own
  /// limit is enough). Returns true.
  virtual bool wait(std::chrono::milliseconds timeout = kNoTimeout);
  /// The same.
  void synchronize() { wait(); }
  /// The tensors that it has written.
  std::vector<Tensor> result() const { return result_; }

  /// Of backends: it has ended, with an error or (null) well.
  void finish(std::exception_ptr error = nullptr);
  /// Of backends: to be called by wait(), once, on the thread that waits, when it has ended well.
  void on_wait(std::function<void()> f) { on_wait_ = std::move(f); }
  /// Of backends: what result() and sourceRank() say.
  void set_result(std::vector<Tensor> result) { result_ = std::move(result); }
  /// See set_result().
  void set_source(int rank) { source_ = rank; }

 protected:
  /// Runs what on_wait() was given, once.
  void run_on_wait();

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
