#include <taper/ops/reduce/count_bytes.h>

#include <gtest/gtest.h>

#include <vector>

namespace torch::taper::testing {
namespace {

// Lanes count up to 255 vectors: longer runs, and what is left of a vector.
TEST(CountBytes, AnyByteThatIsNot0) {
  constexpr uint8_t kValues[] = {0, 1, 0, 2, 255, 0, 128};
  std::vector<uint8_t> bytes;
  for (const int64_t n : {0, 1, 7, 63, 64, 65, 200, 255 * 64, 255 * 64 + 63, 70001}) {
    bytes.clear();
    int64_t want = 0;
    for (int64_t i = 0; i < n; ++i) {
      bytes.push_back(kValues[i % 7]);
      want += bytes.back() != 0;
    }
    EXPECT_EQ(cpu::count_bytes(bytes.data(), n), want) << n;
  }
  const std::vector<uint8_t> ones(70001, 1);
  EXPECT_EQ(cpu::count_bytes(ones.data(), 70001), 70001);
}

}  // namespace
}  // namespace torch::taper::testing
