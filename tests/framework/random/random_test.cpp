#include <cstring>
#include <thread>
#include <vector>

#include <taper/framework/random/random.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include "test_util.h"

namespace torch::taper {
namespace {

std::vector<uint32_t> words(CPUGeneratorImpl& g, int64_t n) {
  std::vector<uint32_t> w(static_cast<size_t>(n));
  g.fill(w.data(), n);
  return w;
}

// The C++ standard fixes this number for the 10,000th word of seed 5489.
TEST(Generator, IsTheStandardsMt19937) {
  Mt19937 engine;
  for (int i = 1; i < 10000; ++i) engine();
  EXPECT_EQ(engine(), 4123659995u);
}

TEST(Generator, BlocksEqualSingleWords) {
  for (int64_t first : {0, 1, 5, 623, 624, 625}) {
    CPUGeneratorImpl a(3), b(3);
    for (int64_t i = 0; i < first; ++i) {
      a.random();
      b.random();
    }
    for (int64_t n : {1, 7, 623, 624, 2000}) {
      const std::vector<uint32_t> block = words(a, n);
      for (uint32_t w : block) ASSERT_EQ(w, b.random());
    }
    EXPECT_EQ(a.random64(), b.random64());
  }
}

TEST(Generator, StateRoundTrip) {
  Generator g = detail::createCPUGenerator(11);
  for (int64_t drawn : {0, 1, 623, 624, 700}) {
    g.set_current_seed(11);
    if (drawn > 0) rand({drawn}, g);
    normal(0, 1, {1}, g);  // leaves the second of a pair waiting
    const Tensor state = g.get_state();
    EXPECT_EQ(state.sizes(), IntArrayRef({5056}));
    EXPECT_EQ(state.scalar_type(), kByte);
    const Tensor next = randn({5}, g);
    Generator other = detail::createCPUGenerator(0);
    other.set_state(state);
    EXPECT_EQ(other.current_seed(), 11u);
    const Tensor again = randn({5}, other);
    EXPECT_EQ(std::memcmp(next.data_ptr(), again.data_ptr(), next.nbytes()), 0);
  }
}

// Where PyTorch 1.13 has what, after manual_seed(5); randn(1); rand(3).
TEST(Generator, StateHasPyTorchsLayout) {
  Generator g = detail::createCPUGenerator(5);
  randn({1}, g);
  rand({3}, g);
  const Tensor state = g.get_state();
  uint64_t head[6];
  std::memcpy(head, state.data_ptr(), sizeof head);
  EXPECT_EQ(head[0], 5u);
  EXPECT_EQ(head[1], 4294967914u);
  EXPECT_EQ(head[2], 7u);
  EXPECT_EQ(head[3], 4081643083u);
  EXPECT_EQ(head[4], 713234725u);
  double waiting;
  std::memcpy(&waiting, static_cast<char*>(state.data_ptr()) + 5024, sizeof waiting);
  EXPECT_EQ(waiting, *g.get<CPUGeneratorImpl>()->next_double_normal_sample());
}

TEST(Generator, ForeignStatesThrowAndChangeNothing) {
  Generator g = detail::createCPUGenerator(1), untouched = detail::createCPUGenerator(1);
  EXPECT_THROW(g.set_state(zeros({5056})), TypeError);
  EXPECT_THROW(g.set_state(Tensor()), TypeError);
  for (int64_t n : {0, 10, 5048, 5056}) EXPECT_THROW(g.set_state(zeros({n}, kByte)), Error);
  Tensor state = g.get_state();
  state.data_ptr<uint8_t>()[8] = 77;  // more words left than there are
  EXPECT_EQ(testing::message_of([&] { g.set_state(state); }), "Invalid mt19937 state");
  EXPECT_EQ(g.get<CPUGeneratorImpl>()->random64(), untouched.get<CPUGeneratorImpl>()->random64());
}

TEST(Generator, LegacyStateIsRead) {
  Generator g = detail::createCPUGenerator(9);
  rand({10}, g);
  const Tensor state = g.get_state().slice(0, 0, 5048);
  Generator other = detail::createCPUGenerator(1);
  other.set_state(state);
  EXPECT_EQ(g.get<CPUGeneratorImpl>()->random(), other.get<CPUGeneratorImpl>()->random());
}

TEST(Generator, CopiesShareClonesDoNot) {
  Generator g = detail::createCPUGenerator(4), copy = g, clone = g.clone();
  EXPECT_EQ(g, copy);
  EXPECT_NE(g, clone);
  const uint32_t first = g.get<CPUGeneratorImpl>()->random();
  EXPECT_EQ(clone.get<CPUGeneratorImpl>()->random(), first);
  EXPECT_NE(copy.get<CPUGeneratorImpl>()->random(), first);
  EXPECT_THROW(Generator().current_seed(), Error);
}

TEST(Generator, SeedIsFromEntropy) {
  Generator g = detail::createCPUGenerator();
  EXPECT_EQ(g.current_seed(), default_rng_seed_val);
  const uint64_t a = g.seed();
  EXPECT_EQ(g.current_seed(), a);
  EXPECT_NE(g.seed(), a);
  EXPECT_LT(a, uint64_t{1} << 53);
}

TEST(Generator, ManualSeedSetsTheDefault) {
  manual_seed(42);
  EXPECT_EQ(initial_seed(), 42u);
  EXPECT_EQ(detail::getDefaultCPUGenerator(), default_generator());
}

TEST(Generator, ThreadsDrawWholePieces) {
  manual_seed(0);
  const Tensor one = rand({1000}), two = rand({1000});
  manual_seed(0);
  Tensor a, b;
  std::thread thread([&] { a = rand({1000}); });
  b = rand({1000});
  thread.join();
  const bool a_first = std::memcmp(a.data_ptr(), one.data_ptr(), one.nbytes()) == 0;
  const Tensor& first = a_first ? a : b;
  const Tensor& second = a_first ? b : a;
  EXPECT_EQ(std::memcmp(first.data_ptr(), one.data_ptr(), one.nbytes()), 0);
  EXPECT_EQ(std::memcmp(second.data_ptr(), two.data_ptr(), two.nbytes()), 0);
}

}  // namespace
}  // namespace torch::taper
