// Blocks of real threads find each kind of mistake, and nothing else.
#include "blocks/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <taper/framework/cuda/map.h>
#include <taper/framework/cuda/rows.h>
#include <taper/framework/cuda/scan.h>

namespace torch::taper::cuda {
namespace {

using taper::testing::BlockOptions;
using taper::testing::FiberBlocks;
using taper::testing::sees_all_accesses;

#define NEEDS_ALL_ACCESSES() \
  if (!sees_all_accesses())  \
  GTEST_SKIP() << "needs kernels whose accesses are seen: they are in the program block_tests"

/// The message of the error that `work` throws; empty where it throws none.
template <class F>
std::string error_of(const F& work) {
  try {
    work();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}
/// The same, of rows with teams of `size` threads, in as many orders as a mistake may need to show.
template <class F>
std::string error_of_rows(int64_t rows, int size, const F& f) {
  std::string found;
  for (uint64_t seed = 1; seed <= 8 && found.empty(); ++seed) {
    const FiberBlocks blocks({seed, 3, true});
    found = error_of([&] { for_each_row(rows, size, f); });
  }
  return found;
}
std::string line(int n) { return "blocks_test.cpp:" + std::to_string(n); }
#define EXPECT_FINDS(message, words)                    \
  EXPECT_TRUE(message.find(words) != std::string::npos) \
      << "expected: " << words << "\ngot: " << message

// ---------------------------------------------------------------------- right kernels
/// y = f(a, b.t()) of `rows` x `columns` elements of so many bytes, in a batch.
Plan<3> plan_of_transposed(int64_t rows, int64_t columns, int64_t batch, int64_t item) {
  const Dims shape{batch, rows, columns}, row_major{rows * columns, columns, 1},
      column_major{rows * columns, 1, rows};
  Plan<3> plan;
  const taper::detail::Operand operands[3] = {{nullptr, &shape, &row_major, item},
                                              {nullptr, &shape, &row_major, item},
                                              {nullptr, &shape, &column_major, item}};
  plan.numel = rows * columns * batch;
  plan.rank = taper::detail::make_plan(shape, operands, 3, plan.sizes, &plan.strides[0][0]);
  for (char*& base : plan.base) base = nullptr;
  return plan;
}
/// The bytes that pass between L2 and L1 for each that is used, of operand k, where so many threads
/// beside each other share what they read: sectors of 32 bytes.
double bytes_per_byte(const Plan<3>& plan, int k, int64_t threads, int64_t item) {
  const Offsets<3, uint32_t> offsets(plan);
  int64_t sectors = 0;
  for (int64_t first = 0; first < plan.numel; first += threads) {
    std::set<int64_t> read;
    for (int64_t i = first; i < std::min(first + threads, plan.numel); ++i) {
      int64_t at[3];
      offsets.at(static_cast<uint32_t>(i), at);
      read.insert(at[k] / 32);
    }
    sectors += static_cast<int64_t>(read.size());
  }
  return static_cast<double>(sectors * 32) / static_cast<double>(plan.numel * item);
}
TEST(Blocks, TransposedOperandsAreReadByWholeSectors) {
  for (const int64_t item : {1, 2, 4, 8}) {
    const Plan<3> plan = plan_of_transposed(256, 512, 2, item);
    const Patches patches = patches_of(plan);
    ASSERT_EQ(patches.side, item < 4 ? 16 : 8) << item;
    EXPECT_EQ(cut_of(plan, patches).at, 0);
    const Plan<3> patched = in_patches(plan, patches);
    for (const int k : {0, 1, 2})
      EXPECT_LE(bytes_per_byte(patched, k, kThreads, item), item == 1 ? 2 : 1) << item << k;
    EXPECT_EQ(bytes_per_byte(plan, 2, kThreads, item), 32.0 / static_cast<double>(item));
    // A warp of floats asks 4 sectors of y, and 8 of b, of which the next warp wants the rest.
    if (item != 4) continue;
    EXPECT_EQ(bytes_per_byte(patched, 0, Team::kWarp, item), 1);
    EXPECT_EQ(bytes_per_byte(patched, 2, Team::kWarp, item), 2);
  }
  EXPECT_EQ(patches_of(plan_of_transposed(100, 100, 1, 4)).side, 0);    // in the caches anyway
  EXPECT_EQ(patches_of(plan_of_transposed(1, 1 << 20, 1, 4)).side, 0);  // is one row
  EXPECT_EQ(patches_of(plan_of_transposed(4, 1 << 20, 1, 4)).side, 0);  // too few to share a sector
}
// Sizes that are no multiples of a side are cut there.
TEST(Blocks, EveryPlaceIsVisitedOnce) {
  for (const auto& [rows, columns, batch] :
       {std::array<int64_t, 3>{261, 515, 1}, {259, 256, 2}, {256, 129, 3}, {9, 8193, 1}}) {
    const Plan<3> plan = plan_of_transposed(rows, columns, batch, 4);
    ASSERT_GT(patches_of(plan).side, 0);
    std::vector<int> visits(static_cast<size_t>(plan.numel)), of_b(visits);
    const FiberBlocks blocks({3, 3, true});
    const int64_t in_batch = rows * columns;
    for_each_place(plan, [&visits, &of_b, in_batch, rows, columns](const int64_t(&at)[3]) {
      const int64_t i = at[0] / 4, in = i % in_batch;
      EXPECT_EQ(at[1], at[0]);
      EXPECT_EQ(at[2] / 4, i / in_batch * in_batch + in % columns * rows + in / columns);
      ++visits[static_cast<size_t>(i)];
      ++of_b[static_cast<size_t>(at[2] / 4)];
    });
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }));
    EXPECT_TRUE(std::all_of(of_b.begin(), of_b.end(), [](int n) { return n == 1; }));
  }
}

TEST(Blocks, SumsOfTeamsOfEverySizeAreRight) {
  for (int size : {32, 64, 128, 512, 1024}) {
    std::vector<int64_t> sums(37, -1);
    EXPECT_EQ(error_of_rows(37, size,
                            [&](const Team& team, int64_t row) {
                              const int64_t sum =
                                  team.sum<int64_t>(1000 + row, [&](int64_t i) { return i; });
                              if (team.rank == team.size - 1) sums[row] = sum;
                            }),
              "");
    for (int64_t row = 0; row < 37; ++row)
      ASSERT_EQ(sums[row], (1000 + row) * (999 + row) / 2) << size << " threads, row " << row;
  }
}

template <int V>
std::vector<float> less_the_sum(const std::vector<float>& x, int64_t rows, int size) {
  std::vector<float> y(x.size(), -1);
  const int64_t n = static_cast<int64_t>(x.size()) / rows;
  const float* const from[1] = {x.data()};
  EXPECT_EQ(error_of_rows(rows, size,
                          [&](const Team& team, int64_t row) {
                            const HeldRows<float, V> held(team, n, 1, from, row * n);
                            const float sum = held.reduce(
                                team, 0.0f, [](float v) { return v; }, Plus());
                            held.map(y.data() + row * n, [=](float v) { return v - sum; });
                          }),
            "");
  return y;
}
// Rows that fit the registers of their team, and longer ones.
TEST(Blocks, HeldRowsOfEveryLength) {
  for (int size : {1, 32, 64, 128, 1024})
    for (int64_t n : {4, 60, 516, 20000}) {
      std::vector<float> x(static_cast<size_t>(3 * n)), want(x.size());
      for (int64_t i = 0; i < 3 * n; ++i) x[static_cast<size_t>(i)] = static_cast<float>(i % 5 - 2);
      for (int64_t row = 0; row < 3; ++row) {
        float sum = 0;
        for (int64_t i = row * n; i < (row + 1) * n; ++i) sum += x[static_cast<size_t>(i)];
        for (int64_t i = row * n; i < (row + 1) * n; ++i)
          want[static_cast<size_t>(i)] = x[static_cast<size_t>(i)] - sum;
      }
      EXPECT_EQ(less_the_sum<4>(x, 3, size), want) << n << " elements, " << size << " threads";
      EXPECT_EQ(less_the_sum<1>(x, 3, size), want) << n << " elements, " << size << " threads";
    }
}

TEST(Blocks, RunningSumsOfTeamsAreRight) {
  for (int size : {32, 256, 1024}) {
    std::vector<int> upto(3 * size), all(3 * size);
    EXPECT_EQ(error_of_rows(3, size,
                            [&](const Team& team, int64_t row) {
                              int total = 0;
                              const int64_t at = row * size + team.rank;
                              upto[at] = scan_team(team, team.rank + 1, Plus(), total);
                              all[at] = total;
                            }),
              "");
    for (int i = 0; i < 3 * size; ++i) {
      const int k = i % size + 1;
      ASSERT_EQ(upto[i], k * (k + 1) / 2) << size << " threads, " << i;
      ASSERT_EQ(all[i], size * (size + 1) / 2);
    }
  }
}

TEST(Blocks, FewBlocksStrideThroughAll) {
  std::vector<int> visits(100000);
  const FiberBlocks blocks;
  for_each(100000, [&](int64_t i) { ++visits[i]; });
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 100000);
}

TEST(Blocks, TheSeedOrdersThreads) {
  const auto order = [](uint64_t seed) {
    std::vector<int64_t> seen(256);
    int count = 0;
    const FiberBlocks blocks({seed, 1, true});
    for_each(256, [&](int64_t i) { seen[__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)] = i; });
    return seen;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(Blocks, ErrorsOfKernelsAreThrownOnce) {
  EXPECT_FINDS(error_of_rows(9, 32,
                             [](const Team& team, int64_t row) {
                               TAPER_CHECK(row != 5 || team.rank != 3, "planted");
                               team.sync();
                             }),
               "planted");
  const FiberBlocks blocks;  // the fibers are used again
  EXPECT_EQ(error_of([] { for_each_row(9, 32, [](const Team& team, int64_t) { team.sync(); }); }),
            "");
}

// ---------------------------------------------------------------------- planted mistakes
TEST(Blocks, AWaitThatSomeThreadsDoNotComeTo) {
  const std::string found = error_of_rows(2, 256, [](const Team& team, int64_t) {
    if (team.rank < 40) team.sync();
  });
  EXPECT_FINDS(found, "while thread");
  EXPECT_FINDS(found, line(__LINE__ - 3));
}

TEST(Blocks, WaitsAtDifferentPlaces) {
  for (int size : {32, 256}) {
    const std::string found = error_of_rows(2, size, [](const Team& team, int64_t) {
      if (team.rank % 2 == 0)
        team.sync();
      else
        team.sync();
    });
    EXPECT_FINDS(found, "at one place");
    EXPECT_FINDS(found, line(__LINE__ - 5));
    EXPECT_FINDS(found, line(__LINE__ - 4));
  }
}

TEST(Blocks, AWarpThatWaitsForItselfAmongThoseThatWaitForAll) {
  const std::string found = error_of_rows(1, 256, [](const Team& team, int64_t) {
    const Team part{team.rank % 32, team.rank == 7 ? 32 : 256, team.slots};
    part.sync();
  });
  EXPECT_FINDS(found, "at one place");
}

TEST(Blocks, AShuffleFromALaneThatLeft) {
  const std::string found = error_of_rows(1, 32, [](const Team& team, int64_t) {
    if (team.rank >= 20) return;
    team.combine(1, Plus());
  });
  EXPECT_FINDS(found, "in a shuffle at " + line(__LINE__ - 2));
  EXPECT_FINDS(found, "has left");
}

TEST(Blocks, SharedMemoryThatNobodyHasWritten) {
  const std::string found = error_of_rows(1, 256, [](const Team& team, int64_t) {
    const Shared<int> shared = team.shared<int>();
    if (team.rank < 8) shared.put(team.rank, team.rank);
    team.sync();
    shared.get(8);
  });
  EXPECT_FINDS(found, "written before it is read");
  EXPECT_FINDS(found, line(__LINE__ - 3));
}

// What each block must write for itself.
TEST(Blocks, SharedMemoryOfAnotherBlock) {
  const std::string found = error_of_rows(2, 256, [](const Team& team, int64_t row) {
    const Shared<int> shared = team.shared<int>();
    if (row == 0 && team.rank == 0) shared.put(0, 7);
    team.sync();
    shared.get(0);
  });
  EXPECT_FINDS(found, "written before it is read");
}

/// The sum of all threads' ranks by shared memory, with barriers where `Before`, `After` say.
template <bool Before, bool After>
struct SumOfRanks {
  int* sums;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    const Shared<int> shared = team.shared<int>();
    if (team.rank < 256) shared.put(team.rank, team.rank);
    if (Before) team.sync();
    int sum = 0;
    for (int k = 0; k < team.size; ++k) sum += shared.get(k);
    if (team.rank == 0) sums[row] = sum;
    if (After) team.sync();
  }
};

TEST(Blocks, AMissingBarrierBeforeSharedMemoryIsRead) {
  std::vector<int> sums(5);
  const std::string found = error_of_rows(5, 256, SumOfRanks<false, true>{sums.data()});
  EXPECT_TRUE(found.find("expected a barrier") != std::string::npos ||
              found.find("written before it is read") != std::string::npos)
      << found;
}

TEST(Blocks, AMissingBarrierBeforeSharedMemoryIsUsedAgain) {
  std::vector<int> sums(5);
  const std::string found = error_of_rows(5, 256, SumOfRanks<true, false>{sums.data()});
  EXPECT_FINDS(found, "expected a barrier");
  EXPECT_FINDS(found, "blocks_test.cpp:");
}

TEST(Blocks, WithBothBarriersThereIsNothingToSay) {
  std::vector<int> sums(5);
  EXPECT_EQ(error_of_rows(5, 256, SumOfRanks<true, true>{sums.data()}), "");
  EXPECT_EQ(sums, std::vector<int>(5, 255 * 128));
}

/// y of the neighbouring thread, that it has just written.
template <bool Waits>
struct FromNeighbour {
  float *y, *z;
  TAPER_DEVICE void operator()(const Team& team, int64_t row) const {
    float* const of_row = y + row * team.size;
    of_row[team.rank] = static_cast<float>(team.rank);
    if (Waits) team.sync();
    z[row * team.size + team.rank] = of_row[(team.rank + 1) % team.size];
  }
};

TEST(Blocks, AMissingBarrierBetweenUsesOfOrdinaryMemory) {
  NEEDS_ALL_ACCESSES();
  for (int size : {32, 256}) {
    std::vector<float> y(4 * size), z(4 * size);
    const std::string found = error_of_rows(4, size, FromNeighbour<false>{y.data(), z.data()});
    EXPECT_FINDS(found, "expected a barrier");
    EXPECT_FINDS(found, "blocks_test.cpp:");
    EXPECT_EQ(error_of_rows(4, size, FromNeighbour<true>{y.data(), z.data()}), "");
  }
}

// A shuffle orders nothing.
TEST(Blocks, AShuffleIsNoBarrier) {
  NEEDS_ALL_ACCESSES();
  std::vector<int> y(32);
  const std::string found = error_of_rows(1, 32, [&](const Team& team, int64_t) {
    y[team.rank] = team.rank;
    team.combine(1, Plus());
    y[(team.rank + 1) % 32] += 1;
  });
  EXPECT_FINDS(found, "expected a barrier");
}

TEST(Blocks, ElementsThatWriteToOnePlace) {
  NEEDS_ALL_ACCESSES();
  std::vector<int> counts(10);
  const FiberBlocks blocks;
  EXPECT_FINDS(error_of([&] { for_each(100, [&](int64_t i) { counts[i % 10] += 1; }); }),
               "expected a barrier");
  EXPECT_EQ(error_of([&] { for_each(100, [&](int64_t i) { atomic_add(&counts[i % 10], 1); }); }),
            "");
  EXPECT_EQ(error_of([&] { for_each(100, [&](int64_t i) { store_same(&counts[i % 10], 1); }); }),
            "");
}

TEST(Blocks, RowsOfDifferentBlocksAreNotOrdered) {
  NEEDS_ALL_ACCESSES();
  int last = 0;
  const std::string found = error_of_rows(64, 256, [&](const Team& team, int64_t row) {
    team.sync();
    if (team.rank == 0) last = static_cast<int>(row);
    team.sync();
  });
  EXPECT_FINDS(found, "expected a barrier");
}

// A processor reads them all the same, a GPU does not.
TEST(Blocks, PacksThatBeginBetweenThoseOfMemory) {
  NEEDS_ALL_ACCESSES();
  alignas(16) static uint8_t bytes[64];
  std::vector<int> sums(8);
  const auto sum_from = [&](const uint8_t* from) {
    const FiberBlocks blocks;
    return error_of([&] {
      for_each(8, [&, from](int64_t i) {
        const auto pack = reinterpret_cast<const Pack<uint8_t, 4>*>(from)[i];
        for (const uint8_t byte : pack.v) sums[i] += byte;
      });
    });
  };
  EXPECT_EQ(sum_from(bytes + 4), "");
  EXPECT_FINDS(sum_from(bytes + 6), "expected an address that is a multiple of 4, got");
}

}  // namespace
}  // namespace torch::taper::cuda
