// Device memory: the cache, its figures, running out of it, pinned memory.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include <taper/taper.h>

#include "framework/runtime/gate.h"
#include "framework/runtime/own_process.h"
#include "harness/devices.h"

namespace torch::taper {
namespace {

using testing::Gate;
using testing::in_own_process;

constexpr int64_t kMiB = int64_t{1} << 20;

/// The device that these tests fill.
DeviceIndex last() { return testing::last_device().index(); }

Tensor bytes(int64_t n) { return empty({n}, TensorOptions(testing::last_device()).dtype(kByte)); }

/// The last device, with an empty cache.
class DeviceMemory : public ::testing::Test {
 protected:
  DeviceMemory() {
    cuda::empty_cache();
    cuda::reset_peak_memory_stats(last());
    start_ = cuda::memory_allocated(last());
  }
  ~DeviceMemory() override { cuda::empty_cache(); }
  size_t allocated() const { return cuda::memory_allocated(last()) - start_; }
  /// Bytes of everybody else's tensors.
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
    EXPECT_GE(cuda::memory_reserved(last()), 2u * kMiB);
  }
  EXPECT_EQ(allocated(), 0u);
  EXPECT_EQ(cuda::max_memory_allocated(last()), start_ + 1536);
  EXPECT_GE(cuda::memory_cached(last()), 2u * kMiB);
  cuda::empty_cache();
  EXPECT_EQ(cuda::memory_reserved(last()), cuda::memory_allocated(last()));
  cuda::reset_peak_memory_stats(last());
  EXPECT_EQ(cuda::max_memory_allocated(last()), cuda::memory_allocated(last()));
  const std::string table = cuda::memory_summary(last());
  for (const char* part : {"memory of cuda:", "| allocated", "| reserved", "out of memory"})
    EXPECT_NE(table.find(part), std::string::npos) << table;
  EXPECT_EQ(bytes(0).numel(), 0);
}

TEST_F(DevicesP1, StatsAndOldNamesAgree) {
  const Tensor a = bytes(3 * kMiB);
  const MemoryStats s = cuda::memory_stats(last());
  EXPECT_EQ(s.allocated, cuda::memory_allocated(last()));
  EXPECT_EQ(s.reserved, cuda::memory_reserved(last()));
  EXPECT_EQ(s.reserved, cuda::memory_cached(last()));
  EXPECT_EQ(s.max_reserved, cuda::max_memory_reserved(last()));
  EXPECT_EQ(s.max_reserved, cuda::max_memory_cached(last()));
  EXPECT_EQ(s.max_allocated, cuda::max_memory_allocated(last()));
  EXPECT_THROW(cuda::memory_stats(cuda::device_count()), Error);
}

TEST_F(DevicesP2, EmptyCacheKeepsLiveTensors) {
  const Tensor live = bytes(12 * kMiB);  // of this size blocks have segments of their own
  live.fill_(7);
  { const Tensor gone = bytes(16 * kMiB); }
  const size_t before = cuda::memory_reserved(last()), free = cuda::mem_get_info(last()).first;
  cuda::empty_cache();
  EXPECT_EQ(cuda::memory_reserved(last()), before - 16 * kMiB);
  EXPECT_GE(cuda::mem_get_info(last()).first, free + 16 * kMiB);  // a GPU gives whole pages back
  EXPECT_EQ(live.sum().item<int64_t>(), 7 * 12 * kMiB);
}

TEST_F(DevicesP2, FreedBlocksAreReusedSplitAndMerged) {
  Tensor a = bytes(4 * kMiB);
  const void* p = a.data_ptr();
  a = Tensor();
  a = bytes(4 * kMiB);
  EXPECT_EQ(a.data_ptr(), p);
  a = Tensor();
  const size_t reserved = cuda::memory_reserved(last());
  std::vector<Tensor> parts;
  for (int i = 0; i < 8; ++i) parts.push_back(bytes(256 << 10));  // a small segment
  parts.clear();
  parts.push_back(bytes(2 * kMiB));  // half of the free block
  EXPECT_EQ(parts[0].data_ptr(), p);
  parts.clear();
  a = bytes(4 * kMiB);  // whole again
  EXPECT_EQ(a.data_ptr(), p);
  EXPECT_EQ(cuda::memory_reserved(last()), reserved + 2 * kMiB);
}

TEST_F(DevicesP2, SegmentsServeLengthsThatVary) {
  const size_t reserved = cuda::memory_reserved(last());
  const uint64_t before = cuda::memory_stats(last()).num_segments;
  for (int64_t i = 0; i < 50; ++i) bytes(11 * kMiB + i);
  EXPECT_EQ(cuda::memory_stats(last()).num_segments, before + 1);
  EXPECT_EQ(cuda::memory_reserved(last()), reserved + 12 * kMiB);
  cuda::empty_cache();
  std::vector<Tensor> middle;
  for (int64_t i = 0; i < 10; ++i) middle.push_back(bytes(2 * kMiB));
  EXPECT_EQ(cuda::memory_stats(last()).num_segments, before + 2);
}

TEST_F(DevicesP2, BlocksBelongToTheirStream) {
  Tensor a = bytes(4 * kMiB);
  const void* p = a.data_ptr();
  a = Tensor();
  const cuda::Stream side(testing::last_device());
  cuda::StreamGuard guard(side);
  EXPECT_NE(bytes(4 * kMiB).data_ptr(), p);
}

TEST_F(DevicesA6Reuse, RecordedStreamsKeepABlock) {
  const cuda::Stream side(testing::last_device());
  Tensor a = bytes(4 * kMiB);
  const void* p = a.data_ptr();
  std::optional<Gate> gate;
  {
    cuda::StreamGuard guard(side);
    gate.emplace(last());
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

TEST_F(DevicesA6Reuse, RecordedStreamsKeepAProgramsOwnBlock) {
  const cuda::Stream side(testing::last_device());
  const auto once = [&](bool records) {
    void* const p = cuda::caching_allocator_alloc(4 * kMiB, last());
    std::optional<Gate> gate;
    {
      const cuda::StreamGuard guard(side);
      gate.emplace(last());
    }
    if (records) cuda::caching_allocator_record_stream(p, side);
    cuda::caching_allocator_delete(p);
    const bool is_kept = bytes(4 * kMiB).data_ptr() != p;
    gate->open();
    side.synchronize();
    cuda::empty_cache();
    return is_kept;
  };
  EXPECT_TRUE(once(true));
  EXPECT_FALSE(once(false));
  EXPECT_NO_THROW(cuda::caching_allocator_record_stream(nullptr, side));
}

TEST_F(DevicesP3, RunningOutIsAnErrorThatLosesNothing) {
  TAPER_NEEDS_SIMULATION("256 MiB of memory");
  const uint64_t failures = cuda::memory_stats(last()).num_out_of_memory;
  std::vector<Tensor> kept = {bytes(100 * kMiB), bytes(100 * kMiB)};
  try {
    bytes(100 * kMiB);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const OutOfMemoryError& e) {
    const std::string text = e.what();
    for (const char* part :
         {"Tried to allocate 100 MiB", "256 MiB total", "200 MiB in use", "cuda:"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  kept.pop_back();
  // Cached blocks of another size make room.
  EXPECT_EQ(bytes(150 * kMiB).numel(), 150 * kMiB);
  EXPECT_EQ(kept[0].numel(), 100 * kMiB);
  EXPECT_GE(cuda::memory_stats(last()).num_retries, 1u);
  EXPECT_EQ(cuda::memory_stats(last()).num_out_of_memory, failures + 1);
}

TEST_F(DevicesP3, ATrainingProgramCanCatchItAndGoOn) {
  TAPER_NEEDS_SIMULATION("256 MiB of memory");
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

/// Until the end of the scope the last device has room for so many bytes more.
class RoomFor {
 public:
  explicit RoomFor(int64_t nbytes) {
    const double total = static_cast<double>(cuda::mem_get_info(last()).second);
    cuda::set_per_process_memory_fraction(
        static_cast<double>(cuda::memory_reserved(last()) + nbytes) / total, last());
  }
  ~RoomFor() { cuda::set_per_process_memory_fraction(1, last()); }
};

TEST_F(DevicesP3, ALimitThatIsReachedLosesNothing) {
  const RoomFor room(65 * kMiB);
  Tensor kept = bytes(40 * kMiB);
  kept.fill_(3);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(bytes(40 * kMiB), OutOfMemoryError);
    EXPECT_EQ(allocated(), size_t(40 * kMiB));
  }
  EXPECT_EQ(kept.max().item<int>(), 3);
  kept = Tensor();
  EXPECT_EQ(bytes(60 * kMiB).numel(), 60 * kMiB);  // what is cached makes room
}

TEST_F(DevicesP6, FractionIsALimit) {
  EXPECT_THROW(cuda::set_per_process_memory_fraction(1.5, last()), ValueError);
  {
    const RoomFor room(64 * kMiB);
    EXPECT_THROW(bytes(100 * kMiB), OutOfMemoryError);
  }
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
  ASSERT_TRUE(segments_of(last()).empty());
  const Tensor a = bytes(600), large = bytes(4 * kMiB);
  const auto two = segments_of(last());
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
  EXPECT_EQ(total, cuda::memory_reserved(last()));
}

// Free memory of graphs, and of graphs that have ended and whose results live.
TEST_F(DevicesP6, SnapshotListsTheMemoryOfGraphs) {
  const auto total = [] {
    size_t sum = 0;
    for (const auto& s : nlohmann::json::parse(cuda::memory_snapshot()))
      if (s.at("device") == last()) sum += s.at("total_size").get<size_t>();
    return sum;
  };
  const Tensor x = bytes(12 * kMiB), small = bytes(100);
  Graph graph(testing::last_device());
  Tensor y;
  {
    const GraphGuard guard(graph);
    y = small + x.flip(0).flip(0).slice(0, 0, 100);  // the large blocks are free again
  }
  EXPECT_GE(total(), size_t(24 * kMiB));
  EXPECT_EQ(total(), cuda::memory_reserved(last()));
  graph.reset();
  EXPECT_EQ(total(), cuda::memory_reserved(last()));
}

TEST_F(DevicesP6, SnapshotShowsWhatOtherStreamsStillUse) {
  const cuda::Stream side(testing::last_device());
  const auto state = [&] {
    for (const auto& s : nlohmann::json::parse(cuda::memory_snapshot()))
      if (s.at("device") == last() && s.at("segment_type") == "large")
        return s.at("blocks")[0].at("state").get<std::string>();
    return std::string("none");
  };
  Tensor a = bytes(4 * kMiB);
  optional<Gate> gate;
  {
    const cuda::StreamGuard guard(side);
    gate.emplace(last());
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

// As PyTorch's: what checks accesses sees where each tensor ends.
TEST(DevicesP2Apart, WithoutCachingBlocksAreTheDevicesOwn) {
  in_own_process([] {
    ::setenv("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", 1);
    Tensor a = bytes(100), b = bytes(3 * kMiB + 1);
    EXPECT_EQ(cuda::memory_allocated(last()), 100u + 3u * kMiB + 1);
    EXPECT_EQ(cuda::memory_reserved(last()), cuda::memory_allocated(last()));
    a = Tensor();
    EXPECT_EQ(cuda::memory_reserved(last()), 100u + 3u * kMiB + 1);
    Tensor c = bytes(600);
    EXPECT_EQ(cuda::memory_reserved(last()), 600u + 3u * kMiB + 1) << "a's went back";
    c.fill_(7);
    b = Tensor();
    EXPECT_TRUE(c.eq(7).all().item<bool>());
    cuda::empty_cache();
    EXPECT_EQ(cuda::memory_reserved(last()), 600u);
  });
}
TEST(DevicesP2Apart, WithoutCachingCapturesKeepTheirSegments) {
  in_own_process([] {
    ::setenv("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", 1);
    const Device device = testing::last_device();
    cuda::set_device(device.index());
    const cuda::Stream side;
    const cuda::StreamGuard guard(side);
    const Tensor x = ones({100}, device);
    Tensor y = x + 1, z;  // whose memory is freed while a stream is captured
    Graph graph{device};
    graph.capture_begin();
    y = (x * 2 + 1).relu();
    z = y * y;
    graph.capture_end();
    x.fill_(3);
    graph.replay();
    EXPECT_TRUE(z.eq(49).all().item<bool>());
    EXPECT_GE(cuda::memory_reserved(last()), 2u * kMiB);
  });
}

TEST(DevicesD7, FreeMemoryOrdersTheDevices) {
  cuda::empty_cache();
  const size_t free = cuda::mem_get_info(last()).first;
  const Tensor a = bytes(64 * kMiB);
  EXPECT_LE(cuda::mem_get_info(last()).first + (cuda::is_simulated() ? 64 * kMiB : 0), free);
  EXPECT_EQ(cuda::devices_by_free_memory().size(), size_t(cuda::device_count()));
  if (cuda::is_simulated()) EXPECT_EQ(cuda::devices_by_free_memory().back(), last());
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
      "^.*Warning: pin_memory is asked for but no CUDA device is found[^\n]*\n$", 0);
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
}  // namespace torch::taper
