// Batches on the device before they are asked for. What overlaps with what is shown by gates, not
// by the clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <taper/taper.h>

#include "framework/runtime/gate.h"
#include "harness/devices.h"

namespace torch::taper {
namespace {

using namespace data;
using samplers::SequentialSampler;
using testing::device_at;
using testing::Gate;
using testing::last_device;

struct Rows : datasets::Dataset<Rows> {
  Example<> get(size_t i) override {
    if (i == bad) throw std::out_of_range("row " + std::to_string(i));
    return {full({4096}, double(i), kFloat), tensor(int64_t(i))};
  }
  optional<size_t> size() const override { return n; }
  size_t n = 8, bad = ~size_t{0};
};

auto loader_of(Rows rows, size_t workers = 0, bool pin = true) {
  return make_data_loader<SequentialSampler>(std::move(rows).map(transforms::Stack<>()),
                                             DataLoaderOptions(2).workers(workers).pin_memory(pin));
}

TEST(DevicesP5, BatchesArriveOnTheDeviceInOrder) {
  for (size_t workers : {0, 2})
    for (bool pin : {false, true})
      for (size_t depth : {1, 3, 9}) {
        auto loader = loader_of(Rows(), workers, pin);
        auto prefetched = prefetch_to_device(*loader, device_at(2), depth);
        for (int epoch = 0; epoch < 3; ++epoch) {
          int64_t next = 0;
          for (auto& batch : prefetched) {
            ASSERT_EQ(batch.data.get_device(), device_at(2).index());
            ASSERT_EQ((batch.data.sum() / 4096).item<float>(), float(2 * next + 1));
            ASSERT_EQ(batch.target[1].item<int64_t>(), next + 1);
            next += 2;
          }
          ASSERT_EQ(next, 8);
        }
      }
}

TEST(DevicesP5, TheNextCopyOverlapsWithThisComputation) {
  TAPER_NEEDS_SIMULATION("copies and kernels that certainly overlap");
  auto loader = loader_of(Rows());
  auto prefetched = prefetch_to_device(*loader, kCUDA);
  cuda::Timeline timeline;
  auto it = prefetched.begin();
  const Tensor first = it->data;
  cuda::synchronize();
  {
    Gate gate;  // the computation with the first batch
    gate.await();
    const Tensor y = first * 2;
    ++it;  // the second batch is here, and the third is copied
    prefetched.stream()->synchronize();
    EXPECT_FALSE(y.defined() && cuda::current_stream().query());  // the gate is closed
    gate.open();
    EXPECT_EQ((it->data.sum() / 4096).item<float>(), 5);
  }
  timeline.stop();
  const auto events = timeline.events();
  const auto gate =
      std::find_if(events.begin(), events.end(), [](const auto& e) { return e.name == "gate"; });
  ASSERT_NE(gate, events.end());
  EXPECT_EQ(gate->stream, cuda::default_stream().id());
  const auto inside = std::count_if(events.begin(), events.end(), [&](const auto& e) {
    return e.name == "memcpy" && e.stream == prefetched.stream()->id() &&
           e.begin_ns > gate->begin_ns && e.end_ns < gate->end_ns;
  });
  EXPECT_EQ(inside, 2);  // data and target of one batch
}

TEST(DevicesP5, PinnedBlocksAreKeptUntilTheirCopyIsDone) {
  auto loader = loader_of(Rows());
  auto prefetched = prefetch_to_device(*loader, kCUDA);
  const Tensor like = ones({2, 4096});
  { const Tensor warm = like.pin_memory(); }
  std::vector<Tensor> held;
  {
    optional<Gate> gate;
    {
      const cuda::StreamGuard guard(*prefetched.stream());
      gate.emplace();
    }
    auto it = prefetched.begin();
    const Tensor x = it->data;  // two batches are on their way, and no copy has begun
    EXPECT_FALSE(prefetched.stream()->query());
    for (int i = 0; i < 8; ++i) held.push_back(like.pin_memory());
    for (const Tensor& t : held) t.fill_(-1);
    gate->open();
    EXPECT_EQ((x.sum() / 4096).item<float>(), 1);
    ++it;
    EXPECT_EQ((it->data.sum() / 4096).item<float>(), 5);
  }
  // Afterwards the blocks serve again: the next epoch takes no new ones.
  std::set<const void*> blocks;
  for (const Tensor& t : held) blocks.insert(t.data_ptr());
  held.clear();
  prefetched.stream()->synchronize();
  for (auto& batch : *loader) EXPECT_LE(blocks.insert(batch.data.data_ptr()).second, 1);
  EXPECT_LE(blocks.size(), 8u + 4u);
}

TEST(DevicesP5, DeviceMemoryIsNotReusedWhileTheCallerComputes) {
  auto loader = loader_of(Rows());
  for (int round = 0; round < 10; ++round) {
    Tensor sums = zeros({4}, kCUDA);
    int64_t i = 0;
    // The host runs ahead of the device: every batch is freed before its sum is taken.
    for (auto& batch : prefetch_to_device(*loader, kCUDA))
      sums[i++].copy_((batch.data + 0).sum() / 4096);
    ASSERT_TRUE(sums.cpu().equal(tensor({1.f, 5.f, 9.f, 13.f}))) << sums;
  }
}

TEST(DevicesP5, ErrorsComeOutAtTheirBatch) {
  Rows rows;
  rows.bad = 3;
  for (size_t workers : {0, 2})
    for (const Device& device : {Device(kCPU), last_device()}) {
      auto loader = loader_of(rows, workers);
      auto prefetched = prefetch_to_device(*loader, device, 2);
      std::vector<int64_t> seen;
      for (auto it = prefetched.begin();;) {
        try {
          if (it == prefetched.end()) break;
          seen.push_back(it->target[0].item<int64_t>());
          ++it;
        } catch (const std::exception& e) {
          EXPECT_EQ(dynamic_cast<const WorkerException*>(&e) != nullptr, workers > 0);
          EXPECT_NE(std::string(e.what()).find("row 3"), std::string::npos);
          seen.push_back(-1);
        }
      }
      EXPECT_EQ(seen, (std::vector<int64_t>{0, -1, 4, 6})) << workers << device;
    }
  auto loader = loader_of(Rows());
  EXPECT_THROW(prefetch_to_device(*loader, kCUDA, 0), ValueError);
  EXPECT_THROW(prefetch_to_device(*loader, Device(kCUDA, cuda::device_count())), Error);
}

TEST(DevicesP5, AnEpochMayBeLeftInTheMiddle) {
  auto loader = loader_of(Rows(), 2);
  cuda::synchronize();
  const size_t before = cuda::memory_allocated(0);
  for (int i = 0; i < 10; ++i)
    for (auto& batch : prefetch_to_device(*loader, kCUDA, 2)) {
      ASSERT_EQ(batch.target[0].item<int64_t>(), 0);
      break;
    }
  EXPECT_EQ(cuda::memory_allocated(0), before);
  int batches = 0;
  for (auto& batch : *loader) batches += batch.data.is_pinned();
  EXPECT_EQ(batches, 4);
}

TEST(DevicesP5, OnTheCpuBatchesPassThrough) {
  auto loader = loader_of(Rows(), 0, false);
  auto prefetched = prefetch_to_device(*loader, kCPU);
  EXPECT_FALSE(prefetched.stream().has_value());
  int64_t next = 0;
  for (auto& batch : prefetched) {
    EXPECT_TRUE(batch.data.is_cpu());
    EXPECT_EQ(batch.target[0].item<int64_t>(), next);
    next += 2;
  }
  EXPECT_EQ(next, 8);
}

TEST(DevicesP5, AnyRangeOfBatchesWillDo) {
  std::vector<std::pair<Tensor, int>> batches{{ones({2}), 1}, {ones({2}) * 2, 2}};
  int sum = 0;
  for (auto& [x, n] : prefetch_to_device(batches, device_at(3))) {
    EXPECT_EQ(x.get_device(), device_at(3).index());
    EXPECT_EQ(x.sum().item<int>(), 2 * n);
    sum += n;
  }
  EXPECT_EQ(sum, 3);
  EXPECT_TRUE(batches[0].first.is_cpu());  // the range keeps its own
}

}  // namespace
}  // namespace torch::taper
