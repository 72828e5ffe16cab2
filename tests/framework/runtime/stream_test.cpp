// Streams, events and what runs beside the host.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <taper/taper.h>

#include "framework/runtime/gate.h"
#include "framework/runtime/own_process.h"
#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using testing::device_at;
using testing::Gate;
using testing::in_own_process;
using testing::message_of;

TEST(DevicesA1, OpsAreQueuedAndTheHostGoesOn) {
  const Tensor x = ones({1000}, kCUDA);
  cuda::synchronize();
  Gate gate;
  const Tensor y = x + x;
  EXPECT_FALSE(cuda::current_stream().query());
  gate.open();
  EXPECT_EQ(y.sum().item<float>(), 2000);  // waits
  EXPECT_TRUE(cuda::current_stream().query());
}

TEST(DevicesA3, GuardSetsStreamAndDevice) {
  TAPER_NEEDS_DEVICES(2);
  const cuda::Stream s(Device("cuda:1"));
  EXPECT_EQ(cuda::current_stream(), cuda::default_stream());
  {
    cuda::StreamGuard guard(s);
    EXPECT_EQ(cuda::current_device(), 1);
    EXPECT_EQ(cuda::current_stream(), s);
    EXPECT_EQ(ones({2}, kCUDA).get_device(), 1);
    EXPECT_EQ(cuda::current_stream(0), cuda::default_stream(0));
  }
  EXPECT_EQ(cuda::current_device(), 0);
  EXPECT_EQ(cuda::current_stream(1), cuda::default_stream(1));
}

TEST(DevicesA3, ComeFromAPoolOf32) {
  const cuda::Stream first;
  cuda::Stream again = first;
  for (int i = 0; i < 32; ++i) again = cuda::Stream();
  EXPECT_EQ(first, again);
  EXPECT_EQ(cuda::Stream(Device(kCUDA), -1).priority(), -1);
  EXPECT_NE(first, cuda::default_stream());
  EXPECT_THROW(cuda::Stream(Device("cpu")), Error);
}

TEST(DevicesA3, RunBesideEachOtherUntilOneWaits) {
  const cuda::Stream s;
  Gate gate;  // on the default stream
  {
    cuda::StreamGuard guard(s);
    EXPECT_EQ(ones({3}, kCUDA).sum().item<float>(), 3);  // not held up
  }
  s.wait_stream(cuda::default_stream());
  Tensor y;
  {
    cuda::StreamGuard guard(s);
    y = ones({3}, kCUDA) * 2;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(s.query());
  gate.open();
  s.synchronize();
  EXPECT_TRUE(cuda::default_stream().query());
}

TEST(DevicesA3, WaitOrdersAWriteBeforeARead) {
  const cuda::Stream s;
  for (int i = 0; i < 50; ++i) {
    const Tensor a = zeros({100}, kCUDA);
    a.fill_(i);
    s.wait_stream(cuda::current_stream());
    Tensor total;
    {
      cuda::StreamGuard guard(s);
      total = a.sum();
    }
    cuda::current_stream().wait_stream(s);
    ASSERT_EQ(total.item<float>(), 100 * i);
  }
}

TEST(DevicesA4, MarkAPointInAStream) {
  cuda::Event never;
  EXPECT_TRUE(never.query());
  Gate gate;
  cuda::Event event;
  event.record();
  EXPECT_FALSE(event.query());
  gate.open();
  event.synchronize();
  EXPECT_TRUE(event.query());
}

TEST(DevicesA4, AStreamIsPastAnEventThatIsReached) {
  const cuda::Stream stream = cuda::current_stream();
  for (int i = 0; i < 2000; ++i) {
    cuda::Event event;
    event.record();
    event.synchronize();
    ASSERT_TRUE(stream.query()) << i;
    event.record();
    stream.synchronize();
    ASSERT_TRUE(event.query()) << i;
  }
}

TEST(DevicesA4, OrderStreamsOfSeveralDevices) {
  TAPER_NEEDS_DEVICES(3);
  Gate gate(0);
  cuda::Event event;
  event.record(cuda::default_stream(0));
  event.wait(cuda::default_stream(2));
  const Tensor y = ones({2}, Device("cuda:2")) + 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(cuda::default_stream(2).query());
  gate.open();
  EXPECT_EQ(y.sum().item<float>(), 4);
}

TEST(DevicesA4, MeasureTime) {
  cuda::Event start(true), end(true), untimed;
  EXPECT_THROW(start.elapsed_time(end), Error);  // not recorded
  start.record();
  detail::launch_on(0, "nap", [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  end.record();
  end.synchronize();
  EXPECT_GE(start.elapsed_time(end), 20);
  untimed.record();
  untimed.synchronize();
  EXPECT_THROW(start.elapsed_time(untimed), Error);
}

TEST(DevicesA1, FaultsSurfaceAtTheNextSynchronisationOnce) {
  const Tensor x = arange(4, TensorOptions(kCUDA).dtype(kFloat));
  const Tensor bad = x.index_select(0, tensor({9}, TensorOptions(kCUDA).dtype(kLong)));
  try {
    cuda::synchronize();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("out of range"), std::string::npos) << text;
    if (cuda::is_simulated()) {  // a GPU does not tell which kernel it was
      EXPECT_NE(text.find("CUDA error: "), std::string::npos) << text;
      EXPECT_NE(text.find("'check_index' on cuda:0"), std::string::npos) << text;
      EXPECT_NE(text.find("CUDA_LAUNCH_BLOCKING=1"), std::string::npos) << text;
    }
  }
  // Nothing of the failed work ran on; the program may go on.
  EXPECT_EQ(x.sum().item<float>(), 6);
  EXPECT_EQ(ones({2}, device_at(1)).sum().item<float>(), 2);
}

TEST(DevicesA2, BlockingLaunchesThrowFromTheCallAndNameItsLine) {
  in_own_process([] {
    ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    const Tensor x = arange(4, TensorOptions(kCUDA).dtype(kFloat));
    EXPECT_TRUE(cuda::current_stream().query());  // nothing is left behind
    const Tensor index = tensor({9}, TensorOptions(kCUDA).dtype(kLong));
    const std::string text = message_of([&] { x.index_select(0, index); });
    EXPECT_NE(text.find("(kernel 'check_index' on cuda:0)"), std::string::npos) << text;
    EXPECT_NE(text.find("\n  at "), std::string::npos) << text;
    // This file, or without debug information this program.
    EXPECT_TRUE(text.find("stream_test") != std::string::npos ||
                text.find("taper_tests") != std::string::npos)
        << text;
    EXPECT_EQ(text.find("set CUDA_LAUNCH_BLOCKING"), std::string::npos) << text;
    EXPECT_EQ(x.sum().item<float>(), 6);
  });
}

TEST(Threads, MayUseDevicesAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      cuda::set_device(device_at(t).index());
      const Tensor w = full({8, 8}, double(t), kCUDA).requires_grad_();
      for (int i = 0; i < 20; ++i) {
        w.mutable_grad() = Tensor();
        w.mm(w).sum().backward();
        if (w.grad().device() != device_at(t) || w.grad().mean().item<float>() != 16 * t) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace torch::taper
