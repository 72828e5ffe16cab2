#include <gtest/gtest.h>

#include "func/func_util.h"

namespace torch::taper {
namespace {

// ---------------------------------------------------------------- grad, vjp
TEST(FuncGrad, IsTheGradientAndLeavesTheArgument) {
  const Tensor x = doubles({1, 2, 3});
  expect_values(func::grad(sum_of_cubes)(x), {3}, {3, 12, 27});
  EXPECT_FALSE(x.requires_grad());
  EXPECT_FALSE(func::grad(sum_of_cubes)(x).requires_grad());
}

TEST(FuncGrad, NestsToAnyDepth) {
  const auto fourth = [](const Tensor& x) { return x.pow(4); };
  const auto third = func::grad(func::grad(func::grad(fourth)));
  EXPECT_DOUBLE_EQ(third(scalar_tensor(2.0, kDouble)).item<double>(), 48);
}

// The inner derivative must not see the outer variable as its own.
TEST(FuncGrad, KeepsLevelsApart) {
  const Tensor one = scalar_tensor(1.0, kDouble);
  const auto f = [&](const Tensor& x) {
    const auto inner = [&](const Tensor& y) { return x.add(y); };
    return x.mul(func::grad(inner)(one));
  };
  EXPECT_DOUBLE_EQ(func::grad(f)(one).item<double>(), 1);
  const auto [y, dy] = func::jvp(
      [&](const Tensor& x) {
        return x.mul(func::jvp([&](const Tensor& t) { return x.add(t); }, one, one).second);
      },
      one, one);
  EXPECT_DOUBLE_EQ(dy.item<double>(), 1);
}

TEST(FuncGrad, TakesArgumentsByNumberAndTrees) {
  const auto f = [](const Tensor& x, const std::map<std::string, Tensor>& w, int n) {
    return x.mul(w.at("a")).sum().mul(n).add(w.at("b").sum());
  };
  const Tensor x = doubles({1, 2});
  const std::map<std::string, Tensor> w{{"a", doubles({3, 4})}, {"b", doubles({5})}};
  expect_values(func::grad(f)(x, w, 2), {2}, {6, 8});
  const auto gw = func::grad<1>(f)(x, w, 2);
  expect_values(gw.at("a"), {2}, {2, 4});
  expect_values(gw.at("b"), {1}, {1});
  const auto [gx, both] = func::grad<0, 1>(f)(x, w, 1);
  expect_values(gx, {2}, {3, 4});
  expect_values(both.at("a"), {2}, {1, 2});
}

TEST(FuncGrad, ReturnsValueAndAux) {
  const auto f = [](const Tensor& x) { return std::pair{sum_of_cubes(x), x.mul(2)}; };
  const Tensor x = doubles({1, 2});
  const auto [g, aux] = func::grad(f, func::has_aux)(x);
  expect_values(aux, {2}, {2, 4});
  const auto [g2, y] = func::grad_and_value(sum_of_cubes)(x);
  EXPECT_DOUBLE_EQ(y.item<double>(), 9);
  expect_values(g2, {2}, values_of(g));
}

TEST(FuncGrad, CanBeDifferentiatedByTheTape) {
  const Tensor x = doubles({1, 2}).requires_grad_(), w = doubles({3}).requires_grad_();
  const Tensor g = func::grad([&](const Tensor& t) { return sum_of_cubes(t).mul(w).sum(); })(x);
  g.sum().backward();
  expect_values(x.grad(), {2}, {18, 36});
  expect_values(w.grad(), {1}, {15});
}

TEST(FuncGrad, RefusesWhatHasNoGradient) {
  const Tensor x = doubles({1, 2});
  expect_error("Expected f(*args) to return a scalar tensor", [&] { func::grad(cube)(x); });
  expect_error("expected a floating input", [&] { func::grad(sum_of_cubes)(x.to(kLong)); });
}

TEST(FuncVjp, MultipliesFromTheLeftSeveralTimes) {
  const auto [y, pull] = func::vjp(cube, doubles({1, 2}));
  expect_values(y, {2}, {1, 8});
  expect_values(pull(doubles({1, 0})), {2}, {3, 0});
  expect_values(pull(doubles({0, 2})), {2}, {0, 24});
  const auto [z, both] = func::vjp([](const Tensor& a, const Tensor& b) { return a.mul(b); },
                                   doubles({2}), doubles({3}));
  const auto [ga, gb] = both(doubles({1}));
  expect_values(ga, {1}, {3});
  expect_values(gb, {1}, {2});
}

// ---------------------------------------------------------------- jvp
TEST(FuncJvp, MultipliesFromTheRight) {
  const auto [y, dy] = func::jvp(cube, doubles({1, 2}), doubles({1, 10}));
  expect_values(y, {2}, {1, 8});
  expect_values(dy, {2}, {3, 120});
  const auto f = [](const Tensor& a, const Tensor& b) { return a.mul(b).sin(); };
  const auto pair =
      func::jvp(f, std::tuple{doubles({2}), doubles({3})}, std::tuple{doubles({1}), doubles({1})});
  expect_close(pair.second, doubles({5 * std::cos(6.0)}));
}

TEST(FuncJvp, FollowsViewsAndChangesInPlace) {
  const auto f = [](const Tensor& x) {
    Tensor y = x.clone();
    y[0].mul_(x[1]);
    y.slice(0, 1).add_(y[0]);
    Tensor z = zeros({2}, kDouble);
    z[0] = y[1];
    z[1].copy_(y[0]);
    return z;
  };
  const auto [y, dy] = func::jvp(f, doubles({2, 3}), doubles({1, 10}));
  expect_values(y, {2}, {9, 6});
  expect_values(dy, {2}, {33, 23});
}

TEST(FuncJvp, OfAGradientIsAProductWithTheHessian) {
  const auto [g, Hv] = func::jvp(func::grad(sum_of_cubes), doubles({1, 2}), doubles({1, 10}));
  expect_values(g, {2}, {3, 12});
  expect_values(Hv, {2}, {6, 120});
}

TEST(FuncJvp, CanBeDifferentiatedByAGradient) {
  const Tensor x = doubles({1, 2}), v = doubles({1, 10});
  const auto along = [&](const Tensor& t) { return func::jvp(sum_of_cubes, t, v).second; };
  expect_values(func::grad(along)(x), {2}, {6, 120});
  const auto twice = [&](const Tensor& t) { return func::jvp(along, t, v).second; };
  expect_values(func::grad(twice)(x), {2}, {6, 600});
  expect_values(func::vmap(func::grad(along))(stack({x, x}))[1], {2}, {6, 120});
}

TEST(FuncGrad, GoesThroughJvp) {
  const Tensor x = doubles({1, 2}), v = doubles({1, 10});
  const auto along = [&](const Tensor& t) { return func::jvp(cube, t, v).second; };
  expect_values(func::grad([&](const Tensor& t) { return along(t).sum(); })(x), {2}, {6, 120});
  expect_values(func::jacrev(func::jacfwd(cube))(x), {2, 2, 2}, {6, 0, 0, 0, 0, 0, 0, 12});
  const auto in_place = [](const Tensor& t) {
    Tensor y = t.clone();
    y[0].mul_(t[1]);
    return y.sin_();
  };
  expect_close(func::jacrev(func::jacfwd(in_place))(x), func::jacrev(func::jacrev(in_place))(x));
}

// A fused derivative of the library calls kernels that are no ops.
TEST(FuncJvp, GoesThroughFusedDerivatives) {
  const auto f = [](const Tensor& x) {
    return gelu(nn::functional::layer_norm(x, nn::functional::LayerNormFuncOptions({4})))
        .softmax(-1)
        .square()
        .sum();
  };
  manual_seed(3);
  const Tensor x = randn({2, 4}, kDouble);
  expect_close(func::jacfwd(func::grad(f))(x), func::jacrev(func::grad(f))(x), 1e-9);
}

TEST(FuncJvp, ChecksTangents) {
  expect_error("expected tangent 0 of sizes [2]", [&] {
    func::jvp(cube, doubles({1, 2}), doubles({1}));
  });
  expect_error("of dtype Double", [&] { func::jvp(cube, doubles({1}), values({1})); });
}

TEST(FuncLinearize, KeepsTheDerivative) {
  int calls = 0;
  const auto [y, push] = func::linearize(
      [&](const Tensor& x) {
        ++calls;
        return cube(x);
      },
      doubles({1, 2}));
  expect_values(push(doubles({1, 0})), {2}, {3, 0});
  expect_values(push(doubles({1, 1})), {2}, {3, 12});
  EXPECT_EQ(calls, 1);
}

// ---------------------------------------------------------------- Jacobians
TEST(FuncJacobian, IsTheSameByRowsAndByColumns) {
  manual_seed(5);
  const Tensor A = randn({3, 2}, kDouble), x = randn({2}, kDouble);
  const auto f = [&](const Tensor& t) { return A.mv(t).tanh(); };
  const Tensor J = (1 - A.mv(x).tanh().square()).unsqueeze(1) * A;
  expect_close(func::jacrev(f)(x), J);
  expect_close(func::jacfwd(f)(x), J);
  expect_close(func::jacrev(f, 2)(x), J);
  expect_close(func::jacfwd(f, 1)(x), J);
}

TEST(FuncJacobian, HasTheStructureOfTheArguments) {
  const auto f = [](const Tensor& x, const Tensor& y) { return x.mul(y.sum()); };
  const auto [jx, jy] = func::jacrev<0, 1>(f)(doubles({1, 2}), doubles({3, 4, 5}));
  expect_values(jx, {2, 2}, {12, 0, 0, 12});
  expect_values(jy, {2, 3}, {1, 1, 1, 2, 2, 2});
  const auto two = [](const Tensor& x) { return std::tuple{x.mul(2), x.sum()}; };
  const auto J = func::jacfwd(two)(doubles({1, 2}));
  expect_values(J.at(0), {2, 2}, {2, 0, 0, 2});
  expect_values(J.at(1), {2}, {1, 1});
}

TEST(FuncHessian, IsSymmetricAndMaps) {
  const auto f = [](const Tensor& x) { return x.prod(0).sin(); };
  const Tensor x = doubles({1, 2, 3});
  const Tensor H = func::hessian(f)(x);
  expect_close(H, H.t());
  expect_close(H, func::jacfwd(func::jacrev(f))(x), 1e-9);
  const Tensor X = stack({x, x.mul(2)});
  expect_close(func::vmap(func::hessian(f))(X)[1], func::hessian(f)(x.mul(2)), 1e-9);
}

// The tangents have a batch inside of the batch of examples.
TEST(FuncJacobian, IsMapped) {
  manual_seed(6);
  const Tensor X = randn({4, 3}, kDouble), A = randn({2, 3}, kDouble);
  const auto f = [&](const Tensor& x) {
    return A.mv(x.slice(0, 0, 3).sin()).mul(x.square().sum());
  };
  const Tensor J = func::vmap(func::jacfwd(f))(X);
  expect_close(J, func::vmap(func::jacrev(f))(X));
  for (int64_t i = 0; i < 4; ++i) expect_close(J[i], func::jacrev(f)(X[i]));
  const Tensor H = func::vmap(func::jacfwd(func::jacfwd(f)))(X);
  expect_close(H, func::vmap(func::hessian(f))(X), 1e-9);
}

TEST(FunctionalJacobian, IsTheSameAtOnce) {
  using namespace autograd::functional;
  manual_seed(8);
  const Tensor A = randn({3, 2}, kDouble), x = randn({2}, kDouble);
  const TensorFunction f = [&](const Tensor& t) { return A.mv(t).exp(); };
  const Tensor J = jacobian(f, x);
  const auto at_once = FunctionalOptions().vectorize(true);
  expect_close(jacobian(f, x, at_once), J);
  const auto forward = FunctionalOptions().vectorize(true).strategy(Strategy::kForwardMode);
  expect_close(jacobian(f, x, forward), J);
  const TensorFunction g = [&](const Tensor& t) { return f(t).sum(); };
  const Tensor H = hessian(g, x);
  expect_close(hessian(g, x, at_once), H, 1e-9);
  expect_close(hessian(g, x, forward), H, 1e-9);
  expect_error("needs vectorize(true)",
               [&] { jacobian(f, x, FunctionalOptions().strategy(Strategy::kForwardMode)); });
  expect_error("strict cannot be combined",
               [&] { jacobian(f, x, FunctionalOptions().strict(true).vectorize(true)); });
}

// ---------------------------------------------------------------- forward_ad
TEST(ForwardAd, PropagatesTangentsInALevel) {
  namespace fw = autograd::forward_ad;
  const Tensor x = doubles({1, 2}), v = doubles({1, 10});
  {
    const fw::dual_level level;
    const Tensor dual = fw::make_dual(x, v);
    const auto [y, dy] = fw::unpack_dual(cube(dual));
    expect_values(y, {2}, {1, 8});
    expect_values(dy, {2}, {3, 120});
    EXPECT_FALSE(fw::unpack_dual(x).tangent.defined());
    EXPECT_FALSE(fw::unpack_dual(y).tangent.defined());
    const fw::dual_level inner;
    const auto [z, dz] = fw::unpack_dual(fw::make_dual(dual, v).mul(dual));
    expect_values(dz, {2}, {1, 20});
    expect_error("of sizes [2]", [&] { fw::make_dual(x, doubles({1})); });
  }
  expect_error("expected a dual_level", [&] { fw::make_dual(x, v); });
  expect_error("expected a dual_level", [&] { fw::unpack_dual(x); });
}

TEST(FuncJacobian, OfAGradientIsMapped) {
  const Tensor X = doubles({1, 2, 3, 4}).view({2, 2});
  expect_values(func::vmap(func::jacfwd(func::grad(sum_of_cubes)))(X), {2, 2, 2},
                {6, 0, 0, 12, 18, 0, 0, 24});
  const auto f = [](const Tensor& x, const Tensor& w) {
    return func::jvp([&](const Tensor& t) { return t.sin().mul(w); }, x, w).second;
  };
  const Tensor W = X.add(1);
  const auto [jx, jw] = func::vmap(func::jacfwd<0, 1>(f))(X, W);
  expect_close(jx[1], func::jacrev<0>(f)(X[1], W[1]));
  expect_close(jw[1], func::jacrev<1>(f)(X[1], W[1]));
}

// The inner tangent has a tangent with a batch itself.
TEST(FuncJacobian, GoesThroughTangentsOfTangents) {
  const auto f = [](const Tensor& x) { return func::jvp(cube, x, x.cos()).second; };
  const Tensor x = doubles({1, 2});
  expect_close(func::jacfwd(f)(x), func::jacrev(f)(x));
  expect_close(func::jacfwd(f)(x).diagonal(),
               x.mul(x.cos()).mul(6).sub(x.square().mul(x.sin()).mul(3)));
}

TEST(FuncVjp, IsMappedOverVectors) {
  const Tensor x = doubles({1, 2}), V = doubles({1, 0, 0, 1, 2, 1}).view({3, 2});
  const auto pull = func::vjp(cube, x).second;
  expect_values(func::vmap([&](const Tensor& v) { return pull(v); })(V), {3, 2},
                {3, 0, 0, 12, 6, 12});
  const auto push = func::linearize(cube, x).second;
  expect_values(func::vmap([&](const Tensor& v) { return push(v); })(V), {3, 2},
                {3, 0, 0, 12, 6, 12});
  expect_values(func::jacfwd([&](const Tensor& v) { return pull(v.mul(v)); })(x), {2, 2},
                {6, 0, 0, 48});
}

// ---------------------------------------------------------------- vmap
TEST(FuncVmap, CallsTheFunctionForEachExample) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    EXPECT_EQ(x.dim(), 1);
    return x.dot(y);
  };
  const Tensor X = doubles({1, 2, 3, 4}).view({2, 2}), y = doubles({10, 1});
  expect_values(func::vmap(f, {0, nullopt})(X, y), {2}, {12, 34});
  expect_values(func::vmap(f, {1, nullopt})(X, y), {2}, {13, 24});
  const auto outer = func::vmap(func::vmap(f, {nullopt, 0}), {0, nullopt});
  expect_close(outer(X, X), X.mm(X.t()));
}

TEST(FuncVmap, MovesTheBatchAndCutsIt) {
  const Tensor X = doubles({1, 2, 3, 4, 5, 6}).view({3, 2});
  const auto twice = [](const Tensor& x) { return x.mul(2); };
  EXPECT_EQ(func::vmap(twice, {0}, {1})(X).sizes().vec(), (std::vector<int64_t>{2, 3}));
  const auto options = func::VmapOptions().chunk_size(2);
  expect_close(func::vmap(twice, options)(X), X.mul(2));
  EXPECT_EQ(func::vmap([](const Tensor&) { return ones({}); })(X).sizes().vec(),
            (std::vector<int64_t>{3}));
}

TEST(FuncVmap, BroadcastsRightSides) {
  manual_seed(13);
  const Tensor A = rand({3, 1, 2, 2}, kDouble).add(eye(2, kDouble)), B = rand({2, 2}, kDouble);
  const auto solve = [&](const Tensor& a) { return linalg::solve(a, B, true); };
  expect_close(func::vmap(solve)(A), linalg::solve(A, B, true));
  expect_close(func::vmap(solve)(A.slice(0, 1).squeeze(1)),  // as many as rows
               linalg::solve(A.slice(0, 1).squeeze(1), B.expand({2, 2, 2}), true));
  const auto triangular = [&](const Tensor& a) {
    return linalg::solve_triangular(a.tril(), B, false, true, false);
  };
  expect_close(func::vmap(triangular)(A),
               linalg::solve_triangular(A.tril(), B, false, true, false));
  const auto vector = [&](const Tensor& a) { return linalg::solve(a, B[0], true); };
  expect_close(func::vmap(vector)(A.squeeze(1))[2], linalg::solve(A[2][0], B[0], true));
}

TEST(FuncVmap, RefusesWhatDependsOnValues) {
  const Tensor X = doubles({1, 2});
  expect_error("stands for a batch", [&] {
    func::vmap([](const Tensor& x) { return x.item<double>() > 1 ? x : x.neg(); })(X);
  });
  expect_error("in_dim",
               [&] { func::vmap([](const Tensor& x) { return x; })(doubles({1}).sum()); });
  expect_error("same size in the mapped dimension", [&] {
    func::vmap([](const Tensor& x, const Tensor& y) { return x.add(y); })(X, ones({3}));
  });
  const Tensor shared = zeros({}, kDouble);
  expect_error("to be changed",
               [&] { func::vmap([&](const Tensor& x) { return shared.add_(x); })(X); });
  Tensor kept;
  func::vmap([&](const Tensor& x) { return kept = x; })(X);
  expect_error("stands for a batch", [&] { kept.item(); });
  expect_error("has ended", [&] { func::vmap([&](const Tensor& x) { return x.add(kept); })(X); });
}

TEST(FuncVmap, DrawsByItsPolicy) {
  const Tensor X = zeros({4, 3}, kDouble);
  const auto f = [](const Tensor& x) { return x.add(rand({3}, kDouble)); };
  expect_error("draws random numbers", [&] { func::vmap(f)(X); });
  const auto with = [](func::Randomness r) { return func::VmapOptions().randomness(r); };
  const Tensor different = func::vmap(f, with(func::Randomness::kDifferent))(X);
  EXPECT_FALSE(different[0].equal(different[1]));
  const Tensor same = func::vmap(f, with(func::Randomness::kSame))(X);
  EXPECT_TRUE(same[0].equal(same[3]));
  const auto drop = [](const Tensor& x) { return dropout(x.add(1), 0.5, true); };
  const Tensor kept = func::vmap(drop, with(func::Randomness::kDifferent))(zeros({8, 16}));
  EXPECT_FALSE(kept[0].equal(kept[1]));
}

TEST(FuncVmap, RestoresTheThreadAfterAnError) {
  const auto fails = [](const Tensor& x) -> Tensor {
    if (x.dim() == 0) throw Error("planted");
    return x;
  };
  expect_error("planted", [&] { func::vmap(fails)(doubles({1, 2})); });
  expect_error("planted", [&] { func::grad(func::vmap(fails))(doubles({1, 2})); });
  expect_values(doubles({1, 2}).mul(2), {2}, {2, 4});
}

// ---------------------------------------------------------------- modules
nn::Sequential small_net() {
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 3, 3)), nn::ReLU(), nn::MaxPool2d(2),
                        nn::Flatten(), nn::Linear(27, 4));
}

TEST(FuncModules, GiveTheGradientOfEachExample) {
  manual_seed(7);
  auto net = small_net();
  net->to(kDouble);
  const Tensor x = randn({5, 1, 8, 8}, kDouble), y = randint(4, {5}, kLong);
  const auto loss = [&](const func::NamedTensors& p, const Tensor& x, const Tensor& y) {
    return nn::functional::cross_entropy(func::functional_call(net, p, x.unsqueeze(0)),
                                         y.unsqueeze(0));
  };
  const auto each = func::vmap(func::grad(loss), {nullopt, 0, 0})(func::parameters_of(net), x, y);
  EXPECT_EQ(each.size(), 4u);
  for (int64_t i = 0; i < 5; ++i) {
    net->zero_grad();
    nn::functional::cross_entropy(net->forward(x.narrow(0, i, 1)), y.narrow(0, i, 1)).backward();
    for (const auto& p : net->named_parameters())
      expect_close(each.at(p.key())[i], p.value().grad(), 1e-10);
  }
}

// Weights of norms have a batch, too.
TEST(FuncModules, GiveTheGradientsOfNorms) {
  manual_seed(8);
  nn::Sequential net(nn::Conv1d(nn::Conv1dOptions(2, 4, 3)), nn::GroupNorm(2, 4),
                     nn::PReLU(nn::PReLUOptions().num_parameters(4)), nn::BatchNorm1d(4),
                     nn::Flatten(), nn::Linear(24, 5), nn::LayerNorm(nn::LayerNormOptions({5})));
  net->to(kDouble);
  net->eval();
  const Tensor x = randn({3, 2, 8}, kDouble);
  const auto loss = [&](const func::NamedTensors& p, const Tensor& x) {
    return func::functional_call(net, p, x.unsqueeze(0)).square().sum();
  };
  std::vector<std::string> warned;
  func::NamedTensors each;
  warned = testing::warnings_of([&] {
    each = func::vmap(func::grad(loss), {nullopt, 0})(func::parameters_of(net), x);
  });
  EXPECT_TRUE(warned.empty()) << warned[0];
  for (int64_t i = 0; i < 3; ++i) {
    net->zero_grad();
    net->forward(x.narrow(0, i, 1)).square().sum().backward();
    for (const auto& p : net->named_parameters())
      expect_close(each.at(p.key())[i], p.value().grad(), 1e-9);
  }
}

TEST(FuncModules, AreMappedAsAnEnsemble) {
  manual_seed(9);
  std::vector<nn::Sequential> nets{small_net(), small_net(), small_net()};
  const Tensor x = randn({2, 1, 8, 8});
  const auto [p, b] = func::stack_module_state(nets);
  EXPECT_TRUE(p.at("0.weight").requires_grad());
  const auto call = [&](const func::NamedTensors& one, const Tensor& t) {
    return func::functional_call(nets[0], one, t);
  };
  const Tensor y = func::vmap(call, {0, nullopt})(p, x);
  for (int64_t i = 0; i < 3; ++i)
    expect_close(y[i], nets[static_cast<size_t>(i)]->forward(x), 1e-5);
  expect_error("named '9.weight'", [&] { func::functional_call(nets[0], {{"9.weight", x}}, x); });
  expect_error("expected a tensor of sizes", [&] {
    func::functional_call(nets[0], {{"0.weight", x}}, x);
  });
}

// ---------------------------------------------------------------- custom functions
struct Cube : autograd::Function<Cube> {
  static Tensor forward(autograd::AutogradContext* ctx, Tensor x) {
    ctx->save_for_backward({x});
    return cube(x);
  }
  static autograd::variable_list backward(autograd::AutogradContext* ctx,
                                          autograd::variable_list g) {
    const Tensor x = ctx->get_saved_variables()[0];
    return {g[0].mul(x).mul(x).mul(3)};
  }
};
struct CubeWithRules : autograd::Function<CubeWithRules> {
  static inline int rules = 0;
  static Tensor forward(autograd::AutogradContext* ctx, Tensor x) {
    return Cube::forward(ctx, std::move(x));
  }
  static autograd::variable_list backward(autograd::AutogradContext* ctx,
                                          autograd::variable_list g) {
    return Cube::backward(ctx, std::move(g));
  }
  static autograd::variable_list jvp(autograd::AutogradContext* ctx, autograd::variable_list t) {
    ++rules;
    return Cube::backward(ctx, std::move(t));
  }
  static std::pair<autograd::variable_list, std::vector<optional<int64_t>>> vmap(
      int64_t, const std::vector<optional<int64_t>>& in_dims, Tensor x) {
    ++rules;
    return {{CubeWithRules::apply(x)}, {in_dims[0]}};
  }
};

template <class F>
void expect_cube() {
  const auto f = [](const Tensor& x) { return F::apply(x); };
  const Tensor x = doubles({1, 2, 3});
  expect_values(func::jvp(f, x, doubles({1, 1, 10})).second, {3}, {3, 12, 270});
  expect_values(func::jacfwd(f)(x), {3, 3}, {3, 0, 0, 0, 12, 0, 0, 0, 27});
  expect_values(func::vmap(f)(x), {3}, {1, 8, 27});
  expect_values(func::vmap(func::grad(f))(x), {3}, {3, 12, 27});
  expect_values(func::grad([&](const Tensor& t) { return func::vmap(f)(t).sum(); })(x), {3},
                {3, 12, 27});
  expect_values(func::hessian([&](const Tensor& t) { return f(t).sum(); })(x).diagonal(), {3},
                {6, 12, 18});
}
TEST(FuncFunction, FollowsFromBackward) { expect_cube<Cube>(); }
TEST(FuncFunction, UsesItsOwnRules) {
  CubeWithRules::rules = 0;
  expect_cube<CubeWithRules>();
  EXPECT_GE(CubeWithRules::rules, 3);
}

}  // namespace
}  // namespace torch::taper
