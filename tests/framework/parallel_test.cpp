#include <taper/framework/cpu/parallel.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <taper/framework/check.h>

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

}  // namespace
}  // namespace torch::taper
