// Forms of ops beside the usual one: arguments that are tensors or numbers, other dtypes, results
// into tensors that the caller gives.
#include <cmath>

#include <taper/taper.h>

#include "test_util.h"

namespace taper::testing {
namespace {

const double kInf = INFINITY;

Tensor complexes() { return taper::complex(values({3, -0.0}), values({4, -2})); }

// ---------------------------------------------------------------- round
TEST(RoundToDecimals, GoesToEvenOnTies) {
  const Tensor x = values({1.25, -1.35, 2.675, kInf, 1250}, kDouble);
  const Tensor y = round(x, 1);
  expect_values(y, {5}, {1.2, -1.4, 2.7, kInf, 1250});
  expect_values(round(x, -2), {5}, {0, -0.0, 0, kInf, 1200});
  EXPECT_TRUE(x.round(1).equal(y) && special::round(x, 1).equal(y));
  EXPECT_TRUE(special::round(x).equal(x.round()) && round(x, 0).equal(x.round()));
  Tensor out, changed = x.clone();
  EXPECT_TRUE(round_out(out, x, 1).equal(y) && special::round_out(out, x).equal(x.round()));
  EXPECT_TRUE(changed.round_(1).equal(y) && changed.equal(y));
  EXPECT_TRUE(std::isnan(round(values({std::nan("")}), 3).item<float>()));
}

TEST(RoundToDecimals, HasNoSlopeAndTakesFloats) {
  Tensor x = values({1.26, 2.71}, kDouble).requires_grad_();
  const Tensor y = x.round(1);
  EXPECT_EQ(y.grad_fn()->name(), "RoundBackward1");
  y.sum().backward();
  expect_values(x.grad(), {2}, {0, 0});
  expect_error<NotImplementedError>("\"round_cpu\" not implemented for 'Long'",
                                    [] { counting({3}, kLong).round(1); });
}

// ---------------------------------------------------------------- sets and splits
TEST(IsIn, TakesANumberOnEitherSide) {
  const Tensor x = values({1, 2, 3}, kLong);
  expect_values(isin(x, 2), {3}, {0, 1, 0});
  expect_values(isin(x, 2, false, true), {3}, {1, 0, 1});
  expect_values(isin(x, 2.5), {3}, {0, 0, 0});
  expect_values(isin(2, x), {}, {1});
  expect_values(isin(2.5, x), {}, {0});
  expect_values(isin(2, x, false, true), {}, {0});
  expect_values(isin(5, values({})), {}, {0});
  EXPECT_EQ(isin(2, x).scalar_type(), kBool);
}

TEST(TensorSplit, TakesIndicesAndSectionsInATensor) {
  const Tensor x = counting({3, 4});
  const auto rows = tensor_split(x, values({1, 2}, kLong));
  ASSERT_EQ(rows.size(), 3u);
  expect_values(rows[1], {1, 4}, {4, 5, 6, 7});
  const auto halves = x.tensor_split(tensor_of({}, {2}, kLong), 1);
  ASSERT_EQ(halves.size(), 2u);
  expect_values(halves[1], {3, 2}, {2, 3, 6, 7, 10, 11});
  EXPECT_TRUE(halves[1].is_alias_of(x));
  expect_error("to have dtype of long, but got Float", [&] { x.tensor_split(values({1})); });
  expect_error("but got a tensor with 2 dims", [&] { x.tensor_split(counting({1, 2}, kLong)); });
}

// ---------------------------------------------------------------- reductions
TEST(CountNonzero, TakesSeveralDimensions) {
  const Tensor x = tensor_of({2, 1, 3}, {0, 1, 2, 0, 0, 3});
  expect_values(x.count_nonzero(IntArrayRef{0, 1}), {3}, {0, 1, 2});
  expect_values(x.count_nonzero(IntArrayRef{1, 2}), {2}, {2, 1});
}

TEST(Norm, MethodsTakeADtype) {
  const Tensor x = tensor_of({2, 2}, {3, 4, 6, 8});
  const Tensor rows = x.norm(2, IntArrayRef{1}, true, kDouble);
  EXPECT_EQ(rows.scalar_type(), kDouble);
  expect_values(rows, {2, 1}, {5, 10});
  EXPECT_EQ(x.norm(nullopt, kDouble).scalar_type(), kDouble);
  EXPECT_DOUBLE_EQ(x.norm(1, kDouble).item<double>(), 21);
}

TEST(OutForms, OfTruthTakeBoolsAndBytes) {
  const Tensor x = tensor_of({2, 2}, {0, 1, 2, 3});
  Tensor bools = values({}, kBool), bytes = values({}, kByte), floats = values({});
  expect_values(all_out(bools, x, 0), {2}, {0, 1});
  expect_values(any_out(bytes, x, 1, true), {2, 1}, {1, 1});
  expect_values(all_out(bools, x), {}, {0});
  expect_values(any_out(bools, x.to(kByte)), {}, {1});
  EXPECT_EQ(bytes.scalar_type(), kByte);
  expect_error("all only supports bool tensor for result, got: Float", [&] { all_out(floats, x); });
}

TEST(OutForms, OfScansConvertTheInput) {
  const Tensor x = values({1, 2, 3}, kLong);
  Tensor floats = values({}), ints = values({}, kInt);
  expect_values(cumsum_out(floats, x, 0), {3}, {1, 3, 6});
  expect_values(cumprod_out(ints, x.to(kFloat), 0), {3}, {1, 2, 6});
  EXPECT_EQ(ints.scalar_type(), kInt);
  expect_error("Expected out tensor to have dtype double, but got float instead",
               [&] { cumprod_out(floats, x, 0, kDouble); });
  expect_error("don't support automatic differentiation",
               [&] { cumsum_out(floats, values({1}).requires_grad_(), 0); });
}

TEST(OutForms, OfExtremesKeepTheDtype) {
  const Tensor x = tensor_of({2, 2}, {0, 5, 2, 3});
  Tensor y = values({}), at = values({}, kLong), other = values({}, kDouble);
  expect_values(amax_out(y, x, IntArrayRef{0}), {2}, {2, 5});
  expect_values(amin_out(y, x), {}, {0});
  expect_values(argmax_out(at, x, 1, true), {2, 1}, {1, 1});
  expect_values(argmin_out(at, x), {}, {0});
  expect_error("input and out to match, but got Float for input's dtype and Double for out's",
               [&] { amax_out(other, x); });
  expect_error("Expected out tensor to have dtype long int, but got float instead",
               [&] { argmax_out(y, x); });
}

// ---------------------------------------------------------------- joining
TEST(OutForms, OfJoinsConvertAndShareNothing) {
  const Tensor a = values({1, 2}), b = values({3}, kDouble);
  Tensor y = values({}), ints = values({}, kLong), same = a.clone();
  expect_values(cat_out(y, {a, b}), {3}, {1, 2, 3});
  EXPECT_EQ(y.scalar_type(), kFloat);
  expect_values(stack_out(y, {a, a}, 1), {2, 2}, {1, 1, 2, 2});
  expect_error("torch.cat(): input types can't be cast to the desired output type Long", [&] {
    cat_out(ints, {a, a});
  });
  expect_error("refer to a single memory location", [&] { stack_out(same, {same, a}); });
  expect_values(same, {2}, {1, 2});
  expect_error("cat(): functions with out=... arguments don't support", [&] {
    cat_out(y, {a, values({1}).requires_grad_()});
  });
}

TEST(OutForms, OfAnglesAndSigns) {
  Tensor real = values({}), as_complex = taper::complex(values({}), values({}));
  expect_values(angle_out(real, values({-1, 0, 2})), {3}, {float(M_PI), 0, 0});
  EXPECT_FLOAT_EQ(angle_out(real, complexes())[0].item<float>(), std::atan2(4.f, 3.f));
  Tensor sign = sgn_out(as_complex, complexes());
  EXPECT_FLOAT_EQ(taper::real(sign)[0].item<float>(), 0.6f);
  expect_values(sgn_out(real, values({-3, 0})), {2}, {-1, 0});
  expect_error("Found dtype Float but expected ComplexFloat", [&] { sgn_out(real, complexes()); });
}

// ---------------------------------------------------------------- index_fill
TEST(IndexFill, AnIndexThatComesTwiceCountsOnce) {
  const Tensor v = values({7}, kDouble).reshape({}).requires_grad_();
  counting({2, 3}, kDouble).index_fill(1, values({0, 2, 0}, kLong), v).sum().backward();
  expect_values(v.grad(), {}, {4});
}

TEST(IndexFill, TakesTheValueFromATensor) {
  const Tensor x = counting({2, 3}), at = values({0, 2}, kLong);
  expect_values(x.index_fill(1, at, tensor_of({}, {7}, kLong)), {2, 3}, {7, 1, 7, 7, 4, 7});
  Tensor a = x.clone().requires_grad_(), v = tensor_of({}, {9}, kDouble).requires_grad_();
  const Tensor y = index_fill(a, 1, at, v);
  EXPECT_EQ(y.grad_fn()->name(), "IndexFillBackward1");
  (y * y).sum().backward();
  expect_values(v.grad(), {}, {72});
  EXPECT_EQ(v.grad().scalar_type(), kDouble);
  expect_values(a.grad(), {2, 3}, {0, 2, 0, 0, 8, 0});
  Tensor z = x.clone();
  EXPECT_TRUE(z.index_fill_(1, at, v.detach()).equal(y) && z.equal(y));
  expect_error("only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
               [&] { z.index_fill_(0, at, values({7})); });
}

// ---------------------------------------------------------------- view(dtype)
TEST(ViewAsDtype, ReinterpretsTheBytes) {
  const Tensor x = values({1, -2});
  expect_values(x.view(kInt), {2}, {0x3f800000, -0x40000000});
  expect_values(x.view(kShort), {4}, {0, 0x3f80, 0, -0x4000});
  expect_values(tensor_of({}, {1}).view(kInt), {}, {0x3f800000});
  x.view(kInt)[0] = 0;
  expect_values(x, {2}, {0, -2});
  EXPECT_TRUE(x.view(kInt).view(kFloat).equal(x));
}

TEST(ViewAsDtype, ScalesSizesStridesAndOffset) {
  const Tensor x = counting({3, 4}, kInt);
  const Tensor right = x.narrow(1, 2, 2), wide = right.view(kLong);
  EXPECT_EQ(wide.sizes(), IntArrayRef({3, 1}));
  EXPECT_EQ(wide.strides(), IntArrayRef({2, 1}));
  EXPECT_EQ(wide.storage_offset(), 1);
  expect_values(wide, {3, 1}, {2 + 3 * 0x1p32, 6 + 7 * 0x1p32, 10 + 11 * 0x1p32});
  EXPECT_TRUE(wide.view(kInt).equal(right));
}

TEST(ViewAsDtype, RefusesWhatDoesNotDivide) {
  const Tensor x = counting({3, 4});
  const auto refuses = [](const Tensor& t, ScalarType to, const char* text) {
    expect_error(text, [&] { t.view(to); });
  };
  refuses(x.narrow(1, 1, 2), kDouble,
          "self.storage_offset() must be divisible by 2 to view Float as Double (different element "
          "sizes), but got 1");
  refuses(x.t(), kDouble, "self.size(-1) must be divisible by 2 to view Float as Double");
  refuses(x.t(), kShort,
          "self.stride(-1) must be 1 to view Float as Short (different element "
          "sizes), but got 4");
  refuses(counting({3, 3}).narrow(1, 0, 2), kDouble, "self.stride(0) must be divisible by 2");
  refuses(tensor_of({}, {1}), kDouble, "self.dim() cannot be 0 to view Float as Double");
  EXPECT_FALSE(values({1}).requires_grad_().mul(2).view(kInt).requires_grad());
}

TEST(OutForms, Addr) {
  Tensor out = zeros({1});
  addr_out(out, ones({3}), tensor({1.0, 2.0}), tensor({1.0, 10.0, 100.0}), 2, 3);
  EXPECT_TRUE(out.equal(tensor({{5.0, 32.0, 302.0}, {8.0, 62.0, 602.0}})));
  Tensor doubles = zeros({2}, kDouble);
  EXPECT_NE(message_of([&] {
              addmv_out(doubles, ones({2}), ones({2, 3}), ones({3}));
            }).find("Expected out tensor to have dtype"),
            std::string::npos);
  EXPECT_EQ(doubles.dim(), 1);
}

}  // namespace
}  // namespace taper::testing
