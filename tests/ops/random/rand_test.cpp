// Random numbers against PyTorch's, number for number.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <taper/framework/autograd/node.h>
#include <taper/framework/random/random.h>
#include <taper/ops/nn/dropout.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/copy.h>
#include <taper/ops/tensor/factory.h>

#include "data_folder.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

// ---------------------------------------------------------------- stored values
using Values = std::vector<double>;

/// Values by case, as tests/data_files/make_random_reference.py wrote them.
std::map<std::string, Values> read_reference() {
  std::map<std::string, Values> cases;
  std::ifstream file(data_folder(TAPER_TEST_DATA) + "/random_reference.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    for (std::string word; words >> word;) cases[name].push_back(std::stod(word));
  }
  return cases;
}

double next_double() { return rand({1}, kDouble).item<double>(); }

/// Elements that a long result is checked at.
Tensor some(const Tensor& t) {
  Values v;
  const Values all = values_of(t);
  for (size_t i : {0, 1, 2, 311, 312, 623, 624, 1247, 1248, 2500, 4983, 4984, 4998, 4999})
    v.push_back(all[i]);
  return tensor(v, kDouble);
}

/// Units in the last place of `dtype` at the size of the number.
double ulp(double v, ScalarType dtype) {
  const int digits = dtype == kFloat ? 24 : dtype == kDouble ? 53 : dtype == kHalf ? 11 : 8;
  return v == 0 ? 0 : std::ldexp(1.0, std::ilogb(v) - digits + 1);
}

struct Case {
  std::string name;
  std::function<Tensor()> run;
  /// What may differ, in units in the last place of the result: PyTorch's vector loops and ours
  /// round some steps differently.
  double tolerance = 0;
};

Tensor paired() {
  const Values one = values_of(randn({1})), two = values_of(rand({2})),
               three = values_of(randn({2})), four = values_of(randn({1}, kDouble));
  Values all = one;
  for (const Values* v : {&two, &three, &four}) all.insert(all.end(), v->begin(), v->end());
  return tensor(all, kDouble);
}

std::vector<Case> cases() {
  const Tensor x20 = linspace(-1, 1, 20), x223 = linspace(-1, 1, 12).view({2, 3, 2});
  const Tensor weights = tensor({{1.0, 0.0, 3.0, 4.0, 0.5}, {0.25, 0.25, 0.0, 0.25, 0.25}});
  const auto f = [](IntArrayRef size, ScalarType t) { return empty(size, t); };
  return {
      {"rand.f32.5", [] { return rand({5}); }},
      {"rand.f32.5000", [] { return some(rand({5000})); }},
      {"rand.f64.5", [] { return rand({5}, kDouble); }},
      {"rand.f64.5000", [] { return some(rand({5000}, kDouble)); }},
      {"rand.f16.20", [] { return rand({20}, kHalf); }},
      {"rand.bf16.20", [] { return rand({20}, kBFloat16); }},
      {"uniform.f32.20", [f] { return f({20}, kFloat).uniform_(-2, 3); }},
      {"uniform.f64.20", [f] { return f({20}, kDouble).uniform_(-2, 3); }},
      {"uniform.f16.20", [f] { return f({20}, kHalf).uniform_(-2, 3); }},
      {"uniform.bf16.20", [f] { return f({20}, kBFloat16).uniform_(-2, 3); }},
      {"uniform.transposed",
       [f] {
         return f({4, 5}, kFloat).t().uniform_();
       }},
      {"uniform.strided",
       [f] {
         return f({4, 10}, kFloat).slice(1, 0, 10, 2).uniform_();
       }},
      {"randn.f32.7", [] { return randn({7}); }},
      {"randn.f32.15", [] { return randn({15}); }},
      {"randn.f32.16", [] { return randn({16}); }, 2},
      {"randn.f32.17", [] { return randn({17}); }, 2},
      {"randn.f32.100", [] { return randn({100}); }, 2},
      {"randn.f32.5000", [] { return some(randn({5000})); }, 2},
      {"randn.f64.7", [] { return randn({7}, kDouble); }},
      {"randn.f64.16", [] { return randn({16}, kDouble); }},
      {"randn.f64.37", [] { return randn({37}, kDouble); }},
      {"randn.f64.5000", [] { return some(randn({5000}, kDouble)); }},
      {"randn.f16.7", [] { return randn({7}, kHalf); }},
      {"randn.f16.37", [] { return randn({37}, kHalf); }},
      {"randn.bf16.7", [] { return randn({7}, kBFloat16); }},
      {"randn.bf16.37", [] { return randn({37}, kBFloat16); }},
      {"randn.pairs", paired},
      {"normal.f32.20", [f] { return f({20}, kFloat).normal_(2, 3); }, 4},
      {"normal.f32.5", [f] { return f({5}, kFloat).normal_(2, 3); }},
      {"normal.transposed",
       [f] {
         return f({4, 5}, kFloat).t().normal_(2, 3);
       }},
      {"normal.mean", [=] { return normal(x20, 2.0); }, 8},
      {"normal.std", [=] { return normal(1.0, x20.abs()); }, 8},
      {"normal.both",
       [=] {
         return normal(x20.view({4, 5}), x20.slice(0, 0, 5).abs());
       },
       8},
      {"normal.size",
       [] {
         return normal(1.0, 2.0, {3, 2});
       }},
      {"randint.20", [] { return randint(10, {20}); }},
      {"randint.low", [] { return randint(-100, 1000, {20}); }},
      {"randint.i32", [] { return randint(0, 7, {20}, kInt); }},
      {"randint.u8", [] { return randint(0, 256, {20}, kByte); }},
      {"randint.i8", [] { return randint(-128, 128, {20}, kChar); }},
      {"randint.bool", [] { return randint(0, 2, {20}, kBool); }},
      {"randint.f32", [] { return randint(0, 50, {20}, kFloat); }},
      {"randint.f16", [] { return randint(0, 50, {20}, kHalf); }},
      {"randint.wide", [] { return randint(-(int64_t{1} << 45), int64_t{1} << 51, {20}); }},
      {"random.to", [f] { return f({20}, kFloat).random_(5); }},
      {"random.from", [f] { return f({20}, kShort).random_(-3, optional<int64_t>()); }},
      {"random.f32", [f] { return f({20}, kFloat).random_(); }},
      {"random.f64", [f] { return f({20}, kDouble).random_(); }},
      {"random.f16", [f] { return f({20}, kHalf).random_(); }},
      {"random.bf16", [f] { return f({20}, kBFloat16).random_(); }},
      {"random.bool", [f] { return f({20}, kBool).random_(); }},
      {"random.u8", [f] { return f({20}, kByte).random_(); }},
      {"random.i8", [f] { return f({20}, kChar).random_(); }},
      {"random.i16", [f] { return f({20}, kShort).random_(); }},
      {"random.i32", [f] { return f({20}, kInt).random_(); }},
      {"random.i64", [f] { return f({20}, kLong).random_().div(4096, "floor"); }},
      {"random.full64",
       [f] { return f({20}, kLong).random_(INT64_MIN, optional<int64_t>()).div(4096, "floor"); }},
      {"randperm.10", [] { return randperm(10); }},
      {"randperm.1", [] { return randperm(1); }},
      {"randperm.5000", [] { return some(randperm(5000)); }},
      {"randperm.i32", [] { return randperm(12, kInt); }},
      {"randperm.f16", [] { return randperm(12, kHalf); }},
      {"bernoulli.f32", [f] { return f({40}, kFloat).bernoulli_(0.3); }},
      {"bernoulli.i32", [f] { return f({40}, kInt).bernoulli_(0.7); }},
      {"bernoulli.tensor", [=] { return bernoulli(x20.abs()); }},
      {"bernoulli.tensor64", [=] { return bernoulli(x20.abs().to(kDouble)); }},
      {"bernoulli.each",
       [=] {
         return empty({3, 20}).bernoulli_(x20.abs());
       }},
      {"exponential.f32", [f] { return f({20}, kFloat).exponential_(1.5); }},
      {"exponential.f64", [f] { return f({20}, kDouble).exponential_(1.5); }, 1},
      {"exponential.bf16", [f] { return f({20}, kBFloat16).exponential_(1.5); }},
      {"multinomial.one", [=] { return multinomial(weights, 1); }},
      {"multinomial.two", [=] { return multinomial(weights, 2); }},
      {"multinomial.replace", [=] { return multinomial(weights, 12, true); }},
      {"multinomial.vector",
       [=] { return multinomial(weights.select(0, 0).to(kDouble), 7, true); }},
      {"dropout.f32", [=] { return dropout(x20, 0.4, true); }, 1},
      {"dropout.f64", [=] { return dropout(x20.to(kDouble), 0.4, true); }, 1},
      {"dropout.bf16", [=] { return dropout(x20.to(kBFloat16), 0.4, true); }, 1},
      {"dropout.transposed",
       [=] {
         return dropout(x20.view({4, 5}).t(), 0.4, true);
       },
       1},
      {"dropout_",
       [=] {
         Tensor y = x20.clone();
         return dropout_(y, 0.4, true);
       },
       1},
      {"feature_dropout", [=] { return feature_dropout(x223, 0.4, true); }, 1},
      {"alpha_dropout", [=] { return alpha_dropout(x20, 0.4, true); }, 4},
      {"feature_alpha_dropout", [=] { return feature_alpha_dropout(x223, 0.4, true); }, 4},
  };
}

TEST(Random, EqualsPyTorch) {
  const auto reference = read_reference();
  size_t checked = 0;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto found = reference.find(c.name);
    ASSERT_NE(found, reference.end());
    manual_seed(0);
    const Tensor y = c.run();
    Values got = values_of(y);
    got.push_back(next_double());
    const Values& want = found->second;
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      const bool last = i + 1 == want.size();
      // Numbers near zero come from differences of numbers near one.
      const double allowed =
          last ? 0
               : c.tolerance * std::max(ulp(want[i], y.scalar_type()), ulp(0.25, y.scalar_type()));
      EXPECT_TRUE(std::abs(got[i] - want[i]) <= allowed)
          << "value " << i << ": expected " << want[i] << ", got " << got[i];
    }
    ++checked;
  }
  EXPECT_EQ(checked + 5, reference.size()) << "every stored case is checked";
}

TEST(Random, EverySeedEqualsPyTorch) {
  const auto reference = read_reference();
  for (uint64_t seed : {uint64_t{1}, uint64_t{123}, (uint64_t{1} << 32) - 1,
                        (uint64_t{1} << 40) + 5, (uint64_t{1} << 63) + 11}) {
    manual_seed(seed);
    EXPECT_EQ(values_of(rand({3}, kDouble)), reference.at("seed." + std::to_string(seed)));
  }
}

// As in PyTorch 2.15.
TEST(Random, NormalNumbersOf16BitsAreThoseOfFloatsRounded) {
  const auto drawn = [](ScalarType t) {
    manual_seed(3);
    return empty({40000}, t).normal_(0.25, 1.5);
  };
  for (const ScalarType t : {kHalf, kBFloat16})
    EXPECT_EQ(values_of(drawn(t)), values_of(drawn(kFloat).to(t)));
}

// ---------------------------------------------------------------- properties
TEST(Random, LikeFormsTakeShapeAndDtype) {
  const Tensor x = zeros({3, 4}, kDouble).t();
  for (const Tensor& y : {rand_like(x), randn_like(x), randint_like(x, 5), randint_like(x, 2, 5)}) {
    EXPECT_EQ(y.sizes(), x.sizes());
    EXPECT_EQ(y.strides(), x.strides());
    EXPECT_EQ(y.scalar_type(), kDouble);
  }
  EXPECT_EQ(rand_like(x, kFloat).scalar_type(), kFloat);
}

TEST(Random, LikeFormsDrawTheNumbersOfTheOthers) {
  const Tensor x = zeros({50}, kDouble);
  const auto drawn = [](const std::function<Tensor()>& f) {
    // Freed memory must not hold the numbers of the call before.
    for (const ScalarType t : {kFloat, kDouble}) full({50}, -7, t);
    manual_seed(3);
    return values_of(f());
  };
  EXPECT_EQ(drawn([&] { return rand_like(x); }), drawn([] { return rand({50}, kDouble); }));
  EXPECT_EQ(drawn([&] { return randn_like(x); }), drawn([] { return randn({50}, kDouble); }));
  EXPECT_EQ(drawn([&] { return randint_like(x, 9); }),
            drawn([] { return randint(9, {50}, kDouble); }));
  EXPECT_EQ(drawn([&] { return randint_like(x, 3, 9); }),
            drawn([] { return randint(3, 9, {50}, kDouble); }));
  EXPECT_EQ(drawn([&] { return rand_like(x, kFloat); }), drawn([] { return rand({50}); }));
}

TEST(Random, OwnGeneratorLeavesTheDefaultAlone) {
  manual_seed(7);
  const Values first = values_of(rand({4}));
  Generator g = detail::createCPUGenerator(7);
  manual_seed(7);
  EXPECT_EQ(values_of(rand({4}, g)), first);
  EXPECT_EQ(values_of(rand({4})), first);
  EXPECT_EQ(values_of(randperm(5, g)).size(), 5u);
  const Values normal_first = values_of(randn({3}, detail::createCPUGenerator(1)));
  EXPECT_EQ(values_of(empty({3}).normal_(0, 1, detail::createCPUGenerator(1))), normal_first);
}

TEST(Random, RequiresGradMakesALeaf) {
  const Tensor x = randn({3}, requires_grad());
  EXPECT_TRUE(x.requires_grad());
  EXPECT_TRUE(x.is_leaf());
  EXPECT_THROW(x.normal_(), Error);
}

TEST(Random, InPlaceFormsHaveAZeroGradient) {
  const Tensor x = ones({3}, requires_grad());
  const std::vector<std::pair<std::string, std::function<Tensor(Tensor)>>> forms = {
      {"UniformBackward0", [](Tensor t) { return t.uniform_(); }},
      {"NormalBackward0", [](Tensor t) { return t.normal_(); }},
      {"ExponentialBackward0", [](Tensor t) { return t.exponential_(); }},
      {"BernoulliBackward2", [](Tensor t) { return t.bernoulli_(0.5); }},
      {"BernoulliBackward1", [](Tensor t) { return t.bernoulli_(full({3}, 0.5)); }},
      {"RandomBackward2", [](Tensor t) { return t.random_(); }},
      {"RandomBackward1", [](Tensor t) { return t.random_(5); }},
      {"RandomBackward0", [](Tensor t) { return t.random_(2, 5); }},
  };
  for (const auto& [name, form] : forms) {
    SCOPED_TRACE(name);
    const Tensor y = form(x.mul(2));
    ASSERT_TRUE(y.grad_fn().defined());
    EXPECT_EQ(y.grad_fn()->name(), name);
    x.mutable_grad() = Tensor();
    y.backward(ones({3}));
    EXPECT_EQ(values_of(x.grad()), Values({0, 0, 0}));
  }
}

TEST(Random, MultinomialCountsFollowTheWeights) {
  manual_seed(3);
  const Tensor weights = tensor({1.0, 0.0, 3.0});
  Values counts(3);
  for (double v : values_of(multinomial(weights, 4000, true))) ++counts[static_cast<size_t>(v)];
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[2] / counts[0], 3, 0.3);
  EXPECT_EQ(multinomial(zeros({0, 3}), 2).sizes(), IntArrayRef({0, 2}));
}

// Where a result takes the layout of its input, the same seed gives other numbers.
TEST(Random, DrawsAreInTheOrderOfIndices) {
  const Tensor x = full({5, 40}, 0.3).t();
  const std::vector<std::function<Tensor(const Tensor&)>> draws = {
      [](const Tensor& t) { return bernoulli(t); },
      [](const Tensor& t) { return bernoulli(t, 0.4); },
      [](const Tensor& t) { return normal(t, 2.0); }};
  for (const auto& draw : draws) {
    manual_seed(5);
    const Tensor of_view = draw(x);
    manual_seed(5);
    EXPECT_EQ(values_of(of_view), values_of(draw(x.contiguous())));
  }
}

// What is drawn next to a bound must not round past it.
TEST(Random, BoundsOfFloatingDtypes) {
  const int64_t end = int64_t{1} << 33;
  const Tensor high = empty({4000}, kBFloat16).random_(end - 200000000, end);
  EXPECT_LT(high.max().item<double>(), static_cast<double>(end));
  const Tensor low = empty({4000}, kBFloat16).random_(-end, -end + 200000000);
  EXPECT_GE(low.min().item<double>(), -static_cast<double>(end));
  expect_error("to - 1 is out of bounds for", [] { empty({2}, kHalf).random_(100000); });
  expect_error("from is out of bounds for", [] { empty({2}, kHalf).random_(-70000, 0); });
  EXPECT_LE(empty({2000}, kHalf).random_(65505).max().item<double>(), 65504);
}

TEST(Random, EmptyTensorsDrawNothing) {
  manual_seed(0);
  const double first = next_double();
  manual_seed(0);
  rand({0});
  randn({2, 0});
  randperm(0);
  randperm(1);
  dropout(empty({0}), 0.5, true);
  EXPECT_EQ(next_double(), first);
}

// ---------------------------------------------------------------- errors
TEST(Random, BadArgumentsThrowAndDrawNothing) {
  manual_seed(0);
  const double first = next_double();
  manual_seed(0);
  const Tensor x = ones({3}), i = ones({3}, kInt);
  expect_error("uniform_ expects to return a [from, to) range, but found from=2 > to=1",
               [&] { x.uniform_(2, 1); });
  expect_error("from is out of bounds for float", [&] { x.uniform_(-INFINITY, 1); });
  expect_error("to is out of bounds for float", [&] { x.uniform_(0, NAN); });
  expect_error("to is out of bounds for c10::Half", [&] { x.to(kHalf).uniform_(0, 1e5); });
  expect_error(
      "uniform_ expects to-from <= std::numeric_limits<Float>::max(), but found to=3e+38 and "
      "from=-3e+38 which result in to-from to exceed the limit",
      [&] { x.uniform_(-3e38, 3e38); });
  expect_error("\"check_uniform_bounds\" not implemented for 'Int'", [&] { i.uniform_(); });
  expect_error("\"normal_kernel_cpu\" not implemented for 'Int'", [&] { i.normal_(); });
  expect_error("normal expects std >= 0.0, but found std -1", [&] { x.normal_(0, -1); });
  expect_error("normal expects all elements of std >= 0.0", [&] {
    normal(x, tensor({1., -1., 1.}));
  });
  expect_error("\"exponential_cpu\" not implemented for 'Int'", [&] { i.exponential_(); });
  expect_error("exponential_ expects lambda > 0.0", [&] { x.exponential_(-1); });
  expect_error("exponential_ expects lambda > 0.0, but found lambda=0", [&] { x.exponential_(0); });
  expect_error("bernoulli_ expects p to be in [0, 1], but got p=1.5", [&] { x.bernoulli_(1.5); });
  expect_error("p_in >= 0 && p_in <= 1", [&] { bernoulli(tensor({0.5, 1.5})); });
  expect_error("\"bernoulli_tensor_cpu_p_\" not implemented for 'Int'", [&] { bernoulli(i); });
  expect_error("random_ expects 'from' to be less than 'to', but got from=5 >= to=5",
               [] { randint(5, 5, {2}); });
  expect_error("to - 1 is out of bounds for unsigned char", [] { randint(0, 300, {2}, kByte); });
  expect_error("from is out of bounds for unsigned char", [] { randint(-1, 3, {2}, kByte); });
  expect_error("to - 1 is out of bounds for bool", [] { randint(0, 3, {2}, kBool); });
  expect_error("randperm: expected n - 1", [] { randperm(300, kByte); });
  expect_error("randperm: expected n - 1", [] { randperm(5000, kHalf); });
  expect_error("Trying to create tensor with negative dimension -1", [] { randperm(-1); });
  expect_error("sum of probabilities <= 0", [] { multinomial(zeros({2}), 1); });
  expect_error("cannot sample n_sample > prob_dist.size(-1)", [&] { multinomial(x, 4); });
  expect_error("either `inf`, `nan` or element < 0", [] { multinomial(tensor({-1., 1.}), 1); });
  expect_error("only supports floating-point dtypes for input, got: Int",
               [&] { multinomial(i, 1); });
  expect_error("prob_dist must be 1 or 2 dim", [] { multinomial(ones({2, 2, 2}), 1); });
  expect_error("cannot sample n_sample <= 0", [&] { multinomial(x, 0); });
  expect_error("dropout probability has to be between 0 and 1, but got 1.5",
               [&] { dropout(x, 1.5, true); });
  expect_error("can't be cast to the desired output type Int", [&] { dropout(i, 0.5, true); });
  expect_error("Feature dropout requires at least 2 dimensions",
               [&] { feature_dropout(x, 0.5, true); });
  EXPECT_EQ(next_double(), first);
  EXPECT_EQ(values_of(x), Values({1, 1, 1}));
}

TEST(OutForms, RandomNumbersAreThoseOfTheFunction) {
  const auto same = [](const auto& make, const auto& fill) {
    manual_seed(3);
    const Tensor expected = make();
    Tensor y = empty({0}, expected.options());
    manual_seed(3);
    return fill(y).equal(expected) && y.equal(expected);
  };
  const Tensor p = values({0.2, 0.5, 0.9});
  EXPECT_TRUE(same([] { return rand({4}); }, [](Tensor& y) { return rand_out(y, {4}); }));
  EXPECT_TRUE(same([] { return randn({4}); }, [](Tensor& y) { return randn_out(y, {4}); }));
  EXPECT_TRUE(
      same([] { return randint(3, 9, {4}); }, [](Tensor& y) { return randint_out(y, 3, 9, {4}); }));
  EXPECT_TRUE(
      same([] { return randint(9, {4}); }, [](Tensor& y) { return randint_out(y, 9, {4}); }));
  EXPECT_TRUE(same([] { return randperm(5); }, [](Tensor& y) { return randperm_out(y, 5); }));
  EXPECT_TRUE(same([&] { return bernoulli(p); }, [&](Tensor& y) { return bernoulli_out(y, p); }));
  EXPECT_TRUE(
      same([&] { return multinomial(p, 2); }, [&](Tensor& y) { return multinomial_out(y, p, 2); }));
}

TEST(Random, NoNumberOf16BitsIsRoundedToTheEnd) {
  for (const ScalarType t : {kHalf, kBFloat16})
    for (const auto& [from, to] : {std::pair(0., 1.), std::pair(-1., 3.), std::pair(-2., 0.)}) {
      const Tensor x = empty({200000}, t).uniform_(from, to);
      EXPECT_TRUE(x.lt(to).all().item<bool>() && x.ge(from).all().item<bool>());
    }
}

}  // namespace
}  // namespace torch::taper::testing
