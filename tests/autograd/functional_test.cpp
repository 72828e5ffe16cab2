// torch::autograd::functional: values against formulas, options, and errors.
#include <taper/func/functional.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/linalg/matmul.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using autograd::variable_list;
namespace AF = autograd::functional;
using AF::FunctionalOptions;

const auto cubes = [](const Tensor& x) { return x.pow(3); };
const auto sum_of_cubes = [](const Tensor& x) { return x.pow(3).sum(); };
// f(x, w) = w x: its Jacobians are w, and x for each row.
const auto product = [](const variable_list& in) { return variable_list{in[1].mv(in[0])}; };
// Depends on the second input only.
const auto second = [](const variable_list& in) { return variable_list{in[1] * 2}; };

Tensor four() { return tensor({1.0, -2.0, 0.5, 3.0}).to(kDouble); }
void expect_near(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.sizes(), b.sizes());
  EXPECT_TRUE(a.allclose(b, 1e-12, 1e-12)) << a << b;
  EXPECT_FALSE(a.requires_grad());
}

TEST(Functional, ProductsWithTheJacobian) {
  const Tensor x = four(), v = tensor({1.0, 2.0, 3.0, 4.0}).to(kDouble);
  for (const auto& [y, product] : {AF::vjp(cubes, x, v), AF::jvp(cubes, x, v)}) {
    expect_near(y, x.pow(3));
    expect_near(product, 3 * x.square() * v);
  }
  expect_near(AF::vjp(sum_of_cubes, x).second, 3 * x.square());
  const Tensor one = tensor({2.0}).to(kDouble);
  expect_near(AF::jvp(cubes, one).second, tensor({12.0}).to(kDouble));
}

TEST(Functional, OfSeveralTensors) {
  const Tensor x = four(), w = randn({3, 4}, kDouble), u = randn({3}, kDouble),
               vx = randn({4}, kDouble), vw = randn({3, 4}, kDouble);
  const auto left = AF::vjp(product, {x, w}, {u}).second;
  expect_near(left[0], w.t().mv(u));
  expect_near(left[1], u.unsqueeze(1) * x);
  expect_near(AF::jvp(product, {x, w}, {vx, vw}).second[0], w.mv(vx) + vw.mv(x));
  const auto all = AF::jacobian(product, {x, w});
  expect_near(all[0][0], w);
  expect_near(all[0][1], eye(3, kDouble).unsqueeze(2) * x);
}

TEST(Functional, JacobianAndHessianHaveTheSizesOfBoth) {
  const Tensor x = four().view({2, 2});
  expect_near(AF::jacobian(cubes, x), (3 * x.square()).view(-1).diag().view({2, 2, 2, 2}));
  expect_near(AF::hessian(sum_of_cubes, x), (6 * x).view(-1).diag().view({2, 2, 2, 2}));
  EXPECT_EQ(AF::jacobian(cubes, zeros({0, 2})).sizes(), IntArrayRef({0, 2, 0, 2}));
  const auto both = AF::hessian(
      [](const variable_list& in) { return variable_list{(in[0] * in[1].square()).sum()}; },
      {four(), four()});
  expect_near(both[0][0], zeros({4, 4}, kDouble));
  expect_near(both[0][1], (2 * four()).diag());
  expect_near(both[1][1], (2 * four()).diag());
}

TEST(Functional, ProductsWithTheHessian) {
  const Tensor x = four(), v = randn({4}, kDouble);
  for (const auto& [y, product] : {AF::hvp(sum_of_cubes, x, v), AF::vhp(sum_of_cubes, x, v)}) {
    expect_near(y, x.pow(3).sum());
    expect_near(product, 6 * x * v);
  }
}

TEST(Functional, ResultsCanBeDifferentiatedIfAsked) {
  const Tensor x = four().requires_grad_(), v = randn({4}, kDouble);
  const auto graph = FunctionalOptions().create_graph(true);
  const auto derivative = [&](const Tensor& y) { return autograd::grad({y.sum()}, {x})[0]; };
  expect_near(derivative(AF::vjp(cubes, x, v, graph).second), 6 * x.detach() * v);
  expect_near(derivative(AF::jvp(cubes, x, v, graph).second), 6 * x.detach() * v);
  expect_near(derivative(AF::jacobian(cubes, x, graph)), 6 * x.detach());
  expect_near(derivative(AF::hessian(sum_of_cubes, x, graph)), full({4}, 6.0, kDouble));
  expect_near(derivative(AF::hvp(sum_of_cubes, x, v, graph).second), 6 * v);
  expect_near(derivative(AF::vhp(sum_of_cubes, x, v, graph).second), 6 * v);
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(AF::jacobian(cubes, x).requires_grad());
}

TEST(Functional, WorksWhileRecordingIsOff) {
  const NoGradGuard off;
  expect_near(AF::jacobian(cubes, four()), (3 * four().square()).diag());
}

TEST(Functional, IndependentInputsAreZerosOrErrors) {
  const variable_list in = {four(), four()};
  expect_near(AF::jacobian(second, in)[0][0], zeros({4, 4}, kDouble));
  expect_near(AF::jvp(second, in, {ones({4}, kDouble), zeros({4}, kDouble)}).second[0],
              zeros({4}, kDouble));
  const auto strict = FunctionalOptions().strict(true);
  testing::expect_error("jacobian: the result is independent of input 0",
                        [&] { AF::jacobian(second, in, strict); });
  testing::expect_error("vjp: output 0 of the function does not require a gradient", [&] {
    AF::vjp([](const Tensor& x) { return x.detach(); }, four(), four(), strict);
  });
  expect_near(AF::jacobian([](const Tensor& x) { return x.detach(); }, four()),
              zeros({4, 4}, kDouble));
}

TEST(Functional, BadArguments) {
  testing::expect_error("vjp: expected a vector v", [] { AF::vjp(cubes, four()); });
  testing::expect_error("jvp: expected a vector v", [] { AF::jvp(cubes, four()); });
  testing::expect_error("vjp: expected vector 0 of sizes [4], got [3]",
                        [] { AF::vjp(cubes, four(), ones({3}, kDouble)); });
  testing::expect_error("vjp: expected 1 vectors, got 2", [] {
    AF::vjp(product, {four(), ones({3, 4}, kDouble)}, {four(), four()});
  });
  testing::expect_error("hessian: expected a function with one element as its output",
                        [] { AF::hessian(cubes, four()); });
  testing::expect_error("jacobian: expected floating inputs, got Long at index 0",
                        [] { AF::jacobian(cubes, arange(3)); });
  testing::expect_error("jacobian: expected defined inputs, got an undefined one at index 0",
                        [] { AF::jacobian(cubes, Tensor()); });
}

}  // namespace
}  // namespace torch::taper
