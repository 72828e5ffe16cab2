#include <gtest/gtest.h>
#include <taper/taper.h>

namespace torch::taper {
namespace {

using autograd::variable_list;

variable_list block(const variable_list& in) {
  return {dropout((in[0] * in[1]).tanh(), 0.5, true).exp()};
}

TEST(Checkpoint, GivesTheGradientsOfAPlainRun) {
  const Tensor x0 = randn({4, 5}), w0 = randn({5});
  const auto run = [&](bool save_memory) {
    manual_seed(3);
    Tensor x = x0.clone().set_requires_grad(true), w = w0.clone().set_requires_grad(true);
    Tensor y = save_memory ? autograd::checkpoint(block, {x, w})[0] : block({x, w})[0];
    const Tensor after = rand({1});  // the draws that follow are the same too
    y.sum().backward();
    return variable_list{y.detach(), x.grad(), w.grad(), after};
  };
  const variable_list plain = run(false), kept = run(true);
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(equal(plain[i], kept[i])) << i;
}

TEST(Checkpoint, RunsTheFunctionAgainInBackward) {
  int calls = 0;
  Tensor w = ones({2}).set_requires_grad(true), x = ones({2}).set_requires_grad(true);
  Tensor y = autograd::checkpoint(
      [&](const variable_list& in) {
        ++calls;
        return variable_list{in[0] * w};
      },
      {x})[0];
  EXPECT_EQ(calls, 1);
  y.sum().backward();
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(equal(w.grad(), ones({2})));  // a leaf that only the function knows
}

TEST(Checkpoint, Nests) {
  Tensor x = full({1}, 0.5).set_requires_grad(true);
  const auto inner = [](const variable_list& in) { return variable_list{in[0].sin() * in[0]}; };
  const auto outer = [&](const variable_list& in) {
    return variable_list{autograd::checkpoint(inner, in)[0].exp()};
  };
  autograd::checkpoint(outer, {x})[0].backward();
  Tensor z = full({1}, 0.5).set_requires_grad(true);
  (z.sin() * z).exp().backward();
  EXPECT_TRUE(equal(x.grad(), z.grad()));
}

TEST(Checkpoint, WithoutGradientsIsThePlainFunction) {
  Tensor y = autograd::checkpoint([](const variable_list& in) { return variable_list{in[0] + 1}; },
                                  {ones({1})})[0];
  EXPECT_FALSE(y.requires_grad());
}

std::vector<Device> kinds_of_devices() {
  std::vector<Device> all = {Device(kCPU)};
  if (cuda::is_available()) all.push_back(Device(kCUDA, 0));
  return all;
}

// The gradient of each shows which numbers backward has drawn.
variable_list drawing_block(const variable_list& in) {
  return {dropout(in[0], 0.5, true), rrelu(in[0], 0.1, 0.9, true), in[0] * randn_like(in[0])};
}

void expect_repeated_draws(const Tensor& x, const variable_list& y) {
  for (const Tensor& one : y) {
    const Tensor g = autograd::grad({one.sum()}, {x}, {}, true)[0];
    EXPECT_TRUE(allclose(g * x.detach(), one.detach())) << x.device();
  }
}

TEST(Checkpoint, DrawsTheSameNumbersOnEachDevice) {
  for (const Device device : kinds_of_devices()) {
    const Tensor x = full({1000}, -2., device).set_requires_grad(true);
    const variable_list y = autograd::checkpoint(drawing_block, {x});
    const Tensor other = rand({5}, device);
    expect_repeated_draws(x, y);
    EXPECT_FALSE(rand({5}, device).equal(other));
  }
}

TEST(Checkpoint, DrawsTheSameNumbersInReplays) {
  for (const Device device : kinds_of_devices()) {
    const Tensor x = full({1000}, -2., device).set_requires_grad(true);
    Tensor y, gx, after;
    const auto step = [&] {
      y = autograd::checkpoint(
          [](const variable_list& in) {
            return variable_list{dropout(in[0] * randn_like(in[0]), 0.5, true)};
          },
          {x})[0];
      gx = autograd::grad({y.sum()}, {x})[0];
      after = rand({5}, device);
    };
    manual_seed(4);
    Graph graph(device);
    graph.capture(step);
    std::vector<Tensor> got;
    for (int i = 0; i < 3; ++i) {
      graph.replay();
      EXPECT_TRUE(allclose(gx * x.detach(), y.detach())) << device;
      for (const Tensor& t : {y, after}) got.push_back(t.detach().clone());
    }
    manual_seed(4);  // a replay is the eager step
    for (size_t i = 0; i < got.size(); i += 2) {
      step();
      EXPECT_TRUE(y.detach().equal(got[i]) && after.equal(got[i + 1])) << device;
    }
  }
}

}  // namespace
}  // namespace torch::taper
