// Methods as functions, functions of memory, and the rarer in-place forms.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <taper/ops/elementwise/special.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/for_blob.h>
#include <taper/ops/tensor/resize.h>
#include <taper/taper.h>

#include "harness/pointwise.h"
#include "test_util.h"

namespace taper::testing {
namespace {

TAPER_OP_CASES(rarer_forms, {
  const auto two_sizes = [](ScalarType t) {
    return std::vector<Args>{sample_of({{3, 4}, {2, 2}}, t), sample_of({{12}, {2, 2}}, t)};
  };
  OpCase scatter;
  scatter.name = "as_strided_scatter";
  scatter.samples = two_sizes;
  scatter.call = [](const Args& a) {
    return as_strided_scatter(a.t[0], a.t[1], {2, 2}, {5, 2}, 1);
  };
  scatter.reference = [](const ArrayArgs& a) {
    Array y = a.t[0];
    for (size_t i = 0; i < 2; ++i)
      for (size_t j = 0; j < 2; ++j) y.v[1 + 5 * i + 2 * j] = a.t[1].v[2 * i + j];
    return Arrays(y);
  };
  scatter.errors = {error<Error>("expected src to have a size equal to the slice of self", [] {
    as_strided_scatter(numbers({3, 4}), numbers({3}), {2, 2}, {5, 2});
  })};
  OpCase mantissa = unary_case(
      "frexp", [](const Tensor& x) { return std::get<0>(frexp(x)); },
      [](double x) {
        int e;
        return std::frexp(x, &e);
      },
      Range{-9, 9});
  mantissa.dtypes = {kFloat, kDouble, kHalf};
  mantissa.result_dtype = {};
  mantissa.inplace = {};
  mantissa.out = {};
  mantissa.errors = {error<Error>("torch.frexp() only supports floating-point dtypes",
                                  [] { frexp(numbers({2}, kLong)); })};
  return std::vector<OpCase>{scatter, mantissa};
});

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

TEST(Functions, TakeOverMemory) {
  Tensor a = counting({6}), b = counting({4}, kFloat, 10);
  a.set_(b);
  EXPECT_TRUE(a.is_set_to(b));
  a[0].fill_(1);
  EXPECT_EQ(b[0].item<float>(), 1);
  a.set_(b.storage(), 1, {3});
  expect_values(a, {3}, {11, 12, 13});
  a.set_();
  EXPECT_EQ(a.numel(), 0);
  Tensor c = counting({6});
  as_strided_(c, {2, 2}, {1, 2}, 1);
  expect_values(c, {2, 2}, {1, 3, 2, 4});
  resize_as_(c, zeros({3}));
  EXPECT_EQ(c.sizes(), IntArrayRef({3}));
  EXPECT_THROW(a.set_(b.storage(), 2, {9}), std::exception);
  expect_error("set_: expected a source of dtype Float, got Long",
               [&] { a.set_(arange(3, kLong)); });
  Tensor leaf = ones({2}).requires_grad_();
  expect_error("expected a tensor that does not require a gradient", [&] { leaf.set_(b); });
  expect_error("expected a tensor that does not require a gradient",
               [&] { leaf.as_strided_({1}, {1}); });
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

TEST(Functions, FrexpEqualsPyTorchs) {
  auto [m, e] = frexp(values({1, 0, -3.5, INFINITY, 1e-40}));
  expect_values(e, {5}, {1, 0, 2, 0, -132});
  EXPECT_EQ(e.scalar_type(), kInt);
  EXPECT_EQ(m[2].item<float>(), -0.875f);
  EXPECT_TRUE(std::isinf(m[3].item<float>()));
}

// Expected values are PyTorch 1.13's.
TEST(Functions, Norms) {
  const Tensor v = counting({2, 3, 2});
  const Tensor n = norm_except_dim(v, 2, 1);
  EXPECT_EQ(n.sizes(), IntArrayRef({1, 3, 1}));
  EXPECT_NEAR(n[0][2][0].item<double>(), 16.18641471862793, 1e-5);
  EXPECT_NEAR(norm_except_dim(v, 2, -1).item<double>(), 22.4944, 1e-3);
  EXPECT_NEAR(frobenius_norm(v, {0, 2}, true)[0][2][0].item<double>(), 16.186414, 1e-5);
  EXPECT_NEAR(nuclear_norm(values({3, 0, 0, 4}).view({2, 2})).item<double>(), 7, 1e-5);
  EXPECT_EQ(nuclear_norm(v, {0, 2}, true).sizes(), IntArrayRef({1, 3, 1}));
  expect_error("Expected a tensor with 2 dimensions, but got a tensor with 3 dimensions instead.",
               [&] { nuclear_norm(v); });
}

TEST(Functions, FromFile) {
  const TemporaryFolder folder;
  const std::string path = folder.path("numbers");
  const float numbers_in_file[] = {1, 2, 3};
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(numbers_in_file), 12);
  Tensor copy = from_file(path, false, 3);
  expect_values(copy, {3}, {1, 2, 3});
  copy.fill_(0);
  {
    Tensor shared = from_file(path, true, 2);
    shared[1].fill_(7);
  }
  expect_values(from_file(path, nullopt, 3), {3}, {1, 7, 3});
  expect_error("to have at least 16 bytes, got 12", [&] { from_file(path, false, 4); });
  expect_error("cannot be opened", [&] { from_file(folder.path("none"), false, 4); });
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

struct Counted : intrusive_ptr_target {
  explicit Counted(int* count) : count(count) { ++*count; }
  ~Counted() override { --*count; }
  int* count;
};

TEST(Functions, IntrusivePointersAndAccessors) {
  int alive = 0;
  {
    auto p = make_intrusive<Counted>(&alive);
    const intrusive_ptr<Counted> other = p;
    EXPECT_EQ(alive, 1);
    EXPECT_EQ(p.use_count(), 2u);
  }
  EXPECT_EQ(alive, 0);
  const Tensor x = counting({2, 3});
  const PackedTensorAccessor32<float, 2, RestrictPtrTraits> a =
      x.packed_accessor32<float, 2, RestrictPtrTraits>();
  EXPECT_EQ(a[1][2], 5);
  EXPECT_EQ((x.packed_accessor64<float, 2>()[1][0]), 3);
  const autograd::AutoGradMode off(false);
  EXPECT_FALSE(GradMode::is_enabled());
  init_num_threads();
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

TEST(Functions, FlattenListsAndBack) {
  const Tensor a = counting({2, 2}), none = zeros({0, 3}), b = values({7});
  const Tensor flat = flatten_dense_tensors({a.t(), none, b});
  expect_values(flat, {5}, {0, 2, 1, 3, 7});
  const std::vector<Tensor> parts = unflatten_dense_tensors(flat, {a, none, b});
  ASSERT_EQ(parts.size(), 3u);
  expect_values(parts[0], {2, 2}, {0, 2, 1, 3});
  EXPECT_EQ(parts[1].sizes(), IntArrayRef({0}));
  EXPECT_TRUE(parts[2].equal(b) && parts[2].is_alias_of(flat));
  EXPECT_THROW(unflatten_dense_tensors(flat, {a, a}), Error);
  EXPECT_THROW(flatten_dense_tensors({}), Error);
}

}  // namespace
}  // namespace taper::testing
