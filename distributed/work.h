// Work: an operation of a process group that is on its way. Future: what becomes of it, with
// functions that are to be called then.
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

/// Which operation it is; LibTorch's numbers.
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
/// "ALLREDUCE".
std::string opTypeToString(OpType type);
/// Whether two ranks take part, not all. `batched`: as in LibTorch, whether what was taken together
/// counts as that.
inline bool isP2POp(OpType type, bool batched = false) {
  return type == OpType::SEND || type == OpType::RECV || type == OpType::RECVANYSOURCE ||
         (batched && type == OpType::COALESCED);
}

/// A value that is there later, or an error in its place; c10::ivalue::Future. Any thread may ask
/// and wait.
class Future : public intrusive_ptr_target {
 public:
  /// Whether there is a value or an error.
  bool completed() const;
  /// Whether there is a value.
  bool hasValue() const;
  /// Whether there is an error.
  bool hasError() const;
  /// Waits for either. Throws DistError in a callback of the group itself, which would wait for
  /// ever.
  void wait() const;
  /// The same; throws the error where there is one.
  void waitAndThrow() const;
  /// The value. Throws the error where there is one, and Error where there is neither yet.
  IValue value() const;
  /// The same.
  const IValue& constValue() const;
  /// What value() throws; null: nothing.
  std::exception_ptr exception_ptr() const;
  /// Its text; "" where there is none.
  std::string tryRetrieveErrorMessage() const;

  /// Calls f, which takes this future, or nothing, once there is a value or an error: at once where
  /// there is one, else on the thread that brings it. There f may begin operations of the group,
  /// but not wait for them. What it throws is lost: then() keeps it.
  template <class F>
  void addCallback(F f) {
    if constexpr (std::is_invocable<F, Future&>::value)
      when_completed([this, f = std::move(f)]() mutable { f(*this); });
    else
      when_completed(std::move(f));
  }
  /// What f returns, or throws, when it is called as addCallback() would. (LibTorch's wants a type
  /// besides, which is not looked at.)
  template <class F, class... Type>
  intrusive_ptr<Future> then(F f, const Type&...) {
    auto next = make_intrusive<Future>();
    addCallback([next, f = std::move(f)](Future& self) mutable {
      next->complete_with([&] { return IValue(f(self)); });
    });
    return next;
  }

  /// Gives it its value. Throws Error where it has one, or an error.
  void markCompleted(IValue value = {});
  /// Gives it an error. Throws Error where it has one, or a value.
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
  /// limit is enough), after which it may be waited for again, and in a callback of the group
  /// itself, which would wait for ever. Returns true.
  virtual bool wait(std::chrono::milliseconds timeout = kNoTimeout);
  /// The same.
  void synchronize() { wait(); }
  /// The tensors that it has written, or will have.
  std::vector<Tensor> result() const { return result_; }
  /// Which operation it is.
  OpType retrieveOpType() const { return type_; }
  /// Its number in the group: of operations of all ranks, or of this one's messages.
  uint64_t getSequencenumber() const { return number_; }
  /// Its result(), a list of tensors, or what it threw: when all has been written, those of CUDA
  /// devices too. Whoever waits for the Work beside it sees the same.
  intrusive_ptr<Future> getFuture();

  /// Of backends: it has ended, with an error or (null) well.
  void finish(std::exception_ptr error = nullptr);
  /// Of backends: to be called by wait(), once, on the thread that waits, when it has ended well.
  void on_wait(std::function<void()> f) { on_wait_ = std::move(f); }
  /// Of backends: what retrieveOpType() and result() say.
  void describe(OpType type, std::vector<Tensor> result) {
    type_ = type;
    result_ = std::move(result);
  }
  /// Of backends: whose it is, and its number, for errors.
  void set_place(int rank, uint64_t number) {
    rank_ = rank;
    number_ = number;
  }
  /// Of backends: what sourceRank() says.
  void set_source(int rank) { source_ = rank; }
  /// Calls f when it has ended, well or not: at once where it has, else on the group's thread.
  virtual void when_completed(std::function<void()> f);

 protected:
  /// Runs what on_wait() was given, once. Who comes meanwhile waits.
  void run_on_wait();
  /// Whether wait() would never end: the thread that ends the operation is here.
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
