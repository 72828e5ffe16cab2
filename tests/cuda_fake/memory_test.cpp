// Device memory and pinned memory: how many calls of the runtime they cost.
#include <gtest/gtest.h>

#include <taper/framework/runtime/memory.h>
#include <taper/framework/runtime/pinned.h>

#include "cuda_fake/util.h"

namespace taper {
namespace {

using testing::bytes_on;
using testing::host_bytes;
using testing::in_own_process;

constexpr int64_t kMiB = int64_t{1} << 20;

Tensor on_device(int64_t nbytes) {
  return empty({nbytes}, TensorOptions(Device(kCUDA, 0)).dtype(kByte));
}

// ---------------------------------------------------------------------- pinned memory
TEST(FakeCudaPinned, ABlockHasOneEventForEachStreamThatUsesIt) {
  in_own_process([] {
    Tensor staging = empty({64}, kByte).pin_memory();
    const Tensor x = bytes_on(0, 64, 1);
    const cuda::Stream side(Device(kCUDA, 0));
    const int64_t before = fake_cuda::live().events;
    for (int i = 0; i < 50; ++i) {
      x.copy_(staging, /*non_blocking=*/true);
      const cuda::StreamGuard guard(side);
      x.copy_(staging, /*non_blocking=*/true);
    }
    EXPECT_EQ(fake_cuda::live().events, before + 2);
    staging = Tensor();
    const int64_t blocks = fake_cuda::live().pinned_blocks;
    staging = empty({64}, kByte).pin_memory();  // the same again: all copies are done
    EXPECT_EQ(fake_cuda::live().pinned_blocks, blocks);
  });
}

TEST(FakeCudaPinned, ABlockIsNotReusedBeforeTheLastCopyFromIt) {
  const Tensor x = bytes_on(0, 64, 0);
  Tensor staging = empty({64}, kByte).pin_memory();
  x.copy_(staging, /*non_blocking=*/true);
  const fake_cuda::Lazy lazy;
  const void* const p = staging.data_ptr();
  x.copy_(staging, /*non_blocking=*/true);
  staging = Tensor();
  EXPECT_NE(empty({64}, kByte).pin_memory().data_ptr(), p);
}

TEST(FakeCudaPinned, RunningOutIsOutOfMemory) {
  fake_cuda::fail("cudaHostAlloc", 1, cudaErrorMemoryAllocation);
  EXPECT_THROW(empty({int64_t{3} << 20}, kByte).pin_memory(), OutOfMemoryError);
}

// ---------------------------------------------------------------------- the caching allocator
TEST(FakeCudaMemory, LengthsThatVaryCostFewSegments) {
  in_own_process([] {
    const uint64_t before = fake_cuda::calls("cudaMalloc");
    for (int64_t i = 0; i < 100; ++i) on_device(11 * kMiB + i * 4096);  // below 12 MiB
    EXPECT_EQ(fake_cuda::calls("cudaMalloc"), before + 1);
    EXPECT_EQ(cuda::memory_reserved(0), static_cast<size_t>(12 * kMiB));
    std::vector<Tensor> middle;
    for (int64_t i = 0; i < 9; ++i) middle.push_back(on_device(2 * kMiB + i * 1024));
    EXPECT_EQ(fake_cuda::calls("cudaMalloc"), before + 2);  // the rest of the first, and one
  });
}

TEST(FakeCudaMemory, PendingEventsAreAskedInOrderUpToTheFirstThatIsNotReached) {
  in_own_process([] {
    const cuda::Stream side(Device(kCUDA, 0));
    const Tensor x = bytes_on(0, 64, 1), y = bytes_on(0, 64, 1);
    on_device(512);
    const fake_cuda::Lazy lazy;
    detail::copy_on(side.impl(), x.data_ptr(), y.data_ptr(), 64);
    for (int i = 0; i < 40; ++i) on_device(512).record_stream(side);
    const uint64_t before = fake_cuda::calls("cudaEventQuery");
    for (int i = 0; i < 10; ++i) on_device(512);
    EXPECT_EQ(fake_cuda::calls("cudaEventQuery"), before + 10);
    const size_t reserved = cuda::memory_reserved(0);
    fake_cuda::run_all();
    on_device(512);
    const int64_t events = fake_cuda::live().events;
    for (int i = 0; i < 40; ++i) on_device(512).record_stream(side);
    EXPECT_EQ(fake_cuda::live().events, events);  // they are kept and used again
    EXPECT_EQ(cuda::memory_reserved(0), reserved);
  });
}

TEST(FakeCudaMemory, ABlockWaitsForEveryStreamThatUsesIt) {
  in_own_process([] {
    const cuda::Stream a(Device(kCUDA, 0)), b(Device(kCUDA, 0));
    const Tensor x = bytes_on(0, 64, 1), y = bytes_on(0, 64, 1);
    Tensor shared = on_device(30 * kMiB);
    const void* const p = shared.data_ptr();
    const fake_cuda::Lazy lazy;
    for (const cuda::Stream& s : {a, b}) {
      detail::copy_on(s.impl(), x.data_ptr(), y.data_ptr(), 64);
      shared.record_stream(s);
    }
    shared = Tensor();
    a.synchronize();
    EXPECT_NE(on_device(30 * kMiB).data_ptr(), p);
    b.synchronize();
    Tensor again = on_device(30 * kMiB), more = on_device(30 * kMiB);
    EXPECT_TRUE(again.data_ptr() == p || more.data_ptr() == p);
  });
}

TEST(FakeCudaMemory, AFullDeviceGetsItsCacheBackAndTakesWhatFits) {
  in_own_process([] {
    { const Tensor cached = on_device(200 * kMiB); }
    const Tensor large = on_device(240 * kMiB);  // of 256 MiB
    EXPECT_EQ(fake_cuda::live().device_blocks, 1);
    const Tensor middle = on_device(9 * kMiB);  // there is no room for a whole segment
    EXPECT_EQ(cuda::memory_reserved(0), static_cast<size_t>(249 * kMiB));
    EXPECT_THROW(on_device(9 * kMiB), OutOfMemoryError);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  });
}

TEST(FakeCudaMemory, NothingIsLeftWhenTheCacheIsEmptied) {
  in_own_process([] {
    for (DeviceIndex i = 0; i < 2; ++i) EXPECT_EQ(host_bytes(bytes_on(i, 100, 9))[99], 9);
    cuda::empty_cache();
    EXPECT_EQ(fake_cuda::live().device_blocks, 0);
  });
}

}  // namespace
}  // namespace taper
