#include <taper/framework/cpu/parallel_reduce.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace torch::taper {
namespace {

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
