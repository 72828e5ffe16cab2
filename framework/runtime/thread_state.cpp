#include <taper/framework/runtime/thread_state.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include <taper/framework/core/warning.h>
#include <taper/framework/cpu/parallel.h>
#include <taper/framework/debug/simulated_stream.h>
#include <taper/framework/debug/watched_runtime.h>
#include <taper/framework/runtime/runtime.h>

namespace torch::taper {

// ---------------------------------------------------------------------- thread_state
ThreadState::ThreadState()
    : modes_(detail::thread_modes),
      autocast_(detail::autocast_state),
      default_device_(get_default_device()) {
  if (!cuda::is_available()) return;
  device_ = cuda::current_device();
  for (DeviceIndex i = 0; i < cuda::device_count(); ++i)
    streams_.push_back(detail::current_stream_of(i));
}

void ThreadState::apply() const {
  detail::thread_modes = modes_;
  autocast_.apply();
  detail::thread_default_device = default_device_;
  if (device_ < 0) return;
  for (size_t i = 0; i < streams_.size(); ++i)
    detail::exchange_current_stream(static_cast<DeviceIndex>(i), streams_[i]);
  cuda::set_device(device_);
}

// ---------------------------------------------------------------- work on other threads
namespace {

/// Runs launched work on its own threads, in the order of the launches.
class Launcher {
 public:
  ~Launcher() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  void add(std::function<void()> work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    queue_.push_back(std::move(work));
    const size_t most = std::max<size_t>(std::thread::hardware_concurrency(),
                                         static_cast<size_t>(get_num_interop_threads()));
    if (idle_ < queue_.size() && threads_.size() < most)
      threads_.emplace_back([this] { run(); });
    else
      wake_.notify_one();
  }

 private:
  void run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait(lock, [&] { return ending_ || !queue_.empty(); });
      --idle_;
      if (ending_) return;
      const std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool ending_ = false;
};

void tell(const std::string& text) { Warning::warn({"launch", __FILE__, __LINE__}, text, false); }

}  // namespace

void launch(std::function<void()> work) {
  static Launcher launcher;
  launcher.add([state = ThreadState(), work = std::move(work)] {
    const ThreadStateGuard guard(state);
    try {
      work();
    } catch (const std::exception& e) {
      tell(detail::concat("launch: the work ended with an exception: ", e.what()));
    } catch (...) {
      tell("launch: the work ended with an exception that is no std::exception");
    }
  });
}

// ---------------------------------------------------------------------- runtime
namespace {

Runtime* real_runtime() {
  static Runtime* const runtime = [] {
    Runtime* r = simulated::make_runtime();
    if (!r) r = detail::gpu_runtime();
    if (r) races::enable_from_environment();
    return r;
  }();
  return runtime;
}

}  // namespace

bool detail::on_gpu() {
  static const bool answer = real_runtime() && real_runtime() == gpu_runtime();
  return answer;
}

detail::StreamImpl* Runtime::wrap_stream(DeviceIndex, void*) {
  throw Error(
      "getStreamFromExternal: expected a GPU, got a simulated device, which runs no stream of "
      "CUDA's; take a stream of the pool");
}
void* Runtime::library_handle(Library, detail::StreamImpl*) {
  throw Error(
      "library handle: expected a GPU, got a simulated device, where cuBLAS, cuSOLVER and cuSPARSE "
      "do not run; call Taper's ops, which run everywhere");
}

Runtime* cuda_runtime() {
  Runtime* r = real_runtime();
  if (__builtin_expect(!detail::watches_races(), 1) || !r) return r;
  static races::WatchedRuntime& watched = *new races::WatchedRuntime(*r);
  return &watched;
}

}  // namespace torch::taper
