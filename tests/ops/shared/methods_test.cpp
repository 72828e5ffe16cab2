// Methods and functions that only name each other: they pass their operands on in order.
#include <cmath>

#include <gtest/gtest.h>

#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/shared/optional_tensors.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>
#include <taper/ops/tensor/resize.h>
#include <taper/taper.h>

#include "test_util.h"

namespace torch::taper::testing {
namespace {

using Maybe = optional<Tensor>;

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

// Which overload a call takes: numbers, lists, tensors and text in the same place.

TEST(Overloads, WholeNumbersStayDimensions) {
  const Tensor x = counting({2, 3});
  EXPECT_EQ(x.argsort(0, true).sizes(), x.sizes());
  expect_values(x.argsort(0, true), {2, 3}, {1, 1, 1, 0, 0, 0});
  expect_values(x.argsort(true, 1, true), {2, 3}, {2, 1, 0, 2, 1, 0});
  expect_values(argsort(x, 0, true), {2, 3}, {1, 1, 1, 0, 0, 0});
  expect_values(argsort(x, true, 1, true), {2, 3}, {2, 1, 0, 2, 1, 0});
  EXPECT_EQ(argsort(x, 1).sizes(), x.sizes());
  expect_values(x.any(0), {3}, {1, 1, 1});
  expect_values(x.all(1), {2}, {0, 1});
  EXPECT_EQ(x.any({0, 1}).dim(), 0);
  EXPECT_EQ(x.all(nullopt, true).sizes(), IntArrayRef({1, 1}));
  EXPECT_EQ(x.var(0).sizes(), IntArrayRef({3}));
  EXPECT_EQ(x.view({1, 2, 3}).squeeze(0).dim(), 2);
}

TEST(Overloads, StartsAndEndsInTensors) {
  const Tensor x = counting({4, 2});
  expect_values(x.narrow(0, tensor_of({}, {1}, kLong), 2), {2, 2}, {2, 3, 4, 5});
  expect_values(x.narrow(0, tensor_of({}, {-1}, kInt), 1), {1, 2}, {6, 7});
  EXPECT_TRUE(x.narrow(0, tensor_of({}, {1}, kLong), 2).is_alias_of(x));
  expect_error("start must be an 0-dim integral Tensor.",
               [&] { x.narrow(0, values({1}, kLong), 1); });
  expect_error("start must be an 0-dim integral Tensor.",
               [&] { x.narrow(0, tensor_of({}, {1}), 1); });
  const Tensor one = tensor_of({}, {1}), three = tensor_of({}, {3});
  expect_values(linspace(one, three, 3), {3}, {1, 2, 3});
  expect_values(linspace(one, 2, 2), {2}, {1, 2});
  expect_values(linspace(0, three, 2, kDouble), {2}, {0, 3});
  expect_values(logspace(one, three, 3), {3}, {10, 100, 1000});
  expect_values(logspace(one, 2, 2, 2), {2}, {2, 4});
  expect_values(logspace(0, three, 2, 2.0, kDouble), {2}, {1, 8});
  expect_error(
      "linspace only supports 0-dimensional start and end tensors, but got end with 1 "
      "dimension(s).",
      [&] { linspace(one, values({3}), 3); });
}

TEST(Overloads, ListsScalarsAndProbabilities) {
  const std::vector<Tensor> both = {tensor_of({}, {3}), values({1, 2})};
  EXPECT_EQ(atleast_1d(both)[0].sizes(), IntArrayRef({1}));
  EXPECT_EQ(atleast_2d(both)[1].sizes(), IntArrayRef({1, 2}));
  EXPECT_EQ(atleast_3d(both)[1].sizes(), IntArrayRef({1, 2, 1}));
  expect_values(both[1].where(values({1, 0}, kBool), 9), {2}, {1, 9});
  EXPECT_EQ(result_type(Scalar(1), both[1].to(kHalf)), kHalf);
  EXPECT_EQ(result_type(Scalar(1), Scalar(2.0)), kFloat);
  EXPECT_EQ(result_type(Scalar(1), Scalar(2)), kLong);
  expect_values(bernoulli(zeros({3}), values({0, 1, 0})), {3}, {0, 1, 0});
  expect_values(zeros({2}).bernoulli(1.0), {2}, {1, 1});
  Tensor z = values({2, 3}, kDouble);
  EXPECT_NEAR(values_of(xlogy_(z, Scalar(2)))[1], 3 * std::log(2.0), 1e-12);
  expect_values(values({1, 2}).repeat_interleave(2, 0, 4), {4}, {1, 1, 2, 2});
  expect_values(values({1, 2}).repeat_interleave(values({0, 2}, kLong), 0, 2), {2}, {2, 2});
  expect_error("repeat_interleave: expected output_size 4, got 3", [] {
    values({1, 2}).repeat_interleave(2, 0, 3);
  });
}

TEST(Overloads, TextInAnyForm) {
  const std::string_view add = "add";
  const Tensor at = values({0, 0}, kLong), x = values({1, 2, 3});
  expect_values(zeros({2}).scatter(0, at, x, add), {2}, {3, 0});
  expect_values(zeros({2}).scatter_(0, at, 5, std::string("add")), {2}, {10, 0});
  EXPECT_EQ(conv1d(zeros({1, 1, 4}), zeros({1, 1, 3}), {}, 1, std::string_view("same")).size(2), 4);
  EXPECT_EQ(pad(x, {1, 0}, std::string_view("constant"), 2).size(0), 4);
  EXPECT_EQ(meshgrid({x, x}, std::string_view("xy"))[0].size(0), 3);
}

TEST(Overloads, NamesOfDriversAndDevicesAreChecked) {
  const Tensor A = numbers({3, 2}, kDouble);
  EXPECT_TRUE(std::get<1>(linalg_svd(A, false, nullopt)).allclose(linalg_svdvals(A, nullopt)));
  expect_error("keyword argument `driver=` is only supported on CUDA inputs",
               [&] { linalg_svdvals(A, "gesvd"); });
  expect_error("expected pinned memory for a CUDA device, got cpu",
               [&] { A.pin_memory(Device(kCPU)); });
  EXPECT_EQ(A.is_pinned(Device(kCUDA)), A.is_pinned());
}

TEST(OptionalTensors, OfNorms) {
  const Tensor x = numbers({3, 4}, kDouble), w = numbers({4}, kDouble), b = w.add(1);
  const Maybe weight = w, bias = b, none;
  EXPECT_TRUE(layer_norm(x, {4}, weight, bias).equal(layer_norm(x, {4}, w, b)));
  EXPECT_TRUE(layer_norm(x, {4}, weight, {}).equal(layer_norm(x, {4}, w)));
  EXPECT_TRUE(layer_norm(x, {4}, none, b).equal(layer_norm(x, {4}, {}, b)));
  EXPECT_TRUE(layer_norm(x, {4}, nullopt, nullopt, 0.5).equal(layer_norm(x, {4}, {}, {}, 0.5)));
  EXPECT_TRUE(group_norm(x, 2, weight, bias).equal(group_norm(x, 2, w, b)));
  EXPECT_TRUE(rms_norm(x, {4}, weight, 0.1).equal(rms_norm(x, {4}, w, 0.1)));
  const Tensor y = batch_norm(x, weight, bias, none, nullopt, true, 0.1, 1e-5);
  EXPECT_TRUE(y.equal(batch_norm(x, w, b, {}, {}, true, 0.1, 1e-5)));
  const Tensor z = x.view({3, 2, 2});
  EXPECT_TRUE(instance_norm(z, none, none, none, none, true, 0.1, 1e-5)
                  .equal(instance_norm(z, {}, {}, {}, {}, true, 0.1, 1e-5)));
}

TEST(OptionalTensors, OfConvolutionsAndProducts) {
  const Tensor x = numbers({2, 3, 5}, kDouble), w = numbers({3, 3, 3}, kDouble),
               b = numbers({3}, kDouble);
  const Maybe bias = b, none;
  EXPECT_TRUE(conv1d(x, w, bias, 2, 1).equal(conv1d(x, w, b, 2, 1)));
  EXPECT_TRUE(conv1d(x, w, none).equal(conv1d(x, w)));
  EXPECT_TRUE(conv1d(x, w, nullopt, 1, "same").equal(conv1d(x, w, {}, 1, "same")));
  EXPECT_TRUE(conv_transpose1d(x, w, bias, 2).equal(conv_transpose1d(x, w, b, 2)));
  EXPECT_TRUE(convolution(x, w, bias, 1, 0, 1, false, 0, 1)
                  .equal(convolution(x, w, b, 1, 0, 1, false, 0, 1)));
  const Tensor image = x.unsqueeze(0), elements = w.unsqueeze(0).narrow(1, 0, 2);
  EXPECT_TRUE(conv2d(image.narrow(1, 0, 2), elements, none, {1, 1}, {1, 0})
                  .equal(conv2d(image.narrow(1, 0, 2), elements, {}, {1, 1}, {1, 0})));
  const Tensor rows = numbers({2, 3}, kDouble), square = numbers({3, 3}, kDouble);
  EXPECT_TRUE(linear(rows, square, bias).equal(linear(rows, square, b)));
  EXPECT_TRUE(linear(rows, square, nullopt).equal(linear(rows, square)));
}

TEST(OptionalTensors, OfAttentionAndCells) {
  const Tensor q = numbers({2, 3, 4}, kDouble), mask = numbers({3, 3}, kDouble);
  EXPECT_TRUE(scaled_dot_product_attention(q, q, q, Maybe(mask))
                  .equal(scaled_dot_product_attention(q, q, q, mask)));
  EXPECT_TRUE(scaled_dot_product_attention(q, q, q, nullopt, 0.0, true)
                  .equal(scaled_dot_product_attention(q, q, q, {}, 0.0, true)));
  const Tensor x = numbers({2, 3}, kDouble), h = x.mul(2), w = numbers({9, 3}, kDouble),
               b = numbers({9}, kDouble);
  EXPECT_TRUE(gru_cell(x, h, w, w, Maybe(b), Maybe(b)).equal(gru_cell(x, h, w, w, b, b)));
  EXPECT_TRUE(gru_cell(x, h, w, w, nullopt, {}).equal(gru_cell(x, h, w, w)));
  const Tensor v = w.narrow(0, 0, 3);
  EXPECT_TRUE(rnn_tanh_cell(x, h, v, v, Maybe()).equal(rnn_tanh_cell(x, h, v, v)));
  EXPECT_TRUE(rnn_relu_cell(x, h, v, v, Maybe()).equal(rnn_relu_cell(x, h, v, v)));
  const Tensor u = numbers({12, 3}, kDouble);
  EXPECT_TRUE(std::get<1>(lstm_cell(x, {h, h}, u, u, Maybe(), nullopt))
                  .equal(std::get<1>(lstm_cell(x, {h, h}, u, u))));
}

}  // namespace
}  // namespace torch::taper::testing
