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

}  // namespace
}  // namespace torch::taper
