#include <taper/framework/cpu/parallel.h>

#include <gtest/gtest.h>
#include <pthread.h>
#include <ucontext.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/core/check.h>
#include <taper/framework/cpu/parallel_reduce.h>
#include <taper/ops/linalg/linalg.h>
#include <taper/ops/random/random.h>
#include <taper/ops/spatial/spatial.h>
#include <taper/ops/tensor/tensor.h>

namespace torch::taper {
namespace {

/// The number of threads for one test.
class ParallelFor : public ::testing::Test {
 protected:
  ParallelFor() { set_num_threads(3); }
  ~ParallelFor() override { set_num_threads(before_); }

 private:
  int before_ = get_num_threads();
};

std::vector<int> visits(int64_t n, int64_t grain) {
  std::vector<std::atomic<int>> counts(n);
  parallel_for(0, n, grain, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) ++counts[i];
  });
  return std::vector<int>(counts.begin(), counts.end());
}

TEST_F(ParallelFor, VisitsEachIndexOnce) {
  for (int64_t n : {0, 1, 2, 7, 64, 1000, 12345})
    for (int64_t grain : {0, 1, 3, 100, 100000})
      EXPECT_EQ(visits(n, grain), std::vector<int>(n, 1)) << n << " by " << grain;
}

TEST_F(ParallelFor, PiecesDependOnArgumentsAndThreadsOnly) {
  const auto pieces = [] {
    std::vector<int64_t> ends(1000);
    parallel_for(0, 1000, 10, [&](int64_t i, int64_t end) { ends[i] = end; });
    return ends;
  };
  const std::vector<int64_t> first = pieces();
  // Often enough that the pool judges its helpers, and runs some loops without them.
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(pieces(), first);
}

TEST_F(ParallelFor, ExceptionReachesTheCallerAfterAllHaveEnded) {
  std::atomic<int> running{0};
  const auto loop = [&] {
    parallel_for(0, 12, 1, [&](int64_t i, int64_t) {
      ++running;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --running;
      if (i == 5) throw std::out_of_range("five");
    });
  };
  EXPECT_THROW(loop(), std::out_of_range);
  EXPECT_EQ(running, 0);
  EXPECT_FALSE(in_parallel_region());
  EXPECT_EQ(visits(100, 1), std::vector<int>(100, 1));
}

TEST_F(ParallelFor, LoopInsideOfALoopRunsOnItsThread) {
  std::atomic<bool> same{true};
  std::atomic<int64_t> sum{0};
  parallel_for(0, 12, 1, [&](int64_t i, int64_t) {
    const auto outer = std::this_thread::get_id();
    EXPECT_TRUE(in_parallel_region());
    parallel_for(0, 10, 1, [&](int64_t j, int64_t end) {
      if (std::this_thread::get_id() != outer) same = false;
      for (; j < end; ++j) sum += i * 10 + j;
    });
  });
  EXPECT_TRUE(same);
  EXPECT_EQ(sum, 120 * 119 / 2);
}

TEST_F(ParallelFor, SeveralThreadsMayLoopAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i)
        if (visits(500, 10) != std::vector<int>(500, 1)) ++wrong;
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

// A piece that waits for another thread's, at most for a while.
TEST_F(ParallelFor, HelpersThatSleepAreWoken) {
  using namespace std::chrono;
  const auto meet = [] {
    std::atomic<int> in{0};
    std::atomic<bool> met{false};
    parallel_for(0, 2, 1, [&](int64_t, int64_t) {
      ++in;
      for (const auto end = steady_clock::now() + milliseconds(200);
           !met && steady_clock::now() < end;) {
        if (in == 2) met = true;
        std::this_thread::yield();
      }
      --in;
    });
    return met.load();
  };
  meet();
  bool met = false;
  for (int i = 0; i < 10 && !met; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    met = meet();
  }
  EXPECT_TRUE(met);
}

TEST_F(ParallelFor, ThreadNumbersAreBelowTheirCount) {
  std::atomic<int> most{0};
  parallel_for(0, 64, 1, [&](int64_t, int64_t) {
    for (int seen = most;
         get_thread_num() > seen && !most.compare_exchange_weak(seen, get_thread_num());) {
    }
  });
  EXPECT_LT(most, 3);
  EXPECT_EQ(get_thread_num(), 0);
  EXPECT_THROW(set_num_threads(0), ValueError);
  EXPECT_EQ(get_num_threads(), 3);
}

// ---------------------------------------------------------------------- signals
// The interrupted thread's stack, and its interrupts. `outside`: the stack pointer was a pointer
// to a library's data, which a handler without a stack of its own would overwrite.
std::atomic<uintptr_t> g_stack_begin{0}, g_stack_end{0};
std::atomic<int> g_interrupts{0}, g_outside{0};

void count_interrupt(int, siginfo_t*, void* context) {
  ++g_interrupts;
#if defined(__x86_64__)
  const auto* c = static_cast<const ucontext_t*>(context);
  const auto stack_pointer = static_cast<uintptr_t>(c->uc_mcontext.gregs[REG_RSP]);
  if (stack_pointer < g_stack_begin || stack_pointer > g_stack_end) ++g_outside;
#endif
}

/// The calling thread's SIGUSR2: counted by a handler that has a stack of its own.
class Interrupts {
 public:
  Interrupts() {
    pthread_attr_t attributes;
    void* begin = nullptr;
    size_t nbytes = 0;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &begin, &nbytes);
    pthread_attr_destroy(&attributes);
    g_stack_begin = reinterpret_cast<uintptr_t>(begin);
    g_stack_end = g_stack_begin + nbytes;
    g_interrupts = g_outside = 0;
    stack_t stack = {};
    stack.ss_sp = stack_.data();
    stack.ss_size = stack_.size();
    sigaltstack(&stack, &stack_before_);
    struct sigaction action = {};
    action.sa_sigaction = count_interrupt;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigaction(SIGUSR2, &action, &before_);
  }
  ~Interrupts() {
    sigaction(SIGUSR2, &before_, nullptr);
    sigaltstack(&stack_before_, nullptr);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Calls body() until `count` signals have been sent meanwhile.
  void during(int count, const std::function<void()>& body) {
    std::atomic<int> left{count};
    std::thread sender([&left, target = pthread_self()] {
      for (; left > 0; --left) {
        pthread_kill(target, SIGUSR2);
        std::this_thread::sleep_for(std::chrono::microseconds(5));
      }
    });
    do body();
    while (left > 0);
    sender.join();
  }

 private:
  std::vector<char> stack_ = std::vector<char>(1 << 17);
  stack_t stack_before_ = {};
  struct sigaction before_ = {};
};

/// Calls body() during that many signals. It is to give the same numbers as without.
void expect_signals_wait(int count, const std::function<Tensor()>& body) {
  const int threads = get_num_threads();
  set_num_threads(1);
  const Tensor expected = body();
  Interrupts interrupts;
  bool same = true;
  interrupts.during(count, [&] { same = body().equal(expected) && same; });
  EXPECT_TRUE(same);
  EXPECT_GT(g_interrupts, 0);
  EXPECT_EQ(g_outside, 0) << "of " << g_interrupts;
  set_num_threads(threads);
}

TEST(Signals, WaitForProducts) {
  const Tensor a = randn({256, 512}), b = randn({512, 512});
  expect_signals_wait(10000, [&] { return matmul(a, b); });
  expect_signals_wait(10000, [&] { return matmul(b.t(), a.t()); });
  expect_signals_wait(2000, [a = a.to(kDouble), b = b.to(kDouble)] { return matmul(a, b); });
}

TEST(Signals, WaitForConvolutions) {
  for (const int64_t groups : {1, 2}) {
    const Tensor x = randn({4, 64, 14, 14}).requires_grad_();
    const Tensor w = randn({64, 64 / groups, 3, 3}).requires_grad_();
    expect_signals_wait(2000, [&] {
      const Tensor y = conv2d(x, w, {}, /*stride=*/2, /*padding=*/1, /*dilation=*/1, groups);
      const auto g = autograd::grad({y.sum()}, {x, w});
      return cat({y.flatten(), g[0].flatten(), g[1].flatten()}).detach();
    });
  }
}

TEST(Signals, HandlersRunBehindAProduct) {
  const Tensor a = randn({256, 512}), b = randn({512, 512});
  Interrupts interrupts;
  interrupts.during(1, [&] { matmul(a, b); });
  EXPECT_EQ(g_interrupts, 1);
}

// ---------------------------------------------------------------------- loops that give a value
class ParallelReduce : public ::testing::Test {
 protected:
  ~ParallelReduce() override { set_num_threads(before_); }

 private:
  int before_ = get_num_threads();
};

double harmonic(int64_t n, int64_t grain) {
  return parallel_reduce(
      1, n + 1, grain, 0.0,
      [](int64_t i, int64_t end, double sum) {
        for (; i < end; ++i) sum += 1.0 / static_cast<double>(i);
        return sum;
      },
      std::plus<double>());
}

TEST_F(ParallelReduce, HasTheSameBitsForAnyNumberOfThreads) {
  for (int64_t grain : {0, 1, 7, 1000, 1000000}) {
    set_num_threads(1);
    const double one = harmonic(100000, grain);
    EXPECT_NEAR(one, std::log(100000.0) + 0.5772156649 + 0.5e-5, 1e-9);
    set_num_threads(3);
    EXPECT_EQ(harmonic(100000, grain), one) << grain;
  }
  EXPECT_EQ(harmonic(0, 5), 0);
}

TEST_F(ParallelReduce, CombinesInOrderAndTakesBools) {
  set_num_threads(3);
  const auto text = parallel_reduce(
      0, 26, 3, std::string(),
      [](int64_t i, int64_t end, std::string s) {
        for (; i < end; ++i) s += static_cast<char>('a' + i);
        return s;
      },
      [](const std::string& a, const std::string& b) { return a + b; });
  EXPECT_EQ(text, "abcdefghijklmnopqrstuvwxyz");
  const auto contains = [](int64_t wanted) {
    return parallel_reduce(
        0, 5000, 1, false,
        [wanted](int64_t i, int64_t end, bool) { return i <= wanted && wanted < end; },
        std::logical_or<bool>());
  };
  EXPECT_TRUE(contains(4999) && contains(0));
  EXPECT_FALSE(contains(5000));
}

}  // namespace
}  // namespace torch::taper
