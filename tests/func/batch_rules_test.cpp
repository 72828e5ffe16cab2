// Rules of vmap that the cases of ops do not reach: weights that all examples share, and which ops
// are called for each example.
#include <gtest/gtest.h>

#include "func/func_util.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using Loss = std::function<Tensor(const Tensor& w, const Tensor& x)>;

/// Expects the gradients of each example's loss, and products of second derivatives, to be those
/// of a loop.
void expect_loop(const char* name, const Loss& f, const Tensor& w, const Tensor& X) {
  const auto first = [&](const Tensor& x) {
    return func::grad([&](const Tensor& w) { return f(w, x); })(w);
  };
  const auto second = [&](const Tensor& x) {
    const auto g = [&](const Tensor& w) {
      return func::grad([&](const Tensor& w) { return f(w, x); })(w).square().sum();
    };
    return func::grad(g)(w);
  };
  const auto of_x = [&](const Tensor& x) {
    return func::grad([&](const Tensor& x) {
      return func::grad([&](const Tensor& w) { return f(w, x); })(w).square().sum();
    })(x);
  };
  for (const auto& g :
       {std::function<Tensor(const Tensor&)>(first), std::function<Tensor(const Tensor&)>(second),
        std::function<Tensor(const Tensor&)>(of_x)}) {
    std::vector<Tensor> each;
    for (int64_t b = 0; b < X.size(0); ++b) each.push_back(g(X[b]));
    SCOPED_TRACE(name);
    expect_close(func::vmap(g)(X), stack(each), 1e-9);
  }
}

TEST(FuncBatchRules, GiveTheGradientsOfALoopForSharedWeights) {
  manual_seed(31);
  const auto doubles_of = [](IntArrayRef sizes) { return randn(sizes, kDouble); };
  const auto energy = [](const Tensor& y) { return y.tanh().square().sum(); };
  const struct {
    const char* name;
    Loss f;
    Tensor w, x;
  } all[] = {
      {"matmul", [&](const Tensor& w, const Tensor& x) { return energy(x.matmul(w)); },
       doubles_of({3, 4}), doubles_of({5, 2, 3})},
      {"vector", [&](const Tensor& w, const Tensor& x) { return energy(x.matmul(w)); },
       doubles_of({3, 4}), doubles_of({5, 3})},
      {"linear", [&](const Tensor& w, const Tensor& x) { return energy(linear(x, w)); },
       doubles_of({4, 3}), doubles_of({5, 2, 3, 3})},
      {"conv2d", [&](const Tensor& w, const Tensor& x) { return energy(conv2d(x, w)); },
       doubles_of({4, 2, 3, 3}), doubles_of({3, 2, 2, 5, 6})},
      {"without N", [&](const Tensor& w, const Tensor& x) { return energy(conv2d(x, w)); },
       doubles_of({4, 2, 3, 3}), doubles_of({3, 2, 5, 6})},
      {"steps",
       [&](const Tensor& w, const Tensor& x) {
         return energy(conv2d(x, w, {}, {2, 3}, {1, 2}, {2, 1}, 2));
       },
       doubles_of({4, 1, 2, 3}), doubles_of({3, 1, 2, 6, 7})},
      {"conv1d", [&](const Tensor& w, const Tensor& x) { return energy(conv1d(x, w, {}, 2, 1)); },
       doubles_of({2, 3, 2}), doubles_of({4, 2, 3, 6})},
      {"conv3d", [&](const Tensor& w, const Tensor& x) { return energy(conv3d(x, w, {}, 1, 1)); },
       doubles_of({2, 1, 2, 2, 2}), doubles_of({2, 1, 1, 3, 3, 3})},
      {"transposed",
       [&](const Tensor& w, const Tensor& x) { return energy(conv_transpose2d(x, w, {}, 2)); },
       doubles_of({2, 3, 2, 2}), doubles_of({3, 1, 2, 3, 3})},
  };
  for (const auto& [name, f, w, x] : all) expect_loop(name, f, w, x);
}

TEST(FuncBatchRules, ServeRareOpsWithoutALoop) {
  manual_seed(32);
  const Tensor x = randn({3, 4, 6}, kDouble), images = randn({3, 2, 2, 6, 6}, kDouble);
  const Tensor h = randn({3, 2, 5}, kDouble), w = randn({15, 5}, kDouble);
  using F = std::function<Tensor(const Tensor&)>;
  const std::vector<std::pair<const char*, std::pair<F, Tensor>>> all{
      {"diff", {[](const Tensor& t) { return t.diff(2, 0); }, x}},
      {"kron", {[](const Tensor& t) { return kron(t, t.t()); }, x}},
      {"take", {[](const Tensor& t) { return t.take(arange(-3, 3, kLong)); }, x}},
      {"renorm", {[](const Tensor& t) { return t.renorm(2, 0, 0.5); }, x}},
      {"quantile", {[](const Tensor& t) { return t.quantile(0.3, 1); }, x}},
      {"quantiles",
       {[](const Tensor& t) { return t.quantile(arange(3, kDouble).div(4), 0, true); }, x}},
      {"nanmedian", {[](const Tensor& t) { return t.nanmedian(); }, x}},
      {"aminmax", {[](const Tensor& t) { return std::get<1>(t.aminmax()); }, x}},
      {"instance_norm",
       {[](const Tensor& t) { return instance_norm(t, {}, {}, {}, {}, true, 0.1, 1e-5, false); },
        images}},
      {"pinv", {[](const Tensor& t) { return linalg_pinv(t); }, x}},
      {"cond", {[](const Tensor& t) { return linalg::cond(t, Scalar(2)); }, x}},
      {"select_scatter",
       {[](const Tensor& t) { return t.select_scatter(t.select(1, 0), 1, 2); }, x}},
      {"kl_div", {[](const Tensor& t) { return kl_div(t, t.abs()); }, x}},
      {"circular",
       {[](const Tensor& t) {
          return pad(t, {1, 2, 0, 1}, "circular");
        },
        images}},
      {"reflect",
       {[](const Tensor& t) {
          return pad(t, {1, 2, 0, 1}, "reflect");
        },
        images}},
      {"pdist", {[](const Tensor& t) { return pdist(t); }, x}},
      {"gru_cell", {[&](const Tensor& t) { return gru_cell(t, t.sin(), w, w.cos()); }, h}},
      {"lstm_cell",
       {[&](const Tensor& t) {
          const Tensor w4 = cat({w, w.slice(0, 0, 5)});
          const auto [y, c] = lstm_cell(t, {t.sin(), t.cos()}, w4, w4.neg());
          return y.add(c);
        },
        h}},
      {"rnn_tanh_cell",
       {[&](const Tensor& t) {
          const Tensor w1 = w.slice(0, 0, 5);
          return rnn_tanh_cell(t, t.sin(), w1, w1.cos());
        },
        h}},
      {"searchsorted",
       {[](const Tensor& t) { return searchsorted(std::get<0>(t.select(0, 0).sort()), t); }, x}},
      {"affine_grid",
       {[](const Tensor& t) {
          const Tensor theta = t.slice(0, 0, 2).slice(1, 0, 3).unsqueeze(0);
          return affine_grid_generator(theta, {1, 1, 2, 2}, false);
        },
        x}},
      {"grid_sampler",
       {[](const Tensor& t) {
          return grid_sampler(
              t, t.slice(3, 0, 2).select(1, 0).unsqueeze(1).expand({2, 3, 6, 2}).tanh(), 0, 0,
              false);
        },
        images}},
      {"sum_to",
       {[](const Tensor& t) {
          return t.sum_to_size({4, 1});
        },
        x}},
      {"frexp", {[](const Tensor& t) { return std::get<0>(frexp(t)); }, x}},
      {"cross",
       {[](const Tensor& t) { return linalg::cross(t.slice(1, 0, 3), t.slice(1, 3, 6)); }, x}},
  };
  for (const auto& [name, each] : all) {
    const auto& [f, X] = each;
    std::vector<Tensor> loop;
    for (int64_t b = 0; b < X.size(0); ++b) loop.push_back(f(X[b]));
    Tensor got;
    const auto warnings = testing::warnings_of([&] { got = func::vmap(f)(X); });
    SCOPED_TRACE(name);
    expect_close(got.to(kDouble), stack(loop).to(kDouble), 1e-9);
    for (const std::string& text : warnings)
      EXPECT_EQ(text.find("batching rule"), std::string::npos) << text;
  }
}

TEST(FuncBatchRules, KeepSharedStatisticsOfInstanceNorm) {
  const Tensor X = ones({2, 1, 3, 4}), mean = zeros({3}), var = ones({3});
  const auto f = [&](const Tensor& x) {
    return instance_norm(x, {}, {}, mean, var, true, 0.1, 1e-5, false);
  };
  testing::expect_error("running statistics", [&] { func::vmap(f)(X); });
}

TEST(FuncJacobian, TakesWritesIntoZerosOfTheFunction) {
  const auto f = [](const Tensor& x) {
    Tensor y = zeros({3}, kDouble);
    y.select(0, 0).copy_(x[0].mul(x[1]));
    y.slice(0, 1, 3).copy_(x.sin());
    return y;
  };
  const Tensor x = doubles({0.5, 2});
  expect_close(func::jacfwd(f)(x), func::jacrev(f)(x));
  const auto transposed = [&](const Tensor& x) {
    Tensor y = zeros({2, 3}, kDouble).t();
    y.select(1, 1).copy_(f(x));
    return y;
  };
  expect_close(func::jacfwd(transposed)(x), func::jacrev(transposed)(x));
}

}  // namespace
}  // namespace torch::taper
