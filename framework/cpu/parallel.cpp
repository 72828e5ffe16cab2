#include <taper/framework/cpu/parallel.h>

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include <taper/framework/core/check.h>

namespace torch::taper {
namespace {

std::atomic<int> g_threads{0};
std::atomic<int> g_interop_threads{1};

// Holds the index of this thread in the running loop, or -1 outside of loops.
thread_local int tl_index = -1;

// Describes one loop. Each thread begins with an equal part of the pieces in every loop, because
// its core's caches may still hold that data. It then takes pieces left in the parts of other
// threads. A thread that the system suspends therefore delays only its current piece.
struct Job {
  int64_t begin, end, pieces;
  void* context;
  void (*body)(void*, int64_t, int64_t);
  int64_t parts;
  struct alignas(64) Part {
    std::atomic<int64_t> taken{0};
  };
  static constexpr int64_t kMostParts = 16;
  Part part[kMostParts]{};
  std::atomic<bool> failed{false};
  std::exception_ptr error{};

  /// Runs pieces until none is left. Returns their number.
  int64_t work() {
    int64_t count = 0;
    for (int64_t k = 0; k < parts; ++k) count += work_on((tl_index + k) % parts);
    return count;
  }

  /// Runs pieces of a part in order, so that data prefetched beyond the end of one serves the next.
  /// (If two threads took every second piece, an add of 1 M floats in 16 pieces would take 68.1 us
  /// instead of 67.0, and 71.1 us in 64 pieces. Zen 4.)
  int64_t work_on(int64_t p) {
    const int64_t first = p * pieces / parts, end = (p + 1) * pieces / parts;
    int64_t count = 0;
    for (;; ++count) {
      const int64_t piece = first + part[p].taken.fetch_add(1, std::memory_order_relaxed);
      if (piece >= end) return count;
      do_piece(piece);
    }
  }

  void do_piece(int64_t piece) {
    const int64_t n = end - begin;
    try {
      body(context, begin + n * piece / pieces, begin + n * (piece + 1) / pieces);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }
};

double now_us() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(t).count();
}

// Decides whether helpers pay. Waking them costs some 10 microseconds, and another busy process may
// delay a helper within a piece. If over a number of loops they cost more than they gained, the
// caller works alone for a while. The pause is in proportion to the loss, however long the loops
// are, so helpers return soon after the other process has ended. The choice has no effect on
// results.
class Worth {
 public:
  bool wants_helpers() {
    if (alone_until_us_ == 0) return true;
    if (now_us() < alone_until_us_) return false;
    alone_until_us_ = 0;
    return true;
  }
  /// Learns from a loop that ended at `now`. It took `actual` microseconds, and would have taken
  /// `alone` without helpers.
  void learn(double alone, double actual, double now) {
    gain_us_ += std::max(alone - actual, -4 * alone);
    if (++loops_ < kTrial) return;
    if (gain_us_ < 0) alone_until_us_ = now - pause_ * gain_us_;
    pause_ = gain_us_ < 0 ? std::min(2 * pause_, kLongestPause) : std::max(pause_ / 2, kPause);
    gain_us_ = 0;
    loops_ = 0;
  }

 private:
  static constexpr int kTrial = 32;                        // loops that are judged together
  static constexpr double kPause = 8, kLongestPause = 64;  // in multiples of the loss
  double gain_us_ = 0, pause_ = kPause, alone_until_us_ = 0;
  int loops_ = 0;
};

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Spins until `done`, for some 100 microseconds. Returns false at a timeout. Sleeping and waking
// takes 20 to 50 microseconds on a virtual machine. A helper that is late for one loop is early at
// its end, sleeps again, and is late for the next. The core then soon goes to other processes. A
// spinning thread keeps its share of time beside them.
template <class Done>
bool wait_awake(const Done& done) {
  for (int i = 0; i < 400; ++i) {
    if (done()) return true;
    pause_cpu();
  }
  const double end = now_us() + 100;
  do {
    if (done()) return true;
    std::this_thread::yield();
  } while (now_us() < end);
  return false;
}

// Holds the threads that help a loop's caller. They live as long as the process. The pool is never
// destroyed, because a thread may still wait in it at exit.
//
// One word holds the loop's number, the number of helpers it wants, and the number inside. An awake
// thread joins and leaves by this word alone. A mutex would put one of two contending threads to
// sleep, and threads contend at a loop's start and at the end of equal parts. (A loop of two pieces
// takes 0.4 us more than a piece. With a mutex it took 1.2 us more.)
class Pool {
 public:
  // Runs the job with up to `helpers` further threads. Returns false if another loop uses them, or
  // if they do not pay.
  bool run(Job& job, int helpers) {
    const std::unique_lock<std::mutex> owner(owner_, std::try_to_lock);
    if (!owner) return false;
    if (!worth_.wants_helpers()) return false;
    const bool first = started_ < helpers;
    const double start = now_us();
    open(job, helpers);
    const double opened = now_us();
    tl_index = 0;
    const int64_t own = job.work();
    tl_index = -1;
    const double worked = now_us();
    close();
    // The first loop is not counted, because it pays for starting threads.
    const double end = now_us();
    if (own > 0 && !first) worth_.learn((worked - opened) / own * job.pieces, end - start, end);
    return true;
  }

  static constexpr int kMostHelpers = 0xffff;

 private:
  // Are the units of the loop's number, of the wanted helpers, and of the helpers inside.
  static constexpr uint64_t kLoop = uint64_t{1} << 32, kWanted = 1 << 16, kIn = 1;
  static uint32_t loop_of(uint64_t state) { return static_cast<uint32_t>(state / kLoop); }
  static int wanted_of(uint64_t state) { return static_cast<int>(state % kLoop / kWanted); }
  static bool nobody_in(uint64_t state) { return state % kWanted == 0; }

  void open(Job& job, int helpers) {
    for (; started_ < helpers; ++started_) std::thread(&Pool::help, this, started_ + 1).detach();
    job_ = &job;
    const uint32_t next = loop_of(state_.load(std::memory_order_relaxed)) + 1;
    state_.store(next * kLoop + helpers * kWanted);
    // A helper counts itself before it reads the state for the last time, so at least one of the
    // two threads sees the other. After the mutex was taken here, the helper is asleep.
    if (sleepers_.load() == 0) return;
    { const std::lock_guard<std::mutex> lock(mutex_); }
    wake_.notify_all();
  }

  // Lets no more helpers join, and waits for those inside.
  void close() {
    const uint64_t none_wanted = ~(kLoop - kWanted);
    if (nobody_in(state_.fetch_and(none_wanted, std::memory_order_acquire))) return;
    if (wait_awake([this] { return nobody_in(state_.load(std::memory_order_acquire)); })) return;
    std::unique_lock<std::mutex> lock(mutex_);
    awaited_.store(true);
    done_.wait(lock, [this] { return nobody_in(state_.load()); });
    awaited_.store(false);
  }

  // Runs a helper. `number` is its number in every loop, from 1 on.
  void help(int number) {
    omp_set_num_threads(1);  // a library called in a piece must not split it again
    for (uint32_t seen = 0;;) {
      uint64_t state = next_loop(seen);
      const bool in = join(state, number);
      seen = loop_of(state);
      if (!in) continue;
      tl_index = number;
      job_->work();
      tl_index = -1;
      leave();
    }
  }

  // Waits until there is a loop other than `seen`. Returns the state.
  uint64_t next_loop(uint32_t seen) {
    const auto is_new = [&] { return loop_of(state_.load()) != seen; };
    if (!wait_awake(is_new)) {
      std::unique_lock<std::mutex> lock(mutex_);
      sleepers_.fetch_add(1);
      wake_.wait(lock, is_new);
      sleepers_.fetch_sub(1);
    }
    return state_.load(std::memory_order_relaxed);
  }

  // Joins a loop. Returns false if the loop does not want the helper, or no longer. `state`
  // receives the last state.
  bool join(uint64_t& state, int number) {
    while (number <= wanted_of(state))
      if (state_.compare_exchange_weak(state, state + kIn, std::memory_order_acquire)) return true;
    return false;
  }

  void leave() {
    const uint64_t before = state_.fetch_sub(kIn);
    if (!nobody_in(before - kIn) || !awaited_.load()) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    done_.notify_one();
  }

  // Is held by the thread whose loop runs. It guards worth_, started_, and writes of job_.
  std::mutex owner_;
  Worth worth_;
  int started_ = 0;
  alignas(64) std::atomic<uint64_t> state_{0};
  Job* job_ = nullptr;  // read by helpers inside the loop
  std::atomic<int> sleepers_{0};
  std::atomic<bool> awaited_{false};
  std::mutex mutex_;  // guards sleeping helpers
  std::condition_variable wake_, done_;
};

}  // namespace

int get_num_threads() {
  int n = g_threads.load(std::memory_order_relaxed);
  if (__builtin_expect(n == 0, 0)) {
    n = std::max(1, omp_get_max_threads());
    g_threads.store(n, std::memory_order_relaxed);
  }
  return n;
}

void set_num_threads(int n) {
  TAPER_CHECK_VALUE(n >= 1, "set_num_threads: expected at least 1 thread, got ", n);
  g_threads.store(n, std::memory_order_relaxed);
}

int get_num_interop_threads() { return g_interop_threads.load(); }
void set_num_interop_threads(int n) {
  TAPER_CHECK_VALUE(n >= 1, "set_num_interop_threads: expected at least 1 thread, got ", n);
  g_interop_threads.store(n);
}

int get_thread_num() { return tl_index < 0 ? 0 : tl_index; }
bool in_parallel_region() { return tl_index >= 0; }

namespace detail {

void parallel_run(int64_t begin, int64_t end, int64_t pieces, void* context,
                  void (*body)(void*, int64_t, int64_t)) {
  static Pool& pool = *new Pool;
  const int64_t helpers =
      std::min<int64_t>({get_num_threads() - 1, pieces - 1, Pool::kMostHelpers});
  Job job{begin, end, pieces, context, body, std::min(helpers + 1, Job::kMostParts)};
  if (!pool.run(job, static_cast<int>(helpers))) {
    // Runs alone, in the same pieces.
    tl_index = 0;
    job.work();
    tl_index = -1;
  }
  if (job.failed) std::rethrow_exception(job.error);
}

}  // namespace detail
}  // namespace torch::taper
