// Methods and functions that only name each other: they pass their operands on in order.
#include <cmath>

#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/resize.h>
#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

/// A matrix that has an inverse, a Cholesky factor, and no elements that functions refuse.
Tensor matrix() { return tensor_of({2, 2}, {4, 1, 1, 3}, kDouble) / 10; }

TEST(Methods, SpecialFunctionsInBothForms) {
  const Tensor x = matrix(), y = x.mul(0.5).add(0.25);
#define TAPER_SAME(name, ...)                                                          \
  EXPECT_TRUE(x.name(__VA_ARGS__).equal(name(x __VA_OPT__(, ) __VA_ARGS__))) << #name; \
  EXPECT_TRUE(x.clone().name##_(__VA_ARGS__).equal(x.name(__VA_ARGS__))) << #name;
  TAPER_SAME(lgamma)
  TAPER_SAME(digamma)
  TAPER_SAME(erfinv)
  TAPER_SAME(i0)
  TAPER_SAME(sinc)
  TAPER_SAME(deg2rad)
  TAPER_SAME(rad2deg)
  TAPER_SAME(logit)
  TAPER_SAME(hypot, y)
  TAPER_SAME(xlogy, y)
  TAPER_SAME(heaviside, y)
  TAPER_SAME(nextafter, y)
  TAPER_SAME(ldexp, y)
  TAPER_SAME(float_power, y)
#undef TAPER_SAME
  EXPECT_TRUE(x.polygamma(1).equal(polygamma(1, x)));
  EXPECT_TRUE(x.add(2).mvlgamma(2).equal(mvlgamma(x.add(2), 2)));
  EXPECT_TRUE(x.logaddexp(y).equal(logaddexp(x, y)) && x.logaddexp2(y).equal(logaddexp2(x, y)));
  EXPECT_TRUE(x.fmax(y).equal(fmax(x, y)) && x.fmin(y).equal(fmin(x, y)));
  expect_values(values({12, 18}, kLong).gcd_(values({8, 27}, kLong)), {2}, {4, 9});
  expect_values(values({4, 6}, kLong).lcm(values({6, 4}, kLong)), {2}, {12, 12});
  expect_values(values({1, 3}, kLong).bitwise_left_shift(values({2, 1}, kLong)), {2}, {4, 6});
  expect_values(values({8, 3}, kLong).bitwise_right_shift_(values({2, 1}, kLong)), {2}, {2, 1});
  expect_values(values({-1, 2}).signbit(), {2}, {1, 0});
}

TEST(Methods, LinearAlgebra) {
  const Tensor a = matrix(), b = values({1, 2}, kDouble).unsqueeze(1);
  EXPECT_TRUE(a.matmul(a.inverse()).allclose(eye(2, kDouble)));
  EXPECT_NEAR(a.det().item<double>(), 0.11, 1e-12);
  EXPECT_NEAR(a.logdet().item<double>(), std::log(0.11), 1e-12);
  EXPECT_NEAR(std::get<1>(a.slogdet()).item<double>(), std::log(0.11), 1e-12);
  const Tensor l = a.cholesky();
  EXPECT_TRUE(l.matmul(l.t()).allclose(a));
  EXPECT_TRUE(l.cholesky_inverse().allclose(a.inverse()));
  EXPECT_TRUE(a.matmul(b.cholesky_solve(l)).allclose(b));
  EXPECT_TRUE(l.matmul(std::get<0>(b.triangular_solve(l, /*upper=*/false))).allclose(b));
  const auto [q, r] = a.qr();
  EXPECT_TRUE(q.matmul(r).allclose(a));
  const auto [u, s, v] = a.svd();
  EXPECT_TRUE(u.matmul(s.diag()).matmul(v.t()).allclose(a));
  EXPECT_TRUE(a.pinverse().allclose(a.inverse()));
  EXPECT_TRUE(a.matrix_power(3).allclose(a.matmul(a).matmul(a)));
  EXPECT_TRUE(a.matrix_exp().matmul(a.neg().matrix_exp()).allclose(eye(2, kDouble)));
  EXPECT_TRUE(a.kron(b).equal(kron(a, b)));
  expect_values(values({1, 0, 0}).cross(values({0, 1, 0})), {3}, {0, 0, 1});
}

TEST(Methods, StatisticsAndPieces) {
  const Tensor x = values({3, 1, 2, 2});
  expect_values(x.to(kLong).bincount(), {4}, {0, 1, 2, 1});
  expect_values(x.histc(2), {2}, {1, 3});
  EXPECT_EQ(x.quantile(0.5).item<float>(), 2);
  EXPECT_EQ(x.nanquantile(0.5, 0).item<float>(), 2);
  EXPECT_EQ(x.nanmean().item<float>(), 2);
  EXPECT_EQ(std::get<0>(x.mode()).item<float>(), 2);
  EXPECT_EQ(std::get<1>(x.aminmax()).item<float>(), 3);
  EXPECT_EQ(x.dist(x).item<float>(), 0);
  EXPECT_TRUE(x.view({2, 2}).renorm(2, 0, 1).equal(renorm(x.view({2, 2}), 2, 0, 1)));
  expect_values(x.diff(), {3}, {-2, 1, 0});
  expect_values(x.put(values({0}, kLong), values({9})), {4}, {9, 1, 2, 2});
  expect_values(x.take_along_dim(values({1, 0}, kLong), 0), {2}, {1, 3});
  EXPECT_EQ(x.tensor_split(3).size(), 3u);
  EXPECT_EQ(x.hsplit(IntArrayRef({1})).at(1).size(0), 3);
  EXPECT_EQ(x.view({2, 2}).vsplit(2).at(1).size(0), 1);
  EXPECT_EQ(x.view({1, 2, 2}).dsplit(2).at(1).size(2), 1);
  EXPECT_TRUE(x.logcumsumexp(0).equal(logcumsumexp(x, 0)));
  EXPECT_TRUE(x.prelu(values({0.5})).equal(x) && x.hardshrink(2.5).equal(hardshrink(x, 2.5)));
}

TEST(Methods, ToDense) {
  const Tensor x = counting({2}).requires_grad_();
  EXPECT_TRUE(x.to_dense().is_same(x));
  const Tensor y = x.to_dense(kDouble);
  EXPECT_EQ(y.scalar_type(), kDouble);
  y.sum().backward();
  expect_values(x.grad(), {2}, {1, 1});
}

TEST(InPlace, ProductsScansAndTriangles) {
  Tensor x = ones({2});
  x.addmv_(tensor_of({2, 2}, {1, 2, 3, 4}), values({1, 1}), 1, 2);
  expect_values(x, {2}, {7, 15});
  EXPECT_THROW(zeros({3}).addmv_(zeros({2, 2}), zeros({2})), Error);
  expect_values(ones({2, 2}).addr_(values({1, 2}), values({3, 4})), {2, 2}, {4, 5, 7, 9});
  expect_values(ones({1, 1, 1}).baddbmm_(ones({1, 1, 3}), ones({1, 3, 1})), {1, 1, 1}, {4});
  expect_values(counting({3}).cumsum_(0), {3}, {0, 1, 3});
  expect_values(counting({3}, kFloat, 1).cumprod_(0), {3}, {1, 2, 6});
  expect_values(ones({2, 2}).tril_(), {2, 2}, {1, 0, 1, 1});
  expect_values(ones({2, 2}).triu_(), {2, 2}, {1, 1, 0, 1});
}

TEST(Functions, OfShapesAndCopies) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(size(x, -1), 3);
  EXPECT_EQ(stride(x, 0), 3);
  EXPECT_TRUE(is_same_size(x, zeros({2, 3})));
  EXPECT_TRUE(is_nonzero(values({2})));
  EXPECT_EQ(promote_types(kInt, kHalf), kHalf);
  expect_values(fill(x, 7), {2, 3}, {7, 7, 7, 7, 7, 7});
  expect_values(zero(x), {2, 3}, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(resize(x, {3}).sizes(), IntArrayRef({3}));
  EXPECT_EQ(resize_as(x, zeros({3, 2})).sizes(), IntArrayRef({3, 2}));
  expect_values(set(x, values({1})), {1}, {1});
  expect_values(x, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_FALSE(detach(x.clone().requires_grad_()).requires_grad());
  EXPECT_FALSE(x.is_meta() || x.is_distributed());
  EXPECT_EQ(x.sym_size(1), 3);
  EXPECT_EQ(x.sym_nbytes(), 24u);
  expect_values(x.narrow_copy(1, 1, 2), {2, 2}, {1, 2, 4, 5});
  expect_values(x.matrix_H(), {3, 2}, {0, 3, 1, 4, 2, 5});
  EXPECT_EQ(x.new_empty_strided({2, 2}, {1, 2}, kLong).strides(), IntArrayRef({1, 2}));
  expect_values(values({1, std::nan(""), 2}).nansum(), {}, {3});
}

TEST(Functions, RarerInPlaceForms) {
  Tensor x = values({1, 2, 3, 4, 5, 6}).view({2, 3});
  x.put_(values({0, 5}, kLong), values({9, 8}));
  expect_values(x, {2, 3}, {9, 2, 3, 4, 5, 8});
  x.put_(values({0, 0}, kLong), values({1, 1}), /*accumulate=*/true);
  EXPECT_EQ(x[0][0].item<float>(), 11);
  Tensor r = values({3, 4, 6, 8}).view({2, 2});
  r.renorm_(2, 0, 5);
  EXPECT_NEAR(r[1][1].item<double>(), 4, 1e-5);
  Tensor p = values({2});
  EXPECT_NEAR(p.clone().polygamma_(1).item<double>(), polygamma(1, p).item<double>(), 1e-7);
  EXPECT_NEAR(p.clone().mvlgamma_(2).item<double>(), mvlgamma(p, 2).item<double>(), 1e-7);
  EXPECT_NEAR(p.clone().igamma_(p).item<double>(), igamma(p, p).item<double>(), 1e-7);
  Tensor m = zeros({2, 2});
  const Tensor batch = ones({3, 2, 2});
  expect_values(m.addbmm(batch, batch), {2, 2}, {6, 6, 6, 6});
  expect_values(m.addbmm_(batch, batch), {2, 2}, {6, 6, 6, 6});
  Tensor leaf = values({1, 2}).requires_grad_();
  Tensor y = leaf * 1;
  y.scatter_reduce_(0, values({0, 0}, kLong), values({5, 0}), "amax");
  expect_values(y, {2}, {5, 2});
  y.index_reduce_(0, values({1}, kLong), values({4}), "prod");
  y.sum().backward();
  expect_values(leaf.grad(), {2}, {0, 4});
  Tensor g = values({12, 18}, kLong);
  expect_values(gcd_(g, values({8, 27}, kLong)), {2}, {4, 9});
  Tensor d = values({180}, kDouble);
  EXPECT_NEAR(deg2rad_(d).item<double>(), 3.14159265358979, 1e-12);
}

TEST(Functions, OfKinds) {
  const Tensor x = counting({2}), z = x.to(kComplexFloat);
  EXPECT_TRUE(is_complex(z) && !is_complex(x));
  EXPECT_TRUE(is_floating_point(x) && !is_floating_point(z));
  EXPECT_TRUE(is_signed(x) && !is_signed(x.to(kByte)));
  EXPECT_FALSE(is_inference(x) || is_conj(z) || is_neg(x));
  EXPECT_TRUE(can_cast(kFloat, kComplexFloat) && !can_cast(kComplexFloat, kFloat));
  EXPECT_EQ(hasCUDA(), cuda::is_available());
  EXPECT_FALSE(hasMPS());
}

TEST(Functions, OfHistoryAndCopies) {
  const Tensor x = counting({2}).requires_grad_();
  Tensor y = x * 2;
  EXPECT_TRUE(alias(y).is_view() && alias(y).is_alias_of(y));
  EXPECT_TRUE(detach_(y).is_same(y) && y.is_leaf() && !y.requires_grad());
  const Tensor z = zeros({3}), whole = tensor({5}, kInt).expand({3});
  expect_values(copy(z, whole), {3}, {5, 5, 5});
  EXPECT_EQ(copy(z, whole).scalar_type(), kFloat);
  expect_values(z, {3}, {0, 0, 0});
  EXPECT_FALSE(is_distributed(x));
}

}  // namespace
}  // namespace torch::taper::testing
