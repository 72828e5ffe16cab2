#include <taper/nn/parallel/worker_threads.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace torch::taper::nn::parallel {
namespace {

/// Counts down to zero.
class Latch {
 public:
  explicit Latch(size_t count) : count_(count) {}
  void count_down() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--count_ == 0) done_.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [&] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  size_t count_;
};

struct Task {
  const std::function<void(size_t)>* body = nullptr;
  size_t index = 0;
  Latch* latch = nullptr;
};

/// Runs one thread, which waits for a task or for the end of the process.
class Worker {
 public:
  void give(const Task& task) {
    const std::lock_guard<std::mutex> lock(mutex_);
    task_ = task;
    given_.notify_one();
  }
  Task take() {
    std::unique_lock<std::mutex> lock(mutex_);
    given_.wait(lock, [&] { return task_.body != nullptr; });
    const Task task = task_;
    task_ = Task();
    return task;
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_;
  Task task_;
};

/// Holds the idle workers. There are as many workers as were ever needed at once.
class IdleWorkers {
 public:
  Worker& get() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        Worker* worker = idle_.back();
        idle_.pop_back();
        return *worker;
      }
    }
    Worker* worker = new Worker;
    std::thread([this, worker] { work(*worker); }).detach();
    return *worker;
  }

 private:
  void work(Worker& worker) {
    for (;;) {
      const Task task = worker.take();
      (*task.body)(task.index);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(&worker);
      }
      task.latch->count_down();
    }
  }

  std::mutex mutex_;
  std::vector<Worker*> idle_;
};

}  // namespace

void run_on_threads(size_t count, const std::function<void(size_t)>& body) {
  static IdleWorkers& workers = *new IdleWorkers;  // its threads live as long as the process
  if (count == 0) return;
  Latch latch(count - 1);
  for (size_t i = 1; i < count; ++i) workers.get().give({&body, i, &latch});
  body(0);
  latch.wait();
}

}  // namespace torch::taper::nn::parallel
