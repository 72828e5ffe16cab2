// Captured steps on CUDA devices: streams, memory, races.
#include <taper/framework/runtime/graph.h>

#include <gtest/gtest.h>

#include <taper/taper.h>

#include "harness/devices.h"
#include "test_util.h"

namespace taper {
namespace {

using testing::expect_error;
using testing::values_of;
using Values = std::vector<double>;

class GraphsOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    TAPER_NEEDS_DEVICES(1);
    cuda::synchronize(0);
  }
  static Tensor full_of(double v, int64_t n = 3) { return full({n}, v, Device(kCUDA, 0)); }
};

TEST_F(GraphsOnDevice, CUDAGraphIsAGraphOfTheCurrentDevice) {
  const Tensor x = full_of(1);
  cuda::CUDAGraph graph;
  EXPECT_FALSE(cuda::is_current_stream_capturing());
  expect_error("CUDA graphs must be captured on a non-default stream.",
               [&] { graph.capture_begin(); });
  const cuda::Stream side;
  side.wait_stream(cuda::current_stream());
  {
    const cuda::StreamGuard guard(side);
    graph.capture_begin();
    EXPECT_TRUE(cuda::is_current_stream_capturing());
    x.add_(1);
    {
      const cuda::StreamGuard elsewhere(cuda::default_stream());
      expect_error("Capture must end on the same stream it began on.",
                   [&] { graph.capture_end(); });
      EXPECT_FALSE(cuda::is_current_stream_capturing());
    }
  }
}

TEST_F(GraphsOnDevice, TheGuardRestoresTheStreamAlsoOnExceptions) {
  const cuda::Stream before = cuda::current_stream();
  cuda::CUDAGraph graph;
  expect_error("mine", [&] {
    const GraphGuard guard(graph);
    EXPECT_NE(cuda::current_stream(), before);
    throw Error("mine");
  });
  EXPECT_EQ(cuda::current_stream(), before);
  const cuda::Stream own;
  {
    const GraphGuard guard(graph, {0, 0}, own);
    EXPECT_EQ(cuda::current_stream(), own);
    full_of(1);
  }
  EXPECT_EQ(cuda::current_stream(), before);
}

TEST_F(GraphsOnDevice, ReplaysAllocateNothingAndResetGivesBack) {
  const Tensor x = full_of(1, 1 << 18);
  cuda::empty_cache();
  const MemoryStats before = cuda::memory_stats(0);
  cuda::CUDAGraph graph;
  Tensor y;
  {
    const GraphGuard guard(graph);
    y = (x + 1).mul(2).add(3);
  }
  const MemoryStats captured = cuda::memory_stats(0);
  EXPECT_EQ(captured.allocated, before.allocated + y.nbytes());
  EXPECT_GE(captured.reserved, before.reserved + 2 * y.nbytes());
  graph.replay();
  cuda::synchronize(0);
  EXPECT_EQ(cuda::memory_stats(0).num_allocations, captured.num_allocations);
  cuda::empty_cache();  // takes nothing from a graph
  graph.replay();
  EXPECT_EQ(y[0].item<double>(), 7);
  graph.reset();
  EXPECT_EQ(y[0].item<double>(), 7);
  y.reset();
  cuda::empty_cache();
  EXPECT_EQ(cuda::memory_stats(0).reserved, before.reserved);
}

TEST_F(GraphsOnDevice, RunningOutOfMemoryEndsTheCaptureOnly) {
  TAPER_NEEDS_SIMULATION("a full memory");
  cuda::CUDAGraph graph;
  cuda::simulate_full_memory(0, 1, 1);
  expect_error<OutOfMemoryError>("CUDA out of memory", [&] {
    const GraphGuard guard(graph);
    full_of(1, 1 << 22);
  });
  cuda::end_simulated_faults(0);
  EXPECT_EQ(full_of(2).sum().item<double>(), 6);
}

TEST_F(GraphsOnDevice, StreamsForkAndJoin) {
  const Tensor x = full_of(1), y = full_of(0), z = full_of(0);
  const cuda::Stream one, other;
  cuda::CUDAGraph graph;
  {
    const GraphGuard guard(graph, {0, 0}, one);
    const Tensor a = x + 1;
    cuda::Event forked, joined;
    forked.record();
    forked.wait(other);
    {
      const cuda::StreamGuard there(other);
      EXPECT_TRUE(cuda::is_current_stream_capturing());
      z.copy_(a * 10);
      joined.record();
    }
    joined.wait();
    y.copy_(z + a);
    expect_error("operation not permitted on an event last recorded in a capturing stream",
                 [&] { joined.synchronize(); });
    expect_error("operation not permitted on an event last recorded in a capturing stream",
                 [&] { (void)joined.query(); });
  }
  graph.replay();
  EXPECT_EQ(values_of(y.cpu()), Values(3, 22.0));
  const cuda::StreamGuard there(other);  // an ordinary stream again
  EXPECT_EQ(values_of((x + 1).cpu()), Values(3, 2.0));
}

TEST_F(GraphsOnDevice, WhatDoesNotJoinIsTold) {
  const Tensor x = full_of(1);
  const cuda::Stream one, other;
  cuda::synchronize(0);
  cuda::CUDAGraph graph;
  expect_error("capturing stream has unjoined work", [&] {
    const GraphGuard guard(graph, {0, 0}, one);
    other.wait_stream(cuda::current_stream());
    const cuda::StreamGuard there(other);
    x.add_(1);
  });
  expect_error("dependency created on uncaptured work in another stream", [&] {
    const GraphGuard guard(graph, {0, 0}, one);
    cuda::current_stream().wait_stream(other);
  });
  expect_error("legacy stream", [&] {
    const GraphGuard guard(graph);
    cuda::default_stream().wait_stream(cuda::current_stream());
  });
  expect_error("operation not permitted when stream is capturing", [&] {
    const GraphGuard guard(graph);
    cuda::current_stream().synchronize();
  });
  expect_error("operation not permitted when stream is capturing", [&] {
    const GraphGuard guard(graph);
    cuda::synchronize();
  });
  expect_error("pageable host memory", [&] {
    const GraphGuard guard(graph);
    (void)x.cpu();
  });
  EXPECT_EQ(values_of(x.cpu()), Values(3, 1.0));
}

TEST_F(GraphsOnDevice, CopiesWithPinnedMemoryAreCaptured) {
  const Tensor x = full_of(0), y = full_of(0);
  Tensor from = zeros({3}).pin_memory(), to = zeros({3}).pin_memory();
  cuda::CUDAGraph graph;
  {
    const GraphGuard guard(graph);
    x.copy_(from, /*non_blocking=*/true);
    to.copy_(x + 1, /*non_blocking=*/true);
  }
  from.fill_(4);
  graph.replay();
  cuda::synchronize(0);
  EXPECT_EQ(values_of(to), Values(3, 5.0));
  const void* place = from.data_ptr();
  from = Tensor();  // the graph still reads it
  EXPECT_NE(zeros({3}).pin_memory().data_ptr(), place);
}

TEST_F(GraphsOnDevice, BackwardOfWhatWasMadeBeforeTheCapture) {
  const Tensor w = full_of(2).requires_grad_();
  const Tensor keeps_the_accumulator = w * 1;
  cuda::CUDAGraph graph;
  {
    const GraphGuard guard(graph);
    (w * w).sum().backward();
  }
  graph.replay();
  EXPECT_EQ(values_of(w.grad().cpu()), Values(3, 4.0));
}

TEST_F(GraphsOnDevice, RacesOfReplaysAreFound) {
  const Tensor x = full_of(1);
  cuda::CUDAGraph graph;
  {
    const GraphGuard guard(graph);
    x.add_(1);
  }
  cuda::synchronize(0);
  const cuda::Stream other;
  const cuda::RaceDetectorGuard watch;
  graph.replay();
  x.sum();
  EXPECT_TRUE(cuda::race_reports().empty());
  {
    const cuda::StreamGuard there(other);
    graph.replay();
  }
  EXPECT_FALSE(cuda::race_reports().empty());
  cuda::synchronize(0);
}

TEST_F(GraphsOnDevice, RacesWithinACaptureAreFound) {
  const Tensor x = full_of(1);
  const cuda::Stream one, other;
  cuda::synchronize(0);
  const cuda::RaceDetectorGuard watch;
  cuda::CUDAGraph graph;
  {
    const GraphGuard guard(graph, {0, 0}, one);
    other.wait_stream(cuda::current_stream());
    x.add_(1);
    {
      const cuda::StreamGuard there(other);
      x.add_(1);
    }
    cuda::current_stream().wait_stream(other);
  }
  EXPECT_EQ(cuda::race_reports().size(), 1u);
}

}  // namespace
}  // namespace taper
