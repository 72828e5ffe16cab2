#include <taper/framework/debug/simulated_stream.h>

#include <omp.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include <taper/framework/core/check.h>
#include <taper/framework/debug/timeline.h>
#include <taper/framework/runtime/launch_blocking.h>

namespace torch::taper::simulated {

// ---------------------------------------------------------------------- faults
bool DeviceFault::is_set() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return set_;
}

void DeviceFault::set(std::string text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!set_) text_ = std::move(text);
  set_ = true;
}

void DeviceFault::lose(std::string text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  text_ = std::move(text);
  set_ = lost_ = true;
}

void DeviceFault::check_lost() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (lost_) throw Error(text_);
}

void DeviceFault::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  set_ = lost_ = false;
}

void DeviceFault::rethrow() {
  std::string text;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (lost_) throw Error(text_);
    if (!set_) return;
    set_ = false;
    text.swap(text_);
  }
  throw Error(text);
}

// ---------------------------------------------------------------------- events
uint64_t Event::begin(DeviceIndex device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  device_ = device;
  return ++recorded_;
}

DeviceIndex Event::device() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return device_;
}

void Event::reach(uint64_t record) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (record > done_) {
    done_ = record;
    time_ = std::chrono::steady_clock::now();
  }
  reached_.notify_all();
}

bool Event::is_reached() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return done_ == recorded_;
}

uint64_t Event::last() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recorded_;
}

void Event::wait_for(uint64_t record) const {
  std::unique_lock<std::mutex> lock(mutex_);
  reached_.wait(lock, [&] { return done_ >= record; });
}

std::chrono::steady_clock::time_point Event::time() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return time_;
}

// ---------------------------------------------------------------------- streams
namespace {
std::atomic<bool> ending{false};  // set by end_kernels when the process exits
}

Stream::Stream(DeviceIndex device, int priority, DeviceFault* fault, int max_delay_us,
               uint64_t seed)
    : StreamImpl(device, priority), fault_(fault), delays_(seed), max_delay_us_(max_delay_us) {}

void Stream::launch(const char* name, std::function<void()> work) {
  push([this, name, work = std::move(work)] {
    if (!fault_->is_set() && !ending) run_kernel(name, work);
  });
}

void Stream::push(std::function<void()> work) { push(Item{std::move(work), nullptr}); }

void Stream::push(std::shared_ptr<Event> event, uint64_t record) {
  push(Item{nullptr, std::move(event), record});
}

void Stream::push(Item item) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!started_) std::thread(&Stream::work_off, this).detach();
    started_ = true;
    queue_.push_back(std::move(item));
    ++queued_;
  }
  arrived_.notify_one();
}

bool Stream::is_idle() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return done_ == queued_;
}

bool Stream::is_done_or_awaited(uint64_t item) const {
  if (done_ >= item) return true;
  awaited_ = std::min(awaited_, item);
  return false;
}

void Stream::drain() const {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t target = queued_;
  finished_.wait(lock, [&] { return stopping_ || is_done_or_awaited(target); });
}

void Stream::end_kernels() { ending = true; }

void Stream::stop() {
  // The running item still uses memory that will be freed. Later items run no kernels, but other
  // streams may wait for them. A kernel that never ends must not block the exit.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  std::unique_lock<std::mutex> lock(mutex_);
  finished_.wait_until(lock, limit, [&] { return is_done_or_awaited(queued_); });
  stopping_ = true;
  arrived_.notify_one();
  finished_.notify_all();
  finished_.wait_until(lock, limit, [&] { return !started_; });
}

void Stream::work_off() {
  omp_set_num_threads(1);  // a library called by a kernel runs on this thread
  // By default the system may let a sleeping thread wait 50 us longer. The delays are of this size.
  if (max_delay_us_ > 0) ::prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    arrived_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (stopping_) break;
    const Item item = std::move(queue_.front());
    queue_.pop_front();
    if (item.work) {
      lock.unlock();
      item.work();
      lock.lock();
    } else {
      item.event->reach(item.record);
    }
    if (++done_ < awaited_) continue;
    awaited_ = UINT64_MAX;
    finished_.notify_all();
  }
  started_ = false;
  finished_.notify_all();
}

void Stream::run_kernel(const char* name, const std::function<void()>& work) {
  if (max_delay_us_ > 0)
    std::this_thread::sleep_for(std::chrono::microseconds(delays_() % (max_delay_us_ + 1)));
  try {
    const detail::TimelineMark mark(name, *this);
    work();
  } catch (const std::exception& e) {
    const char* hint = detail::blocks_launches()
                           ? ""
                           : ". Kernels run after the call that queued them: set "
                             "CUDA_LAUNCH_BLOCKING=1 to get the error from the call itself.";
    fault_->set(detail::concat("CUDA error: ", e.what(), " (kernel '", name, "' on ",
                               Device(kCUDA, device).str(), ")", hint));
  }
}

}  // namespace torch::taper::simulated
