// Captures and graphs on the runtime of GPUs.
#include <gtest/gtest.h>

#include <taper/framework/cuda/gpu/fft_plans.h>
#include <taper/framework/cuda/gpu/gemm_lt.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/random_key.h>
#include <taper/framework/runtime/graph.h>
#include <taper/ops/fft/fft.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce.h>

#include "cuda_fake/util.h"

namespace taper {
namespace cuda {
const uint64_t* key_for_replays(CPUGeneratorImpl* generator);
}
namespace {

using testing::bytes_on;
using testing::draw;
using testing::expect_close;
using testing::host_bytes;
using testing::in_own_process;
using testing::on_device;

void copy_on_current(const Tensor& to, const Tensor& from) {
  detail::copy_on(detail::current_stream_of(0), to.data_ptr(), from.data_ptr(),
                  static_cast<size_t>(to.numel()));
}

TEST(FakeCudaGraph, AReplayDoesTheCopiesThatWereCaptured) {
  const Tensor x = bytes_on(0, 64, 1), y = bytes_on(0, 64, 2);
  {
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      copy_on_current(y, x);
    }
    EXPECT_EQ(host_bytes(y)[0], 2);  // nothing has run
    copy_on_current(x, bytes_on(0, 64, 5));
    graph.replay();
    EXPECT_EQ(host_bytes(y)[0], 5);
    EXPECT_EQ(fake_cuda::live().graphs, 0);
    EXPECT_EQ(fake_cuda::live().graph_execs, 1);
  }
  EXPECT_EQ(fake_cuda::live().graph_execs, 0);
}

// Memory, pinned memory, events and other streams in a capture: what CUDA forbids there is violated
// by nothing, which the listener of the program checks.
TEST(FakeCudaGraph, WhatIsNeededOnTheWayIsLegal) {
  in_own_process([] {
    const Tensor x = bytes_on(0, 64, 1);
    const cuda::Stream side(Device(kCUDA, 0));
    Tensor pinned = empty({64}, kByte).pin_memory(), y;
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      y = empty({int64_t{40} << 20}, x.options());  // a new segment
      const Tensor staging = empty({1 << 16}, kByte).pin_memory();
      { const Tensor gone = empty({64}, x.options()); }
      side.wait_stream(cuda::current_stream(0));
      {
        const cuda::StreamGuard on_side(side);
        x.copy_(pinned, /*non_blocking=*/true);
      }
      cuda::current_stream(0).wait_stream(side);
      copy_on_current(y.slice(0, 0, 64), x);
    }
    std::memset(pinned.data_ptr(), 9, 64);
    graph.replay();
    EXPECT_EQ(host_bytes(y.slice(0, 0, 64))[63], 9);
  });
}

TEST(FakeCudaGraph, ACaptureThatFailsLeavesAllAsItWas) {
  const Tensor x = bytes_on(0, 64, 1), y = bytes_on(0, 64, 2);
  Graph graph(Device(kCUDA, 0));
  EXPECT_THROW(
      {
        GraphGuard guard(graph);
        copy_on_current(y, x);
        y.cpu();
      },
      Error);
  fake_cuda::fail("cudaGraphInstantiate", 1, cudaErrorMemoryAllocation);
  EXPECT_THROW(
      {
        GraphGuard guard(graph);
        copy_on_current(y, x);
      },
      Error);
  EXPECT_EQ(fake_cuda::live().graphs, 0);
  EXPECT_EQ(fake_cuda::live().graph_execs, 0);
  copy_on_current(y, x);
  EXPECT_EQ(host_bytes(y)[0], 1);
}

// The keys of a replay are read by its kernels: another stream's replay of the same graph must not
// write the next ones over them.
TEST(FakeCudaGraph, ReplaysOnTwoStreamsHaveKeysOfTheirOwn) {
  in_own_process([] {
    const cuda::Stream first(Device(kCUDA, 0)), second(Device(kCUDA, 0));
    const Tensor drawn = bytes_on(0, 8, 0), kept = bytes_on(0, 8, 0);
    CPUGeneratorImpl generator(3), same(3);
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      detail::launch_on(0, "draw", [&] {
        const uint64_t* const key = cuda::key_for_replays(&generator);
        detail::copy_on(detail::current_stream_of(0), drawn.data_ptr(), key, 8);
      });
    }
    const uint64_t wanted[] = {cuda::draw_key(&same), cuda::draw_key(&same)};
    const fake_cuda::Lazy lazy;
    {
      const cuda::StreamGuard guard(first);
      graph.replay();
      copy_on_current(kept, drawn);
    }
    {
      const cuda::StreamGuard guard(second);
      graph.replay();
    }
    second.synchronize();  // the host waits for the second first
    first.synchronize();
    const auto number_in = [](const Tensor& t) {
      uint64_t n = 0;
      std::memcpy(&n, host_bytes(t).data(), 8);
      return n;
    };
    EXPECT_EQ(number_in(kept), wanted[0]);
    EXPECT_EQ(number_in(drawn), wanted[1]);
  });
}

// ---------------------------------------------------------------------- libraries
TEST(FakeCudaGraph, AReplayDoesTheProductsThatWereCaptured) {
  in_own_process([] {
    const Tensor a = draw({2, 2}, kFloat);
    const Tensor da = on_device(a), y = on_device(zeros({2, 2}));
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      testing::as_launch(0, [&] {
        cuda::run_gemm({kFloat, false, false, 2, 2, 2, 1, 0, da.data_ptr(), 2, 0, da.data_ptr(), 2,
                        0, y.data_ptr(), 2, 0, 1});
      });
    }
    expect_close(y.cpu(), zeros({2, 2}), 0);
    graph.replay();
    expect_close(y.cpu(), a.matmul(a), 1e-5);
  });
}

// A graph reads what a plan has on the device; other plans are ended when there are too many.
TEST(FakeCudaGraph, APlanOfCuFftThatItUsesStays) {
  in_own_process([] {
    const auto transform = [](int64_t n, int64_t rows, const Tensor& from, const Tensor& to) {
      testing::as_launch(
          0, [&] { cuda::run_fft(CUFFT_C2C, n, rows, from.data_ptr(), to.data_ptr(), false); });
    };
    const Tensor z = draw({8}, kComplexFloat);
    const Tensor x = on_device(z), y = on_device(zeros({8}, kComplexFloat));
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      transform(8, 1, x, y);
    }
    const Tensor from = on_device(draw({600}, kComplexFloat)), to = empty({600}, from.options());
    // One more is one too many.
    for (int64_t n = 1; n <= 510; ++n) transform(1, n, from, to);
    EXPECT_EQ(fake_cuda::live_objects("cuFFT"), 256);
    graph.replay();
    expect_close(y.cpu(), fft::fft(z), 1e-5);
    Graph second(Device(kCUDA, 0));
    {
      GraphGuard guard(second);
      transform(2, 1, from, to);
    }
    EXPECT_EQ(fake_cuda::live_objects("cuFFT"), 2);
  });
}

}  // namespace
}  // namespace taper
