// Attention by cuDNN: what its graphs compute, when it is not asked or does not do it, and whether
// the real library has engines for them.
#include <gtest/gtest.h>

#include <thread>

#include <taper/framework/autograd/autograd.h>
#include <taper/framework/capture/graph.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/cuda/gpu/cudnn_graph.h>
#include <taper/ops/nn/attention.h>
#include <taper/ops/nn/attention_cudnn.h>

#include "cuda_fake/dnn.h"
#include "cuda_fake/dnn_graph.h"
#include "cuda_fake/real_dnn.h"
#include "cuda_fake/util.h"

namespace torch::taper {
namespace {

using fake_cuda::dnn;
using testing::device_of;
using testing::draw;
using testing::expect_close;
using testing::expect_violation;
using testing::in_own_process;
using testing::RealCudnn;
using testing::RealGraph;

/// A tensor (N, H, rows, width) of a device, in memory as (N, rows, H, width), as modules have it;
/// `gap` is how many numbers of others lie between a row's heads and the next row's.
Tensor rows_of_heads(const std::vector<int64_t>& sizes, ScalarType dtype, int64_t gap = 0) {
  const int64_t width = sizes[1] * sizes[3];
  const Tensor rows = draw({sizes[0], sizes[2], width + gap}, dtype).to(Device(kCUDA, 0));
  const Dims strides{sizes[2] * (width + gap), sizes[3], width + gap, 1};
  return detail::share_data(rows.impl(), IntArrayRef(sizes), strides, 0);
}

struct Case {
  AttentionForm form;
  Tensor q, k, v, y, lse, gy, gq, gk, gv;

  explicit Case(ScalarType t = kHalf, bool causal = false, int64_t N = 2, int64_t H = 3,
                int64_t L = 5, int64_t S = 5, int64_t E = 8)
      : form{0.3, causal} {
    q = rows_of_heads({N, H, L, E}, t, 16), k = rows_of_heads({N, H, S, E}, t, 32);
    v = rows_of_heads({N, H, S, E}, t), gy = rows_of_heads({N, H, L, E}, t, 8);
    y = rows_of_heads({N, H, L, E}, t), lse = draw({N, H, L}, kFloat).to(Device(kCUDA, 0));
    gq = rows_of_heads({N, H, L, E}, t), gk = rows_of_heads({N, H, S, E}, t);
    gv = draw({N, H, S, E}, t).to(Device(kCUDA, 0));
  }
};

/// Whether a shape has plans from its first call on.
bool plans_at_once = true;

template <class F>
bool as_launch(const F& f) {
  globalContext().setBenchmarkCuDNN(plans_at_once);
  bool done = false;
  detail::launch_on(0, "test", [&] { done = f(); });
  return done;
}
bool result(const Case& c) {
  return as_launch([&] {
    return cuda::cudnn_attention(Out(c.y), Out(c.lse), In(c.q), In(c.k), In(c.v), c.form);
  });
}
bool gradients(const Case& c) {
  return as_launch([&] {
    return cuda::cudnn_attention_backward(Out(c.gq), Out(c.gk), Out(c.gv), In(c.gy), In(c.y),
                                          In(c.lse), In(c.q), In(c.k), In(c.v), c.form);
  });
}

/// The same numbers in f32 on the host, without gaps. (Kernels do not run: memory is copied whole.)
Tensor on_host(const Tensor& t) {
  int64_t reach = 1;
  for (int64_t d = 0; d < t.dim(); ++d) reach += (t.size(d) - 1) * t.stride(d);
  const Tensor memory = detail::share_data(t.detach().impl(), {reach}, {1}, 0).cpu();
  return detail::share_data(memory.impl(), t.sizes(), t.strides(), 0).to(kFloat).contiguous();
}
Case on_host(const Case& c) {
  Case h = c;
  for (Tensor Case::*t : {&Case::q, &Case::k, &Case::v, &Case::y, &Case::lse, &Case::gy, &Case::gq,
                          &Case::gk, &Case::gv})
    h.*t = on_host(c.*t);
  cpu::attention(Out(h.y), Out(h.lse), Out(), In(h.q), In(h.k), In(h.v), In(), h.form);
  cpu::attention_backward(Out(h.gq), Out(h.gk), Out(h.gv), In(h.gy), In(h.y), In(h.lse), In(h.q),
                          In(h.k), In(h.v), In(), h.form);
  return h;
}
/// To what rounding to the dtype of the operands, of y before delta too, leaves.
void expect_near(const Tensor& got, const Tensor& want, ScalarType dtype) {
  const double largest = std::max(1.0, want.abs().max().item<double>());
  expect_close(on_host(got), want, (dtype == kHalf ? 0x1p-8 : 0x1p-5) * largest);
}
void expect_results(const Case& got, const Case& want) {
  for (Tensor Case::*t : {&Case::y, &Case::lse, &Case::gq, &Case::gk, &Case::gv})
    expect_near(got.*t, want.*t, got.q.scalar_type());
}
void expect_as_on_host(const Case& c) {
  const Case want = on_host(c);
  EXPECT_TRUE(result(c));
  EXPECT_TRUE(gradients(c));
  expect_results(c, want);
}

TEST(FakeDnnAttention, IsThatOfTheHost) {
  in_own_process([] {
    dnn().engines = {{0, 4096}};
    for (ScalarType dtype : {kHalf, kBFloat16})
      for (bool causal : {false, true}) expect_as_on_host(Case(dtype, causal));
    expect_as_on_host(Case(kHalf, false, 2, 3, 4, 9, 16));
    expect_as_on_host(Case(kHalf, true, 1, 1, 3, 3));
    expect_as_on_host(Case(kBFloat16, false, 1, 2, 2, 3));
    expect_as_on_host(Case(kHalf, false, 3, 1, 2, 2));
  });
}

TEST(FakeDnnAttention, PlansAreOfAShapeNotOfAScale) {
  in_own_process([] {
    Case c;
    for (double scale : {0.25, 0.5, -0.5}) {
      c.form.scale = scale;
      expect_as_on_host(c);
    }
    const uint64_t ends = fake_cuda::calls("cudnnBackendFinalize");
    expect_as_on_host(c);
    EXPECT_EQ(fake_cuda::calls("cudnnBackendFinalize"), ends + 2);  // of lists of memory
    expect_as_on_host(Case(kHalf, true));
    EXPECT_GT(fake_cuda::calls("cudnnBackendFinalize"), ends + 10);
  });
}

struct Texts : WarningHandler {
  void process(const Warning& w) override { all.push_back(w.msg()); }
  std::vector<std::string> all;
};

// Then own kernels do.
TEST(FakeDnnAttention, IsNotDoneWithoutAnEngine) {
  in_own_process([] {
    Texts texts;
    WarningHandler* const before = WarningUtils::get_warning_handler();
    WarningUtils::set_warning_handler(&texts);
    dnn().engines[0].fuses = false;
    dnn().fallback = {{1}};  // which is for what has nothing else
    const Case c;
    EXPECT_FALSE(result(c));
    EXPECT_FALSE(gradients(c));
    dnn().graph = CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN;
    EXPECT_FALSE(result(Case(kBFloat16)));
    WarningUtils::set_warning_handler(before);
    EXPECT_TRUE(texts.all.empty());
    EXPECT_TRUE(dnn().ran.empty());
  });
}

TEST(FakeDnnAttention, IsNotAskedOfOldVersions) {
  in_own_process([] {
    dnn().version = cuda::kOldestCudnnForAttention - 1;
    EXPECT_FALSE(result(Case()));
    EXPECT_FALSE(gradients(Case()));
    EXPECT_EQ(fake_cuda::calls("cudnnBackendCreateDescriptor"), 0u);
  });
}

// Each plan is compiled.
TEST(FakeDnnAttention, IsNotDoneForEverMoreShapes) {
  in_own_process([] {
    const Case first;
    EXPECT_TRUE(result(first));
    int64_t length = 2, done = 1;
    while (result(Case(kHalf, false, 1, 1, length, 2))) ++length, ++done;
    EXPECT_EQ(done, 128);
    EXPECT_FALSE(gradients(first));
    EXPECT_TRUE(result(first));
  });
}

// Until then the own kernels compute it.
TEST(FakeDnnAttention, IsDoneForAShapeThatRepeats) {
  in_own_process([] {
    plans_at_once = false;
    const Case often, once(kHalf, true);
    for (int i = 0; i < 64; ++i) EXPECT_FALSE(result(often)) << i;
    EXPECT_EQ(fake_cuda::calls("cudnnCreate"), 0u);
    EXPECT_FALSE(result(once));
    EXPECT_TRUE(result(often));
    EXPECT_FALSE(gradients(often));
    EXPECT_FALSE(result(once));
    globalContext().setDeterministicCuDNN(true);
    EXPECT_TRUE(result(once));
    globalContext().setDeterministicCuDNN(false);
    plans_at_once = true;
    EXPECT_TRUE(result(once));
  });
}

TEST(FakeDnnAttention, PlansAreOfAllThreads) {
  in_own_process([] {
    const Case c;
    expect_as_on_host(c);
    const uint64_t ends = fake_cuda::calls("cudnnBackendFinalize");
    const int64_t handles = fake_cuda::live_objects("handle of cuDNN");
    const Case want = on_host(c);
    const cuda::Stream side(Device(kCUDA, 0));
    std::thread([&] {
      const cuda::StreamGuard own(side);
      EXPECT_TRUE(result(c));
      EXPECT_TRUE(gradients(c));
    }).join();
    side.synchronize();
    expect_results(c, want);
    EXPECT_EQ(fake_cuda::calls("cudnnBackendFinalize"), ends + 2);  // of lists of memory
    EXPECT_EQ(fake_cuda::live_objects("handle of cuDNN"), handles);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < 8; ++k) EXPECT_TRUE(result(c));
      });
    for (std::thread& thread : threads) thread.join();
  });
}

TEST(FakeDnnAttention, IsCaptured) {
  in_own_process([] {
    plans_at_once = false;  // replays repeat it
    const Case c(kHalf, true);
    const Case want = on_host(c);
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      EXPECT_TRUE(result(c));
      EXPECT_TRUE(gradients(c));
    }
    graph.replay();
    expect_results(c, want);
  });
}

// The op itself, whose kernels' host side nvcc compiles.
TEST(FakeDnnAttention, IsWhatTheOpCalls) {
#if FAKE_CUDA_KERNELS
  in_own_process([] {
    globalContext().setBenchmarkCuDNN(true);
    const Case c(kHalf, true), want = on_host(c);
    for (const Tensor& t : {c.q, c.k, c.v}) Tensor(t).requires_grad_();
    const Tensor y = scaled_dot_product_attention(c.q, c.k, c.v, {}, 0, true, c.form.scale);
    const auto g = autograd::grad({y}, {c.q, c.k, c.v}, {c.gy});
    EXPECT_EQ(dnn().ran.size(), 2u);
    expect_near(y.detach(), want.y, kHalf);
    expect_near(g[0], want.gq, kHalf);
    expect_near(g[1], want.gk, kHalf);
    expect_near(g[2], want.gv, kHalf);
    globalContext().setUserEnabledCuDNN(false);
    scaled_dot_product_attention(c.q, c.k, c.v);
    EXPECT_EQ(dnn().ran.size(), 2u);
    globalContext().setUserEnabledCuDNN(true);
    globalContext().setDeterministicCuDNN(true);
    autograd::grad({scaled_dot_product_attention(c.q, c.k, c.v)}, {c.q}, {c.gy});
    EXPECT_EQ(dnn().ran.size(), 3u);  // gradients are the own kernels'
  });
#else
  GTEST_SKIP() << "the kernels' host side is not here: it needs a build with nvcc";
#endif
}

// A driver compiles PTX of an older architecture for the GPU, and such code has no products.
TEST(FakeAttentionTiles, NeedCodeOfTheirArchitecture) {
#if FAKE_CUDA_KERNELS
  const auto has_tiles = [](int architecture) {
    in_own_process([=] {
      fake_cuda::set_kernel_architecture(architecture);
      EXPECT_EQ(cuda::has_attention_tiles(1), architecture >= 80);
      fake_cuda::set_kernel_architecture(90);
      EXPECT_TRUE(cuda::has_attention_tiles(2));  // each device has its own
      EXPECT_FALSE(fake_cuda::has_context(0));
    });
  };
  has_tiles(75), has_tiles(80);
#else
  GTEST_SKIP() << "the kernels' host side is not here: it needs a build with nvcc";
#endif
}

// ---------------------------------------------------------------------- what the fake refuses
cuda::GraphPart matrix(int64_t id, int64_t rows, int64_t cols) {
  return cuda::graph_tensor(id, CUDNN_DATA_FLOAT,
                            std::vector<int>{1, 1, static_cast<int>(rows), static_cast<int>(cols)},
                            16);
}
cuda::GraphPart product(const cuda::GraphPart& a, const cuda::GraphPart& b,
                        const cuda::GraphPart& c) {
  cuda::GraphPart how(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT).finish();
  cuda::GraphPart p(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  p.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, how)
      .set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a)
      .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b)
      .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c)
      .finish();
  return p;
}
cuda::GraphPart formula(cudnnPointwiseMode_t mode, const cuda::GraphPart& x,
                        const cuda::GraphPart& y) {
  cuda::GraphPart p = cuda::graph_operation({mode}, {&x}, y);
  p.finish();
  return p;
}

TEST(FakeDnnAttention, OperationsThatDoNotFitAreRefused) {
  expect_violation("matrices that do not fit",
                   [] { product(matrix(1, 2, 3), matrix(2, 4, 5), matrix(3, 2, 5)); });
  expect_violation("a formula of other operands",
                   [] { formula(CUDNN_POINTWISE_MUL, matrix(1, 2, 3), matrix(2, 2, 3)); });
  expect_violation("indices of no dimension",
                   [] { formula(CUDNN_POINTWISE_GEN_INDEX, matrix(1, 2, 3), matrix(2, 2, 3)); });
  expect_violation("several numbers of the host", [] {
    cuda::graph_tensor(1, CUDNN_DATA_FLOAT, std::vector<int>{1, 1, 2, 1}, 16,
                       cuda::GraphPlace::kHost);
  });
  expect_violation("a tensor that is written twice", [] {
    std::vector<cuda::GraphPart> operations;
    for (int i = 0; i < 2; ++i)
      operations.push_back(formula(CUDNN_POINTWISE_EXP, matrix(1, 2, 3), matrix(2, 2, 3)));
    as_launch([&] {
      cuda::EnginePlans(cuda::cudnn_handle(), operations, {});
      return true;
    });
  });
}

// ---------------------------------------------------------------------- the real library
/// Why the real library cannot be asked; empty where it can.
std::string why_not(const RealCudnn& real) {
  if (!real.missing().empty()) return "the real cuDNN is not here: " + real.missing();
  const size_t version = real.function<decltype(cudnnGetVersion)>("cudnnGetVersion")();
  if (version < cuda::kOldestCudnnForAttention)
    return "cuDNN " + std::to_string(version) + " is older than attention asks for";
  return "";
}
void expect_engines(const RealCudnn& real, const Case& c, int capability) {
  for (bool backward : {false, true}) {
    EXPECT_TRUE(backward ? gradients(c) : result(c));
    RealGraph graph(real);
    EXPECT_GT(graph.engines(*fake_cuda::graphs::last_graph(), device_of(capability)), 0)
        << "sm_" << capability / 10 << ", " << c.q.sizes() << " of " << toString(c.q.scalar_type())
        << (c.form.causal ? ", causal" : "") << (backward ? ", gradients: " : ": ") << graph.error()
        << real.last_error();
  }
}

// Without a GPU it says which engines take a graph.
TEST(RealDnnAttention, HasEnginesForTheGraphs) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's library cannot be loaded a second time";
#else
  const RealCudnn real;
  if (const std::string why = why_not(real); !why.empty()) GTEST_SKIP() << why;
  in_own_process([&] {
    const RealCudnn again;
    for (int64_t width : {64, 96, 128})
      for (bool causal : {false, true})
        expect_engines(again, Case(causal ? kHalf : kBFloat16, causal, 2, 3, 77, 77, width), 900);
    for (int capability : {800, 1000, 1200})
      expect_engines(again, Case(kBFloat16, true, 2, 2, 128, 128, 64), capability);
    expect_engines(again, Case(kHalf, false, 1, 1, 5, 131, 8), 900);
    RealGraph on_volta(again);  // which no engine is for: the test can fail
    EXPECT_EQ(on_volta.engines(*fake_cuda::graphs::last_graph(), device_of(700)), 0);
  });
#endif
}

}  // namespace
}  // namespace torch::taper
