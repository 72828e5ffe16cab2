// Convolutions by cuDNN: which engine runs, what is asked and how often, and what comes of it.
#include <gtest/gtest.h>

#include <thread>

#include <taper/framework/capture/graph.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/cuda/gpu/cudnn_graph.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/ops/spatial/conv/conv.h>
#include <taper/ops/spatial/conv/conv_cudnn.h>

#include "cuda_fake/dnn.h"
#include "cuda_fake/real_dnn.h"
#include "cuda_fake/util.h"

namespace torch::taper {
namespace {

using fake_cuda::dnn;
using testing::expect_violation;
using testing::in_own_process;
using Numbers = std::vector<int64_t>;

constexpr int64_t kHuge = int64_t{3} << 30;

Tensor numbers(std::vector<int64_t> sizes, ScalarType dtype = kFloat) {
  const Tensor host = empty(sizes, kFloat);
  auto* const p = static_cast<float*>(host.data_ptr());
  for (int64_t i = 0; i < host.numel(); ++i) p[i] = static_cast<float>(i * 7 % 11 - 5);
  return host.to(dtype).to(Device(kCUDA, 0));
}

/// A convolution; by default in two groups, with a stride, a padding and a dilation.
struct Case {
  ConvSteps steps;
  Tensor x, w, b, y;
  explicit Case(ScalarType dtype = kFloat, int64_t batch = 2) {
    steps.groups = 2;
    steps.stride[1] = 2;
    steps.padding[1] = 1, steps.padding[2] = 2;
    steps.dilation[2] = 2;
    x = numbers({batch, 4, 5, 6}, dtype), w = numbers({6, 2, 3, 2}, dtype);
    b = numbers({6}, dtype), y = numbers({batch, 6, 3, 8}, dtype);
  }
  /// As they are in networks of images.
  static Case of_image(ScalarType dtype, int64_t groups) {
    Case c(dtype);
    c.steps = {};
    c.steps.groups = groups;
    c.steps.padding[1] = c.steps.padding[2] = 1;
    c.x = c.y = numbers({2, 32, 7, 7}, dtype), c.w = numbers({32, 32 / groups, 3, 3}, dtype);
    c.b = numbers({32}, dtype);
    return c;
  }
};

/// Calls f as a kernel's host side is called.
template <class F>
bool as_launch(const F& f) {
  bool done = false;
  detail::launch_on(0, "test", [&] { done = f(); });
  return done;
}
bool forward(const Case& c) {
  return as_launch(
      [&] { return cuda::cudnn_forward(Out(c.y), In(c.x), In(c.w), In(c.b), c.steps); });
}
bool input_gradient(const Case& c) {
  return as_launch([&] { return cuda::cudnn_input_gradient(Out(c.x), In(c.y), In(c.w), c.steps); });
}
bool weight_gradient(const Case& c) {
  return as_launch(
      [&] { return cuda::cudnn_weight_gradient(Out(c.w), In(c.x), In(c.y), c.steps); });
}
std::vector<float> values_of(const Tensor& t) {
  const Tensor host = t.cpu().to(kFloat).contiguous();
  const auto* const p = static_cast<const float*>(host.data_ptr());
  return {p, p + host.numel()};
}

/// The three maps give what the host's kernels give, of whole numbers: to the bit.
void expect_as_on_host(Case c) {
  const Tensor x = c.x.cpu().contiguous(), w = c.w.cpu(), y = c.y.cpu();
  const Tensor b = c.b.defined() ? c.b.cpu() : c.b;
  cpu::conv_forward(Out(y), In(x), In(w), In(b), c.steps);
  EXPECT_TRUE(forward(c));
  EXPECT_EQ(values_of(c.y), values_of(y));
  c.y = numbers(c.y.sizes().vec(), c.y.scalar_type());
  const Tensor gy = c.y.cpu();
  cpu::conv_weight_gradient(Out(w), In(x), In(gy), c.steps);
  EXPECT_TRUE(weight_gradient(c));
  EXPECT_EQ(values_of(c.w), values_of(w));
  c.w = numbers(c.w.sizes().vec(), c.w.scalar_type());
  const Tensor again = c.w.cpu();
  cpu::conv_input_gradient(Out(x), In(gy), In(again), c.steps);
  EXPECT_TRUE(input_gradient(c));
  EXPECT_EQ(values_of(c.x), values_of(x));
}

/// Collects warnings of this thread.
struct Texts : WarningHandler {
  void process(const Warning& w) override { all.push_back(w.msg()); }
  std::vector<std::string> all;
};

TEST(FakeDnn, ConvolutionsAreThoseOfTheHost) {
  in_own_process([] {
    dnn().engines = {{0, 4096}};
    for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) expect_as_on_host(Case(dtype));
  });
}

TEST(FakeDnn, ConvolutionsHaveOneToThreeDimensions) {
  in_own_process([] {
    Case c;
    c.steps = {};
    c.steps.stride[2] = 2;
    c.x = numbers({2, 3, 9}), c.w = numbers({4, 3, 2}), c.b = numbers({4}),
    c.y = numbers({2, 4, 4});
    expect_as_on_host(c);
    c.steps.padding[0] = 1;
    c.x = numbers({2, 3, 4, 3, 5}), c.w = numbers({4, 3, 3, 2, 1}), c.y = numbers({2, 4, 4, 2, 3});
    expect_as_on_host(c);
    c.b = {};
    c.x = numbers({2, 3, 4, 3, 5});
    expect_as_on_host(c);
  });
}

// The sums are never in memory then.
TEST(FakeDnn, ABiasIsAddedByTheEngineThatCan) {
  in_own_process([] {
    dnn().engines = {{4}};
    dnn().engines[0].fuses = false;
    dnn().fallback = {{5}};  // better without the bias, but fast
    expect_as_on_host(Case(kHalf));
    EXPECT_EQ(dnn().operations, (std::vector<size_t>{1, 1, 1}));
    EXPECT_EQ(fake_cuda::calls("cudnnAddTensor"), 1u);
    dnn() = {};
    dnn().engines = {{3}};
    expect_as_on_host(Case(kFloat));
    EXPECT_EQ(dnn().operations, (std::vector<size_t>{2, 1, 1}));
    EXPECT_EQ(fake_cuda::calls("cudnnAddTensor"), 1u);
  });
}

// ---------------------------------------------------------------------- with a relu behind it
bool forward_relu(const Case& c, const Tensor& z = {}, double alpha = 1) {
  return as_launch([&] {
    bool done = false;
    cuda::cudnn_forward_relu(&done, Out(c.y), In(c.x), In(c.w), In(c.b), In(z), alpha, c.steps);
    return done;
  });
}
/// max(x * w + alpha z + b, 0) by the host's ops, of whole numbers: to the bit.
std::vector<float> relu_on_host(const Case& c, const Tensor& z = {}, double alpha = 1) {
  const Tensor y = empty(c.y.sizes(), c.y.options().device(kCPU));
  const Tensor x = c.x.cpu(), w = c.w.cpu(), b = c.b.defined() ? c.b.cpu() : c.b;
  cpu::conv_forward(Out(y), In(x), In(w), In(b), c.steps);
  return values_of(z.defined() ? y.add(z.cpu(), alpha).relu() : y.relu());
}

TEST(FakeDnn, AReluAndAnAddendArePartsOfOnePlan) {
  in_own_process([] {
    dnn().engines = {{3, 64}};
    for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
      const Case c(dtype);
      const Tensor z = numbers(c.y.sizes().vec(), dtype);
      EXPECT_TRUE(forward_relu(c));
      EXPECT_EQ(values_of(c.y), relu_on_host(c)) << toString(dtype);
      for (double alpha : {1.0, -2.0}) {
        EXPECT_TRUE(forward_relu(c, z, alpha));
        EXPECT_EQ(values_of(c.y), relu_on_host(c, z, alpha)) << toString(dtype) << alpha;
      }
    }
    EXPECT_EQ(dnn().operations, (std::vector<size_t>{3, 4, 4, 3, 4, 4, 3, 4, 4, 3, 4, 4}));
    EXPECT_EQ(fake_cuda::calls("cudnnAddTensor"), 0u);
  });
}

TEST(FakeDnn, APlanWithAReluIsMadeOnce) {
  in_own_process([] {
    const Case c;
    EXPECT_TRUE(forward_relu(c, c.y, 0.5));
    const uint64_t ends = fake_cuda::calls("cudnnBackendFinalize");
    EXPECT_TRUE(forward_relu(c, c.y, 0.5));
    EXPECT_EQ(fake_cuda::calls("cudnnBackendFinalize"), ends + 1);  // what lies where
    EXPECT_TRUE(forward_relu(c, c.y, 0.25));
    EXPECT_GT(fake_cuda::calls("cudnnBackendFinalize"), ends + 10);
  });
}

TEST(FakeDnn, WithoutAnEngineForAReluNothingIsDoneNorSaid) {
  in_own_process([] {
    Texts texts;
    WarningUtils::WarningHandlerGuard guard(&texts);
    dnn().engines[0].fuses = false;
    dnn().fallback = {{5}};
    Case c;
    EXPECT_FALSE(forward_relu(c));
    EXPECT_FALSE(forward_relu(c, c.y, 2));
    dnn() = {};
    c.steps = {};  // one channel in each group: own kernels are faster
    c.steps.groups = 4;
    c.x = numbers({2, 4, 5, 6}), c.w = numbers({4, 1, 3, 3}), c.b = {}, c.y = numbers({2, 4, 3, 4});
    EXPECT_FALSE(forward_relu(c));
    globalContext().setUserEnabledCuDNN(false);
    EXPECT_FALSE(forward_relu(Case()));
    EXPECT_TRUE(dnn().ran.empty());
    EXPECT_TRUE(texts.all.empty());
  });
}

// The ops themselves: no kernel is launched where one plan does all, also where a gradient is
// wanted; where none does, a convolution's plan and kernels. The gradient is a kernel for the
// relu's mask and, of w, a plan.
TEST(FakeDnn, OpsWithAReluAreOnePlan) {
#if FAKE_CUDA_KERNELS
  in_own_process([] {
    const Case c, other(kFloat, 3);
    const auto op = [](const Case& c, const Tensor& w) {
      return cudnn_convolution_add_relu(c.x, w, c.y, 2, c.b, {2, 1}, {1, 2}, {1, 2}, 2);
    };
    const auto launches = [] { return fake_cuda::calls("cudaLaunchKernel"); };
    const Tensor leaf = c.w.detach().requires_grad_();
    uint64_t before = launches();
    const Tensor y = op(c, c.w);
    EXPECT_EQ(launches(), before);
    EXPECT_EQ(values_of(y), relu_on_host(c, c.y, 2));
    EXPECT_EQ(dnn().operations, (std::vector<size_t>{4}));
    cudnn_convolution_relu(c.x, c.w, nullopt, {2, 1}, {1, 2}, {1, 2}, 2);
    EXPECT_EQ(dnn().operations, (std::vector<size_t>{4, 3}));  // of a bias of zeros
    before = launches();
    const Tensor with_gradient = op(c, leaf);
    EXPECT_EQ(launches(), before);
    EXPECT_EQ(dnn().operations, (std::vector<size_t>{4, 3, 4}));
    EXPECT_EQ(values_of(with_gradient), relu_on_host(c, c.y, 2));
    with_gradient.backward(ones_like(with_gradient));
    EXPECT_TRUE(leaf.grad().defined());
    EXPECT_EQ(dnn().operations, (std::vector<size_t>{4, 3, 4, 1}));
    before = launches();
    dnn().engines[0].fuses = false;
    op(other, other.w);
    EXPECT_EQ(launches(), before + 2);
  });
#else
  GTEST_SKIP() << "the kernels' host side is not here: it needs a build with nvcc";
#endif
}

// Without a GPU it says which engines take a graph.
TEST(RealDnn, HasEnginesForAConvolutionWithARelu) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's library cannot be loaded a second time";
#else
  const testing::RealCudnn real;
  if (!real.missing().empty()) GTEST_SKIP() << "the real cuDNN is not here: " << real.missing();
  in_own_process([] {
    const testing::RealCudnn again;
    const auto engines = [&](int capability) {
      return testing::RealGraph(again).engines(*fake_cuda::graphs::last_graph(),
                                               testing::device_of(capability));
    };
    for (ScalarType dtype : {kHalf, kBFloat16, kFloat})
      for (int64_t groups : {1, 2}) {
        const Case c = Case::of_image(dtype, groups);
        EXPECT_TRUE(forward_relu(c));
        EXPECT_GT(engines(900), 0) << toString(dtype) << groups << again.last_error();
        EXPECT_TRUE(forward_relu(c, c.y, 0.5));
        EXPECT_GT(engines(900), 0) << toString(dtype) << groups << again.last_error();
      }
    EXPECT_EQ(engines(300), 0);  // the test can fail
  });
#endif
}

// What the list says first runs, but for what wants more memory than is reasonable.
TEST(FakeDnn, AnEngineThatWantsTooMuchMemoryComesLast) {
  in_own_process([] {
    dnn().engines = {{3, kHuge}, {1, 100}, {2, 50}};
    const Case c;
    EXPECT_TRUE(forward(c));
    EXPECT_TRUE(input_gradient(c));
    EXPECT_TRUE(weight_gradient(c));
    EXPECT_EQ(dnn().ran, (Numbers{1, 1, 1}));
  });
}
TEST(FakeDnn, OfThoseTheOneThatWantsLeastIsTried) {
  in_own_process([] {
    dnn().engines = {{3, 2 * kHuge}, {1, kHuge}};
    const Case c;
    const std::string message = testing::message_of([&] { forward(c); });
    EXPECT_NE(message.find("3072 MiB"), std::string::npos) << message;
  });
}

TEST(FakeDnn, WhatTurnsOutNotToBeSupportedIsNotTriedAgain) {
  in_own_process([] {
    fake_cuda::Engine no_plan{5}, no_code{6}, fails{7};
    no_plan.finalize = CUDNN_STATUS_NOT_SUPPORTED;
    no_code.finalize = CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED;
    fails.run = CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH;
    dnn().engines = {no_plan, no_code, fails, {2}};
    const Case c;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(forward(c));
      EXPECT_TRUE(input_gradient(c));
      EXPECT_TRUE(weight_gradient(c));
    }
    EXPECT_EQ(dnn().ran, Numbers(9, 2));
  });
}

TEST(FakeDnn, FallbacksAreAskedForWhereAllOthersFail) {
  in_own_process([] {
    dnn().engines = {{1}};
    dnn().engines[0].finalize = CUDNN_STATUS_NOT_SUPPORTED;
    dnn().fallback = {{8}};
    const Case c;
    EXPECT_TRUE(forward(c));
    EXPECT_TRUE(weight_gradient(c));
    EXPECT_EQ(dnn().ran, (Numbers{8, 8}));
    EXPECT_EQ(dnn().operations, (std::vector<size_t>{1, 1}));  // not for a bias
  });
}

TEST(FakeDnn, APlanIsMadeOnce) {
  in_own_process([] {
    const Case c;
    EXPECT_TRUE(forward(c));
    const uint64_t ends = fake_cuda::calls("cudnnBackendFinalize"),
                   reads = fake_cuda::calls("cudnnBackendGetAttribute");
    const int64_t alive = fake_cuda::live_objects(fake_cuda::kDnnPart);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(forward(c));
    EXPECT_EQ(fake_cuda::calls("cudnnBackendFinalize"), ends + 5);  // what lies where
    EXPECT_EQ(fake_cuda::calls("cudnnBackendGetAttribute"), reads);
    EXPECT_EQ(fake_cuda::live_objects(fake_cuda::kDnnPart), alive);
  });
}

// An engine that reads 16 bytes at once is not to be given less.
TEST(FakeDnn, APlanIsOfOneAlignment) {
  in_own_process([] {
    Case c;
    const uint64_t before = fake_cuda::calls("cudnnBackendFinalize");
    EXPECT_TRUE(input_gradient(c));
    const uint64_t for_one = fake_cuda::calls("cudnnBackendFinalize") - before;
    c.y = numbers({2 * 6 * 3 * 8 + 1}).slice(0, 1).view({2, 6, 3, 8});
    c.w = numbers({6 * 2 * 3 * 2 + 2}).slice(0, 2).view({6, 2, 3, 2});
    EXPECT_TRUE(input_gradient(c));
    EXPECT_EQ(fake_cuda::calls("cudnnBackendFinalize") - before, 2 * for_one);
    EXPECT_EQ(cuda::graph_alignment(c.y.data_ptr()), 4);
    EXPECT_EQ(cuda::graph_alignment(c.w.data_ptr()), 8);
    EXPECT_EQ(cuda::graph_alignment(c.x.data_ptr()), 16);
  });
}

// Own kernels compute it then.
TEST(FakeDnn, WithoutAnyEngineThereIsOneWarning) {
  in_own_process([] {
    dnn().engines = {};
    Texts texts;
    WarningUtils::WarningHandlerGuard guard(&texts);
    const Case c;
    EXPECT_FALSE(forward(c));
    EXPECT_FALSE(forward(c));
    ASSERT_EQ(texts.all.size(), 1u);
    EXPECT_NE(texts.all[0].find("own kernels"), std::string::npos);
  });
}

TEST(FakeDnn, BadParametersAreTakenForNotSupportedWithOneWarning) {
  in_own_process([] {
    dnn().graph = CUDNN_STATUS_BAD_PARAM;
    Texts texts;
    WarningUtils::WarningHandlerGuard guard(&texts);
    const Case c;
    EXPECT_FALSE(forward(c));
    EXPECT_FALSE(input_gradient(c));
    ASSERT_EQ(texts.all.size(), 2u);
    EXPECT_NE(texts.all[0].find("CUDNN_STATUS_BAD_PARAM"), std::string::npos);
  });
}

TEST(FakeDnn, OtherErrorsThrow) {
  in_own_process([] {
    dnn().graph = CUDNN_STATUS_INTERNAL_ERROR;
    const Case c;
    EXPECT_NE(testing::message_of([&] { forward(c); }).find("cuDNN error"), std::string::npos);
    EXPECT_EQ(fake_cuda::live_objects(fake_cuda::kDnnPart), 0);
  });
}

// Whichever call fails: nothing is left behind, and the next try goes on.
TEST(FakeDnn, AfterAFailedCallNothingIsLeft) {
  in_own_process([] {
    const auto alive = [] { return fake_cuda::live_objects(fake_cuda::kDnnPart); };
    EXPECT_TRUE(forward(Case()));
    const int64_t of_one = alive();
    int failed = 0;
    for (const char* function :
         {"cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute", "cudnnBackendFinalize",
          "cudnnBackendGetAttribute", "cudnnBackendExecute"}) {
      const int64_t batch = 3 + failed;
      const int64_t before = alive();
      for (int n = 1;; ++n) {
        const Case c(kFloat, batch);
        fake_cuda::fail(function, n, cudaErrorUnknown);
        if (testing::message_of([&] { forward(c); }) == "no error") break;
        ++failed;
        ASSERT_LT(n, 200);
      }
      EXPECT_EQ(alive(), before + of_one) << function;
      fake_cuda::fail(function, 1, cudaSuccess);
    }
    EXPECT_GT(failed, 20);
  });
}

TEST(FakeDnn, WhereBitsMustBeTheSameOtherEnginesAreLeftOut) {
  in_own_process([] {
    dnn().engines = {{1}, {2}};
    dnn().engines[0].notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE,
                              CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
    globalContext().setDeterministicCuDNN(true);
    EXPECT_TRUE(forward(Case()));
    globalContext().setDeterministicCuDNN(false);
    EXPECT_TRUE(forward(Case()));
    EXPECT_EQ(dnn().ran, (Numbers{2, 1}));
  });
}

TEST(FakeDnn, WithoutTf32EnginesThatRoundFactorsAreLeftOut) {
  in_own_process([] {
    dnn().engines = {{1}, {2}, {3}};
    dnn().engines[0].notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
    dnn().engines[1].notes = {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS};
    EXPECT_TRUE(forward(Case(kFloat)));
    globalContext().setAllowTF32CuDNN(false);
    EXPECT_TRUE(forward(Case(kFloat)));
    EXPECT_TRUE(forward(Case(kHalf)));
    EXPECT_EQ(dnn().ran, (Numbers{1, 3, 1}));
  });
}

TEST(FakeDnn, BenchmarkTakesTheFastest) {
  in_own_process([] {
    dnn().engines = {{1}, {2, kHuge}, {3}, {4}};
    dnn().engines[3].run = CUDNN_STATUS_NOT_SUPPORTED;
    dnn().fallback = {{5}};
    globalContext().setBenchmarkCuDNN(true);
    fake_cuda::machine().times = {7, 2, 5};  // of 5, 3 and 1
    const Case c;
    EXPECT_TRUE(weight_gradient(c));
    EXPECT_TRUE(weight_gradient(c));
    EXPECT_EQ(dnn().ran, (Numbers{1, 1, 3, 3, 5, 5, 3, 3}));
    EXPECT_EQ(fake_cuda::live().events, 0);
  });
}

TEST(FakeDnn, PlansAreMadeWithinACaptureAndReplayed) {
  in_own_process([] {
    globalContext().setBenchmarkCuDNN(true);  // nothing is measured there
    const Case c;
    const Tensor y = c.y.cpu(), x = c.x.cpu(), w = c.w.cpu(), b = c.b.cpu();
    cpu::conv_forward(Out(y), In(x), In(w), In(b), c.steps);
    Graph graph(Device(kCUDA, 0));
    {
      GraphGuard guard(graph);
      EXPECT_TRUE(forward(c));
    }
    graph.replay();
    EXPECT_EQ(values_of(c.y), values_of(y));
    EXPECT_EQ(dnn().ran.size(), 1u);
  });
}

// A handle is of one thread, and a plan of one handle.
TEST(FakeDnn, ThreadsHavePlansOfTheirOwn) {
  in_own_process([] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        for (int k = 0; k < 5; ++k) expect_as_on_host(Case(k % 2 ? kFloat : kHalf));
      });
    for (std::thread& t : threads) t.join();
    expect_as_on_host(Case());
  });
}

// ---------------------------------------------------------------------- what the fake refuses
cuda::GraphPart tensor(int64_t id, const std::vector<int>& sizes, bool is_virtual = false) {
  const auto place = is_virtual ? cuda::GraphPlace::kVirtual : cuda::GraphPlace::kDevice;
  return cuda::graph_tensor(id, CUDNN_DATA_FLOAT, sizes, 16, place);
}
void expect_refused(const std::string& rule, const std::function<void()>& body) {
  SCOPED_TRACE(rule);
  expect_violation(rule, body);
}
cuda::GraphPart sum_of(const cuda::GraphPart& x, const cuda::GraphPart& b,
                       const cuda::GraphPart& y) {
  cuda::GraphPart p = cuda::graph_operation({CUDNN_POINTWISE_ADD}, {&x, &b}, y);
  p.finish();
  return p;
}

TEST(FakeDnn, RefusesDescriptorsAgainstTheRules) {
  using Part = cuda::GraphPart;
  const auto kTensor = CUDNN_BACKEND_TENSOR_DESCRIPTOR;
  expect_refused("is missing", [&] { Part(kTensor).finish(); });
  expect_refused("of another type", [&] { Part(kTensor).set(CUDNN_ATTR_TENSOR_UNIQUE_ID, 1.0f); });
  expect_refused("wrong number of values", [&] {
    Part(kTensor).set(CUDNN_ATTR_TENSOR_UNIQUE_ID, std::vector<int64_t>{1, 2});
  });
  expect_refused("does not have",
                 [&] { Part(kTensor).set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_HEUR_MODE_A); });
  expect_refused("not finished", [&] {
    Part(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, Part(kTensor));
  });
  expect_refused("a second end", [&] { tensor(1, {2, 3, 4, 5}).finish(); });
  expect_refused("that is finished", [&] {
    tensor(1, {2, 3, 4, 5}).set(CUDNN_ATTR_TENSOR_UNIQUE_ID, int64_t{2});
  });
  expect_refused("not positive", [&] { tensor(1, {2, 0, 4, 5}); });
  expect_refused("an alignment", [&] {
    cuda::graph_tensor(1, CUDNN_DATA_DOUBLE, std::vector<int>{1, 1, 1, 1}, 4);
  });
  expect_refused("do not fit each other", [&] {
    sum_of(tensor(1, {2, 3, 4, 5}), tensor(2, {1, 4, 1, 1}), tensor(3, {2, 3, 4, 5}));
  });
  EXPECT_EQ(fake_cuda::live_objects(fake_cuda::kDnnPart), 0);
}

TEST(FakeDnn, RefusesGraphsAgainstTheRules) {
  const std::vector<int> sizes{2, 3, 4, 5};
  const auto b = tensor(2, {1, 3, 1, 1}), y = tensor(3, sizes);
  const auto graph_of = [&](const cuda::GraphPart& x) {
    std::vector<cuda::GraphPart> operations;
    operations.push_back(sum_of(x, b, y));
    as_launch([&] {
      cuda::EnginePlans(cuda::cudnn_handle(), operations, {});
      return true;
    });
  };
  expect_refused("without a source", [&] { graph_of(tensor(1, sizes, true)); });
  expect_refused("one number for two", [&] { graph_of(tensor(2, sizes)); });
}

TEST(FakeDnn, RefusesMemoryAgainstTheRules) {
  const Tensor x = numbers({2, 3, 4, 5}), b = numbers({3}), y = numbers({2, 3, 4, 5});
  const auto run = [&](const cuda::GraphMemory& memory) {
    std::vector<cuda::GraphPart> operations;
    operations.push_back(
        sum_of(tensor(1, {2, 3, 4, 5}), tensor(2, {1, 3, 1, 1}), tensor(3, {2, 3, 4, 5})));
    as_launch([&] { return cuda::EnginePlans(cuda::cudnn_handle(), operations, {}).run(memory); });
  };
  cuda::GraphMemory memory;
  memory.add(1, x.data_ptr());
  memory.add(2, b.data_ptr());
  expect_refused("without memory", [&] { run(memory); });
  memory.add(3, static_cast<char*>(y.data_ptr()) + 4);
  expect_refused("not aligned", [&] { run(memory); });
  memory.data[2] = y.data_ptr();
  memory.add(4, y.data_ptr());
  expect_refused("not in the graph", [&] { run(memory); });
  memory.ids[3] = 3;
  expect_refused("there twice", [&] { run(memory); });
}

}  // namespace
}  // namespace torch::taper
