// Cases of the ops of ops/elementwise/unary.h.
#include <cmath>
#include <limits>
#include <memory>

#include <taper/framework/autograd/node.h>
#include <taper/framework/kernel/op_lists.h>
#include <taper/ops/elementwise/complex.h>
#include <taper/ops/elementwise/special.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/activation.h>
#include <taper/ops/tensor/factory.h>

#include "harness/pointwise.h"
#include "ops/shared/kinks.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

const double kInf = INFINITY;

/// A case with all three forms of an op of the lists.
template <class Op, class InPlace, class OutForm>
OpCase with_forms(const char* name, Op op, InPlace inplace, OutForm out, Unary f, Range range) {
  OpCase c = unary_case(name, op, f, range);
  c.inplace = [inplace](const Args& a) {
    Tensor x = a.t[0];
    return inplace(x);
  };
  c.out = [out](Tensor& y, const Args& a) { return out(y, a.t[0]); };
  return c;
}

#define UNARY(name, low, high, ...)                                                         \
  with_forms(                                                                               \
      #name, [](const Tensor& x) { return name(x); }, [](Tensor& x) { return name##_(x); }, \
      [](Tensor& y, const Tensor& x) { return name##_out(y, x); },                          \
      [](double x) -> double { return __VA_ARGS__; }, Range{low, high})

std::vector<OpCase> floating(std::vector<OpCase> list) {
  for (OpCase& c : list) c.result_dtype = float_result;
  return list;
}

TAPER_OP_CASES(unary_float, {
  return floating({
      UNARY(exp, -3, 3, std::exp(x)),
      UNARY(exp2, -3, 3, std::exp2(x)),
      UNARY(expm1, -3, 3, std::expm1(x)),
      UNARY(log, 0.2, 5, std::log(x)),
      UNARY(log2, 0.2, 5, std::log2(x)),
      UNARY(log10, 0.2, 5, std::log10(x)),
      UNARY(log1p, -0.7, 5, std::log1p(x)),
      UNARY(sqrt, 0.2, 9, std::sqrt(x)),
      UNARY(rsqrt, 0.2, 9, 1 / std::sqrt(x)),
      UNARY(reciprocal, 0.2, 5, 1 / x),
      UNARY(sin, -3, 3, std::sin(x)),
      UNARY(cos, -3, 3, std::cos(x)),
      UNARY(tan, -1.2, 1.2, std::tan(x)),
      UNARY(asin, -0.9, 0.9, std::asin(x)),
      UNARY(acos, -0.9, 0.9, std::acos(x)),
      UNARY(atan, -3, 3, std::atan(x)),
      UNARY(sinh, -3, 3, std::sinh(x)),
      UNARY(cosh, -3, 3, std::cosh(x)),
      UNARY(tanh, -3, 3, std::tanh(x)),
      UNARY(asinh, -3, 3, std::asinh(x)),
      UNARY(acosh, 1.6, 5, std::acosh(x)),
      UNARY(atanh, -0.85, 0.85, std::atanh(x)),
      UNARY(erf, -3, 3, std::erf(x)),
      UNARY(erfc, -2, 2, std::erfc(x)),
      UNARY(sigmoid, -5, 5, 1 / (1 + std::exp(-x))),
  });
});

TAPER_OP_CASES(unary_same, {
  std::vector<OpCase> list = {
      UNARY(neg, -3, 3, -x),
      UNARY(abs, -3, 3, std::abs(x)),
      UNARY(sign, -3, 3,
            x > 0   ? 1
            : x < 0 ? -1
                    : 0),
      UNARY(square, -3, 3, x * x),
      UNARY(floor, -3, 3, std::floor(x)),
      UNARY(ceil, -3, 3, std::ceil(x)),
      UNARY(round, -3, 3, std::nearbyint(x)),
      UNARY(trunc, -3, 3, std::trunc(x)),
      UNARY(frac, -3, 3, x - std::trunc(x)),
      UNARY(relu, -3, 3, x > 0 ? x : 0),
  };
  // A negative number wraps in an unsigned dtype; the reference does not.
  case_in(list, "neg").dtypes.pop_back();
  case_in(list, "frac").dtypes = {kFloat, kDouble, kHalf, kBFloat16};
  return list;
});

/// With the in-place form as a method only.
#define UNARY_METHOD(name, low, high, ...)                                                   \
  with_forms(                                                                                \
      #name, [](const Tensor& x) { return name(x); }, [](Tensor& x) { return x.name##_(); }, \
      [](Tensor& y, const Tensor& x) { return name##_out(y, x); },                           \
      [](double x) -> double { return __VA_ARGS__; }, Range{low, high})

/// NaN and infinities among the floating inputs.
OpCase with_specials(OpCase c) {
  const auto plain = c.samples;
  c.samples = [plain](ScalarType dtype) {
    std::vector<Args> list = plain(dtype);
    if (!isFloatingType(dtype)) return list;
    for (const Args& a : list)
      for (int64_t i = 0; i < a.t[0].numel(); i += 3)
        set_element(a.t[0], i, i % 2 ? NAN : i % 4 ? INFINITY : -INFINITY);
    return list;
  };
  return c;
}

TAPER_OP_CASES(unary_more, {
  OpCase numbers = UNARY(nan_to_num, -3, 3, x);
  numbers.gradient_samples = [all = numbers.samples] { return all(kDouble); };
  const auto plain = numbers.samples;
  numbers.samples = [plain](ScalarType dtype) {
    std::vector<Args> list = plain(dtype);
    if (!isFloatingType(dtype)) return list;
    for (const Args& a : list)
      for (int64_t i = 0; i < a.t[0].numel(); i += 3) set_element(a.t[0], i, NAN);
    return list;
  };
  numbers.reference = [](const ArrayArgs& a) {
    return map(a.t[0], [](double x) { return std::isnan(x) ? 0 : x; });
  };
  OpCase bits = UNARY_METHOD(bitwise_not, -3, 3, static_cast<double>(~static_cast<int64_t>(x)));
  bits.dtypes = {kLong, kInt, kShort};
  bits.differentiable = false;
  bits.errors = {error<NotImplementedError>("\"bitwise_not_cpu\" not implemented for 'Float'",
                                            [] { bitwise_not(to_tensor(Array({2}), kFloat)); })};
  OpCase truth = UNARY_METHOD(logical_not, -2, 2, x == 0);
  truth.dtypes.push_back(kBool);
  truth.result_dtype = bool_result;
  truth.differentiable = false;
  return std::vector<OpCase>{numbers, bits, truth};
});

TEST(UnaryForms, NanToNumReplacesInfinitiesByTheGivenNumbers) {
  Tensor x = to_tensor(Array({4}), kDouble);
  const double given[] = {1, NAN, INFINITY, -INFINITY};
  for (int64_t i = 0; i < 4; ++i) set_element(x, i, given[i]);
  EXPECT_EQ(to_array(nan_to_num(x, 5.0, 6.0, 7.0)).v, (std::vector<double>{1, 5, 6, 7}));
  // What replaces NaN may be infinite.
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(to_array(nan_to_num(x, INFINITY)).v, (std::vector<double>{1, INFINITY, most, -most}));
  x.requires_grad_();
  nan_to_num(x).backward(to_tensor(Array({4}, 2), kDouble));
  EXPECT_EQ(to_array(x.grad()).v, (std::vector<double>{2, 0, 0, 0}));
}

TEST(UnaryForms, NanToNumReplacesEachPartOfAComplexNumber) {
  const double nan = NAN, infinity = INFINITY;
  const Tensor parts = tensor({1.0, nan, infinity, -2.0});
  const Tensor x = view_as_complex(parts.to(kDouble).view({2, 2})).clone().requires_grad_();
  const Tensor y = nan_to_num(x, 5.0, 6.0);
  EXPECT_TRUE(view_as_real(y).view({4}).equal(tensor({1.0, 5.0, 6.0, -2.0}, kDouble)));
  view_as_real(y).sum().backward();
  EXPECT_TRUE(view_as_real(x.grad()).eq(0).all().item<bool>());
}

TEST(UnaryForms, SecondNamesAreTheSameFunctions) {
  const Tensor x = random_tensor({5}, kDouble, {0.2, 0.8}, *std::make_unique<Random>(3));
#define EXPECT_ALIAS(alias, name)                                      \
  if (std::string(#name) != "acosh") {                                 \
    Tensor in = x.clone(), out = x.clone();                            \
    const std::vector<double> want = to_array(name(x)).v;              \
    EXPECT_EQ(to_array(alias(x)).v, want) << #alias;                   \
    EXPECT_EQ(to_array(x.alias()).v, want) << #alias;                  \
    EXPECT_EQ(to_array(x.clone().alias##_()).v, want) << #alias "_";   \
    EXPECT_EQ(to_array(alias##_(in)).v, want) << #alias "_";           \
    EXPECT_EQ(to_array(alias##_out(out, x)).v, want) << #alias "_out"; \
  }
  TAPER_UNARY_ALIASES(EXPECT_ALIAS)
#undef EXPECT_ALIAS
}

TEST(UnaryForms, SayWhatTheyDoNotTake) {
  const Tensor truth = to_tensor(Array({2}, 1), kBool), whole = to_tensor(Array({2}, 1), kLong);
  EXPECT_EQ(message_of([&] { neg(truth); }).substr(0, 53),
            "neg: Negation, the `-` operator, on a bool tensor is ");
  EXPECT_EQ(message_of([&] { relu(truth); }), "relu: Boolean inputs not supported for relu");
  EXPECT_EQ(message_of([&] { floor(truth); }),
            "floor: \"floor_vml_cpu\" not implemented for 'Bool'");
  EXPECT_EQ(message_of([&] { frac(whole); }), "frac: \"frac_cpu\" not implemented for 'Long'");
  EXPECT_EQ(message_of([&] { whole.exp_(); }),
            "exp: result type Float can't be cast to the desired output type Long");
  Tensor out = whole.clone();
  EXPECT_EQ(message_of([&] { abs_out(out, to_tensor(Array({2}), kFloat)); }),
            "abs: Found dtype Long but expected Float");
  EXPECT_EQ(message_of([&] { exp_out(out, to_tensor(Array({2}), kFloat)); }),
            "exp: result type Float can't be cast to the desired output type Long");
}

/// The derivative of a step is 0 everywhere.
bool is_step(const std::string& name) {
  return name == "sign" || name == "floor" || name == "ceil" || name == "round" || name == "trunc";
}

TEST(UnaryForms, SignsAndSquaresOfBools) {
  const Tensor x = values({0, 1, 1}, kBool);
  for (const Tensor& y : {sign(x), sgn(x), x.clone().sign_()}) {
    EXPECT_EQ(y.scalar_type(), kBool);
    expect_values(y, {3}, {0, 1, 1});
  }
  Tensor out = empty({0}, kBool);
  expect_values(sign_out(out, x), {3}, {0, 1, 1});
  EXPECT_EQ(square(x).scalar_type(), kLong);
  expect_values(square(x), {3}, {0, 1, 1});
}

TEST(UnaryForms, LogicalNotOfComplexNumbersIntoATensor) {
  const Tensor z = full({2}, numbers::complex<double>(0, 2));
  Tensor out = empty({0}, kBool);
  expect_values(logical_not_out(out, z), {2}, {0, 0});
  expect_values(logical_not_out(out, zeros_like(z)), {2}, {1, 1});
}

TEST(UnaryForms, ConjugationInPlaceIsAChange) {
  const Tensor x = ones({2}).requires_grad_();
  expect_error("a leaf Variable that requires grad", [&] { x.conj_physical_(); });
}

TEST(UnaryCases, StepsHaveZeroGradients) {
  for (const OpCase& c : all_cases())
    if (is_step(c.name)) EXPECT_TRUE(c.differentiable) << c.name;
}

#define PREDICATE(name, ...)                                 \
  [] {                                                       \
    OpCase c = unary_case(                                   \
        #name, [](const Tensor& x) { return name(x); },      \
        [](double x) -> double { return __VA_ARGS__; }, {}); \
    c.result_dtype = bool_result;                            \
    c.differentiable = false;                                \
    return with_specials(c);                                 \
  }()

TAPER_OP_CASES(unary_bool, {
  return std::vector<OpCase>{PREDICATE(isnan, std::isnan(x)), PREDICATE(isinf, std::isinf(x)),
                             PREDICATE(isfinite, std::isfinite(x))};
});

TEST(Square, OfBoolsGoesIntoWholeNumbers) {
  const Tensor x = values({1, 0}, kBool);
  Tensor whole = values({}, kLong), bools = values({}, kBool);
  expect_values(square_out(whole, x), {2}, {1, 0});
  expect_error("Found dtype Bool but expected Long", [&] { square_out(bools, x); });
}

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

TEST(UnaryCases, GradientsAtKinksAndPoles) {
  expect_pointwise_kinks({
      {OF_X(abs(x)), {-1, -0., 0, 2}, {-1, 0, 0, 1}},
      {OF_X(relu(x)), {-1, -0., 0, 2}, {0, 0, 0, 1}},
      {OF_X(x.clone().relu_()), {-1, 0, 2}, {0, 0, 1}},
      {OF_X(x.clone().abs_()), {-1, 0, 2}, {-1, 0, 1}},
      {OF_X(square(x)), {0}, {0}},
      {OF_X(frac(x)), {-1, 0, 1}, {1, 1, 1}},
      {OF_X(sign(x)), {-1, 0, 0.5}, {0, 0, 0}},
      {OF_X(floor(x)), {-1, 0, 0.5}, {0, 0, 0}},
      {OF_X(ceil(x)), {-1, 0, 0.5}, {0, 0, 0}},
      {OF_X(round(x)), {-1, 0, 0.5}, {0, 0, 0}},
      {OF_X(trunc(x)), {-1, 0, 0.5}, {0, 0, 0}},
      {OF_X(sgn(x)), {-1, 0, 2}, {0, 0, 0}},
      {OF_X(angle(x)), {-1, 0, 2}, {0, 0, 0}},
      {OF_X(sqrt(x)), {0, 4}, {kInf, 0.25}},
      {OF_X(rsqrt(x)), {0, 4}, {-kInf, -0.0625}},
      {OF_X(reciprocal(x)), {0, 2}, {-kInf, -0.25}},
      {OF_X(log(x)), {0, 2}, {kInf, 0.5}},
      {OF_X(log2(x)), {0}, {kInf}},
      {OF_X(log10(x)), {0}, {kInf}},
      {OF_X(log1p(x)), {-1, 1}, {kInf, 0.5}},
      {OF_X(asin(x)), {-1, 0, 1}, {kInf, 1, kInf}},
      {OF_X(acos(x)), {-1, 0, 1}, {-kInf, -1, -kInf}},
      {OF_X(acosh(x)), {1}, {kInf}},
      {OF_X(atanh(x)), {-1, 0, 1}, {kInf, 1, kInf}},
      {OF_X(erfinv(x)), {-1, 1}, {kInf, kInf}},
      {OF_X(sinc(x)), {0}, {0}},
      {OF_X(nan_to_num(x)), {NAN, kInf, -kInf, 3}, {0, 0, 0, 1}},
      {OF_X(special::entr(x)), {0, 1}, {kInf, -1}},
      {OF_X(logit(x)), {-1, 0, 0.5, 1}, {NAN, kInf, 4, kInf}},
      {OF_X(logit(x, 0.25)), {0, 0.25, 0.75, 1}, {0, 16.0 / 3, 16.0 / 3, 0}},
  });
}

}  // namespace
}  // namespace torch::taper::testing
