#include <taper/distributed/work.h>

#include <utility>

namespace taper::distributed {

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

bool Work::wait(std::chrono::milliseconds timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto done = [this] { return completed_; };
  if (timeout == kNoTimeout)
    ended_.wait(lock, done);
  else if (!ended_.wait_for(lock, timeout, done))
    throw DistError(
        taper::detail::concat("Work::wait: the operation goes on after ", timeout.count(), " ms"));
  if (error_) std::rethrow_exception(error_);
  lock.unlock();
  run_on_wait();
  return true;
}

void Work::run_on_wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::function<void()> last = std::exchange(on_wait_, nullptr);
  lock.unlock();
  if (last) last();
}

void Work::finish(std::exception_ptr error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  error_ = std::move(error);
  completed_ = true;
  ended_.notify_all();
}

}  // namespace taper::distributed
