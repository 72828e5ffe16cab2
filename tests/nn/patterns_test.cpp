// Modules of a Sequential that one op computes give what the modules give by themselves.
#include <taper/framework/autograd/autocast.h>
#include <taper/framework/capture/graph.h>
#include <taper/nn/compile.h>
#include <taper/nn/modules/container/patterns.h>
#include <taper/taper.h>

#include "expect_error.h"
#include "forced_way.h"
#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Forced = ForcedWay<nn::detail::force_pattern>;

/// The result of net(x), and the gradients of x and the parameters.
std::vector<Tensor> all_of(nn::Sequential& net, const Tensor& input) {
  const Tensor x = input.detach().requires_grad_();
  const Tensor y = net->forward(x);
  std::vector<Tensor> inputs{x};
  for (const Tensor& p : net->parameters()) inputs.push_back(p);
  std::vector<Tensor> r = autograd::grad({y}, inputs, {y.detach() + 1});
  r.insert(r.begin(), y.detach());
  return r;
}
void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(got[i].equal(want[i])) << "part " << i;
}
/// Expects that `call` gives equal bits with and without patterns.
template <class F>
void expect_alike(const F& call) {
  std::vector<Tensor> apart;
  {
    const Forced off("off");
    apart = call();
  }
  expect_same(call(), apart);
}

std::string last_node(nn::Sequential& net, const Tensor& x) {
  return net->forward(x).grad_fn()->name();
}
constexpr const char* kLinearRelu = "AddmmActivationBackward0";

TEST(Patterns, LinearAndReluAreOneNode) {
  nn::Sequential net(nn::Linear(5, 4), nn::ReLU());
  EXPECT_EQ(last_node(net, randn({3, 5})), kLinearRelu);
  const Forced off("off");
  EXPECT_EQ(last_node(net, randn({3, 5})), "ReluBackward0");
}

TEST(Patterns, GiveTheBitsOfTheModules) {
  for (const Device& device : {Device(kCPU), testing::last_device()})
    for (const ScalarType t : {kFloat, kDouble, kBFloat16, kHalf})
      for (const bool bias : {true, false})
        for (const int64_t n : {1, 16, 33, 300}) {
          SCOPED_TRACE(detail::concat(toString(t), " ", n, " ", device));
          nn::Sequential net(nn::Linear(nn::LinearOptions(n, n + 1).bias(bias)), nn::ReLU(),
                             nn::Linear(n + 1, 7), nn::ReLU(nn::ReLUOptions(true)),
                             nn::Linear(7, 2));
          net->to(device, t);
          const Tensor x = randn({n + 3, n}).to(device, t);
          expect_alike([&] { return all_of(net, x); });
        }
}

TEST(Patterns, LeaveHooksDerivedClassesAndOtherShapesToTheModules) {
  struct MyReLUImpl : nn::ReLUImpl {};
  nn::Sequential derived(nn::Linear(5, 4), std::make_shared<MyReLUImpl>());
  EXPECT_NE(last_node(derived, randn({3, 5})), kLinearRelu);
  nn::Sequential hooked(nn::Linear(5, 4), nn::ReLU());
  int calls = 0;
  hooked->ptr(0)->register_forward_hook([&](auto&...) { ++calls; });
  EXPECT_NE(last_node(hooked, randn({3, 5})), kLinearRelu);
  EXPECT_EQ(calls, 1);
  nn::Sequential net(nn::Linear(5, 4), nn::ReLU());
  EXPECT_EQ(net->forward(randn({2, 3, 5})).sizes(), (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(net->forward(randn({5})).sizes(), (std::vector<int64_t>{4}));
}

TEST(Patterns, LeaveErrorsToTheModules) {
  nn::Sequential net(nn::Linear(5, 4), nn::ReLU());
  for (const Tensor& x : {randn({3, 6}), randn({3, 5}, kDouble)})
    expect_error("in layer 0 of a Sequential", [&] { net->forward(x); });
}

TEST(Patterns, AreCapturedAndCompiled) {
  nn::Sequential net(nn::Linear(20, 30), nn::ReLU(), nn::Linear(30, 3), nn::ReLU());
  const Tensor x = randn({8, 20});
  const NoGradGuard values_only;
  Graph graph{Device()};
  Tensor y;
  {
    const GraphGuard guard(graph);
    y = net->forward(x);
  }
  const auto compiled = compile(net);
  for (int i = 0; i < 4; ++i) {
    x.normal_();
    net->parameters()[0].normal_();
    graph.replay();
    expect_alike([&] { return std::vector<Tensor>{net->forward(x)}; });
    EXPECT_TRUE(y.equal(net->forward(x)));
    EXPECT_TRUE(compiled(x).equal(y));
  }
}

TEST(Patterns, AreCastByAutocast) {
  nn::Sequential net(nn::Linear(20, 30), nn::ReLU());
  const Tensor x = randn({8, 20});
  expect_alike([&] {
    const autocast scope(kCPU, kBFloat16);
    const Tensor y = net->forward(x);
    EXPECT_EQ(y.scalar_type(), kBFloat16);
    return std::vector<Tensor>{y};
  });
}

TEST(Patterns, AnUnknownNameIsAnError) {
  nn::Sequential net(nn::Linear(5, 4), nn::ReLU());
  expect_error(
      "TAPER_PATTERNS: expected one of conv_relu_pool, linear_relu, off, but got linear_rely",
      [] { const Forced forced("linear_rely"); });
  nn::detail::force_pattern(nullptr);
}

}  // namespace
}  // namespace torch::taper::testing
