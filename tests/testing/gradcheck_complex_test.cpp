// gradcheck of functions of complex numbers: right ones, and planted faults.
#include <gtest/gtest-spi.h>

#include <taper/framework/random/random.h>
#include <taper/framework/runtime/devices.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/fft/fft_transform.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/testing/gtest.h>

#include "complex_util.h"
#include "testing/faulty.h"

namespace torch::taper::testing {
namespace {

using autograd::gradcheck;
using autograd::gradgradcheck;

const std::vector<GradcheckOptions>& both_modes() {
  static const std::vector<GradcheckOptions> modes = {GradcheckOptions(),
                                                      GradcheckOptions().fast_mode(true)};
  return modes;
}
Tensor leaf(const std::vector<int64_t>& sizes) { return complex_numbers(sizes).requires_grad_(); }
Tensor real_leaf(const std::vector<int64_t>& sizes) {
  return numbers(sizes, kDouble).requires_grad_();
}

TEST(GradcheckComplex, AcceptsRightGradients) {
  const auto mixed = [](const Tensor& z, const Tensor& x) { return z * x.exp() / (z.conj() + 3); };
  const auto parts = [](const Tensor& z) { return std::make_tuple(z.abs(), imag(z * z), z.exp()); };
  const auto rows = [](const Tensor& x) { return fft::rfft(x); };
  for (const GradcheckOptions& o : both_modes()) {
    EXPECT_TRUE(gradcheck(mixed, {leaf({2, 3}), real_leaf({3})}, o));
    EXPECT_TRUE(gradgradcheck(mixed, {leaf({2, 3}), real_leaf({3})}, o));
    EXPECT_TRUE(gradcheck(parts, {leaf({4})}, o));
    EXPECT_TRUE(gradgradcheck(parts, {leaf({4})}, o));
    EXPECT_TRUE(gradcheck(rows, {real_leaf({2, 5})}, o));
    EXPECT_TRUE(gradgradcheck(rows, {real_leaf({2, 5})}, {}, o, true));
  }
}

TEST(GradcheckComplex, TakesAllShapesLayoutsAndDtypes) {
  const auto f = [](const Tensor& z) { return z.exp() * z; };
  for (GradcheckOptions o : both_modes()) {
    EXPECT_TRUE(gradcheck(f, {leaf({})}, o));
    EXPECT_TRUE(gradcheck(f, {leaf({0, 3})}, o));
    const Tensor turned = complex_numbers({3, 2}).t().requires_grad_();
    const Tensor before = turned.detach().clone();
    EXPECT_TRUE(gradcheck(f, {turned}, o));
    EXPECT_TENSOR_EQUAL(turned.detach(), before);
    const Tensor narrow = complex_numbers({2}, kComplexFloat).requires_grad_();
    EXPECT_TRUE(gradcheck(f, {narrow}, o.eps(1e-2).atol(1e-2).rtol(1e-2)));
  }
}

TEST(GradcheckComplex, RefusesSharedMemory) {
  const Tensor z = complex_numbers({1}).expand({3}).requires_grad_();
  expect_error<Error>("The 0th input has a dimension with stride 0",
                      [&] { gradcheck([](const Tensor& v) { return v * 2; }, {z}); });
  const Tensor all = complex_numbers({4});
  const Tensor a = all.slice(0, 0, 3).detach().requires_grad_();
  const Tensor b = view_as_real(all.detach()).select(1, 1).detach();
  expect_error<Error>("shares memory with another input", [&] {
    gradcheck([](const Tensor& v, const Tensor& w) { return v * w[0]; }, {a, b});
  });
}

// ---------------------------------------------------------------------- what is wrong is found
/// z^2 + 1, with faults of people who are new to complex gradients.
enum class Fault { kNone, kNoConjugate, kConjugate, kRealPart, kPlusOne, kReal };

struct Square : autograd::Function<Square> {
  static Tensor forward(AutogradContext* ctx, Tensor z, int64_t fault) {
    ctx->saved_data["fault"] = fault;
    ctx->save_for_backward({z});
    return z * z + 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {of(static_cast<Fault>(ctx->saved_data["fault"].toInt()), g[0],
               ctx->get_saved_variables()[0]),
            Tensor()};
  }
  static Tensor of(Fault fault, const Tensor& g, const Tensor& z) {
    const Tensor right = g * (z * 2).conj();
    switch (fault) {
      case Fault::kNoConjugate:
        return g * z * 2;
      case Fault::kConjugate:
        return right.conj();
      case Fault::kRealPart:
        return complex(real(right), zeros_like(real(right)));
      case Fault::kPlusOne:
        return right + zeros_like(right).fill_(numbers::complex<double>(0, 0.1));
      case Fault::kReal:
        return real(right);
      default:
        return right;
    }
  }
};

GradcheckReport report_of(Fault fault, const GradcheckOptions& o) {
  const auto f = [fault](const Tensor& z) { return Square::apply(z, static_cast<int64_t>(fault)); };
  return gradcheck_report(f, {leaf({3})}, o);
}
bool says(const GradcheckReport& report, const std::string& words) {
  return report.text().find(words) != std::string::npos;
}

TEST(GradcheckComplex, FindsPlantedFaults) {
  for (const GradcheckOptions& o : both_modes()) {
    EXPECT_TRUE(report_of(Fault::kNone, o).passed()) << report_of(Fault::kNone, o).text();
    EXPECT_TRUE(says(report_of(Fault::kNoConjugate, o), "a conjugate is missing"));
    EXPECT_TRUE(found(report_of(Fault::kConjugate, o), Kind::kJacobian));
    EXPECT_TRUE(found(report_of(Fault::kRealPart, o), Kind::kJacobian));
    EXPECT_FALSE(report_of(Fault::kPlusOne, o).passed());
    EXPECT_FALSE(report_of(Fault::kReal, o).passed());
  }
}

/// |z|^2, whose gradient is 2 z, not its conjugate.
struct SquaredSize : autograd::Function<SquaredSize> {
  static Tensor forward(AutogradContext* ctx, Tensor z) {
    ctx->save_for_backward({z});
    return real(z * z.conj()).clone();
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0] * (ctx->get_saved_variables()[0] * 2).conj()};
  }
};

TEST(GradcheckComplex, NamesAConjugatedGradientAndTheParts) {
  const auto f = [](const Tensor& z) { return SquaredSize::apply(z); };
  for (const GradcheckOptions& o : both_modes()) {
    const GradcheckReport r = gradcheck_report(f, {leaf({2})}, o);
    EXPECT_TRUE(says(r, "the analytic gradient is the conjugate of what it should be")) << r.text();
    EXPECT_TRUE(says(r, ".imag: analytic ")) << r.text();
    EXPECT_TRUE(says(r, "columns: parts of elements of input 0 [2]")) << r.text();
  }
}

TEST(GradcheckComplex, FindsLostHistory) {
  const auto f = [](const Tensor& z) { return std::make_tuple(z * 2, z.detach() * 3); };
  for (const GradcheckOptions& o : both_modes())
    EXPECT_TRUE(found(gradcheck_report(f, {leaf({2})}, o), Kind::kHistoryLost));
}

// compare_devices and module_gradcheck.

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
