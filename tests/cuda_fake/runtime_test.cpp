// The runtime of GPUs and its memory: which calls it makes, when, and what is left of them.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <thread>

#include <taper/framework/autograd/autocast.h>
#include <taper/framework/core/context.h>
#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/debug/timeline.h>
#include <taper/framework/memory/memory.h>
#include <taper/framework/memory/pinned.h>
#include <taper/framework/runtime/stream.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/nn/loss_nll.h>
#include <taper/ops/nn/loss_pointwise.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/tensor/factory.h>

#include "cuda_fake/fake_cuda.h"
#include "cuda_fake/util.h"
#if __has_include(<cupti.h>)
#include "cuda_fake/cupti.h"
#endif

namespace torch::taper {
namespace {

using testing::bytes_on;
using testing::host_bytes;
using testing::in_own_process;
using testing::message_of;

// ---------------------------------------------------------------------- devices
TEST(FakeCudaDevices, AreTheMachines) {
  EXPECT_TRUE(detail::on_gpu());
  EXPECT_EQ(cuda::device_count(), 3);
  EXPECT_EQ(cuda::get_device_name(1), "Fake GPU");
  EXPECT_EQ(cuda::get_device_capability(2), std::make_pair(9, 0));
  EXPECT_TRUE(cuda::can_device_access_peer(0, 1));
  EXPECT_FALSE(cuda::can_device_access_peer(1, 1));
}

TEST(FakeCudaDevices, AreStillWhenOnlyCounted) {
  in_own_process([] {
    EXPECT_EQ(cuda::device_count(), 3);
    EXPECT_EQ(cuda::get_device_name(0), "Fake GPU");
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(fake_cuda::has_context(i)) << i;
  });
}

TEST(FakeCudaDevices, OneThatIsUsedInitialisesNoOther) {
  in_own_process([] {
    cuda::set_device(1);
    void* const p = cuda_runtime()->allocate(1, 512);
    cuda_runtime()->release(1, p, 512);
    cuda::Stream(Device(kCUDA, 1)).record_event().synchronize();
    EXPECT_TRUE(fake_cuda::has_context(1));
    EXPECT_FALSE(fake_cuda::has_context(0));
    EXPECT_FALSE(fake_cuda::has_context(2));
  });
}

// A thread that has chosen no device has device 0. The watch of a process group asks for events.
TEST(FakeCudaDevices, ThreadsWithoutOneInitialiseNoOther) {
  in_own_process([] {
    const cuda::Stream stream{Device(kCUDA, 1)};
    cuda::Event first(true), second(true);
    first.record(stream), second.record(stream);
    void* const p = cuda_runtime()->allocate(1, 512);
    std::thread([&] {
      EXPECT_TRUE(first.query());
      first.synchronize();
      EXPECT_EQ(first.elapsed_time(second), 1);
      const cuda::Event ended = std::move(first);
      cuda_runtime()->release(1, p, 512);
    }).join();
    EXPECT_FALSE(fake_cuda::has_context(0));
  });
}

// Workers of a DataLoader pin their batches.
TEST(FakeCudaDevices, ThreadsWithoutOnePinOnAUsedOne) {
  in_own_process([] {
    const Tensor used = bytes_on(1, 64, 7);
    std::thread([&] {
      const Tensor pinned = testing::draw({4}, kFloat).pin_memory();
      EXPECT_TRUE(pinned.is_pinned());
      cuda_runtime()->release_pinned(cuda_runtime()->allocate_pinned(512), 512);
    }).join();
    EXPECT_FALSE(fake_cuda::has_context(0));
    EXPECT_FALSE(fake_cuda::has_context(2));
  });
}

TEST(FakeCudaDevices, OneThatIsUnusableLeavesTheOthers) {
  in_own_process([] {
    fake_cuda::machine().unusable = 1;
    EXPECT_EQ(cuda::device_count(), 3);
    void* const p = cuda_runtime()->allocate(0, 512);
    EXPECT_NE(p, nullptr);
    cuda_runtime()->release(0, p, 512);
    EXPECT_NE(message_of([] { cuda_runtime()->allocate(1, 512); }).find("busy or unavailable"),
              std::string::npos);
    EXPECT_EQ(cuda::mem_get_info(2).second, fake_cuda::machine().memory);
  });
}

// What the program has made current stays so, where it has used that device.
TEST(FakeCudaDevices, TheCallersIsRestored) {
  in_own_process([] {
    ASSERT_EQ(cudaSetDevice(2), cudaSuccess);
    cuda::mem_get_info(1);
    int device = -1;
    ASSERT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 2);
  });
}

// A program's own kernels go by CUDA's current device, which is the framework's, too.
TEST(FakeCudaDevices, TheCurrentOneIsCudasToo) {
  in_own_process([] {
    const auto current = [] {
      int device = -1;
      EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
      return device;
    };
    cuda::mem_get_info(0);
    cuda::set_device(1);  // nobody has used it: it becomes current when it is used
    EXPECT_FALSE(fake_cuda::has_context(1));
    cuda::mem_get_info(1);
    EXPECT_EQ(current(), 1);
    {
      const cuda::DeviceGuard guard(0);
      EXPECT_EQ(current(), 0);
    }
    EXPECT_EQ(current(), 1);
    cuda::set_device(2);
    EXPECT_EQ(cuda::current_stream().native_handle(), nullptr);  // for a launch on it
    EXPECT_EQ(current(), 2);
    cuda::set_device(0);
    EXPECT_EQ(current(), 0);
  });
}

// A program's stream is used as it is, and Taper's streams and events are CUDA's.
TEST(FakeCudaStreams, HaveCudasHandles) {
  cudaStream_t own = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&own, cudaStreamNonBlocking, 0), cudaSuccess);
  const std::unique_ptr<taper::detail::StreamImpl> owned(cuda_runtime()->wrap_stream(0, own));
  const cuda::Stream wrapped(owned.get());
  EXPECT_EQ(wrapped.native_handle(), own);
  cuda::Event event;
  EXPECT_EQ(event.native_handle(), nullptr);
  event.record(wrapped);
  EXPECT_NE(event.native_handle(), nullptr);
  EXPECT_NE(cuda::Stream(Device(kCUDA, 0)).native_handle(), nullptr);
  event.synchronize();
}

TEST(FakeCudaDevices, NothingIsSetWhereNothingChanges) {
  cuda::mem_get_info(0);
  const uint64_t before = fake_cuda::calls("cudaSetDevice");
  cuda::mem_get_info(0);
  EXPECT_EQ(fake_cuda::calls("cudaSetDevice"), before);
}

// ---------------------------------------------------------------------- copies between devices
TEST(FakeCudaPeers, AreLetInByPairsAtTheFirstCopy) {
  in_own_process([] {
    const Tensor a = testing::bytes_on(1, 64, 7);
    EXPECT_FALSE(fake_cuda::has_peer_access(1, 0));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(testing::host_bytes(a.to(Device(kCUDA, 0)))[63], 7);
    EXPECT_TRUE(fake_cuda::has_peer_access(1, 0));
    EXPECT_EQ(fake_cuda::calls("cudaDeviceEnablePeerAccess"), 1u);
    EXPECT_FALSE(fake_cuda::has_peer_access(1, 2));
    EXPECT_FALSE(fake_cuda::has_context(2));
  });
}

TEST(FakeCudaPeers, AccessThatTheProgramHasGivenIsNoError) {
  in_own_process([] {
    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
    ASSERT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaSuccess);
    const Tensor a = testing::bytes_on(1, 64, 7);
    EXPECT_EQ(testing::host_bytes(a.to(Device(kCUDA, 0)))[0], 7);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  });
}

// ---------------------------------------------------------------------- why there is none
TEST(FakeCudaDriver, OneThatIsTooOldIsNamed) {
  in_own_process([] {
    fake_cuda::machine().count_status = cudaErrorInsufficientDriver;
    fake_cuda::machine().driver_version = 12020;
    EXPECT_FALSE(cuda::is_available());
    const std::string why = cuda::why_unavailable();
    for (const char* part : {"driver version is insufficient", "12.2", "13.0"})
      EXPECT_NE(why.find(part), std::string::npos) << why;
    EXPECT_NE(message_of([] { detail::require_cuda(); }).find(why), std::string::npos);
  });
}
TEST(FakeCudaDriver, OneThatIsMissingIsNamed) {
  in_own_process([] {
    fake_cuda::machine().count_status = cudaErrorInsufficientDriver;
    fake_cuda::machine().driver_version = 0;
    EXPECT_NE(cuda::why_unavailable().find("no NVIDIA driver"), std::string::npos)
        << cuda::why_unavailable();
  });
}
TEST(FakeCudaDriver, NoGpuIsNamed) {
  in_own_process([] {
    fake_cuda::machine().count_status = cudaErrorNoDevice;
    EXPECT_NE(cuda::why_unavailable().find("no CUDA-capable device"), std::string::npos)
        << cuda::why_unavailable();
  });
}
TEST(FakeCudaDriver, WhereAllIsWellThereIsNoReason) { EXPECT_EQ(cuda::why_unavailable(), ""); }

// ---------------------------------------------------------------------- events
TEST(FakeCudaEvents, MayBeRecordedOnAnotherDevice) {
  const int64_t before = fake_cuda::live().events;
  {
    cuda::Event event;
    for (DeviceIndex i : {0, 1, 0}) {
      const cuda::Stream stream(Device(kCUDA, i));
      event.record(stream);
      event.wait(cuda::default_stream(2));
      event.synchronize();
      EXPECT_TRUE(event.query());
    }
    EXPECT_EQ(fake_cuda::live().events, before + 1);
  }
  EXPECT_EQ(fake_cuda::live().events, before);
}

TEST(FakeCudaEvents, OrderStreams) {
  const Tensor x = testing::bytes_on(0, 64, 1);
  const Tensor y = testing::bytes_on(0, 64, 2);
  const cuda::Stream first(Device(kCUDA, 0)), second(Device(kCUDA, 0));
  const fake_cuda::Lazy lazy;
  detail::copy_on(first.impl(), y.data_ptr(), x.data_ptr(), 64);
  EXPECT_FALSE(first.query());
  second.wait_stream(first);
  second.synchronize();
  EXPECT_EQ(testing::host_bytes(y)[5], 1);
}

// ---------------------------------------------------------------------- errors
TEST(FakeCudaErrors, OfAKernelIsThrownByTheNextWaitAndStays) {
  in_own_process([] {
    const cuda::Stream stream(Device(kCUDA, 1));
    fake_cuda::break_device(1, cudaErrorIllegalAddress);
    for (int i = 0; i < 2; ++i)
      EXPECT_NE(message_of([&] { stream.synchronize(); }).find("illegal memory access"),
                std::string::npos);
    EXPECT_NO_THROW(cuda::synchronize(0));  // other devices go on
  });
}

TEST(FakeCudaErrors, WhatAKernelHasNotedIsThrownOnceByTheNextWaitForItsDevice) {
  const cuda::Stream stream(Device(kCUDA, 1));
  const cuda::StreamGuard guard(stream);
  detail::launch_on(1, "index", [] {
    cuda::FaultNote& note = *cuda::fault_note();
    note.claimed = 1;
    note.numbers[0] = 7;
    note.numbers[1] = cuda::number_of("nll_loss");
    note.kind = static_cast<int32_t>(cuda::FaultKind::kTarget);
  });
  EXPECT_NO_THROW(cuda::synchronize(0));
  EXPECT_EQ(message_of([&] { stream.synchronize(); }), "nll_loss: Target 7 is out of bounds.");
  EXPECT_NO_THROW(stream.synchronize());
  EXPECT_NO_THROW(cuda::synchronize(1));
}

TEST(FakeCudaErrors, OfACallAreThrownOnceAndForgotten) {
  const cuda::Stream stream(Device(kCUDA, 0));
  fake_cuda::fail("cudaStreamSynchronize", 1, cudaErrorUnknown);
  EXPECT_THROW(stream.synchronize(), Error);
  EXPECT_NO_THROW(stream.synchronize());
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

// ---------------------------------------------------------------------- the end of a process
TEST(FakeCudaExit, ObjectsMayOutliveTheDriver) {
  in_own_process([] {
    static Tensor kept = testing::bytes_on(1, 64, 7);
    static cuda::Event event;
    event.record(cuda::default_stream(1));
    std::atexit([] {
      fake_cuda::unload();
      kept = Tensor();
      event = cuda::Event();
    });
  });
}

// ---------------------------------------------------------------------- what kernels tell
#if __has_include(<cupti.h>)
/// What a timeline saw of `body`, by kernel.
std::map<std::string, cuda::TimelineEvent> seen(const std::function<void()>& body) {
  cuda::Timeline timeline;
  body();
  timeline.stop();
  EXPECT_TRUE(fake_cupti::state().enabled.empty());
  EXPECT_TRUE(fake_cupti::external_ids().empty());
  std::map<std::string, cuda::TimelineEvent> all;
  for (const cuda::TimelineEvent& e : timeline.events()) all[e.kernel] = e;
  return all;
}

TEST(FakeCudaTimeline, KernelsTellTheirTimesAndWhatHasQueuedThem) {
  const cuda::Stream side(Device(kCUDA, 1));
  fake_cupti::kernel("before", 1, 10);
  const uint64_t events = fake_cuda::calls("cudaEventRecord");
  auto all = seen([&] {
    const cuda::StreamGuard guard(side);
    testing::as_launch(1, [] {
      fake_cupti::kernel("_ZN5outer5innerEi", 1, 2000);
      fake_cupti::copy(1, 3000);
    });
    // Threads have launches of their own.
    std::thread([&] {
      testing::as_launch(2, [] { fake_cupti::kernel("of another thread", 2, 70); });
    }).join();
    testing::as_launch(1, [] { fake_cupti::kernel("without times", 1, 0); });
    fake_cupti::kernel("of nobody", 0, 100);
  });
  EXPECT_EQ(fake_cuda::calls("cudaEventRecord"), events);
  ASSERT_EQ(all.size(), 4u);
  const auto &inner = all["outer::inner(int)"], &copy = all["memcpy"],
             &other = all["of another thread"], &own = all["of nobody"];
  EXPECT_EQ(inner.name, "test");
  EXPECT_EQ(inner.device, 1);
  EXPECT_EQ(inner.stream, side.id());
  EXPECT_EQ(inner.end_ns - inner.begin_ns, 2000);
  EXPECT_GE(inner.begin_ns, 0);
  EXPECT_EQ(copy.end_ns - copy.begin_ns, 3000);
  EXPECT_GT(inner.launch, 0u);
  EXPECT_EQ(copy.launch, inner.launch);
  EXPECT_NE(other.launch, inner.launch);
  EXPECT_EQ(other.device, 2);
  EXPECT_EQ(other.stream, 0);
  EXPECT_EQ(own.name, "of nobody");
  EXPECT_EQ(own.stream, -1);
  EXPECT_EQ(own.launch, 0u);
}

TEST(FakeCudaTimeline, AllRecordsAreTaken) {
  const int before = fake_cupti::state().buffers;
  cuda::Timeline timeline;
  for (int i = 0; i < 5000; ++i) testing::as_launch(0, [] { fake_cupti::kernel("many", 0, 1); });
  timeline.stop();
  EXPECT_EQ(timeline.events().size(), 5000u);
  EXPECT_GT(fake_cupti::state().buffers, before + 1);
  EXPECT_NE(timeline.chrome_trace().find("\"Op\": \"test\""), std::string::npos);
}

TEST(FakeCudaTimeline, OneThatIsDroppedEndsItsRecording) {
  {
    const cuda::Timeline timeline;
    testing::as_launch(0, [] { fake_cupti::kernel("dropped", 0, 1); });
  }
  EXPECT_EQ(seen([] {}).size(), 0u);
}

TEST(FakeCudaTimeline, RecordsThatAreLostAreAnError) {
  cuda::Timeline timeline;
  testing::as_launch(0, [] { fake_cupti::kernel("one of two", 0, 1); });
  fake_cupti::state().dropped = 1;
  EXPECT_NE(message_of([&] { timeline.stop(); }).find("some were lost"), std::string::npos);
  EXPECT_EQ(seen([] { testing::as_launch(0, [] { fake_cupti::kernel("next", 0, 1); }); }).size(),
            1u);
}

// A launch is an event, with the times of CUDA's events around it.
void expect_events_of_cuda() {
  const uint64_t events = fake_cuda::calls("cudaEventRecord");
  const auto all =
      seen([] { testing::as_launch(0, [] { fake_cupti::kernel("not told", 0, 1); }); });
  EXPECT_EQ(all.size(), 1u);
  EXPECT_EQ(all.begin()->second.name, "test");
  EXPECT_EQ(all.begin()->first, "");
  EXPECT_GE(fake_cuda::calls("cudaEventRecord"), events + 2);
}
TEST(FakeCudaTimeline, GoesByEventsWhereCuptiRefuses) {
  fake_cupti::state().refused = CUPTI_ACTIVITY_KIND_MEMSET;
  expect_events_of_cuda();
  fake_cupti::state().refused = CUPTI_ACTIVITY_KIND_INVALID;
}
TEST(FakeCudaTimeline, GoesByEventsWhereCuptiIsOlder) {
  in_own_process([] {
    fake_cupti::state().version = CUPTI_API_VERSION - 1;
    expect_events_of_cuda();
  });
}
TEST(FakeCudaTimeline, GoesByEventsWhereThatIsAskedFor) {
  in_own_process([] {
    setenv("TAPER_CUPTI", "0", 1);
    expect_events_of_cuda();
  });
}
#endif

constexpr int64_t kMiB = int64_t{1} << 20;

Tensor bytes_of_device(int64_t nbytes) {
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
    for (int64_t i = 0; i < 100; ++i) bytes_of_device(11 * kMiB + i * 4096);  // below 12 MiB
    EXPECT_EQ(fake_cuda::calls("cudaMalloc"), before + 1);
    EXPECT_EQ(cuda::memory_reserved(0), static_cast<size_t>(12 * kMiB));
    std::vector<Tensor> middle;
    for (int64_t i = 0; i < 9; ++i) middle.push_back(bytes_of_device(2 * kMiB + i * 1024));
    EXPECT_EQ(fake_cuda::calls("cudaMalloc"), before + 2);  // the rest of the first, and one
  });
}

TEST(FakeCudaMemory, PendingEventsAreAskedInOrderUpToTheFirstThatIsNotReached) {
  in_own_process([] {
    const cuda::Stream side(Device(kCUDA, 0));
    const Tensor x = bytes_on(0, 64, 1), y = bytes_on(0, 64, 1);
    bytes_of_device(512);
    const fake_cuda::Lazy lazy;
    detail::copy_on(side.impl(), x.data_ptr(), y.data_ptr(), 64);
    for (int i = 0; i < 40; ++i) bytes_of_device(512).record_stream(side);
    const uint64_t before = fake_cuda::calls("cudaEventQuery");
    for (int i = 0; i < 10; ++i) bytes_of_device(512);
    EXPECT_EQ(fake_cuda::calls("cudaEventQuery"), before + 10);
    const size_t reserved = cuda::memory_reserved(0);
    fake_cuda::run_all();
    bytes_of_device(512);
    const int64_t events = fake_cuda::live().events;
    for (int i = 0; i < 40; ++i) bytes_of_device(512).record_stream(side);
    EXPECT_EQ(fake_cuda::live().events, events);  // they are kept and used again
    EXPECT_EQ(cuda::memory_reserved(0), reserved);
  });
}

TEST(FakeCudaMemory, ABlockWaitsForEveryStreamThatUsesIt) {
  in_own_process([] {
    const cuda::Stream a(Device(kCUDA, 0)), b(Device(kCUDA, 0));
    const Tensor x = bytes_on(0, 64, 1), y = bytes_on(0, 64, 1);
    Tensor shared = bytes_of_device(30 * kMiB);
    const void* const p = shared.data_ptr();
    const fake_cuda::Lazy lazy;
    for (const cuda::Stream& s : {a, b}) {
      detail::copy_on(s.impl(), x.data_ptr(), y.data_ptr(), 64);
      shared.record_stream(s);
    }
    shared = Tensor();
    a.synchronize();
    EXPECT_NE(bytes_of_device(30 * kMiB).data_ptr(), p);
    b.synchronize();
    Tensor again = bytes_of_device(30 * kMiB), more = bytes_of_device(30 * kMiB);
    EXPECT_TRUE(again.data_ptr() == p || more.data_ptr() == p);
  });
}

TEST(FakeCudaMemory, AFullDeviceGetsItsCacheBackAndTakesWhatFits) {
  in_own_process([] {
    { const Tensor cached = bytes_of_device(200 * kMiB); }
    const Tensor large = bytes_of_device(240 * kMiB);  // of 256 MiB
    EXPECT_EQ(fake_cuda::live().device_blocks, 1);
    const Tensor middle = bytes_of_device(9 * kMiB);  // there is no room for a whole segment
    EXPECT_EQ(cuda::memory_reserved(0), static_cast<size_t>(249 * kMiB));
    EXPECT_THROW(bytes_of_device(9 * kMiB), OutOfMemoryError);
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

#if FAKE_CUDA_KERNELS
// ---------------------------------------------------------------------- launches
/// How many kernels the sum of tensors of these dtypes takes.
template <class F>
uint64_t launches_of(ScalarType a, ScalarType b, const F& sum) {
  const TensorOptions on_gpu(Device(kCUDA, 0));
  const Tensor x = empty({4, 6}, on_gpu.dtype(a)), y = empty({6}, on_gpu.dtype(b));
  const uint64_t before = fake_cuda::calls("cudaLaunchKernel");
  const Tensor z = sum(x, y);
  EXPECT_EQ(z.scalar_type(), promoteTypes(a, b));
  return fake_cuda::calls("cudaLaunchKernel") - before;
}
// What layers of 16 bits give is not cast to be added to what they were given.
TEST(FakeCudaLaunches, ASumOf32And16BitsIsOne) {
  in_own_process([] {
    const auto sum = [](const Tensor& x, const Tensor& y) { return x + y; };
    for (ScalarType narrow : {kHalf, kBFloat16}) {
      EXPECT_EQ(launches_of(kFloat, narrow, sum), 1u);
      EXPECT_EQ(launches_of(narrow, kFloat, sum), 1u);
      EXPECT_EQ(launches_of(kFloat, narrow, [](auto& x, auto& y) { return x.add_(y); }), 1u);
      EXPECT_EQ(launches_of(kFloat, narrow, [](auto& x, auto& y) { return x.add(y, 2); }), 2u);
      EXPECT_EQ(launches_of(kDouble, narrow, sum), 2u);
    }
  });
}
/// Launches of a batch norm that trains, and of its gradient, without cuDNN.
uint64_t launches_of_batch_norm(ScalarType dtype) {
  const TensorOptions on_gpu(Device(kCUDA, 0));
  const Tensor x = empty({4, 8, 6, 6}, on_gpu.dtype(dtype)).requires_grad_();
  const auto channels = [&] { return empty({8}, on_gpu.dtype(kFloat)); };
  const Tensor w = channels().requires_grad_(), b = channels().requires_grad_();
  const uint64_t before = fake_cuda::calls("cudaLaunchKernel");
  const Tensor y = batch_norm(x, w, b, channels(), channels(), true, 0.1, 1e-5);
  EXPECT_EQ(y.scalar_type(), dtype);
  y.backward(empty_like(y));
  return fake_cuda::calls("cudaLaunchKernel") - before;
}
TEST(FakeCudaLaunches, BatchNormOf16BitsCastsNothing) {
  in_own_process([] {
    globalContext().setUserEnabledCuDNN(false);
    const uint64_t wide = launches_of_batch_norm(kFloat);
    for (ScalarType narrow : {kHalf, kBFloat16}) EXPECT_EQ(launches_of_batch_norm(narrow), wide);
  });
}
TEST(FakeCudaMemory, LossesOf16BitsTakeTheirGradientOnly) {
  in_own_process([] {
    const TensorOptions on_gpu(Device(kCUDA, 0));
    const Tensor target = empty({64}, on_gpu.dtype(kLong));
    const Tensor wide = empty({64, 4096}, on_gpu);
    const std::function<Tensor(const Tensor&)> losses[] = {
        [&](const Tensor& x) { return cross_entropy_loss(x, target); },
        [&](const Tensor& x) { return cross_entropy_loss(x, target, {}, 1, -100, 0.1); },
        [&](const Tensor& x) { return cross_entropy_loss(x, wide); },
        [&](const Tensor& x) { return nll_loss(x, target); },
        [&](const Tensor& x) { return mse_loss(x, wide); },
        [&](const Tensor& x) { return binary_cross_entropy_with_logits(x, wide); }};
    const autocast guard(kCUDA, kBFloat16);
    for (const auto& loss_of : losses) {
      const Tensor x = empty({64, 4096}, on_gpu.dtype(kBFloat16)).requires_grad_();
      const auto before = cuda::memory_allocated(0);
      cuda::reset_peak_memory_stats(0);
      const Tensor loss = loss_of(x);
      EXPECT_EQ(loss.scalar_type(), kFloat);
      loss.backward();
      EXPECT_EQ(x.grad().scalar_type(), kBFloat16);
      EXPECT_LE(cuda::max_memory_allocated(0) - before, x.numel() * 2 + (1 << 16));
    }
  });
}
#endif

}  // namespace
}  // namespace torch::taper
