#include <taper/distributed/work.h>

#include <cstdlib>
#include <utility>

#include <taper/distributed/own_thread.h>
#include <taper/framework/runtime/devices.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper::distributed {

namespace {

using Callbacks = std::vector<std::function<void()>>;

/// Is true while this thread, on which operations end, calls callbacks.
thread_local bool in_callback = false;

/// Calls the callbacks. A group's thread discards their exceptions.
void call_all(const Callbacks& callbacks) {
  const bool before = std::exchange(in_callback, true);
  for (const auto& f : callbacks) try {
      f();
    } catch (...) {
    }
  in_callback = before;
}

void check_not_in_callback(const char* op) {
  if (in_callback)
    throw DistError(taper::detail::concat(
        op,
        ": expected an operation that has ended, or another thread: this is a callback of a "
        "group's own, on which no operation ends meanwhile"));
}

/// Waits for the work that this thread has queued for the results.
void wait_for_devices(const std::vector<Tensor>& results) {
  for (const Tensor& t : results)
    if (t.is_cuda()) cuda::current_stream(t.device().index()).synchronize();
}

}  // namespace

std::string opTypeToString(OpType type) {
  static constexpr const char* kNames[] = {"BROADCAST",
                                           "ALLREDUCE",
                                           "ALLREDUCE_COALESCED",
                                           "REDUCE",
                                           "ALLGATHER",
                                           "_ALLGATHER_BASE",
                                           "ALLGATHER_COALESCED",
                                           "GATHER",
                                           "SCATTER",
                                           "REDUCE_SCATTER",
                                           "ALLTOALL_BASE",
                                           "ALLTOALL",
                                           "SEND",
                                           "RECV",
                                           "RECVANYSOURCE",
                                           "BARRIER",
                                           "_REDUCE_SCATTER_BASE",
                                           "COALESCED",
                                           "_ALLREDUCE_SPARSE",
                                           "REDUCE_SCATTER_TENSOR_COALESCED",
                                           "ALLGATHER_INTO_TENSOR_COALESCED"};
  const auto i = static_cast<size_t>(type);
  return i < std::size(kNames) ? kNames[i] : "UNKNOWN";
}

// ---------------------------------------------------------------------- threads
namespace {

/// Counts the threads that end by themselves. It is never destroyed.
struct Left {
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  static Left& get() {
    static auto& left = *new Left;
    return left;
  }
  void add(int n) {
    const std::lock_guard<std::mutex> lock(mutex);
    count += n;
    changed.notify_all();
  }
};
thread_local bool is_left = false;

}  // namespace

detail::OwnThread::OwnThread(std::function<void()> f) {
  static const int registered = std::atexit(&wait_for_all_left);
  (void)registered;
  thread_ = std::thread([f = std::move(f)]() mutable {
    f();
    f = nullptr;  // perhaps the last owner of the group
    if (is_left) Left::get().add(-1);
  });
}

void detail::OwnThread::end() {
  if (!thread_.joinable()) return;
  if (thread_.get_id() != std::this_thread::get_id()) return thread_.join();
  is_left = true;
  Left::get().add(1);
  thread_.detach();
}

void detail::OwnThread::wait_for_all_left() {
  if (is_left) return;  // exit() in a callback
  Left& left = Left::get();
  std::unique_lock<std::mutex> lock(left.mutex);
  left.changed.wait(lock, [&] { return left.count == 0; });
}

// ---------------------------------------------------------------------- Future
bool Future::completed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return completed_;
}
bool Future::hasError() const { return exception_ptr() != nullptr; }
bool Future::hasValue() const { return completed() && !hasError(); }
std::exception_ptr Future::exception_ptr() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

void Future::wait() const {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!completed_) check_not_in_callback("Future::wait");
  ended_.wait(lock, [this] { return completed_; });
}
void Future::waitAndThrow() const {
  wait();
  if (const auto error = exception_ptr()) std::rethrow_exception(error);
}

const IValue& Future::constValue() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  TAPER_CHECK(completed_,
              "Future::value: expected a future with a value, got one that has none "
              "yet; wait() for it");
  if (error_) std::rethrow_exception(error_);
  return value_;
}
IValue Future::value() const { return constValue(); }

std::string Future::tryRetrieveErrorMessage() const try {
  if (const auto error = exception_ptr()) std::rethrow_exception(error);
  return "";
} catch (const std::exception& e) {
  return e.what();
} catch (...) {
  return "an exception that is no std::exception";
}

void Future::markCompleted(IValue value) { complete(std::move(value), nullptr); }
void Future::setError(std::exception_ptr error) {
  TAPER_CHECK_VALUE(error, "Future::setError: expected an error, got none");
  complete({}, std::move(error));
}

void Future::complete(IValue value, std::exception_ptr error) {
  Callbacks callbacks;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    TAPER_CHECK(!completed_, "Future: expected one without a value or an error, got one with ",
                error_ ? "an error" : "a value");
    value_ = std::move(value);
    error_ = std::move(error);
    completed_ = true;
    callbacks.swap(callbacks_);
  }
  ended_.notify_all();
  call_all(callbacks);
}

void Future::when_completed(std::function<void()> f) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!completed_) return callbacks_.push_back(std::move(f));
  }
  f();
}

// ---------------------------------------------------------------------- Work
bool Work::isCompleted() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return completed_;
}
bool Work::isSuccess() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return completed_ && !error_;
}
std::exception_ptr Work::exception() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

void Work::check_may_wait() const {
  if (!isCompleted()) check_not_in_callback("Work::wait");
}

bool Work::wait(std::chrono::milliseconds timeout) {
  check_may_wait();
  std::unique_lock<std::mutex> lock(mutex_);
  const auto done = [this] { return completed_; };
  if (timeout == kNoTimeout)
    ended_.wait(lock, done);
  else if (!ended_.wait_for(lock, timeout, done))
    throw DistError(taper::detail::concat("Work::wait: rank ", rank_, ": ", opTypeToString(type_),
                                          isP2POp(type_) ? " (message " : " (operation ", number_,
                                          ") goes on after ", timeout.count(), " ms"));
  if (error_) std::rethrow_exception(error_);
  lock.unlock();
  run_on_wait();
  return true;
}

// If there is a future, its callbacks read the results on other streams. This thread has queued
// copies on its own stream, so it waits for them.
void Work::run_on_wait() {
  const std::lock_guard<std::mutex> one(on_wait_mutex_);
  std::unique_lock<std::mutex> lock(mutex_);
  const std::function<void()> last = std::exchange(on_wait_, nullptr);
  const bool for_others = future_.defined();
  lock.unlock();
  if (!last) return;
  last();
  if (for_others) wait_for_devices(result_);
}

// Waiting threads are woken after the lock is released. Otherwise they would sleep again at once.
void Work::finish(std::exception_ptr error) {
  Callbacks callbacks;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    error_ = std::move(error);
    completed_ = true;
    callbacks.swap(when_completed_);
  }
  ended_.notify_all();
  if (!callbacks.empty()) call_all(callbacks);
}

void Work::when_completed(std::function<void()> f) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!completed_) return when_completed_.push_back(std::move(f));
  }
  f();
}

// ---------------------------------------------------------------------- Work as a Future
intrusive_ptr<Future> Work::getFuture() {
  intrusive_ptr<Future> future;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (future_.defined()) return future_;
    future = future_ = make_intrusive<Future>();
  }
  when_completed([self = intrusive_ptr<Work>(this), future] { self->complete(*future); });
  return future;
}

void Work::complete(Future& future) {
  try {
    if (const auto error = exception()) std::rethrow_exception(error);
    wait();
    wait_for_devices(result_);
  } catch (...) {
    return future.setError(std::current_exception());
  }
  future.markCompleted(IValue(result_));
}

}  // namespace torch::taper::distributed
