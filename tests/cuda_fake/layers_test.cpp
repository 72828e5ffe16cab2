// Batch norms and average pools by cuDNN: what comes of them is what the host's kernels give, and
// each rule that the fake checks is broken once on purpose. (Recurrent layers: rnn_test.cpp.)
#include <gtest/gtest.h>

#include <taper/framework/capture/graph.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/nn/norm_cudnn.h>
#include <taper/ops/spatial/pool.h>
#include <taper/ops/spatial/pool_cudnn.h>

#include "cuda_fake/dnn.h"
#include "cuda_fake/dnn_cases.h"

namespace torch::taper {
namespace {

using fake_cuda::dnn;
using testing::as_launch;
using testing::draw;
using testing::expect_close;
using testing::expect_failure;
using testing::expect_op_as_on_host;
using testing::expect_refused;
using testing::in_own_process;
using testing::like;
using testing::set_tensor;
using testing::there;
using testing::tolerance_of;

/// Calls f, which says whether cuDNN has done it, as a kernel's host side is called.
template <class F>
bool launched(const F& f) {
  bool done = false;
  as_launch(0, [&] { done = f(); });
  return done;
}

// ---------------------------------------------------------------------- batch norm
constexpr double kMomentum = 0.3, kEps = 1e-2;

/// The tensors of a batch norm; results hold other numbers before.
struct Norm {
  Tensor x, gy, weight, bias, running_mean, running_var, y, mean, scale, gx, gw, gb;

  explicit Norm(ScalarType dtype = kFloat, IntArrayRef sizes = {3, 4, 2, 5}) {
    const auto vector = [&] { return draw({sizes[1]}, dtype == kDouble ? kDouble : kFloat); };
    x = draw(sizes, dtype).add(1), gy = draw(sizes, dtype);
    weight = vector(), bias = vector(), running_mean = vector(), running_var = vector().abs();
    y = draw(sizes, dtype), gx = draw(sizes, dtype);
    mean = vector(), scale = vector(), gw = vector(), gb = vector();
  }
  Norm copied() const {
    Norm n = *this;
    for (Tensor* t : n.all()) *t = there(*t);
    return n;
  }
  std::vector<Tensor*> all() {
    return {&x, &gy, &weight, &bias, &running_mean, &running_var, &y, &mean, &scale, &gx, &gw, &gb};
  }
  bool training() const {
    return launched([&] {
      return cuda::cudnn_batch_norm_training(Out(y), Out(mean), Out(scale), InOut(running_mean),
                                             InOut(running_var), In(x), In(weight), In(bias),
                                             kMomentum, kEps);
    });
  }
  bool inference() const {
    return launched([&] {
      return cuda::cudnn_batch_norm_inference(Out(y), In(running_mean), In(running_var), In(x),
                                              In(weight), In(bias), kEps);
    });
  }
  bool gradient() const {
    return launched([&] {
      return cuda::cudnn_batch_norm_gradient(Out(gx), Out(gw), Out(gb), In(gy), In(x), In(mean),
                                             In(scale), In(weight), kEps);
    });
  }
};
/// Both have the same numbers everywhere.
void expect_same(Norm got, Norm wanted, ScalarType dtype) {
  const auto g = got.all(), w = wanted.all();
  for (size_t i = 0; i < g.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(g[i]->defined(), w[i]->defined());
    if (g[i]->defined()) expect_close(g[i]->cpu(), *w[i], tolerance_of(dtype));
  }
}
void expect_norm_as_on_host(const Norm& host, ScalarType dtype) {
  const Norm n = host.copied();
  cpu::batch_norm_training(Out(host.y), Out(host.mean), Out(host.scale), InOut(host.running_mean),
                           InOut(host.running_var), In(host.x), In(host.weight), In(host.bias),
                           kMomentum, kEps);
  EXPECT_TRUE(n.training());
  expect_same(n, host, dtype);
  cpu::batch_norm_gradient(Out(host.gx), Out(host.gw), Out(host.gb), In(host.gy), In(host.x),
                           In(host.mean), In(host.scale), In(host.weight), kEps, true);
  EXPECT_TRUE(n.gradient());
  expect_same(n, host, dtype);
}

TEST(FakeDnnNorm, IsThatOfTheHost) {
  in_own_process([] {
    const std::vector<std::vector<int64_t>> shapes = {
        {3, 4, 2, 5}, {5, 3}, {2, 3, 4}, {2, 3, 2, 3, 2}};
    for (ScalarType dtype : {kFloat, kDouble, kHalf})
      for (const auto& sizes : shapes) expect_norm_as_on_host(Norm(dtype, sizes), dtype);
  });
}

TEST(FakeDnnNorm, HasNoRunningStatisticsWhereNoneAreKept) {
  in_own_process([] {
    Norm n;
    n.running_mean = n.running_var = {};
    expect_norm_as_on_host(n, kFloat);
  });
}

TEST(FakeDnnNorm, InInferenceIsThatOfTheHost) {
  in_own_process([] {
    for (ScalarType dtype : {kFloat, kDouble, kHalf}) {
      const Norm host(dtype), n = host.copied();
      cpu::batch_norm_inference(Out(host.y), Out(host.mean), Out(host.scale), In(host.running_mean),
                                In(host.running_var), In(host.x), In(host.weight), In(host.bias),
                                kEps);
      EXPECT_TRUE(n.inference());
      expect_close(n.y.cpu(), host.y, tolerance_of(dtype));
    }
  });
}

// cuDNN writes all three gradients always: what is not wanted goes to memory of its own.
TEST(FakeDnnNorm, GradientsThatAreNotWantedStayUntouched) {
  in_own_process([] {
    Norm n = Norm().copied();
    EXPECT_TRUE(n.training());
    const Norm all = n;
    EXPECT_TRUE(n.gradient());
    n.gw = {}, n.gb = {}, n.gx = draw({3, 4, 2, 5}, kFloat);
    n.gx = there(n.gx);
    EXPECT_TRUE(n.gradient());
    expect_close(n.gx.cpu(), all.gx.cpu(), 0);
    n.gx = {}, n.gw = like(all.gw, all.gw.device()), n.gb = like(n.gw, n.gw.device());
    EXPECT_TRUE(n.gradient());
    expect_close(n.gw.cpu(), all.gw.cpu(), 0);
  });
}

// ---------------------------------------------------------------------- pools
struct Pool {
  Tensor x, y;
  int64_t spatial;
  PoolWindows windows;
  Pool(ScalarType dtype, IntArrayRef xs, IntArrayRef ys, int64_t spatial)
      : x(draw(xs, dtype)), y(draw(ys, dtype)), spatial(spatial) {}
};
void expect_pool_as_on_host(const Pool& p) {
  PoolWindows stated = p.windows;
  ASSERT_TRUE(cuda::cudnn_takes_means(In(p.x).sizes, In(p.y).sizes, p.spatial, stated));
  const Tensor x = there(p.x), y = there(p.y);
  cpu::avg_pool_forward(Out(p.y), In(p.x), p.spatial, p.windows);
  EXPECT_TRUE(launched([&] { return cuda::cudnn_avg_pool(Out(y), In(x), p.spatial, stated); }));
  expect_close(y.cpu(), p.y, tolerance_of(p.x.scalar_type()));
  cpu::avg_pool_scatter(Out(p.x), In(p.y), p.spatial, p.windows);
  EXPECT_TRUE(
      launched([&] { return cuda::cudnn_avg_pool_scatter(Out(x), In(y), p.spatial, stated); }));
  expect_close(x.cpu(), p.x, tolerance_of(p.x.scalar_type()));
}

TEST(FakeDnnPool, IsThatOfTheHost) {
  in_own_process([] {
    for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
      Pool flat(dtype, {2, 3, 7, 8}, {2, 3, 4, 4}, 2), line(dtype, {2, 3, 9}, {2, 3, 4}, 1),
          deep(dtype, {2, 4, 3, 6}, {2, 4, 2, 3}, 3);
      flat.windows.kernel[1] = 3, flat.windows.kernel[2] = 2;
      flat.windows.stride[1] = flat.windows.stride[2] = 2;
      flat.windows.padding[1] = 1;
      line.windows.kernel[2] = 3, line.windows.stride[2] = 2;
      deep.windows.kernel[1] = deep.windows.kernel[2] = 2;
      deep.windows.stride[2] = 2;
      for (Pool* p : {&flat, &line, &deep}) {
        expect_pool_as_on_host(*p);
        p->windows.count_include_pad = false;
        expect_pool_as_on_host(*p);
      }
    }
  });
}

TEST(FakeDnnPool, OfWindowsThatFollowFromTheSizesIsThatOfTheHost) {
  in_own_process([] {
    Pool p(kFloat, {5, 6, 8}, {5, 3, 1}, 2);  // without a batch
    p.windows.adaptive = true;
    expect_pool_as_on_host(p);
  });
}

// ---------------------------------------------------------------------- ops
TEST(FakeDnnLayers, ThatAreCapturedAreReplayed) {
  in_own_process([] {
    const Norm host, n = host.copied();
    const Tensor pooled = there(zeros({3, 4, 1, 1}));
    PoolWindows whole;
    whole.kernel[1] = 2, whole.kernel[2] = 5;
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      EXPECT_TRUE(n.training());
      EXPECT_TRUE(launched([&] { return cuda::cudnn_avg_pool(Out(pooled), In(n.y), 2, whole); }));
    }
    expect_close(n.mean.cpu(), host.mean, 0);  // nothing has run
    graph.replay();
    cpu::batch_norm_training(Out(host.y), Out(host.mean), Out(host.scale), InOut(host.running_mean),
                             InOut(host.running_var), In(host.x), In(host.weight), In(host.bias),
                             kMomentum, kEps);
    expect_close(n.mean.cpu(), host.mean, 1e-4);
    expect_close(pooled.cpu(), host.y.mean({2, 3}, true), 1e-4);
  });
}

#if FAKE_CUDA_KERNELS
TEST(FakeDnnLayers, AreWhatTheOpsCall) {
  in_own_process([] {
    const Norm n;
    expect_op_as_on_host({n.x, n.weight, n.bias}, [&](const std::vector<Tensor>& t) {
      return batch_norm(t[0], t[1], t[2], Tensor(), Tensor(), true, kMomentum, kEps, true);
    });
    EXPECT_EQ(fake_cuda::calls("cudnnBatchNormalizationBackward"), 1u);
    expect_op_as_on_host({n.x}, [](const std::vector<Tensor>& t) {
      return avg_pool2d(t[0], {2, 3}, {1, 2}, {1, 1});
    });
    expect_op_as_on_host({n.x}, [](const std::vector<Tensor>& t) {
      return adaptive_avg_pool2d(t[0], {1, 1});
    });
    EXPECT_EQ(fake_cuda::calls("cudnnPoolingBackward"), 2u);
  });
}

#endif

// ---------------------------------------------------------------------- what cuDNN does not have
TEST(FakeDnnLayers, WhatIsNotSupportedIsLeftToOwnKernels) {
  in_own_process([] {
    const Norm n = Norm().copied();
    PoolWindows whole;
    whole.kernel[1] = 2, whole.kernel[2] = 5;
    const Tensor pooled = there(zeros({3, 4, 1, 1}));
    EXPECT_TRUE(n.training());
    for (cudnnStatus_t no : {CUDNN_STATUS_NOT_SUPPORTED, CUDNN_STATUS_BAD_PARAM}) {
      dnn().layers = no;
      EXPECT_FALSE(n.training());
      EXPECT_FALSE(n.inference());
      EXPECT_FALSE(n.gradient());
      EXPECT_FALSE(launched([&] { return cuda::cudnn_avg_pool(Out(pooled), In(n.y), 2, whole); }));
    }
  });
}

TEST(FakeDnnLayers, FailedCallsNameThemselvesAndLeaveNothing) {
  in_own_process([] {
    const Norm n = Norm().copied();
    EXPECT_TRUE(n.training());
    const auto fails = [](const char* function, const std::function<void()>& body, int nth = 1) {
      expect_failure(function, {"cuDNN error", function}, body, nth);
      EXPECT_NO_THROW(body()) << function;
    };
    fails("cudnnBatchNormalizationForwardTraining", [&] { n.training(); });
    fails("cudnnBatchNormalizationForwardInference", [&] { n.inference(); });
    fails("cudnnBatchNormalizationBackward", [&] { n.gradient(); });
    int64_t rows = 3;
    const auto other = [&](auto f) { return [&rows, f] { f(++rows); }; };  // a plan of its own
    const auto norm_of = [](int64_t rows) { Norm(kFloat, {rows, 4}).copied().training(); };
    for (const char* function : {"cudnnCreateTensorDescriptor", "cudnnSetTensorNdDescriptor",
                                 "cudnnDeriveBNTensorDescriptor"})
      expect_failure(function, {"cuDNN error", function}, other(norm_of));
    const auto pool_of = [](int64_t rows) {
      const Tensor x = there(draw({rows, 1, 4, 4}, kFloat)),
                   y = there(draw({rows, 1, 4, 4}, kFloat));
      as_launch(0, [&] {
        cuda::cudnn_avg_pool(Out(y), In(x), 2, {});
        cuda::cudnn_avg_pool_scatter(Out(x), In(y), 2, {});
      });
    };
    for (const char* function : {"cudnnCreatePoolingDescriptor", "cudnnSetPoolingNdDescriptor"})
      expect_failure(function, {"cuDNN error", function}, other(pool_of));
    pool_of(3);
    for (const char* function : {"cudnnPoolingForward", "cudnnPoolingBackward"})
      fails(function, [&] { pool_of(3); });
  });
}

// ---------------------------------------------------------------------- what the fake refuses
TAPER_CUDNN_DESCRIPTION(PoolDescription, cudnnPoolingDescriptor_t, cudnnCreatePoolingDescriptor,
                        cudnnDestroyPoolingDescriptor)
using cuda::TensorDescription;
using Ints = std::vector<int>;

TEST(FakeDnnLayers, RefuseTensorsAgainstTheRules) {
  const TensorDescription d;
  expect_refused("dimensions that no tensor has", [&] { set_tensor(d, {2, 3}); });
  expect_refused("size or stride below one", [&] { set_tensor(d, {2, 0, 3, 4}); });
  expect_refused("what is no descriptor", [&] {
    cudnnSetTensorNdDescriptor(nullptr, CUDNN_DATA_FLOAT, 4, nullptr, nullptr);
  });
  EXPECT_EQ(
      cudnnSetTensorNdDescriptor(d.get(), CUDNN_DATA_FLOAT, 4, Ints{2, 1 << 15, 1 << 15, 2}.data(),
                                 Ints{1 << 30, 1 << 16, 2, 1}.data()),
      CUDNN_STATUS_NOT_SUPPORTED);
  const TensorDescription y, b;
  set_tensor(y, {2, 3, 4, 4}), set_tensor(b, {1, 4, 1, 1});
  const Tensor at = there(zeros({96}));
  const float one = 1;
  expect_refused("a bias that is not one", [&] {
    cudnnAddTensor(cuda::cudnn_handle(), &one, b.get(), at.data_ptr(), &one, y.get(),
                   at.data_ptr());
  });
}

/// Calls for training and for gradients that are right but for what a test changes.
struct NormCalls {
  cudnnBatchNormMode_t mode = CUDNN_BATCHNORM_SPATIAL;
  TensorDescription x, y, vector;
  Norm n = Norm().copied();
  float factor = 1;
  const void* alpha = &factor;
  double eps = kEps;
  NormCalls() {
    for (const auto* d : {&x, &y}) set_tensor(*d, {3, 4, 2, 5});
    set_tensor(vector, {1, 4, 1, 1});
  }
  static void* at(const Tensor& t) { return t.defined() ? t.data_ptr() : nullptr; }
  void training() const {
    cudnnBatchNormalizationForwardTraining(cuda::cudnn_handle(), mode, alpha, alpha, x.get(),
                                           at(n.x), y.get(), at(n.y), vector.get(), at(n.weight),
                                           at(n.bias), kMomentum, at(n.running_mean),
                                           at(n.running_var), eps, at(n.mean), at(n.scale));
  }
  void gradient() const {
    cudnnBatchNormalizationBackward(cuda::cudnn_handle(), mode, alpha, alpha, alpha, alpha, x.get(),
                                    at(n.x), x.get(), at(n.gy), y.get(), at(n.gx), vector.get(),
                                    at(n.weight), at(n.gw), at(n.gb), eps, at(n.mean), at(n.scale));
  }
};
TEST(FakeDnnNorm, RefusesWhatIsAgainstTheRules) {
  const auto refused = [](const char* rule, const std::function<void(NormCalls&)>& change) {
    expect_refused(rule, [&] {
      NormCalls c;
      change(c);
      c.training();
    });
  };
  refused("no factors", [](NormCalls& c) { c.alpha = nullptr; });
  refused("a mode that is none",
          [](NormCalls& c) { c.mode = static_cast<cudnnBatchNormMode_t>(3); });
  refused("not described for x", [](NormCalls& c) { c.mode = CUDNN_BATCHNORM_PER_ACTIVATION; });
  refused("neither four nor five", [](NormCalls& c) { set_tensor(c.x, {3, 4, 10}); });
  refused("a tensor with gaps", [](NormCalls& c) {
    set_tensor(c.x, {3, 4, 2, 2}, {40, 10, 5, 1});
  });
  refused("y is not described as x", [](NormCalls& c) { set_tensor(c.y, {3, 4, 5, 2}); });
  refused("an epsilon", [](NormCalls& c) { c.eps = -1; });
  refused("the weight is missing", [](NormCalls& c) { c.n.weight = {}; });
  refused("running statistics", [](NormCalls& c) { c.n.running_var = {}; });
  refused("kept statistics", [](NormCalls& c) { c.n.mean = {}; });
  refused("the bias is no memory", [](NormCalls& c) { c.n.bias = c.n.bias.cpu(); });
  refused("y has 256 bytes, and needs 480",
          [](NormCalls& c) { c.n.y = there(zeros({128})).slice(0, 64); });
  refused("x is not aligned", [](NormCalls& c) { c.n.x = there(zeros({999}, kByte)).slice(0, 1); });
  refused("a variance of one value", [](NormCalls& c) {
    for (const auto* d : {&c.x, &c.y}) set_tensor(*d, {1, 4, 1, 1});
  });
  expect_refused("statistics that are not those", [] {
    NormCalls c;
    c.training();
    c.eps = 1;
    c.gradient();
  });
  const TensorDescription none;
  expect_refused("was not described", [&] {
    cudnnDeriveBNTensorDescriptor(none.get(), none.get(), CUDNN_BATCHNORM_SPATIAL);
  });
}

TEST(FakeDnnPool, RefusesWhatIsAgainstTheRules) {
  const PoolDescription pool;
  const auto set = [&](const Ints& window, const Ints& padding, const Ints& stride,
                       cudnnPoolingMode_t mode = CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING) {
    cudnnSetPoolingNdDescriptor(pool.get(), mode, CUDNN_PROPAGATE_NAN,
                                static_cast<int>(window.size()), window.data(), padding.data(),
                                stride.data());
  };
  const TensorDescription x, y, other;
  const Tensor at = there(zeros({999}));
  const float one = 1;
  const auto run = [&](const TensorDescription& to) {
    cudnnPoolingForward(cuda::cudnn_handle(), pool.get(), &one, x.get(), at.data_ptr(), &one,
                        to.get(), at.data_ptr());
  };
  set_tensor(x, {2, 3, 4, 4}), set_tensor(y, {2, 3, 2, 2});
  expect_refused("was not described", [&] { run(y); });
  expect_refused("takes no means", [&] { set({2, 2}, {0, 0}, {2, 2}, CUDNN_POOLING_MAX); });
  expect_refused("neither two nor three", [&] { set({2}, {0}, {2}); });
  expect_refused("stride below one", [&] { set({2, 2}, {0, 0}, {2, 0}); });
  expect_refused("fills a window", [&] { set({2, 2}, {0, 2}, {2, 2}); });
  set({2, 2}, {0, 0}, {2, 2});
  as_launch(0, [&] { run(y); });
  set_tensor(other, {2, 3, 3, 2});
  expect_refused("another size than its windows", [&] { run(other); });
  set_tensor(other, {1, 3, 2, 2});
  expect_refused("other samples or channels", [&] { run(other); });
  set_tensor(other, {2, 3, 2, 2, 1});
  expect_refused("other dimensions", [&] { run(other); });
  set_tensor(other, {2, 3, 2, 2}, {12, 4, 2, 1}, CUDNN_DATA_HALF);
  expect_refused("different types", [&] { run(other); });
  set_tensor(other, {2, 3, 2, 2}, {12, 4, 2, 1}), set_tensor(x, {2, 3, 4, 4});
  expect_refused("not described as their tensors", [&] {
    cudnnPoolingBackward(cuda::cudnn_handle(), pool.get(), &one, y.get(), at.data_ptr(), y.get(),
                         at.data_ptr(), x.get(), at.data_ptr(), &one, y.get(), at.data_ptr());
  });
}

}  // namespace
}  // namespace torch::taper
