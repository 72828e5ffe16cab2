// Work: a running operation of a process group. Future: its result, with callbacks.
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

/// Lets a wait end only by the limit of the operation itself.
constexpr std::chrono::milliseconds kNoTimeout = Store::kNoTimeout;

/// An intrusive_ptr that converts to a std::shared_ptr, as programs for LibTorch before 1.9 expect.
template <class T>
class Handle : public intrusive_ptr<T> {
 public:
  using intrusive_ptr<T>::intrusive_ptr;
  /// Owns nothing.
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
  UNKNOWN = 100  ///< of a Work that no group has made
};
/// Returns "ALLREDUCE".
std::string opTypeToString(OpType type);
/// Returns whether two ranks take part, not all. `batched` says, as in LibTorch, whether a batch of
/// messages counts as one.
inline bool isP2POp(OpType type, bool batched = false) {
  return type == OpType::SEND || type == OpType::RECV || type == OpType::RECVANYSOURCE ||
         (batched && type == OpType::COALESCED);
}

/// A value that arrives later, or an error instead, as in c10::ivalue::Future. Any thread may query
/// it and wait.
class Future : public intrusive_ptr_target {
 public:
  /// Returns whether there is a value or an error.
  bool completed() const;
  /// Returns whether there is a value.
  bool hasValue() const;
  /// Returns whether there is an error.
  bool hasError() const;
  /// Waits for a value or an error. Throws DistError in a callback of the group, because it would
  /// wait forever.
  void wait() const;
  /// Waits like wait(), and throws the error if there is one.
  void waitAndThrow() const;
  /// Returns the value. Throws the error if there is one, and Error if there is neither yet.
  IValue value() const;
  /// Returns the value like value().
  const IValue& constValue() const;
  /// Returns the error, or null.
  std::exception_ptr exception_ptr() const;
  /// Returns the error's text, or "".
  std::string tryRetrieveErrorMessage() const;

  /// Calls f, with this future or without arguments, when there is a value or an error. It is
  /// called at once if there is one, else on the thread that sets it. In f, operations of the group
  /// may be started, but not waited for. Exceptions of f are lost. then() keeps them.
  template <class F>
  void addCallback(F f) {
    if constexpr (std::is_invocable<F, Future&>::value)
      when_completed([this, f = std::move(f)]() mutable { f(*this); });
    else
      when_completed(std::move(f));
  }
  /// Returns a future of f's result, or its exception. f is called as in addCallback(). (LibTorch's
  /// then() also takes a type, which is ignored here.)
  template <class F, class... Type>
  intrusive_ptr<Future> then(F f, const Type&...) {
    auto next = make_intrusive<Future>();
    addCallback([next, f = std::move(f)](Future& self) mutable {
      next->complete_with([&] { return IValue(f(self)); });
    });
    return next;
  }

  /// Sets the value. Throws Error if there is a value or an error.
  void markCompleted(IValue value = {});
  /// Sets an error. Throws Error if there is a value or an error.
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

/// A running operation. It ends once, with or without an error. Any thread may query it and wait.
class Work : public intrusive_ptr_target {
 public:
  /// Returns whether it has ended, with or without an error.
  virtual bool isCompleted() const;
  /// Returns whether it has ended without an error.
  virtual bool isSuccess() const;
  /// Returns its error, or null if there is none yet.
  virtual std::exception_ptr exception() const;
  /// Returns the rank that sent the received message.
  int sourceRank() const { return source_; }
  /// Waits for the end. For tensors on CUDA devices it makes the current streams wait for the
  /// results. Throws the operation's error. Throws DistError if the operation runs beyond `timeout`
  /// (kNoTimeout: only the operation's limit counts). It can be waited for again then. Throws
  /// DistError in a callback of the group, because it would wait forever. Returns true.
  virtual bool wait(std::chrono::milliseconds timeout = kNoTimeout);
  /// Calls wait().
  void synchronize() { wait(); }
  /// Returns the tensors that it writes.
  std::vector<Tensor> result() const { return result_; }
  /// Returns the kind of operation.
  OpType retrieveOpType() const { return type_; }
  /// Returns its number in the group, among operations of all ranks or among this rank's messages.
  uint64_t getSequencenumber() const { return number_; }
  /// Returns a future of result(), a list of tensors, or of the error. It completes when everything
  /// is written, on CUDA devices too. Threads that wait for the Work see the same.
  intrusive_ptr<Future> getFuture();

  /// For backends: ends the operation, with an error or, for null, without.
  void finish(std::exception_ptr error = nullptr);
  /// For backends: sets a function that wait() calls, once, on the waiting thread, if the operation
  /// has ended without an error.
  void on_wait(std::function<void()> f) { on_wait_ = std::move(f); }
  /// For backends: sets the results of retrieveOpType() and result().
  void describe(OpType type, std::vector<Tensor> result) {
    type_ = type;
    result_ = std::move(result);
  }
  /// For backends: sets its rank and number, for errors.
  void set_place(int rank, uint64_t number) {
    rank_ = rank;
    number_ = number;
  }
  /// For backends: sets the result of sourceRank().
  void set_source(int rank) { source_ = rank; }
  /// Calls f when it has ended, with or without an error: at once if it has, else on the group's
  /// thread.
  virtual void when_completed(std::function<void()> f);

 protected:
  /// Calls the function of on_wait(), once. Concurrent callers wait.
  void run_on_wait();
  /// Throws if wait() would never end, because the caller is the thread that ends the operation.
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
