// Device memory: the cache, its figures, running out of it, pinned memory.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include <taper/taper.h>

#include "framework/runtime/gate.h"
#include "framework/runtime/own_process.h"

namespace taper {
namespace {

using testing::Gate;
using testing::in_own_process;

constexpr int64_t kMiB = int64_t{1} << 20;

Tensor bytes(int64_t n, DeviceIndex device = 3) {
  return empty({n}, TensorOptions(Device(kCUDA, device)).dtype(kByte));
}

/// Device 3 with an empty cache.
class DeviceMemory : public ::testing::Test {
 protected:
  DeviceMemory() {
    cuda::empty_cache();
    cuda::reset_peak_memory_stats(3);
    start_ = cuda::memory_allocated(3);
  }
  ~DeviceMemory() override { cuda::empty_cache(); }
  size_t allocated() const { return cuda::memory_allocated(3) - start_; }
  size_t start_;
};
// A suite's name ends with the line of the table in docs/devices.md that it holds.
using DevicesA6Reuse = DeviceMemory;
using DevicesP1 = DeviceMemory;
using DevicesP2 = DeviceMemory;
using DevicesP3 = DeviceMemory;
using DevicesP6 = DeviceMemory;

TEST_F(DevicesP1, FiguresFollowLiveTensors) {
  {
    const Tensor a = bytes(1), b = bytes(513);
    EXPECT_EQ(allocated(), 512u + 1024u);
    const Tensor view = b.slice(0, 0, 4);
    EXPECT_EQ(allocated(), 512u + 1024u);
    EXPECT_GE(cuda::memory_reserved(3), 2u * kMiB);
  }
  EXPECT_EQ(allocated(), 0u);
  EXPECT_EQ(cuda::max_memory_allocated(3), start_ + 1536);
  EXPECT_GE(cuda::memory_cached(3), 2u * kMiB);
  cuda::empty_cache();
  EXPECT_EQ(cuda::memory_reserved(3), cuda::memory_allocated(3));
  cuda::reset_peak_memory_stats(3);
  EXPECT_EQ(cuda::max_memory_allocated(3), cuda::memory_allocated(3));
  const std::string table = cuda::memory_summary(3);
  for (const char* part : {"memory of cuda:3", "| allocated", "| reserved", "out of memory"})
    EXPECT_NE(table.find(part), std::string::npos) << table;
  EXPECT_EQ(bytes(0).numel(), 0);
}

TEST_F(DevicesP1, StatsAndOldNamesAgree) {
  const Tensor a = bytes(3 * kMiB);
  const MemoryStats s = cuda::memory_stats(3);
  EXPECT_EQ(s.allocated, cuda::memory_allocated(3));
  EXPECT_EQ(s.reserved, cuda::memory_reserved(3));
  EXPECT_EQ(s.reserved, cuda::memory_cached(3));
  EXPECT_EQ(s.max_reserved, cuda::max_memory_reserved(3));
  EXPECT_EQ(s.max_reserved, cuda::max_memory_cached(3));
  EXPECT_EQ(s.max_allocated, cuda::max_memory_allocated(3));
  EXPECT_THROW(cuda::memory_stats(4), Error);
}

TEST_F(DevicesP2, EmptyCacheKeepsLiveTensors) {
  const Tensor live = bytes(3 * kMiB);
  live.fill_(7);
  { const Tensor gone = bytes(5 * kMiB); }
  const size_t before = cuda::memory_reserved(3), free = cuda::mem_get_info(3).first;
  cuda::empty_cache();
  EXPECT_EQ(cuda::memory_reserved(3), before - 5 * kMiB);
  EXPECT_EQ(cuda::mem_get_info(3).first, free + 5 * kMiB);
  EXPECT_EQ(live.sum().item<int64_t>(), 7 * 3 * kMiB);
}

TEST_F(DevicesP2, FreedBlocksAreReusedSplitAndMerged) {
  Tensor a = bytes(4 * kMiB);
  const void* p = a.data_ptr();
  a = Tensor();
  a = bytes(4 * kMiB);
  EXPECT_EQ(a.data_ptr(), p);
  a = Tensor();
  const size_t reserved = cuda::memory_reserved(3);
  std::vector<Tensor> parts;
  for (int i = 0; i < 8; ++i) parts.push_back(bytes(256 << 10));  // a small segment
  parts.clear();
  parts.push_back(bytes(2 * kMiB));  // half of the free block
  EXPECT_EQ(parts[0].data_ptr(), p);
  parts.clear();
  a = bytes(4 * kMiB);  // whole again
  EXPECT_EQ(a.data_ptr(), p);
  EXPECT_EQ(cuda::memory_reserved(3), reserved + 2 * kMiB);
}

TEST_F(DevicesP2, BlocksBelongToTheirStream) {
  Tensor a = bytes(4 * kMiB);
  const void* p = a.data_ptr();
  a = Tensor();
  const cuda::Stream side(Device("cuda:3"));
  cuda::StreamGuard guard(side);
  EXPECT_NE(bytes(4 * kMiB).data_ptr(), p);
}

TEST_F(DevicesA6Reuse, RecordedStreamsKeepABlock) {
  const cuda::Stream side(Device("cuda:3"));
  Tensor a = bytes(4 * kMiB);
  const void* p = a.data_ptr();
  std::optional<Gate> gate;
  {
    cuda::StreamGuard guard(side);
    gate.emplace(3);
    a.record_stream(side);
  }
  a = Tensor();
  EXPECT_EQ(allocated(), 0u);
  a = bytes(4 * kMiB);
  EXPECT_NE(a.data_ptr(), p);  // the side stream has not come past its use
  a = Tensor();
  gate->open();
  side.synchronize();
  const Tensor b = bytes(4 * kMiB), c = bytes(4 * kMiB);
  EXPECT_TRUE(b.data_ptr() == p || c.data_ptr() == p);
  EXPECT_THROW(zeros({2}).record_stream(side), Error);
}

TEST_F(DevicesP3, RunningOutIsAnErrorThatLosesNothing) {
  const uint64_t failures = cuda::memory_stats(3).num_out_of_memory;
  std::vector<Tensor> kept = {bytes(100 * kMiB), bytes(100 * kMiB)};
  try {
    bytes(100 * kMiB);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const OutOfMemoryError& e) {
    const std::string text = e.what();
    for (const char* part :
         {"Tried to allocate 100 MiB", "256 MiB total", "200 MiB in use", "cuda:3"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  kept.pop_back();
  // Cached blocks of another size make room.
  EXPECT_EQ(bytes(150 * kMiB).numel(), 150 * kMiB);
  EXPECT_EQ(kept[0].numel(), 100 * kMiB);
  EXPECT_GE(cuda::memory_stats(3).num_retries, 1u);
  EXPECT_EQ(cuda::memory_stats(3).num_out_of_memory, failures + 1);
}

TEST_F(DevicesP3, ATrainingProgramCanCatchItAndGoOn) {
  const Tensor x = bytes(1);
  x.fill_(3);
  int64_t size = 512 * kMiB;
  Tensor big;
  while (!big.defined()) try {
      big = bytes(size);
    } catch (const OutOfMemoryError&) {
      size /= 2;
    }
  EXPECT_EQ(size, 128 * kMiB);
  EXPECT_EQ(x.item<int>(), 3);
}

TEST_F(DevicesP6, FractionIsALimit) {
  EXPECT_THROW(cuda::set_per_process_memory_fraction(1.5, 3), ValueError);
  cuda::set_per_process_memory_fraction(0.25, 3);
  EXPECT_THROW(bytes(100 * kMiB), OutOfMemoryError);
  cuda::set_per_process_memory_fraction(1, 3);
  EXPECT_EQ(bytes(100 * kMiB).numel(), 100 * kMiB);
}

// What PyTorch's torch.cuda.memory_snapshot() gives, as JSON.
TEST_F(DevicesP6, SnapshotListsSegmentsAndBlocks) {
  const auto segments_of = [](int device) {
    std::vector<nlohmann::json> list;
    for (const auto& s : nlohmann::json::parse(cuda::memory_snapshot()))
      if (s.at("device") == device) list.push_back(s);
    return list;
  };
  ASSERT_TRUE(segments_of(3).empty());
  const Tensor a = bytes(600), large = bytes(4 * kMiB);
  const auto two = segments_of(3);
  ASSERT_EQ(two.size(), 2u);
  const auto& small = two[two[0].at("segment_type") == "small" ? 0 : 1];
  EXPECT_EQ(small.at("total_size"), 2 * kMiB);
  EXPECT_EQ(small.at("allocated_size"), 1024);
  EXPECT_EQ(small.at("active_size"), 1024);
  EXPECT_EQ(small.at("stream"), 0);
  EXPECT_EQ(small.at("address"), reinterpret_cast<uintptr_t>(a.data_ptr()));
  EXPECT_EQ(small.at("blocks"),
            nlohmann::json::parse(R"([{"size": 1024, "state": "active_allocated"},
                                      {"size": 2096128, "state": "inactive"}])"));
  size_t total = 0;
  for (const auto& s : two) total += s.at("total_size").get<size_t>();
  EXPECT_EQ(total, cuda::memory_reserved(3));
}

TEST_F(DevicesP6, SnapshotShowsWhatOtherStreamsStillUse) {
  const cuda::Stream side(Device("cuda:3"));
  const auto state = [&] {
    for (const auto& s : nlohmann::json::parse(cuda::memory_snapshot()))
      if (s.at("device") == 3 && s.at("segment_type") == "large")
        return s.at("blocks")[0].at("state").get<std::string>();
    return std::string("none");
  };
  Tensor a = bytes(4 * kMiB);
  optional<Gate> gate;
  {
    const cuda::StreamGuard guard(side);
    gate.emplace(3);
  }
  a.record_stream(side);
  EXPECT_EQ(state(), "active_allocated");
  a = Tensor();
  EXPECT_EQ(state(), "active_pending_free");
  gate->open();
  side.synchronize();
  bytes(1);  // an allocation looks what has come free
  EXPECT_EQ(state(), "inactive");
}

TEST(DevicesD7, FreeMemoryOrdersTheDevices) {
  const Tensor a = bytes(64 * kMiB);
  EXPECT_LE(cuda::mem_get_info(3).first, size_t(192 * kMiB));
  EXPECT_EQ(cuda::mem_get_info(3).second, size_t(256 * kMiB));
  EXPECT_EQ(cuda::devices_by_free_memory().back(), 3);
  EXPECT_EQ(cuda::devices_by_free_memory().size(), 4u);
}

// ---------------------------------------------------------------------- pinned memory
TEST(DevicesP4, PinnedMemoryIsACopyThatKnowsIt) {
  const Tensor x = randn({5, 3}).t();
  const Tensor p = x.pin_memory();
  EXPECT_FALSE(x.is_pinned());
  EXPECT_TRUE(p.is_pinned());
  EXPECT_TRUE(p.select(0, 1).is_pinned());
  EXPECT_TRUE(p.equal(x));
  EXPECT_TRUE(p.pin_memory().is_same(p));
  EXPECT_FALSE(x.cuda().is_pinned());
  EXPECT_THROW(x.cuda().pin_memory(), Error);
}

TEST(DevicesP4, WithoutADeviceThereIsOneWarning) {
  in_own_process(
      [] {
        const Tensor x = ones({3});
        for (int i = 0; i < 2; ++i) {
          EXPECT_TRUE(x.pin_memory().equal(x));
          EXPECT_FALSE(x.pin_memory().is_pinned());
          auto loader =
              data::make_data_loader(data::datasets::TensorDataset(ones({4, 2}))
                                         .map(data::transforms::Stack<data::TensorExample>()),
                                     data::DataLoaderOptions(2).workers(2).pin_memory(true));
          int batches = 0;
          for (auto& batch : *loader) batches += !batch.data.is_pinned();
          EXPECT_EQ(batches, 2);
        }
      },
      "^Warning: pin_memory is asked for but no CUDA device is found[^\n]*\n$", 0);
}

TEST(DevicesA8, CopiesKeepTheirPlaceAmongTheOps) {
  const Tensor p = ones({1000}).pin_memory();
  for (int i = 1; i < 50; ++i) {
    const Tensor x = p.to(kCUDA, kFloat, /*non_blocking=*/true) * i;
    const Tensor back = zeros({1000}).pin_memory();
    back.copy_(x + 1, /*non_blocking=*/true);
    cuda::current_stream().synchronize();
    ASSERT_EQ(back.sum().item<float>(), 1000 * (i + 1));
  }
}

TEST(DevicesA8, NonBlockingCopiesDoNotWait) {
  Tensor p = arange(1000, kFloat).pin_memory();
  const void* block = p.data_ptr();
  Gate gate;
  const Tensor y = p.to(kCUDA, kFloat, /*non_blocking=*/true);
  EXPECT_FALSE(cuda::current_stream().query());
  // The block is not given out again before the copy is done.
  p = Tensor();
  const Tensor other = zeros({1000}).pin_memory();
  EXPECT_NE(other.data_ptr(), block);
  gate.open();
  EXPECT_TRUE(y.cpu().equal(arange(1000, kFloat)));
  EXPECT_EQ(zeros({1000}).pin_memory().data_ptr(), block);
}

TEST(DevicesA8, PageableCopiesWait) {
  Tensor x = ones({100});
  const Tensor y = x.to(kCUDA, kFloat, /*non_blocking=*/true);
  x.fill_(7);
  EXPECT_EQ(y.sum().item<float>(), 100);
}

}  // namespace
}  // namespace taper
