// Work: an operation of a process group that was started. Future: a result that is set later, with
// callbacks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <taper/distributed/store.h>
#include <taper/framework/core/tensor.h>
#include <taper/framework/io/ivalue.h>

#pragma GCC visibility push(default)

namespace torch::taper::distributed {

/// The timeout of a wait() that is limited only by the time limit of the operation.
constexpr std::chrono::milliseconds kNoTimeout = Store::kNoTimeout;

/// An intrusive_ptr that converts to a std::shared_ptr, as programs written for LibTorch before 1.9
/// expect.
template <class T>
class Handle : public intrusive_ptr<T> {
 public:
  using intrusive_ptr<T>::intrusive_ptr;
  /// Makes a null Handle.
  Handle() = default;
  /// Shares the object of `p`.
  Handle(intrusive_ptr<T> p) : intrusive_ptr<T>(std::move(p)) {}
  /// Returns a shared_ptr that keeps the object alive.
  operator std::shared_ptr<T>() const {
    return std::shared_ptr<T>(this->get(), [keep = *this](T*) mutable { keep.reset(); });
  }
};

/// Kinds of operations, with LibTorch's numbers.
enum class OpType : uint8_t {
  BROADCAST = 0,
  ALLREDUCE = 1,
  ALLREDUCE_COALESCED = 2,
  REDUCE = 3,
  ALLGATHER = 4,
  _ALLGATHER_BASE = 5,
  ALLGATHER_COALESCED = 6,
  GATHER = 7,
  SCATTER = 8,
  REDUCE_SCATTER = 9,
  ALLTOALL_BASE = 10,
  ALLTOALL = 11,
  SEND = 12,
  RECV = 13,
  RECVANYSOURCE = 14,
  BARRIER = 15,
  _REDUCE_SCATTER_BASE = 16,
  COALESCED = 17,
  _ALLREDUCE_SPARSE = 18,
  REDUCE_SCATTER_TENSOR_COALESCED = 19,
  ALLGATHER_INTO_TENSOR_COALESCED = 20,
  UNKNOWN = 100  ///< for a Work that no group has made
};
/// Returns "ALLREDUCE".
std::string opTypeToString(OpType type);
/// Returns whether the operation is a message between two ranks. If `batched`, also returns true
/// for a batch of messages (COALESCED), as LibTorch does.
inline bool isP2POp(OpType type, bool batched = false) {
  return type == OpType::SEND || type == OpType::RECV || type == OpType::RECVANYSOURCE ||
         (batched && type == OpType::COALESCED);
}

/// A value or an error that is set later, as in c10::ivalue::Future. Any thread may query it and
/// wait for it.
class Future : public intrusive_ptr_target {
 public:
  /// Returns whether there is a value or an error.
  bool completed() const;
  /// Returns whether there is a value.
  bool hasValue() const;
  /// Returns whether there is an error.
  bool hasError() const;
  /// Waits for a value or an error. If a callback of the group calls wait(), it throws DistError
  /// instead of waiting forever.
  void wait() const;
  /// Waits like wait(), and throws the error if there is one.
  void waitAndThrow() const;
  /// Returns the value. If there is an error, throws it. If there is no value and no error yet,
  /// throws Error.
  IValue value() const;
  /// Returns the value like value().
  const IValue& constValue() const;
  /// Returns the error, or null.
  std::exception_ptr exception_ptr() const;
  /// Returns the error's text, or "".
  std::string tryRetrieveErrorMessage() const;

  /// Calls f when there is a value or an error. f gets this future as its argument, if it takes
  /// one. If there already is a value or an error, f is called immediately. Otherwise, the thread
  /// that sets the value or error calls f. f may start operations of the group, but must not wait
  /// for them. Exceptions of f are ignored. Use then() to keep them.
  template <class F>
  void addCallback(F f) {
    if constexpr (std::is_invocable<F, Future&>::value)
      when_completed([this, f = std::move(f)]() mutable { f(*this); });
    else
      when_completed(std::move(f));
  }
  /// Calls f like addCallback(). Returns a future that gets the result of f, or its exception.
  /// (LibTorch's then() also takes a type. Taper ignores it.)
  template <class F, class... Type>
  intrusive_ptr<Future> then(F f, const Type&...) {
    auto next = make_intrusive<Future>();
    addCallback([next, f = std::move(f)](Future& self) mutable {
      next->complete_with([&] { return IValue(f(self)); });
    });
    return next;
  }

  /// Sets the value. Throws Error if there already is a value or an error.
  void markCompleted(IValue value = {});
  /// Sets an error. Throws Error if there already is a value or an error.
  void setError(std::exception_ptr error);

 private:
  void when_completed(std::function<void()> f);
  void complete(IValue value, std::exception_ptr error);
  template <class F>
  void complete_with(const F& value) {
    try {
      complete(value(), nullptr);
    } catch (...) {
      complete({}, std::current_exception());
    }
  }
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  bool completed_ = false;
  IValue value_;
  std::exception_ptr error_;
  std::vector<std::function<void()>> callbacks_;
};

/// An operation that was started. It ends once, with or without an error. Any thread may query it
/// and wait for it.
class Work : public intrusive_ptr_target {
 public:
  /// Returns whether the operation has ended, with or without an error.
  virtual bool isCompleted() const;
  /// Returns whether the operation has ended without an error.
  virtual bool isSuccess() const;
  /// Returns the operation's error, or null if there is none yet.
  virtual std::exception_ptr exception() const;
  /// Returns the rank that sent the received message.
  int sourceRank() const { return source_; }
  /// Waits for the end of the operation and returns true. For tensors on CUDA devices, it makes the
  /// current streams wait for the results. Throws the operation's error. Throws DistError if the
  /// operation takes longer than `timeout`. You can then wait again. kNoTimeout means that only the
  /// time limit of the operation applies. If a callback of the group calls wait(), it throws
  /// DistError instead of waiting forever.
  virtual bool wait(std::chrono::milliseconds timeout = kNoTimeout);
  /// Calls wait().
  void synchronize() { wait(); }
  /// Returns the tensors that the operation writes.
  std::vector<Tensor> result() const { return result_; }
  /// Returns the kind of operation.
  OpType retrieveOpType() const { return type_; }
  /// Returns the operation's number in the group. Collectives and this rank's messages are numbered
  /// separately.
  uint64_t getSequencenumber() const { return number_; }
  /// Returns a future whose value is result(), a list of tensors, or which gets the operation's
  /// error. It completes when all results are written, also on CUDA devices.
  intrusive_ptr<Future> getFuture();

  /// For backends: ends the operation, with an error if `error` is not null.
  void finish(std::exception_ptr error = nullptr);
  /// For backends: sets the function f. If the operation ends without an error, the first wait()
  /// calls f.
  void on_wait(std::function<void()> f) { on_wait_ = std::move(f); }
  /// For backends: sets the results of retrieveOpType() and result().
  void describe(OpType type, std::vector<Tensor> result) {
    type_ = type;
    result_ = std::move(result);
  }
  /// For backends: sets the rank and the operation's number, for error messages.
  void set_place(int rank, uint64_t number) {
    rank_ = rank;
    number_ = number;
  }
  /// For backends: sets the result of sourceRank().
  void set_source(int rank) { source_ = rank; }
  /// Calls f when the operation has ended, with or without an error. If the operation has already
  /// ended, f is called immediately. Otherwise, the group's thread calls f.
  virtual void when_completed(std::function<void()> f);

 protected:
  /// Calls the function that on_wait() has set, but only the first time. Concurrent callers wait
  /// until this call has ended.
  void run_on_wait();
  /// Throws DistError on the thread that ends the operation, because wait() would never end on this
  /// thread.
  void check_may_wait() const;

 private:
  void complete(Future& future);
  mutable std::mutex mutex_, on_wait_mutex_;
  std::condition_variable ended_;
  bool completed_ = false;
  std::exception_ptr error_;
  std::function<void()> on_wait_;
  std::vector<std::function<void()>> when_completed_;
  intrusive_ptr<Future> future_;
  std::vector<Tensor> result_;
  OpType type_ = OpType::UNKNOWN;
  int source_ = -1, rank_ = 0;
  uint64_t number_ = 0;
};

}  // namespace torch::taper::distributed

#pragma GCC visibility pop
