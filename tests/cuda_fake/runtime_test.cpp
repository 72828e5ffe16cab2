// The runtime of GPUs: which calls it makes, when, and what is left of them.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include <taper/framework/cuda/fault.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/runtime/stream.h>

#include "cuda_fake/fake_cuda.h"
#include "cuda_fake/util.h"

namespace taper {
namespace {

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

}  // namespace
}  // namespace taper
