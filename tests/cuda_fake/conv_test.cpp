// Convolutions by cuDNN: which algorithm runs, what is asked and how often, and what comes of it.
#include <gtest/gtest.h>

#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/warning.h>
#include <taper/ops/spatial/conv_cudnn.h>

#include "cuda_fake/dnn.h"
#include "cuda_fake/util.h"

namespace taper {
namespace {

using fake_cuda::dnn;
using testing::in_own_process;

constexpr size_t kHuge = size_t{3} << 30;

/// A convolution of (2, 4, 5, 6) in two groups, with a stride, a padding and a dilation.
struct Case {
  ConvSteps steps;
  Tensor x, w, b, y;
  Case() {
    steps.groups = 2;
    steps.stride[1] = 2;
    steps.padding[1] = 1, steps.padding[2] = 2;
    steps.dilation[2] = 2;
    x = numbers({2, 4, 5, 6}), w = numbers({6, 2, 3, 2}), b = numbers({6});
    y = numbers({2, 6, 3, 8});
  }
  static Tensor numbers(std::vector<int64_t> sizes) {
    const Tensor host = empty(sizes, kFloat);
    auto* const p = static_cast<float*>(host.data_ptr());
    for (int64_t i = 0; i < host.numel(); ++i) p[i] = static_cast<float>(i * 7 % 11 - 5);
    return host.to(Device(kCUDA, 0));
  }
};

/// Calls f as a kernel's host side is called.
template <class F>
void as_launch(const F& f) {
  detail::launch_on(0, "test", f);
}
bool forward(const Case& c) {
  bool done = false;
  as_launch([&] { done = cuda::cudnn_forward(Out(c.y), In(c.x), In(c.w), In(c.b), c.steps); });
  return done;
}
bool input_gradient(const Case& c) {
  bool done = false;
  as_launch([&] { done = cuda::cudnn_input_gradient(Out(c.x), In(c.y), In(c.w), c.steps); });
  return done;
}
bool weight_gradient(const Case& c) {
  bool done = false;
  as_launch([&] { done = cuda::cudnn_weight_gradient(Out(c.w), In(c.x), In(c.y), c.steps); });
  return done;
}
std::vector<float> values_of(const Tensor& t) {
  const Tensor host = t.cpu();
  const auto* const p = static_cast<const float*>(host.data_ptr());
  return {p, p + host.numel()};
}

/// Collects warnings of this thread.
struct Texts : WarningHandler {
  void process(const Warning& w) override { all.push_back(w.msg()); }
  std::vector<std::string> all;
};

TEST(FakeDnn, ConvolutionsAreThoseOfTheHost) {
  in_own_process([] {
    dnn().algorithms = {{0, 4096}};
    const Case c;
    const Tensor x = c.x.cpu(), w = c.w.cpu(), b = c.b.cpu();
    const Tensor y = empty({2, 6, 3, 8}, kFloat);
    cpu::conv_forward(Out(y), In(x), In(w), In(b), c.steps);
    EXPECT_TRUE(forward(c));
    EXPECT_EQ(values_of(c.y), values_of(y));

    const Tensor gx = empty({2, 4, 5, 6}, kFloat), gw = empty({6, 2, 3, 2}, kFloat);
    cpu::conv_weight_gradient(Out(gw), In(x), In(y), c.steps);
    EXPECT_TRUE(weight_gradient(c));
    EXPECT_EQ(values_of(c.w), values_of(gw));
    cpu::conv_input_gradient(Out(gx), In(y), In(gw), c.steps);
    EXPECT_TRUE(input_gradient(c));
    EXPECT_EQ(values_of(c.x), values_of(gx));
  });
}

// What the list says first runs, but for what wants more memory than is reasonable.
TEST(FakeDnn, AnAlgorithmThatWantsTooMuchMemoryComesLast) {
  in_own_process([] {
    dnn().algorithms = {{3, kHuge, kHuge}, {1, 100, 100}, {2, 50, 50}};
    const Case c;
    EXPECT_TRUE(forward(c));
    EXPECT_TRUE(input_gradient(c));
    EXPECT_TRUE(weight_gradient(c));
    EXPECT_EQ(dnn().ran, (std::vector<int>{1, 1, 1}));
  });
}

TEST(FakeDnn, WhatTurnsOutNotToBeSupportedIsNotTriedAgain) {
  in_own_process([] {
    using A = fake_cuda::ConvAlgorithm;
    A unlisted{5}, without_room{6}, fails{7};
    unlisted.listed = CUDNN_STATUS_NOT_SUPPORTED;
    without_room.asked = CUDNN_STATUS_NOT_SUPPORTED;
    fails.run = CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH;
    dnn().algorithms = {unlisted, without_room, fails, A{2}};
    const Case c;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(forward(c));
      EXPECT_TRUE(input_gradient(c));
      EXPECT_TRUE(weight_gradient(c));
    }
    EXPECT_EQ(dnn().ran, std::vector<int>(9, 2));
    EXPECT_EQ(fake_cuda::calls("cudnnGetConvolutionForwardWorkspaceSize"), 3u);
  });
}

TEST(FakeDnn, RoomAndArithmeticAreAskedForOnceInAPlan) {
  in_own_process([] {
    dnn().algorithms = {{1, 100, 100}};
    const Case c;
    EXPECT_TRUE(forward(c));
    const uint64_t math = fake_cuda::calls("cudnnSetConvolutionMathType");
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(forward(c));
    EXPECT_EQ(fake_cuda::calls("cudnnGetConvolutionForwardAlgorithm"), 1u);
    EXPECT_EQ(fake_cuda::calls("cudnnGetConvolutionForwardWorkspaceSize"), 1u);
    EXPECT_EQ(fake_cuda::calls("cudnnSetConvolutionMathType"), math);
  });
}

// Own kernels compute it then.
TEST(FakeDnn, WithoutAnyAlgorithmThereIsOneWarning) {
  in_own_process([] {
    dnn().algorithms = {};
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
    dnn().list = CUDNN_STATUS_BAD_PARAM;
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
    dnn().list = CUDNN_STATUS_INTERNAL_ERROR;
    const Case c;
    EXPECT_NE(testing::message_of([&] { forward(c); }).find("cuDNN error"), std::string::npos);
  });
}

TEST(FakeDnn, WhereBitsMustBeTheSameOtherAlgorithmsAreLeftOut) {
  in_own_process([] {
    fake_cuda::ConvAlgorithm first{1};
    first.deterministic = false;
    dnn().algorithms = {first, {2}};
    globalContext().setDeterministicCuDNN(true);
    const Case c;
    EXPECT_TRUE(forward(c));
    EXPECT_EQ(dnn().ran, std::vector<int>{2});
  });
}

}  // namespace
}  // namespace taper
