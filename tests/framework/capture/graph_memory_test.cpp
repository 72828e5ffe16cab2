// Captures on devices whose memory is scarce, or cached by the steps before.
#include <taper/framework/capture/graph.h>

#include <gtest/gtest.h>

#include <taper/taper.h>

#include "harness/devices.h"

namespace torch::taper {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;

class MemoryOfGraphs : public ::testing::Test {
 protected:
  void SetUp() override {
    TAPER_NEEDS_DEVICES(1);
    cuda::synchronize(0);
  }
  static Tensor full_of(double v, int64_t n) { return full({n}, v, Device(kCUDA, 0)); }
};

/// Until the end of the scope the device has room for so many bytes more.
class RoomFor {
 public:
  explicit RoomFor(size_t nbytes) {
    cuda::empty_cache();
    const double total = static_cast<double>(cuda::mem_get_info(0).second);
    cuda::set_per_process_memory_fraction(
        static_cast<double>(cuda::memory_reserved(0) + nbytes) / total, 0);
  }
  ~RoomFor() { cuda::set_per_process_memory_fraction(1, 0); }
};

TEST_F(MemoryOfGraphs, ACaptureAfterAnEagerStepNeedsItsMemoryOnce) {
  cuda::empty_cache();
  const size_t before = cuda::memory_reserved(0);
  const cuda::Stream side;
  const auto step = [] { return full_of(1, 10 << 20).sum(); };  // 40 MiB
  {
    const cuda::StreamGuard guard(side);
    step();
  }
  cuda::CUDAGraph graph;
  Tensor y;
  {
    const GraphGuard guard(graph, {0, 0}, side);
    y = step();
  }
  EXPECT_LT(cuda::memory_reserved(0) - before, 60 * kMebibyte);
  graph.replay();
  EXPECT_EQ(y.item<float>(), 10 << 20);
}

TEST_F(MemoryOfGraphs, ACaptureGivesCachedMemoryBack) {
  const RoomFor room(50 * kMebibyte);
  const cuda::Stream side;
  for (const bool of_captured : {false, true}) {
    Tensor before, y;
    {
      const cuda::StreamGuard guard(of_captured ? side : cuda::current_stream());
      before = full_of(1, 10 << 20);
    }
    cuda::CUDAGraph graph;
    {
      const GraphGuard guard(graph, {0, 0}, side);
      before.reset();
      y = full_of(2, 10 << 20).sum();
    }
    graph.replay();
    EXPECT_EQ(y.item<float>(), 20 << 20) << of_captured;
    graph.reset(), y.reset();
    cuda::empty_cache();
  }
}

}  // namespace
}  // namespace torch::taper
