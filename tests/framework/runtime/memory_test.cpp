// Device memory: the cache, its figures, running out of it, pinned memory.
#include <gtest/gtest.h>

#include <optional>

#include <taper/taper.h>

#include "framework/runtime/gate.h"

namespace taper {
namespace {

using testing::Gate;

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

TEST_F(DeviceMemory, FiguresFollowLiveTensors) {
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
  EXPECT_NE(cuda::memory_summary(3).find("| allocated"), std::string::npos);
  EXPECT_EQ(bytes(0).numel(), 0);
}

TEST_F(DeviceMemory, FreedBlocksAreReusedSplitAndMerged) {
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

TEST_F(DeviceMemory, BlocksBelongToTheirStream) {
  Tensor a = bytes(4 * kMiB);
  const void* p = a.data_ptr();
  a = Tensor();
  const cuda::Stream side(Device("cuda:3"));
  cuda::StreamGuard guard(side);
  EXPECT_NE(bytes(4 * kMiB).data_ptr(), p);
}

TEST_F(DeviceMemory, RecordedStreamsKeepABlock) {
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

TEST_F(DeviceMemory, RunningOutIsAnErrorThatLosesNothing) {
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

TEST_F(DeviceMemory, FractionIsALimit) {
  EXPECT_THROW(cuda::set_per_process_memory_fraction(1.5, 3), ValueError);
  cuda::set_per_process_memory_fraction(0.25, 3);
  EXPECT_THROW(bytes(100 * kMiB), OutOfMemoryError);
  cuda::set_per_process_memory_fraction(1, 3);
  EXPECT_EQ(bytes(100 * kMiB).numel(), 100 * kMiB);
}

TEST_F(DeviceMemory, FreeMemoryOrdersTheDevices) {
  const Tensor a = bytes(64 * kMiB);
  EXPECT_LE(cuda::mem_get_info(3).first, size_t(192 * kMiB));
  EXPECT_EQ(cuda::mem_get_info(3).second, size_t(256 * kMiB));
  EXPECT_EQ(cuda::devices_by_free_memory().back(), 3);
  EXPECT_EQ(cuda::devices_by_free_memory().size(), 4u);
}

// ---------------------------------------------------------------------- pinned memory
TEST(PinnedMemory, IsACopyThatKnowsIt) {
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

TEST(PinnedMemory, NonBlockingCopiesDoNotWait) {
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

TEST(PinnedMemory, PageableCopiesWait) {
  Tensor x = ones({100});
  const Tensor y = x.to(kCUDA, kFloat, /*non_blocking=*/true);
  x.fill_(7);
  EXPECT_EQ(y.sum().item<float>(), 100);
}

}  // namespace
}  // namespace taper
