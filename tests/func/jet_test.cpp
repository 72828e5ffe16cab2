// func::jet against nested derivatives.
#include <gtest/gtest.h>

#include "func/func_util.h"

namespace torch::taper {
namespace {

using Curve = std::function<Tensor(const Tensor&)>;

/// The first derivatives of f(x + t v + t^2 w / 2) at 0, by nested jvp.
std::vector<Tensor> nested_derivatives(const Curve& f, const Tensor& x, const Tensor& v,
                                       const Tensor& w, size_t order) {
  std::vector<Tensor> all;
  Curve g = [&](const Tensor& t) { return f(x.add(v.mul(t)).add(w.mul(t.mul(t)).mul(0.5))); };
  const Tensor zero = zeros({}, kDouble), one = ones({}, kDouble);
  for (size_t k = 0; k < order; ++k) {
    const Curve before = g;
    g = [before, one](const Tensor& t) { return func::jvp(before, t, one).second; };
    all.push_back(g(zero));
  }
  return all;
}

TEST(FuncJet, GivesTheDerivativesOfNestedJvp) {
  manual_seed(11);
  const Tensor x = rand({2, 3}, kDouble).add(0.5), A = randn({3, 3}, kDouble);
  const Tensor v = randn({2, 3}, kDouble), w = randn({2, 3}, kDouble);
  const std::vector<std::pair<const char*, Curve>> functions{
      {"exp", [](const Tensor& t) { return t.exp(); }},
      {"expm1", [](const Tensor& t) { return t.expm1(); }},
      {"log", [](const Tensor& t) { return t.log(); }},
      {"log1p", [](const Tensor& t) { return t.log1p(); }},
      {"sin", [](const Tensor& t) { return t.sin().mul(t.cos()); }},
      {"sinh", [](const Tensor& t) { return t.sinh().add(t.cosh()); }},
      {"tan", [](const Tensor& t) { return t.mul(0.3).tan(); }},
      {"tanh", [](const Tensor& t) { return t.tanh(); }},
      {"sigmoid", [](const Tensor& t) { return t.sigmoid(); }},
      {"sqrt", [](const Tensor& t) { return t.square().add(1).sqrt(); }},
      {"rsqrt", [](const Tensor& t) { return t.square().add(1).rsqrt(); }},
      {"reciprocal", [](const Tensor& t) { return t.square().add(1).reciprocal(); }},
      {"pow", [](const Tensor& t) { return t.square().add(1).pow(-1.5); }},
      {"pow 5", [](const Tensor& t) { return t.pow(5); }},
      {"erf", [](const Tensor& t) { return t.erf(); }},
      {"atan", [](const Tensor& t) { return t.atan(); }},
      {"silu", [](const Tensor& t) { return silu(t); }},
      {"log_sigmoid", [](const Tensor& t) { return log_sigmoid(t); }},
      {"softmax", [](const Tensor& t) { return t.softmax(-1); }},
      {"log_softmax", [](const Tensor& t) { return t.log_softmax(-1); }},
      {"linear", [&](const Tensor& t) { return linear(t, A, t.select(0, 0)).tanh(); }},
      {"weights", [&](const Tensor& t) { return linear(A, t.matmul(A)); }},
      {"matmul", [&](const Tensor& t) { return t.matmul(A).matmul(t.t()); }},
      {"div", [](const Tensor& t) { return t.sin().div(t.add(2)); }},
      {"number", [](const Tensor& t) { return t.mul(2).div(3).sub(1).neg(); }},
      {"relu", [](const Tensor& t) { return t.sin().sub(0.5).relu().mul(t); }},
      {"views",
       [](const Tensor& t) {
         return cat({t.t().slice(0, 1), t.t().flip({0})}).sum(1);
       }},
      {"no rule", [](const Tensor& t) { return t.digamma(); }},
      {"layer_norm", [](const Tensor& t) { return layer_norm(t, {3}); }},
  };
  for (const auto& [name, f] : functions) {
    const std::vector<Tensor> want = nested_derivatives(f, x, v, w, 4);
    const auto [y, got] = func::jet(f, x, {v, w, zeros_like(v), zeros_like(v)});
    EXPECT_LT(y.sub(f(x)).abs().max().item<double>(), 1e-12) << name;
    for (size_t k = 0; k < 4; ++k) {
      const double size = want[k].abs().max().item<double>() + 1;
      EXPECT_LT(got[k].sub(want[k]).abs().max().item<double>() / size, 1e-8) << name << ' ' << k;
    }
  }
}

// Kernels compute the coefficients if nothing is recorded, else ops.
TEST(FuncJet, GivesTheSameByKernelsAndByOps) {
  manual_seed(13);
  const std::pair<const char*, Curve> functions[] = {
      {"exp", [](const Tensor& t) { return t.exp(); }},
      {"tan", [](const Tensor& t) { return t.mul(0.3).tan(); }},
      {"tanh", [](const Tensor& t) { return t.tanh(); }},
      {"sigmoid", [](const Tensor& t) { return t.sigmoid(); }},
      {"sin", [](const Tensor& t) { return t.sin(); }},
      {"cosh", [](const Tensor& t) { return t.cosh(); }},
      {"mul", [](const Tensor& t) { return t.mul(t.sin()); }},
      {"linear", [](const Tensor& t) { return linear(t, t.detach().slice(0, 0, 5)).t().tanh(); }},
  };
  for (const ScalarType dtype : {kFloat, kDouble})
    for (const auto& [name, f] : functions) {
      const Tensor x = randn({11, 13}, dtype), v = randn({11, 13}, dtype);
      const std::vector<Tensor> along{v, Tensor(), v.mul(v), Tensor(), Tensor()};
      const auto [y, by_kernels] = func::jet(f, x, along);
      const auto [z, by_ops] = func::jet(f, x.clone().requires_grad_(), along);
      SCOPED_TRACE(name);
      for (size_t k = 0; k < along.size(); ++k) {
        EXPECT_FALSE(by_kernels[k].requires_grad());
        const double size = by_ops[k].abs().max().item<double>() + 1;
        expect_close(by_kernels[k].div(size), by_ops[k].div(size), dtype == kFloat ? 1e-6 : 1e-13);
      }
    }
}

TEST(FuncJet, KeepsAnInfiniteValueOfExp) {
  const Tensor x = doubles({1000, 0}), v = doubles({1, 1});
  const auto [y, series] = func::jet([](const Tensor& t) { return t.exp(); }, x, {v, v});
  expect_values(y, {2}, {INFINITY, 1});
  expect_values(series[0], {2}, {INFINITY, 1});
}

TEST(FuncJet, NestsWithOtherTransformations) {
  manual_seed(12);
  const Tensor A = randn({3, 3}, kDouble), x = randn({3}, kDouble), v = randn({3}, kDouble);
  const auto f = [&](const Tensor& t) { return A.mv(t).tanh().square().sum(); };
  const auto second = [&](const Tensor& at) { return func::jet(f, at, {v, Tensor()}).second[1]; };
  const Tensor H = func::hessian(f)(x);
  expect_close(second(x), v.dot(H.mv(v)));
  // The Laplacian: second derivatives along all directions at once.
  const auto along = [&](const Tensor& e) { return func::jet(f, x, {e, zeros_like(e)}).second[1]; };
  expect_close(func::vmap(along)(eye(3, kDouble)).sum(), H.trace());
  const Tensor X = stack({x, v});
  expect_close(func::vmap(second)(X)[0], second(x));
  // Gradients of a second derivative, by the tape and along a tangent.
  const auto g = func::grad(second)(x);
  constexpr double kStep = 1e-5;
  const Tensor e = eye(3, kDouble)[1];
  const Tensor slope = second(x.add(e, kStep)).sub(second(x.sub(e, kStep))).div(2 * kStep);
  expect_close(g[1], slope, 1e-6);
  expect_close(func::jvp(second, x, e).second, slope, 1e-6);
}

TEST(FuncJet, ChecksItsArguments) {
  const Tensor x = doubles({1, 2});
  expect_error("expected at least one derivative", [&] { func::jet(cube, x, {}); });
  expect_error("of sizes [2]", [&] { func::jet(cube, x, {doubles({1})}); });
  expect_error("not in place",
               [&] { func::jet([](const Tensor& t) { return t.clone().mul_(2); }, x, {x}); });
  expect_error("use jet inside of grad", [&] {
    func::jet([](const Tensor& t) { return func::grad(sum_of_cubes)(t); }, x, {x});
  });
}

}  // namespace
}  // namespace torch::taper
