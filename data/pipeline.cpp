#include <taper/data/pipeline.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include <taper/data/dataloader.h>
#include <taper/data/transform.h>
#include <taper/framework/core/check.h>
#include <taper/framework/random/local_generators.h>
#include <taper/framework/random/random.h>
#include <taper/ops/tensor/cat.h>

namespace torch::taper::data::detail {

// One list holds every task from submission until it is returned:
//
//     first | running or done ... | waiting ... | back
//                                   ^ first_waiting
//
// A worker takes the first waiting task. The user takes the first of all tasks, or, without
// ordering, any task that is done. Only done tasks leave the list, so the pointer of a worker stays
// valid.
struct Pipeline::Impl {
  std::mutex mutex;
  std::condition_variable work, result;
  std::deque<std::unique_ptr<Task>> tasks;
  size_t first_waiting = 0;
  size_t running = 0;
  size_t sleeping_workers = 0;
  bool user_waits = false;
  bool quit = false;
  /// Smoothed time to make a batch.
  double task_us = 1e9;
  /// State of the epoch: the start of its seeds, the next number of the default generator, the
  /// number of earlier epochs with this number, and the tasks so far.
  uint64_t seed = 0, drawn = 0, repeats = 0, submitted = 0;

  size_t workers, max_tasks;
  bool in_order;
  std::vector<std::thread> threads;

  void worker_loop(size_t worker);
  void finish(Task& task, double elapsed_us);
  /// Returns the index in the list of a task to return, or tasks.size().
  size_t ready() const;
};

void Pipeline::Impl::worker_loop(size_t worker) {
  using Clock = std::chrono::steady_clock;
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    while (!quit && first_waiting == tasks.size()) {
      ++sleeping_workers;
      work.wait(lock);
      --sleeping_workers;
    }
    if (quit) return;
    Task& task = *tasks[first_waiting++];
    ++running;
    lock.unlock();
    const auto start = Clock::now();
    try {
      const taper::detail::LocalGenerators own(task.seed);
      task.run(worker);
    } catch (...) {
      task.error = std::current_exception();
    }
    const std::chrono::duration<double, std::micro> elapsed = Clock::now() - start;
    lock.lock();
    finish(task, elapsed.count());
  }
}

void Pipeline::Impl::finish(Task& task, double elapsed_us) {
  --running;
  task.done = true;
  task_us = task_us > 1e8 ? elapsed_us : 0.75 * task_us + 0.25 * elapsed_us;
  if (user_waits && (running == 0 || ready() < tasks.size())) {
    user_waits = false;
    result.notify_one();
  }
}

size_t Pipeline::Impl::ready() const {
  for (size_t i = 0; i < first_waiting; ++i) {
    if (tasks[i]->done) return i;
    if (in_order) break;
  }
  return tasks.size();
}

Pipeline::Pipeline(size_t workers, size_t max_tasks, bool in_order)
    : impl_(std::make_unique<Impl>()) {
  impl_->workers = workers;
  impl_->max_tasks = max_tasks;
  impl_->in_order = in_order;
  try {
    for (size_t w = 0; w < workers; ++w)
      impl_->threads.emplace_back([impl = impl_.get(), w] { impl->worker_loop(w); });
  } catch (const std::exception& e) {
    const size_t started = impl_->threads.size();
    join();
    throw Error(taper::detail::concat(
        "DataLoader: expected as many workers as the system has threads for, got ", workers,
        ": after ", started, " there was an error: ", e.what()));
  }
}

Pipeline::~Pipeline() { join(); }

void Pipeline::begin_epoch() {
  auto* const generator = default_generator().get<CPUGeneratorImpl>();
  Mt19937 copy;
  {
    const std::lock_guard<std::mutex> lock(generator->drawing());
    copy = generator->engine();
  }
  const uint64_t high = copy(), drawn = (high << 32) | copy();
  impl_->repeats = drawn == impl_->drawn ? impl_->repeats + 1 : 0;
  impl_->drawn = drawn;
  impl_->seed = taper::detail::derived_seed(drawn, impl_->repeats);
  impl_->submitted = 0;
}

void Pipeline::submit(std::unique_ptr<Task> task) {
  task->seed = taper::detail::derived_seed(impl_->seed, ++impl_->submitted);
  bool wake;
  {
    std::lock_guard<std::mutex> lock(impl_->mutex);
    impl_->tasks.push_back(std::move(task));
    wake = impl_->sleeping_workers > 0;
  }
  if (wake) impl_->work.notify_one();
}

std::unique_ptr<Task> Pipeline::next(int64_t timeout_ms) {
  Impl& p = *impl_;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  std::unique_lock<std::mutex> lock(p.mutex);
  if (p.tasks.empty()) return nullptr;
  size_t i;
  while ((i = p.ready()) == p.tasks.size()) {
    p.user_waits = true;
    if (timeout_ms < 0)
      p.result.wait(lock);
    else
      TAPER_CHECK(p.result.wait_until(lock, deadline) == std::cv_status::no_timeout ||
                      p.ready() < p.tasks.size(),
                  "Timeout in DataLoader queue while waiting for next batch. Consider increasing "
                  "the timeout.");
  }
  std::unique_ptr<Task> task = std::move(p.tasks[i]);
  p.tasks.erase(p.tasks.begin() + static_cast<std::ptrdiff_t>(i));
  --p.first_waiting;
  return task;
}

size_t Pipeline::in_flight() const {
  std::lock_guard<std::mutex> lock(impl_->mutex);
  return impl_->tasks.size();
}

bool Pipeline::has_room() const {
  const Impl& p = *impl_;
  // Handing over a quick batch costs more than making it. Then more batches are kept ready.
  constexpr double kQuick_us = 200;
  constexpr size_t kDepth = 2, kQuickDepth = 4;
  std::lock_guard<std::mutex> lock(impl_->mutex);
  const size_t automatic = p.workers * (p.task_us < kQuick_us ? kQuickDepth : kDepth);
  return p.tasks.size() < (p.max_tasks ? p.max_tasks : automatic);
}

void Pipeline::drain() {
  Impl& p = *impl_;
  std::unique_lock<std::mutex> lock(p.mutex);
  p.tasks.resize(p.first_waiting);
  while (p.running > 0) {
    p.user_waits = true;
    p.result.wait(lock);
  }
  p.user_waits = false;
  p.tasks.clear();
  p.first_waiting = 0;
}

void Pipeline::join() {
  if (impl_->threads.empty()) return;
  drain();
  {
    std::lock_guard<std::mutex> lock(impl_->mutex);
    impl_->quit = true;
  }
  impl_->work.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
}

}  // namespace torch::taper::data::detail

namespace torch::taper::data {

WorkerException::WorkerException(std::exception_ptr original)
    : original_exception(std::move(original)),
      message("Caught exception in DataLoader worker thread.") {
  try {
    std::rethrow_exception(original_exception);
  } catch (const std::exception& e) {
    message += " Original message: ";
    message += e.what();
  } catch (...) {
    message += " It is not a std::exception.";
  }
}

void detail::check_jobs(const DataLoaderOptions& o) {
  TAPER_CHECK(!o.prefetch_factor() || !o.max_jobs(),
              "DataLoader: expected max_jobs or prefetch_factor, got both; max_jobs is "
              "prefetch_factor * workers");
  TAPER_CHECK(!o.prefetch_factor() || o.workers() > 0,
              "DataLoader: prefetch_factor option could only be specified with workers; let "
              "workers > 0");
  TAPER_CHECK(o.prefetch_factor().value_or(1) > 0,
              "DataLoader: expected prefetch_factor of at least 1, got 0");
  TAPER_CHECK(o.workers() == 0 || o.max_jobs().value_or(1) > 0,
              "DataLoader: expected max_jobs of at least 1, got 0");
}

}  // namespace torch::taper::data

namespace torch::taper::data::transforms {
namespace detail {

Tensor per_channel(ArrayRef<double> values) {
  const auto channels = static_cast<int64_t>(values.size());
  Tensor t = taper::detail::make_tensor({channels, 1, 1}, kFloat, Device(kCPU));
  float* out = t.data_ptr<float>();
  for (size_t i = 0; i < values.size(); ++i) out[i] = static_cast<float>(values[i]);
  return t;
}

Tensor stack(const std::vector<Tensor>& tensors) { return taper::stack(tensors); }

}  // namespace detail

Example<> Stack<Example<>>::apply_batch(std::vector<Example<>> examples) {
  std::vector<Tensor> data, targets;
  data.reserve(examples.size());
  targets.reserve(examples.size());
  for (Example<>& example : examples) {
    data.push_back(std::move(example.data));
    targets.push_back(std::move(example.target));
  }
  return {detail::stack(data), detail::stack(targets)};
}

TensorExample Stack<TensorExample>::apply_batch(std::vector<TensorExample> examples) {
  std::vector<Tensor> data;
  data.reserve(examples.size());
  for (TensorExample& example : examples) data.push_back(std::move(example.data));
  return detail::stack(data);
}

}  // namespace torch::taper::data::transforms
