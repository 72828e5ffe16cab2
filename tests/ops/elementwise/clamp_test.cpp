#include <cmath>

#include <taper/taper.h>

#include "harness/pointwise.h"
#include "ops/shared/kinks.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using optional_scalar = optional<Scalar>;
using optional_tensor = optional<Tensor>;

/// All forms of one function of x and bounds that are numbers.
#define OF_NUMBERS(label, name, function, ...)                                                 \
  [] {                                                                                         \
    OpCase c =                                                                                 \
        unary_case(label, [](const Tensor& x) { return name(x, __VA_ARGS__); }, function, {}); \
    c.inplace = [](const Args& a) { return a.t[0].name##_(__VA_ARGS__); };                     \
    c.out = [](Tensor& y, const Args& a) { return name##_out(y, a.t[0], __VA_ARGS__); };       \
    return c;                                                                                  \
  }()

double limited(double x, double low, double high) { return std::min(std::max(x, low), high); }

TAPER_OP_CASES(clamp_numbers, {
  OpCase both = OF_NUMBERS(
      "clamp", clamp, [](double x) { return limited(x, -1, 2); }, Scalar(-1), Scalar(2));
  both.errors = {
      error<Error>(
          "torch.clamp: At least one of 'min' or 'max' must not be None",
          [] { clamp(to_tensor(Array({2}), kFloat), optional_scalar(), optional_scalar()); }),
      error<Error>("result type Float can't be cast to the desired output type long int",
                   [] { to_tensor(Array({2}), kLong).clamp_(optional_scalar(0.5)); })};
  return std::vector<OpCase>{
      both,
      OF_NUMBERS(
          "clip", clip, [](double x) { return limited(x, -1, 2); }, Scalar(-1), Scalar(2)),
      OF_NUMBERS(
          "clamp_min_number", clamp_min, [](double x) { return std::max(x, 1.0); }, 1),
      OF_NUMBERS(
          "clamp_max_number", clamp_max, [](double x) { return std::min(x, 1.0); }, 1),
  };
});

/// Even lower bounds, odd upper ones, and x between whole numbers: no ties, so that there are
/// gradients.
OpCase of_bounds(OpCase c, size_t bounds) {
  c.dtypes = {kFloat, kDouble};
  c.samples = [bounds](ScalarType dtype) {
    std::vector<Args> list;
    for (const auto& [own, other] : shapes_of_two()) {
      std::vector<std::vector<int64_t>> sizes(1 + bounds, other);
      sizes[0] = own;
      Args a = sample_of(sizes, kDouble);
      for (size_t i = 0; i < a.t.size(); ++i) {
        Array v = to_array(a.t[i]);
        for (double& x : v.v)
          x = i == 0 ? x + 1.0 / 3 : 2 * std::floor(x / 2) + static_cast<double>(i) - 1;
        a.t[i] = to_tensor(v, dtype);
      }
      list.push_back(a);
    }
    return list;
  };
  c.reference = [](const ArrayArgs& a) {
    Array z(broadcast(a.t[0].sizes, a.t[1].sizes));
    for_each_index(z.sizes, [&](const std::vector<int64_t>& index) {
      double v = a.t[0].broadcast_at(index);
      v = a.i[0] & 1 ? std::max(v, a.t[1].broadcast_at(index)) : v;
      if (a.i[0] & 2) v = std::min(v, a.t[a.t.size() - 1].broadcast_at(index));
      z.at(index) = v;
    });
    return z;
  };
  return c;
}

/// The sides that are bounded, as bits: 1 for below, 2 for above.
OpCase with_sides(OpCase c, int64_t sides) {
  const auto plain = c.samples;
  c.samples = [plain, sides](ScalarType dtype) {
    std::vector<Args> list = plain(dtype);
    for (Args& a : list) a.i = {sides};
    return list;
  };
  return c;
}

#define OF_TENSORS(label, op, bounds, sides, ...)                                      \
  [] {                                                                                 \
    OpCase c;                                                                          \
    c.name = label;                                                                    \
    c.call = [](const Args& a) { return a.t[0].op(__VA_ARGS__); };                     \
    c.inplace = [](const Args& a) { return a.t[0].op##_(__VA_ARGS__); };               \
    c.out = [](Tensor& y, const Args& a) { return op##_out(y, a.t[0], __VA_ARGS__); }; \
    return with_sides(of_bounds(c, bounds), sides);                                    \
  }()

TAPER_OP_CASES(clamp_tensors, {
  return std::vector<OpCase>{
      OF_TENSORS("clamp_tensors", clamp, 2, 3, optional_tensor(a.t[1]), optional_tensor(a.t[2])),
      OF_TENSORS("clamp_below", clamp, 1, 1, optional_tensor(a.t[1])),
      OF_TENSORS("clip_tensors", clip, 2, 3, optional_tensor(a.t[1]), optional_tensor(a.t[2])),
      OF_TENSORS("clamp_min", clamp_min, 1, 1, a.t[1]),
      OF_TENSORS("clamp_max", clamp_max, 1, 2, a.t[1]),
  };
});

// Expected gradients are PyTorch's: a tie belongs to x, crossed bounds to the upper one.
TEST(ClampNumbers, ABoundThatIsNanMakesAllNan) {
  const double nan = NAN;
  for (const ScalarType t : {kFloat, kHalf, kLong}) {
    const Tensor x = values({-2, 0, 3}, t);
    for (const Tensor& y : {clamp(x, Scalar(nan), Scalar(1)), clamp(x, Scalar(-1), Scalar(nan)),
                            clamp_min(x, Scalar(nan)), clamp_max(x, Scalar(nan))}) {
      EXPECT_TRUE(y.isnan().all().item<bool>());
      EXPECT_EQ(y.scalar_type(), t == kLong ? kFloat : t);
    }
  }
  const Tensor x = values({-2, 0, 3}).requires_grad_();
  clamp(x, Scalar(nan), Scalar(1)).sum().backward();
  expect_values(x.grad(), {3}, {0, 0, 0});
}

TEST(ClampNumbers, BoundsBeyondADtypeBoundNothing) {
  const Tensor u = values({0, 1, 5}, kByte), i = values({-3, 1, 100}, kChar);
  expect_values(u.clamp(-1, 1), {3}, {0, 1, 1});
  expect_values(u.clamp(-1000, 1000), {3}, {0, 1, 5});
  expect_values(u.clone().clamp_min_(-1), {3}, {0, 1, 5});
  expect_values(i.clamp_max(300), {3}, {-3, 1, 100});
  expect_values(i.clamp(-200, 2), {3}, {-3, 1, 2});
  expect_values(values({7}, kInt).clamp_max(int64_t{1} << 40), {1}, {7});
  const Tensor x = u.clone();
  expect_error("clamp: Clamp max value -1 is outside the representable range of Byte",
               [&] { x.clamp_max_(-1); });
  expect_error("clamp: Clamp min value 300 is outside the representable range of Char",
               [&] { i.clamp(300, 301); });
  expect_values(x, {3}, {0, 1, 5});
}

TEST(ClampTensor, PromotesAllThree) {
  const auto dtype = [](const Tensor& x, const Tensor& low, const Tensor& high) {
    return clamp(x, optional<Tensor>(low), optional<Tensor>(high)).scalar_type();
  };
  const Tensor whole = zeros({3}, kLong), half = zeros({3}, kHalf);
  EXPECT_EQ(dtype(whole, tensor(1.5), zeros({}, kDouble)), kDouble);
  EXPECT_EQ(dtype(whole.to(kInt), tensor(1.5), half), kHalf);
  EXPECT_EQ(addcmul(half, whole, zeros({}, kDouble)).scalar_type(), kHalf);
}

TEST(ClampTensor, GradientsGoToWhatWasTaken) {
  Tensor x = tensor({-2., -1., 0., 1., 2.}).set_requires_grad(true);
  Tensor low = tensor({-1., -1., -1., 3., -1.}).set_requires_grad(true);
  Tensor high = tensor({1., 1., 1., 1., 1.}).set_requires_grad(true);
  Tensor y = clamp(x, optional<Tensor>(low), optional<Tensor>(high));
  EXPECT_EQ(values_of(y), (std::vector<double>{-1, -1, 0, 1, 1}));
  y.sum().backward();
  EXPECT_EQ(values_of(x.grad()), (std::vector<double>{0, 1, 1, 0, 0}));
  EXPECT_EQ(values_of(low.grad()), (std::vector<double>{1, 0, 0, 0, 0}));
  EXPECT_EQ(values_of(high.grad()), (std::vector<double>{0, 0, 0, 1, 1}));
}

TEST(ClampTensor, BoundsBroadcastAndTheirGradientsSum) {
  Tensor x = zeros({2, 3});
  Tensor low = tensor({1., -1., 1.}).set_requires_grad(true);
  Tensor y = x.clamp_min(low);
  EXPECT_EQ(values_of(y), (std::vector<double>{1, 0, 1, 1, 0, 1}));
  y.sum().backward();
  EXPECT_EQ(values_of(low.grad()), (std::vector<double>{2, 0, 2}));
}

TEST(ClampTensor, InPlaceKeepsTheValuesItOverwrites) {
  Tensor x = tensor({-2., 0.5}).set_requires_grad(true);
  Tensor y = x * 1;
  y.clamp_(optional<Tensor>(tensor({-1., -1.})), optional<Tensor>(tensor({1., 1.})));
  y.sum().backward();
  EXPECT_EQ(values_of(x.grad()), (std::vector<double>{0, 1}));
}

// PyTorch's 1.13 too: no bound gets a gradient from below where both are equal.
TEST(ClampTensor, EqualBoundsGetTheGradientFromAboveOnly) {
  Tensor low = tensor({1., 1.}).set_requires_grad(true), high = tensor({1., 1.});
  high.requires_grad_();
  clamp(tensor({0., 2.}), optional<Tensor>(low), optional<Tensor>(high)).sum().backward();
  EXPECT_EQ(values_of(low.grad()), (std::vector<double>{0, 0}));
  EXPECT_EQ(values_of(high.grad()), (std::vector<double>{0, 1}));
}

TEST(ClampTensor, NeedsABound) {
  const optional_tensor none, undefined = Tensor();
  for (const optional_tensor& low : {none, undefined})
    for (const optional_tensor& high : {none, undefined}) {
      expect_error("torch.clamp: At least one of 'min' or 'max' must not be None",
                   [&] { clamp(ones({2}), low, high); });
      expect_error("At least one of", [&] { ones({2}).clamp_(low, high); });
    }
}

TEST(ClampTensor, AnUndefinedTensorIsNoBound) {
  const optional_tensor none = Tensor(), bound = tensor({0., 0.});
  const Tensor x = tensor({-1., 2.}).set_requires_grad(true);
  clamp(x, none, bound).sum().backward();
  EXPECT_EQ(values_of(x.grad()), (std::vector<double>{1, 0}));
  Tensor y = tensor({-1., 2.}), out = empty({2}, kDouble);
  EXPECT_EQ(values_of(clamp_out(out, y, bound, none)), (std::vector<double>{0, 2}));
  EXPECT_EQ(values_of(y.clip_(none, bound)), (std::vector<double>{-1, 0}));
}

// One pass over three operands gives what the pass for each bound gives.
TEST(ClampTensor, IsMaximumThenMinimumForAnyRealDtype) {
  for (const ScalarType t : {kFloat, kDouble, kBFloat16, kHalf, kLong, kInt, kByte, kBool}) {
    const Tensor x = counting({7, 83}).remainder(17).to(t), row = counting({83}).remainder(5).to(t);
    const Tensor low = counting({7, 83}).remainder(7).to(t), high = low.add(row).to(t);
    const Tensor y = minimum(maximum(x, low), row);
    const optional_tensor min = low, max = row;
    EXPECT_TRUE(equal(clamp(x, min, max), y)) << toString(t);
    EXPECT_TRUE(equal(clamp(x, max, optional_tensor(high)), minimum(maximum(x, row), high)));
    Tensor in_place = x.clone(), out = empty({0}, x.options());
    EXPECT_TRUE(equal(in_place.clamp_(min, max), y));
    EXPECT_TRUE(equal(clamp_out(out, x, min, max), y));
    in_place = x.clone();
    EXPECT_TRUE(equal(clamp_(in_place, optional_tensor(in_place), max), minimum(x, row)));
  }
}

TEST(ClampTensor, NanOnAnySideComesOut) {
  for (const ScalarType t : {kFloat, kDouble, kBFloat16}) {
    for (size_t k = 0; k < 3; ++k) {
      std::vector<Tensor> v = {full({41}, 1, t), full({41}, 0, t), full({41}, 2, t)};
      v[k].slice(0, 3, 41, 5).fill_(NAN);
      const Tensor y = clamp(v[0], optional_tensor(v[1]), optional_tensor(v[2]));
      EXPECT_TRUE(equal(isnan(y), isnan(v[k])));
      EXPECT_EQ(nansum(y).item<double>(), 33);
    }
  }
}

// Each form of each function: a bound belongs to what lies between the bounds.
TEST(Clamp, GradientsAtTheBounds) {
  const std::vector<double> x = {-2, -1, 0, 2, 3}, both = {0, 1, 1, 1, 0}, low = {0, 1, 1, 1, 1},
                            high = {1, 1, 1, 1, 0};
  const auto number = [](double v) { return optional_scalar(v); };
  const auto wide = [](double v) { return optional_tensor(full({5}, v, kDouble)); };
  const std::vector<std::tuple<const char*, optional_scalar, optional_scalar, std::vector<double>>>
      rows = {{"both", number(-1), number(2), both},
              {"below", number(-1), nullopt, low},
              {"above", nullopt, number(2), high}};
  for (const auto& [name, min, max, gradient] : rows) {
    const auto bound = [&](const optional_scalar& b) {
      return b ? wide(b->toDouble()) : optional_tensor();
    };
    const optional_tensor least = bound(min), most = bound(max);
    using Call = std::function<Tensor(const Tensor&)>;
    const std::vector<Call> calls = {
        [&](const Tensor& t) { return clamp(t, min, max); },
        [&](const Tensor& t) { return clip(t, min, max); },
        [&](const Tensor& t) { return t.clone().clamp_(min, max); },
        [&](const Tensor& t) { return t.clone().clip_(min, max); },
        [&](const Tensor& t) { return clamp(t, least, most); },
        [&](const Tensor& t) { return clip(t, least, most); },
        [&](const Tensor& t) { return t.clone().clamp_(least, most); },
        [&](const Tensor& t) { return t.clone().clip_(least, most); },
    };
    for (size_t i = 0; i < calls.size(); ++i) {
      const Tensor leaf = values(x, kDouble).requires_grad_();
      calls[i](leaf).sum().backward();
      EXPECT_EQ(values_of(leaf.grad()), gradient) << name << ", call " << i;
    }
  }
  expect_pointwise_kinks({
      {OF_X(clamp_min(x, -1)), x, low},
      {OF_X(clamp_max(x, 2)), x, high},
      {OF_X(x.clone().clamp_min_(-1)), x, low},
      {OF_X(x.clone().clamp_max_(2)), x, high},
      {OF_X(clamp_min(x, full_like(x, -1))), x, low},
      {OF_X(clamp_max(x, full_like(x, 2))), x, high},
      {OF_X(x.clone().clamp_min_(full_like(x, -1))), x, low},
      {OF_X(x.clone().clamp_max_(full_like(x, 2))), x, high},
  });
}

}  // namespace
}  // namespace torch::taper::testing
