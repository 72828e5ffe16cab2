// Captured steps: memory on the CPU; on CUDA devices streams, memory, races.
#include <taper/framework/capture/graph.h>

#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include <taper/framework/fusion/cpu/fusion.h>
#include <taper/framework/fusion/fused_kernels.h>
#include <taper/taper.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using testing::expect_error;
using testing::values_of;
using Values = std::vector<double>;

// ---------------------------------------------------------------------- memory
constexpr size_t kMebibyte = size_t{1} << 20;

/// The memory of a captured step that writes its result to y, which a replay must make 3.
GraphMemory memory_of_step(const Tensor& y, const std::function<Tensor()>& step) {
  Graph graph{Device()};
  {
    const GraphGuard guard(graph);
    y.copy_(step());
  }
  const GraphMemory m = graph.memory();  // before anything has run
  graph.replay();
  EXPECT_EQ(y.item<float>(), 3);
  EXPECT_LE(m.needed, m.planned);
  EXPECT_LE(m.planned, m.unshared);
  return m;
}

TEST(GraphMemory, OfBlocksThatFollowEachOther) {
  const Tensor x = full({1 << 18}, 3.0), y = zeros({});
  const GraphMemory m = memory_of_step(y, [&] {
    Tensor t = x;
    for (int i = 0; i < 10; ++i) t = t.flip(0);
    return t.min();
  });
  EXPECT_GE(m.blocks, 10u);
  EXPECT_GE(m.unshared, 10 * kMebibyte);
  EXPECT_GE(m.needed, 2 * kMebibyte);
  EXPECT_LE(m.planned, 2 * kMebibyte + (128u << 10));
}

TEST(GraphMemory, OfBlocksThatAreLaidOverOthersOfAnotherSize) {
  const Tensor x = full({1 << 18}, 3.0), y = zeros({});
  const GraphMemory m = memory_of_step(y, [&] {
    {
      std::vector<Tensor> small;
      for (int64_t i = 0; i < 8; ++i) small.push_back(x.narrow(0, i * 32768, 32768).flip(0));
      y.copy_(small[3].max());
    }
    return x.flip(0).max();
  });
  EXPECT_GE(m.unshared, 2 * kMebibyte);
#if !defined(TAPER_NO_POOL)  // there each block is by itself
  EXPECT_LE(m.planned, kMebibyte + (128u << 10));
#endif
}

TEST(GraphMemory, IsOfTheCpuAndOfACapture) {
  Graph graph{Device()};
  expect_error("expected a graph with a capture", [&] { graph.memory(); });
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const Tensor x = ones({3}, TensorOptions(kCUDA));
  Graph on_device(Device(kCUDA, 0));
  {
    const GraphGuard guard(on_device);
    x.add_(1);
  }
  expect_error("expected a graph of the CPU", [&] { on_device.memory(); });
}

// ---------------------------------------------------------------------- chains of more than places
/// Whether a replay is the eager step bit for bit, in so many chains, or one at least.
void expect_chains(std::optional<uint64_t> chains,
                   const std::function<std::vector<Tensor>()>& step) {
  Graph graph{Device()};
  std::vector<Tensor> results;
  {
    const GraphGuard guard(graph);
    results = step();
  }
  manual_seed(3);
  const std::vector<Tensor> eager = step();
  manual_seed(3);
  for (const Tensor& y : results) y.detach().fill_(7);
  const uint64_t before = cpu::chains_run();
  graph.replay();
  const uint64_t run = cpu::chains_run() - before;
  EXPECT_TRUE(chains ? run == *chains : run > 0) << run << " chains";
  for (size_t k = 0; k < eager.size(); ++k)
    EXPECT_EQ(std::memcmp(results[k].data_ptr(), eager[k].data_ptr(),
                          eager[k].numel() * eager[k].element_size()),
              0)
        << k;
}

TEST(Chains, TakeWholeRowsOfSoftmaxAndLayerNorm) {
  const NoGradGuard values_only;
  for (const ScalarType dtype : {kFloat, kDouble})
    for (const int64_t cols : {3, 100, 512}) {
      SCOPED_TRACE(detail::concat(toString(dtype), " ", cols));
      const Tensor x = randn({6, 403, cols}, dtype), y = randn({6, 403, cols}, dtype),
                   weight = randn({cols}, dtype), bias = randn({cols}, dtype);
      expect_chains(1, [&] {
        const Tensor chances = softmax(x * 0.5 + bias, -1);
        return std::vector<Tensor>{chances * y, log_softmax(chances - y, 2).neg()};
      });
      expect_chains(1, [&] {
        const Tensor sum = x + y, normal = layer_norm(sum, {cols}, weight, bias).relu();
        return std::vector<Tensor>{sum, layer_norm(normal + bias, {cols}) * 2};
      });
    }
  // Rows that no tile holds, and those of other dimensions.
  const Tensor x = randn({40, 1500}), y = randn({40, 1500});
  expect_chains(2, [&] { return std::vector<Tensor>{softmax((x * y).tanh(), 1).neg().exp()}; });
  expect_chains(2, [&] { return std::vector<Tensor>{softmax((x * y).tanh(), 0).neg().exp()}; });
  const Tensor half = randn({300, 100}, kHalf);
  expect_chains(2, [&] { return std::vector<Tensor>{softmax(half.tanh().neg(), 1).neg().exp()}; });
}

TEST(Chains, DrawForDropoutInTheOrderOfTheEagerStep) {
  const NoGradGuard values_only;
  const int before = get_num_threads();
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    for (const ScalarType dtype : {kFloat, kDouble, kBFloat16})
      for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{50021}, {300, 131}}) {
        SCOPED_TRACE(detail::concat(threads, " ", toString(dtype), " ", sizes.size()));
        const Tensor x = randn(sizes, dtype), y = randn(sizes, dtype),
                     row = randn({sizes.back()}, dtype);
        // Several threads share what is no dropout.
        const uint64_t chains = threads == 1 ? 1 : 2;
        expect_chains(chains, [&] {
          return std::vector<Tensor>{dropout(x.tanh() * y + row, 0.3, true).mul(2) + y};
        });
        expect_chains(2, [&] {
          const Tensor once = dropout((x * y).exp(), 0.5, true).neg() + x;
          return std::vector<Tensor>{dropout(once, 0.1, true) * y, once};
        });
      }
  }
  set_num_threads(before);
}

// Captured by one thread and replayed by several: the numbers are still drawn in order.
TEST(Chains, ThatDrawAreOfOneThread) {
  const NoGradGuard values_only;
  const int before = get_num_threads();
  const Tensor x = randn({400000});
  const auto step = [&] { return dropout(x.neg(), 0.3, true).mul(2); };
  set_num_threads(1);
  Graph graph{Device()};
  Tensor y;
  {
    const GraphGuard guard(graph);
    y = step();
  }
  set_num_threads(4);
  manual_seed(5);
  const Tensor eager = step();
  manual_seed(5);
  graph.replay();
  EXPECT_TRUE(y.equal(eager));
  set_num_threads(before);
}

TEST(Chains, OfGradientsOfDropout) {
  const Tensor x = randn({300, 100}).requires_grad_(), gy = randn({300, 100});
  const int before = get_num_threads();
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    // Forward and backward; of several threads backward alone.
    expect_chains(1, [&] { return autograd::grad({dropout(x.tanh(), 0.4, true)}, {x}, {gy}); });
  }
  set_num_threads(before);
}

struct SomeThreads {
  const int before = get_num_threads();
  explicit SomeThreads(int n) { set_num_threads(n); }
  ~SomeThreads() { set_num_threads(before); }
};
struct ChainsOfAnySize {
  const int64_t before = cpu::least_chain_bytes.exchange(1);
  ~ChainsOfAnySize() { cpu::least_chain_bytes = before; }
};
Tensor leaf(const std::vector<int64_t>& sizes, ScalarType dtype = kFloat) {
  return randn(sizes, dtype).requires_grad_();
}

// What a norm keeps of each row is in memory for its gradient.
TEST(Chains, OfGradientsOfRows) {
  const Tensor x = leaf({300, 100}), gy = randn({300, 100}), w = leaf({100});
  for (const bool centers : {true, false})
    expect_chains(1, [&] {
      const Tensor v = x.tanh(), y = centers ? layer_norm(v, {100}, w) : rms_norm(v, {100}, w);
      return autograd::grad({log_softmax(softmax(y + x, 1).neg() * 3, 1)}, {x, w}, {gy});
    });
}

// One to three parts, as there are threads; they end anywhere.
TEST(Chains, SumOverRowsAsTheEagerStep) {
  for (const int threads : {1, 2, 3})
    for (const ScalarType dtype : {kFloat, kDouble, kBFloat16, kHalf})
      for (const std::vector<int64_t>& sizes :
           {std::vector<int64_t>{1203, 100}, {8, 67, 256}, {211, 509}, {2, 3301, 16}, {300, 50}}) {
        SCOPED_TRACE(detail::concat(threads, " ", toString(dtype), " ", IntArrayRef(sizes)));
        const SomeThreads some(threads);
        const std::vector<int64_t> width = {sizes.back()};
        const Tensor x = leaf(sizes, dtype), w = leaf(width, dtype), b = leaf(width, dtype),
                     v = leaf(width, dtype), gy = randn(sizes, dtype),
                     plane = randn({sizes.end()[-2], sizes.back()}, dtype);
        // The gradient of y is made in the chain for the norm alone, as are those between norms.
        const Tensor y = rms_norm((layer_norm(x, width, w, b) * 2).relu(), width, v).tanh();
        for (const std::vector<Tensor>& wanted :
             {std::vector<Tensor>{x}, {x, w, b, v}, {w, b}, {x, b}, {x, v}})
          expect_chains(1, [&] {
            std::vector<Tensor> all = autograd::grad({y}, wanted, {gy * plane}, true);
            all.push_back(all[0] * 0.5);
            return all;
          });
      }
}
// What a chain sums is there when it ends, and what reads it comes behind.
TEST(Chains, EndWhereTheirSumsAreRead) {
  const Tensor x = leaf({400, 60}), w = leaf({60}), b = leaf({60}), gy = randn({400, 60});
  const Tensor y = layer_norm(x, {60}, w, b).relu();
  for (const size_t which : {1, 2})
    expect_chains(2, [&] {
      const auto all = autograd::grad({y}, {x, w, b}, {gy}, true);
      return std::vector<Tensor>{(all[0] * all[which]).neg(), all[1], all[2]};
    });
  const NoGradGuard values_only;
  expect_chains(2, [&] {
    const Tensor grown = x * 2;
    const AutoGradMode on(true);
    const auto all = autograd::grad({y}, {x, w}, {gy}, true);
    const NoGradGuard off;
    all[1].add_(1);
    return std::vector<Tensor>{grown, (all[0] + all[1]).neg(), all[1]};
  });
}

// Sums, and what was kept of each row, die within the chain; others are laid over them.
TEST(Chains, KeepTheMemoryOfSumsUntilTheyEnd) {
  const ChainsOfAnySize any;
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{2, 1024}, {4096, 2}, {64, 64}}) {
    SCOPED_TRACE(IntArrayRef(sizes));
    const std::vector<int64_t> width = {sizes[1]};
    const Tensor x = leaf(sizes), w = leaf(width), b = leaf(width), gy = randn(sizes);
    expect_chains(nullopt, [&] {
      const Tensor from = x.detach().neg().requires_grad_();
      const Tensor gx = autograd::grad({layer_norm(from, width, w, b) * 2}, {from, w, b}, {gy})[0];
      std::vector<Tensor> all = {gx};  // which fill the memory that was laid out before
      for (int i = 1; i < 7; ++i) all.push_back(all.back() * 0.5);
      return std::vector<Tensor>{all[6] + all[5] + all[4] + all[3] + all[2] + all[1] + all[0]};
    });
  }
}

TEST(Chains, OfNormsOfWhateverLiesWherever) {
  const Tensor columns = randn({90, 700}).t(), gy = randn({700, 90});
  const Tensor x = columns.detach().requires_grad_(), w = randn({90, 2}).select(1, 0),
               v = leaf({6, 15});
  expect_chains(2, [&] {  // but for the transposes
    const Tensor y = layer_norm(x, {90}, w) * 2, of_y = gy.neg();
    return autograd::grad({y + x}, {x}, {of_y});
  });
  const Tensor z = leaf({700, 6, 15}), one = randn({1, 90}), of_one = one.expand({700, 90});
  expect_chains(1, [&] {  // one row as the gradient of all
    const Tensor y = layer_norm(z * 2, {6, 15}, v).view({700, 90});
    return autograd::grad({y}, {z, v}, {of_one});
  });
}

// What a norm has yet to read is not written to by the chain.
TEST(Chains, EndWhereANormsRowsAreOverwritten) {
  const Tensor memory = randn({401, 60}), was = memory.clone(), gy = randn({400, 60});
  for (const int64_t to : {0, 1}) {
    const auto step = [&] {
      const Tensor x = memory.narrow(0, 0, 400).detach().requires_grad_();
      const Tensor gx = autograd::grad({layer_norm(x, {60}).relu()}, {x}, {gy})[0];
      const NoGradGuard values_only;
      memory.narrow(0, to, 400).copy_(gx * 2);
    };
    Graph graph{Device()};
    {
      const GraphGuard guard(graph);
      step();
    }
    memory.copy_(was);
    step();
    const Tensor eager = memory.clone();
    memory.copy_(was);
    const uint64_t before = cpu::chains_run();
    graph.replay();
    EXPECT_EQ(cpu::chains_run() - before, 1u);
    EXPECT_TRUE(memory.equal(eager)) << to;
  }
}

// As many parts as there are threads when it runs, whatever there were at the capture.
TEST(Chains, SumInThePartsOfTheThreadsThatRun) {
  const Tensor x = leaf({1201, 100}), w = leaf({100}), gy = randn({1201, 100});
  const Tensor y = dropout(layer_norm(x, {100}, w), 0.2, true);
  const auto step = [&] { return autograd::grad({y}, {x, w}, {gy}, true); };
  for (const int captured : {1, 3})
    for (const int threads : {1, 2, 3}) {
      Graph graph{Device()};
      std::vector<Tensor> results;
      {
        const SomeThreads some(captured);
        const GraphGuard guard(graph);
        results = step();
      }
      const SomeThreads some(threads);
      const auto eager = step();
      graph.replay();
      for (size_t k = 0; k < 2; ++k)
        EXPECT_TRUE(results[k].equal(eager[k])) << captured << " " << threads << " " << k;
    }
}

// ---------------------------------------------------------------------- devices
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
  cuda::simulate_full_memory(0, 1, 3);  // also when memory was given back
  expect_error<OutOfMemoryError>("CUDA out of memory", [&] {
    const GraphGuard guard(graph);
    full_of(1, 1 << 22);
  });
  cuda::end_simulated_faults(0);
  EXPECT_EQ(full_of(2).sum().item<double>(), 6);
}

#include "framework/capture/events_and_copies_test.inc"

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

// On a GPU one kernel, compiled at the capture, does what the launches do: to the bit, whatever is
// computed. (On simulated devices they run one behind the other.)
TEST(ChainsOnDevices, GiveTheBitsOfTheEagerStep) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const struct Fusing {
    Fusing() { cuda::set_fuses_pointwise(true); }
    ~Fusing() { cuda::set_fuses_pointwise(false); }
  } here_only;
  const NoGradGuard values_only;
  for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
    const TensorOptions options = TensorOptions(kCUDA).dtype(dtype);
    for (const int64_t cols : {1, 5, 64, 1000}) {
      const Tensor x = randn({17, cols}, options), y = randn({17, cols}, options),
                   bias = randn({cols}, options), scale = randn({17, 1}, options);
      const auto step = [&] {
        const Tensor product = x * y + bias, smooth = addcmul(product, x, scale, 0.3);
        const Tensor gate = sigmoid(smooth) * lerp(product, smooth, 0.25) - x * x;
        const Tensor chosen = where(gate > bias, gelu(gate), gate.exp().log1p());
        return std::vector<Tensor>{product, chosen.to(kFloat).div(3).tanh(),
                                   chosen.clamp(-1, 1).square() + product};
      };
      const std::vector<Tensor> eager = step();
      const uint64_t before = cuda::fused_kernels();
      Graph graph{Device(kCUDA)};
      std::vector<Tensor> results;
      {
        const GraphGuard guard(graph);
        results = step();
      }
      graph.replay();
      if (!cuda::is_simulated() && cuda::fused_kernels() == before) {
        EXPECT_NE(cuda::why_not_fused().find("expected libnvrtc"), std::string::npos)
            << cuda::why_not_fused();  // else one was to be had
      }
      for (size_t k = 0; k < eager.size(); ++k) {
        const Tensor a = results[k].cpu(), b = eager[k].cpu();
        EXPECT_EQ(std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()), 0)
            << toString(dtype) << " " << cols << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace torch::taper
