// compare_devices and module_gradcheck.
#include <gtest/gtest-spi.h>

#include <taper/framework/random/random.h>
#include <taper/framework/runtime/devices.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/testing/gtest.h>

#include "testing/faulty.h"

namespace torch::taper::testing {
namespace {

// ---------------------------------------------------------------------- devices
std::vector<Device> two() { return {Device(kCPU), Device(kCUDA, 0)}; }

class CompareDevices : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device, simulated or real";
  }
};

TEST_F(CompareDevices, AcceptsWhatAgrees) {
  const Tensor x = numbers({3, 4}).requires_grad_(), w = numbers({4}).requires_grad_();
  EXPECT_SAME_ON_DEVICES([](const Tensor& a, const Tensor& b) { return (a * b).softmax(1); },
                         {x, w}, two());
  EXPECT_SAME_ON_DEVICES([](const Tensor& a) { return a.max(1); }, {x}, two());
  EXPECT_FALSE(x.grad().defined());
}

TEST_F(CompareDevices, FindsValuesGradientsAndDevicesThatDiffer) {
  const Tensor x = numbers({3, 4}).requires_grad_();
  const auto text = [&](const TensorFunction& f) { return compare_devices(f, {x}, two()).text(); };
  std::string t = text([](const Tensor& a) { return a.is_cuda() ? a * 1.01 : a * 1; });
  EXPECT_NE(t.find("output 0 on cuda:0 (want: cpu): 12 of 12 elements differ"), std::string::npos)
      << t;
  EXPECT_NE(t.find("gradient of input 0 on cuda:0"), std::string::npos) << t;
  struct Other : autograd::Function<Other> {
    static Tensor forward(AutogradContext* ctx, Tensor a) {
      ctx->saved_data["cuda"] = a.is_cuda();
      return a * 1;
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
      return {ctx->saved_data["cuda"].toBool() ? g[0] * 2 : g[0]};
    }
  };
  t = text([](const Tensor& a) { return Other::apply(a); });
  EXPECT_EQ(t.find("output 0"), std::string::npos) << t;
  EXPECT_NE(t.find("gradient of input 0 on cuda:0"), std::string::npos) << t;
  t = text([](const Tensor& a) { return a.cpu(); });
  EXPECT_NE(t.find("output 0 is on cpu for inputs on cuda:0"), std::string::npos) << t;
  t = text([](const Tensor& a) { return a.is_cuda() ? variable_list{a, a} : variable_list{a}; });
  EXPECT_NE(t.find("expected 2 results"), std::string::npos) << t;
}

TEST_F(CompareDevices, FailsAsGoogleTestDoes) {
  static const std::vector<Tensor> in = {numbers({3})};
  static const auto stays = [](const Tensor& a) { return a.cpu(); };
  EXPECT_NONFATAL_FAILURE(EXPECT_SAME_ON_DEVICES(stays, in, two()), "is on cpu for inputs on cuda");
  EXPECT_FATAL_FAILURE(ASSERT_SAME_ON_DEVICES(stays, in, two()), "is on cpu for inputs on cuda");
}

TEST_F(CompareDevices, ComparesModulesByParameter) {
  const nn::Sequential net(nn::Linear(4, 3), nn::Tanh(), nn::Linear(3, 2));
  const auto call = [](nn::Module& m, const std::vector<Tensor>& in) {
    return std::vector<Tensor>{m.as<nn::SequentialImpl>()->forward(in[0])};
  };
  const Tensor x = numbers({5, 4});
  EXPECT_SAME_ON_DEVICES(*net, call, {x}, two());
  const auto wrong = [](nn::Module& m, const std::vector<Tensor>& in) {
    const Tensor y = m.as<nn::SequentialImpl>()->forward(in[0]);
    const Tensor w = m.named_parameters()["2.bias"];
    return std::vector<Tensor>{in[0].is_cuda() ? y + (w - w.detach()) : y};
  };
  const std::string t = compare_devices(*net, wrong, {x}, two()).text();
  EXPECT_NE(t.find("gradient of parameter '2.bias' on cuda:0"), std::string::npos) << t;
  EXPECT_EQ(t.find("'0.weight'"), std::string::npos) << t;
}

TEST(CompareDevicesBadUse, DevicesMustBeThere) {
  const auto f = [](const Tensor& a) { return a; };
  expect_error<ValueError>("at least two devices",
                           [&] { compare_devices(f, {numbers({2})}, {Device(kCPU)}); });
  expect_error<ValueError>("TAPER_SIMULATED_CUDA_DEVICES", [&] {
    compare_devices(f, {numbers({2})}, {Device(kCPU), Device(kCUDA, 77)});
  });
}

// ---------------------------------------------------------------------- modules
/// A linear layer whose backward forgets a part of the weight.
struct HalfLinearImpl : nn::Module {
  HalfLinearImpl() {
    fc = register_module("fc", nn::Linear(3, 2));
    extra = register_parameter("extra", ones({2}));
  }
  Tensor forward(const Tensor& x) {
    const Tensor w = fc->weight.mul(weight_factor) + fc->weight.detach().mul(1 - weight_factor);
    return nn::functional::linear(x, w, fc->bias);
  }
  nn::Linear fc{nullptr};
  Tensor extra;
  double weight_factor = 1;
};

TEST(ModuleGradcheck, AcceptsRightModules) {
  nn::Sequential net(nn::Linear(4, 3), nn::BatchNorm1d(3), nn::Tanh(), nn::Linear(3, 2));
  const Tensor x = numbers({5, 4}).requires_grad_();
  const auto forward = [&](const Tensor& a) { return net->forward(a); };
  EXPECT_MODULE_GRADCHECK(*net, forward, {x});
  EXPECT_MODULE_GRADCHECK(*net, forward, {x}, GradcheckOptions().fast_mode(true));
  EXPECT_MODULE_GRADCHECK(*nn::Linear(3, 2), {numbers({2, 3})});
  EXPECT_MODULE_GRADCHECK(*nn::Bilinear(3, 2, 2), {numbers({2, 3}), numbers({2, 2})});
}

TEST(ModuleGradcheck, NamesTheParameter) {
  HalfLinearImpl net;
  net.weight_factor = 0.5;
  const GradcheckReport r = module_gradcheck(net, {numbers({2, 3})});
  EXPECT_NE(r.text().find("with respect to parameter 'fc.weight'"), std::string::npos) << r.text();
  EXPECT_NE(r.text().find("is 0.5 times the numeric one"), std::string::npos) << r.text();
  EXPECT_EQ(r.text().find("'fc.bias'"), std::string::npos) << r.text();
}

TEST(ModuleGradcheck, FailsAsGoogleTestDoes) {
  static HalfLinearImpl net;
  net.weight_factor = 0.5;
  static const std::vector<Tensor> in = {numbers({2, 3})};
  EXPECT_NONFATAL_FAILURE(EXPECT_MODULE_GRADCHECK(net, in), "parameter 'fc.weight'");
  EXPECT_FATAL_FAILURE(ASSERT_MODULE_GRADCHECK(net, in), "parameter 'fc.weight'");
}

TEST(ModuleGradcheck, NamesParametersThatAreNotUsed) {
  HalfLinearImpl net;
  const GradcheckReport r = module_gradcheck(net, {numbers({2, 3})});
  EXPECT_TRUE(r.passed()) << r.text();
  ASSERT_EQ(r.notes.size(), 1u) << r.text();
  EXPECT_EQ(r.notes[0], "parameter 'extra' has no gradient: no output depends on it");
}

TEST(ModuleGradcheck, LeavesTheModuleAsItWas) {
  nn::Sequential net(nn::Linear(4, 3), nn::BatchNorm1d(3));
  net->forward(numbers({5, 4})).sum().backward();
  std::vector<Tensor> tensors = net->parameters();
  for (const Tensor& b : net->buffers()) tensors.push_back(b);
  std::vector<std::vector<double>> before, grads;
  for (const Tensor& t : tensors) {
    before.push_back(values_of(t));
    grads.push_back(t.grad().defined() ? values_of(t.grad()) : std::vector<double>());
  }
  module_gradcheck(*net, [&](const Tensor& x) { return net->forward(x); }, {numbers({5, 4})});
  for (size_t k = 0; k < tensors.size(); ++k) {
    EXPECT_EQ(values_of(tensors[k]), before[k]);
    EXPECT_NE(tensors[k].scalar_type(), kDouble);
    EXPECT_EQ(tensors[k].grad().defined() ? values_of(tensors[k].grad()) : std::vector<double>(),
              grads[k]);
  }
}

TEST(ModuleGradcheck, FrozenParametersAndDropout) {
  nn::Sequential net(nn::Linear(4, 3), nn::Dropout(0.5));
  net->parameters()[0].requires_grad_(false);
  const auto forward = [&](const Tensor& x) { return net->forward(x); };
  EXPECT_NE(module_gradcheck(*net, forward, {numbers({5, 4})}).text().find("not deterministic"),
            std::string::npos);
  EXPECT_MODULE_GRADCHECK(*net, forward, {numbers({5, 4})},
                          GradcheckOptions().same_random_numbers(true));
  net->eval();
  EXPECT_MODULE_GRADCHECK(*net, forward, {numbers({5, 4})});
  net->parameters()[1].requires_grad_(false);
  expect_error<ValueError>("at least one input tensor to require gradient", [&] {
    module_gradcheck(*net, forward, {numbers({5, 4})});
  });
}

}  // namespace
}  // namespace torch::taper::testing
