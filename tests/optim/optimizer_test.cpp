#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/io/serialize.h>
#include <taper/optim/optim.h>
#include <taper/optim/serialize.h>

#include <cmath>
#include <sstream>

#include "test_util.h"

namespace torch::taper {
namespace {

using namespace optim;
using testing::expect_error;

constexpr int kSteps = 7;

// The gradient of step t for element i: fixed numbers of both signs, some zero.
double gradient(int t, int i) {
  return i == 3 && t < 2 ? 0.0 : std::sin(1.0 + 2.5 * t + 1.7 * i) * (1 + i % 3);
}
double start(int i) { return 0.5 * i - 1.3; }

Tensor make(int n, ScalarType dtype) {
  Tensor t = taper::detail::make_tensor({n}, dtype, Device(kCPU));
  t.zero_();
  return t;
}
void set(const Tensor& t, int i, double v) { t.select(0, i).fill_(v); }
double get(const Tensor& t, int i) { return t.select(0, i).item<double>(); }

Tensor parameter(int n, ScalarType dtype) {
  Tensor p = make(n, dtype);
  for (int i = 0; i < n; ++i) set(p, i, start(i));
  return p.requires_grad_();
}

// One element's path under a rule written straight from the literature: rule(p, g, t) -> new p.
template <class Rule>
std::vector<double> path(int i, Rule rule) {
  std::vector<double> values;
  double p = start(i);
  for (int t = 0; t < kSteps; ++t) values.push_back(p = rule(p, gradient(t, i), t + 1));
  return values;
}

// Runs the optimizer on n elements and compares every step with `make_rule()`, a fresh rule each.
template <class Opt, class Options, class MakeRule>
void follows(Options options, MakeRule make_rule, int n = 37) {
  for (ScalarType dtype : {kDouble, kFloat}) {
    Tensor p = parameter(n, dtype);
    Opt opt(std::vector<Tensor>{p}, options);
    std::vector<std::vector<double>> expected;
    for (int i = 0; i < n; ++i) expected.push_back(path(i, make_rule()));
    const double tolerance = dtype == kDouble ? 1e-12 : 2e-5;
    for (int t = 0; t < kSteps; ++t) {
      Tensor g = make(n, dtype);
      for (int i = 0; i < n; ++i) set(g, i, gradient(t, i));
      p.mutable_grad() = g;
      opt.step();
      for (int i = 0; i < n; ++i)
        ASSERT_NEAR(get(p, i), expected[i][t], tolerance) << "step " << t << " element " << i;
    }
  }
}

auto sgd_rule(double lr, double momentum, double dampening, double decay, bool nesterov) {
  return [=] {
    return [=, buffer = 0.0](double p, double g, int t) mutable {
      g += decay * p;
      buffer = t == 1 ? g : momentum * buffer + (1 - dampening) * g;
      if (momentum == 0) return p - lr * g;
      return p - lr * (nesterov ? g + momentum * buffer : buffer);
    };
  };
}

TEST(Sgd, FollowsTheFormula) {
  follows<SGD>(SGDOptions(0.1), sgd_rule(0.1, 0, 0, 0, false));
  follows<SGD>(SGDOptions(0.1).weight_decay(0.2), sgd_rule(0.1, 0, 0, 0.2, false));
  follows<SGD>(SGDOptions(0.1).momentum(0.9), sgd_rule(0.1, 0.9, 0, 0, false));
  follows<SGD>(SGDOptions(0.1).momentum(0.8).dampening(0.3), sgd_rule(0.1, 0.8, 0.3, 0, false));
  follows<SGD>(SGDOptions(0.1).momentum(0.7).weight_decay(0.05).nesterov(true),
               sgd_rule(0.1, 0.7, 0, 0.05, true));
}

auto adam_rule(double lr, double b1, double b2, double eps, double decay, bool decoupled,
               bool amsgrad) {
  return [=] {
    return [=, m = 0.0, v = 0.0, top = 0.0](double p, double g, int t) mutable {
      if (decoupled)
        p *= 1 - lr * decay;
      else
        g += decay * p;
      m = b1 * m + (1 - b1) * g;
      v = b2 * v + (1 - b2) * g * g;
      top = std::max(top, v);
      const double mean = m / (1 - std::pow(b1, t));
      const double square = (amsgrad ? top : v) / (1 - std::pow(b2, t));
      return p - lr * mean / (std::sqrt(square) + eps);
    };
  };
}

TEST(Adam, FollowsTheFormula) {
  follows<Adam>(AdamOptions(0.05), adam_rule(0.05, 0.9, 0.999, 1e-8, 0, false, false));
  follows<Adam>(AdamOptions(0.05).betas({0.5, 0.6}).eps(0.1).weight_decay(0.2),
                adam_rule(0.05, 0.5, 0.6, 0.1, 0.2, false, false));
  follows<Adam>(AdamOptions(0.05).betas({0.3, 0.4}).amsgrad(true),
                adam_rule(0.05, 0.3, 0.4, 1e-8, 0, false, true));
}

TEST(AdamW, FollowsTheFormula) {
  follows<AdamW>(AdamWOptions(0.05), adam_rule(0.05, 0.9, 0.999, 1e-8, 0.01, true, false));
  follows<AdamW>(AdamWOptions(0.05).weight_decay(0.3).betas({0.3, 0.4}).amsgrad(true),
                 adam_rule(0.05, 0.3, 0.4, 1e-8, 0.3, true, true));
}

TEST(Adagrad, FollowsTheFormula) {
  const auto rule = [](double lr, double lr_decay, double decay, double sum0, double eps) {
    return [=] {
      return [=, sum = sum0](double p, double g, int t) mutable {
        g += decay * p;
        sum += g * g;
        return p - lr / (1 + (t - 1) * lr_decay) * g / (std::sqrt(sum) + eps);
      };
    };
  };
  follows<Adagrad>(AdagradOptions(0.1).eps(1e-3), rule(0.1, 0, 0, 0, 1e-3));
  follows<Adagrad>(
      AdagradOptions(0.1).lr_decay(0.2).weight_decay(0.1).initial_accumulator_value(0.5),
      rule(0.1, 0.2, 0.1, 0.5, 1e-10));
}

TEST(RMSprop, FollowsTheFormula) {
  const auto rule = [](double lr, double alpha, double eps, double decay, double momentum,
                       bool centered) {
    return [=] {
      return [=, square = 0.0, mean = 0.0, buffer = 0.0](double p, double g, int) mutable {
        g += decay * p;
        square = alpha * square + (1 - alpha) * g * g;
        mean = alpha * mean + (1 - alpha) * g;
        buffer = momentum * buffer + g / (std::sqrt(square - (centered ? mean * mean : 0)) + eps);
        return p - lr * buffer;
      };
    };
  };
  const auto options = [] { return RMSpropOptions(0.02).alpha(0.7).eps(0.01); };
  follows<RMSprop>(options(), rule(0.02, 0.7, 0.01, 0, 0, false));
  follows<RMSprop>(options().momentum(0.8), rule(0.02, 0.7, 0.01, 0, 0.8, false));
  follows<RMSprop>(options().centered(true), rule(0.02, 0.7, 0.01, 0, 0, true));
  follows<RMSprop>(options().centered(true).momentum(0.5).weight_decay(0.1),
                   rule(0.02, 0.7, 0.01, 0.1, 0.5, true));
}

TEST(Optimizer, LargeParametersAreSplitAmongThreads) {
  const int n = 200001;
  Tensor p = make(n, kFloat).requires_grad_();
  p.mutable_grad() = make(n, kFloat);
  p.mutable_grad().fill_(2.0);
  SGD opt({p}, SGDOptions(0.5).momentum(0.5));
  opt.step();
  opt.step();
  EXPECT_EQ(p.detach().eq(-2.5).sum().item<int64_t>(), n);
}

TEST(Optimizer, NonContiguousParameterAndGradient) {
  for (bool same_strides : {true, false}) {
    Tensor p = make(12, kDouble).view({3, 4}).transpose(0, 1).detach().requires_grad_();
    Tensor wide = make(24, kDouble).view({4, 6});
    Tensor g =
        same_strides ? make(12, kDouble).view({3, 4}).transpose(0, 1) : wide.slice(1, 0, 6, 2);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) g.select(0, i).select(0, j).fill_(i + 10 * j);
    p.mutable_grad() = g;
    Adam opt({p}, AdamOptions(0.5).eps(0).betas({0.0, 0.0}));
    opt.step();  // with betas 0 a step is lr * sign(g), and 0 / 0 where g is 0
    SGD sgd({p}, SGDOptions(1.0).momentum(0.5));
    sgd.step();
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j) {
        const double v = p.detach().select(0, i).select(0, j).item<double>();
        if (i + j == 0)
          EXPECT_TRUE(std::isnan(v));
        else
          EXPECT_DOUBLE_EQ(v, -0.5 - (i + 10 * j));
      }
  }
}

TEST(Optimizer, StatesThatDecayBecomeZero) {
  Tensor p = parameter(40, kFloat);
  SGD opt({p}, SGDOptions(0.1).momentum(0.9));
  p.mutable_grad() = make(40, kFloat);
  p.grad().fill_(1.0);
  opt.step();
  p.grad().zero_();
  for (int i = 0; i < 1000; ++i) opt.step();
  const auto& state = static_cast<SGDParamState&>(*opt.state().begin()->second);
  for (int i = 0; i < 40; ++i) EXPECT_EQ(get(state.momentum_buffer(), i), 0);
  EXPECT_GT(std::numeric_limits<float>::denorm_min() * get(make(1, kFloat).add(1), 0), 0);
}

TEST(Optimizer, HalfPrecisionParameters) {
  for (ScalarType dtype : {kHalf, kBFloat16}) {
    Tensor p = make(5, dtype).requires_grad_();
    p.mutable_grad() = make(5, dtype);
    p.mutable_grad().fill_(1.0);
    SGD opt({p}, 0.25);
    opt.step();
    EXPECT_EQ(get(p.detach(), 4), -0.25);
  }
}

TEST(Optimizer, CountsVersionsAndSkipsUndefinedGradients) {
  Tensor with = parameter(3, kFloat), without = parameter(3, kFloat);
  with.mutable_grad() = make(3, kFloat);
  const int64_t before = with._version(), untouched = without._version();
  AdamW opt({with, without}, AdamWOptions(0.1).weight_decay(0.5));
  opt.step();
  EXPECT_GT(with._version(), before);
  EXPECT_EQ(without._version(), untouched);
  EXPECT_NEAR(get(without.detach(), 0), start(0), 1e-6);
  EXPECT_EQ(opt.state().size(), 1u);
}

TEST(Optimizer, ZeroGrad) {
  Tensor p = parameter(3, kFloat);
  SGD opt({p}, 0.1);
  opt.zero_grad();
  EXPECT_FALSE(p.grad().defined());
  p.mutable_grad() = make(3, kFloat);
  p.mutable_grad().fill_(3.0);
  Tensor kept = p.grad();
  opt.zero_grad();
  EXPECT_TRUE(p.grad().is_same(kept));
  EXPECT_EQ(get(kept, 1), 0.0);
  opt.zero_grad(/*set_to_none=*/true);
  EXPECT_FALSE(p.grad().defined());
}

TEST(Optimizer, GroupsHaveTheirOwnOptions) {
  Tensor a = parameter(2, kFloat), b = parameter(2, kFloat);
  a.mutable_grad() = make(2, kFloat);
  b.mutable_grad() = make(2, kFloat);
  a.mutable_grad().fill_(1.0);
  b.mutable_grad().fill_(1.0);
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<Tensor>{a});
  groups.emplace_back(std::vector<Tensor>{b}, std::make_unique<SGDOptions>(0.5));
  SGD opt(std::move(groups), SGDOptions(0.25));
  opt.step();
  EXPECT_FLOAT_EQ(get(a.detach(), 0), start(0) - 0.25f);
  EXPECT_FLOAT_EQ(get(b.detach(), 0), start(0) - 0.5f);
  EXPECT_EQ(opt.size(), 2u);
  static_cast<SGDOptions&>(opt.param_groups()[1].options()).lr(0.0);
  opt.step();
  EXPECT_FLOAT_EQ(get(b.detach(), 0), start(0) - 0.5f);
  EXPECT_DOUBLE_EQ(opt.param_groups()[0].options().get_lr(), 0.25);
}

TEST(Optimizer, StatesMayBeErasedAndReplacedBetweenSteps) {
  Tensor p = parameter(2, kFloat);
  p.mutable_grad() = make(2, kFloat);
  p.mutable_grad().fill_(1.0);
  SGD opt({p}, SGDOptions(1.0).momentum(0.5));
  opt.step();
  opt.step();
  opt.state().clear();
  opt.step();  // as the first: 1 + 1.5 + 1
  EXPECT_FLOAT_EQ(get(p.detach(), 0), start(0) - 3.5f);
  opt.state().begin()->second = std::make_unique<SGDParamState>();
  opt.step();
  EXPECT_FLOAT_EQ(get(p.detach(), 0), start(0) - 4.5f);
  // Another parameter in the same place must not get the old state.
  Tensor q = parameter(3, kFloat);
  q.mutable_grad() = make(3, kFloat);
  opt.param_groups()[0].params()[0] = q;
  opt.step();
  EXPECT_EQ(opt.state().size(), 2u);
}

TEST(Optimizer, ClosureRunsWithGradients) {
  Tensor p = parameter(1, kFloat);
  SGD opt({p}, 0.5);
  NoGradGuard no_grad;
  bool enabled = false;
  Tensor loss = opt.step([&] {
    enabled = GradMode::is_enabled();
    p.mutable_grad() = make(1, kFloat);
    p.mutable_grad().fill_(2.0);
    return make(1, kFloat);
  });
  EXPECT_TRUE(enabled);
  EXPECT_TRUE(loss.defined());
  EXPECT_FLOAT_EQ(get(p.detach(), 0), start(0) - 1.0f);
  EXPECT_FALSE(opt.step().defined());
}

TEST(Optimizer, RefusesBadArguments) {
  const std::vector<Tensor> one{parameter(1, kFloat)};
  expect_error("SGD: Invalid learning rate: -1", [&] { SGD(one, SGDOptions(-1)); });
  expect_error("SGD: Invalid momentum value: -1", [&] { SGD(one, SGDOptions(1).momentum(-1)); });
  expect_error("SGD: Invalid weight_decay value: -1",
               [&] { SGD(one, SGDOptions(1).weight_decay(-1)); });
  expect_error("SGD: Nesterov momentum requires a momentum and zero dampening",
               [&] { SGD(one, SGDOptions(1).nesterov(true)); });
  expect_error("Adam: Invalid beta parameter at index 0: 1", [&] {
    Adam(one, AdamOptions(1).betas({1.0, 0.9}));
  });
  expect_error("AdamW: Invalid beta parameter at index 1: -0.5", [&] {
    AdamW(one, AdamWOptions(1).betas({0.5, -0.5}));
  });
  expect_error("Adam: Invalid epsilon value: -1", [&] { Adam(one, AdamOptions(1).eps(-1)); });
  expect_error("Adagrad: Invalid lr_decay value",
               [&] { Adagrad(one, AdagradOptions(1).lr_decay(-1)); });
  expect_error("RMSprop: Invalid alpha value", [&] { RMSprop(one, RMSpropOptions(1).alpha(-1)); });
  expect_error("undefined", [&] { SGD({Tensor()}, 1.0); });
  expect_error("can't optimize a non-leaf Tensor", [&] { SGD({one[0].mul(2)}, 1.0); });
  const Tensor seen_often = make(1, kFloat).expand({4}).requires_grad_();
  expect_error(
      "unsupported operation: more than one element of the written-to tensor refers to a "
      "single memory location",
      [&] { SGD({seen_often}, 1.0); });
  expect_error("more than one element of the written-to tensor", [&] {
    SGD opt(one, 1.0);
    opt.add_param_group(OptimizerParamGroup({seen_often}));
  });
  expect_error("some parameters appear in more than one parameter group", [&] {
    SGD opt(one, 1.0);
    opt.add_param_group(OptimizerParamGroup(one));
  });
}

TEST(Optimizer, RefusesGradientsThatDoNotFit) {
  Tensor p = parameter(3, kFloat);
  SGD opt({p}, SGDOptions(0.1).momentum(0.5));
  const auto give = [&](const Tensor& g) { p.impl(), p.mutable_grad() = g; };
  try {
    give(make(4, kFloat));
  } catch (const Error&) {
    GTEST_SKIP() << "the tensor itself refuses such a gradient";
  }
  expect_error("SGD: expected a gradient of sizes [3], got [4]", [&] { opt.step(); });
  give(make(3, kDouble));
  expect_error("expected a gradient of dtype", [&] { opt.step(); });
}

TEST(Optimizer, ABadGradientChangesNoParameter) {
  Tensor good = parameter(3, kFloat), bad = parameter(3, kFloat);
  good.mutable_grad() = make(3, kFloat).add(1);
  bad.mutable_grad() = make(3, kDouble);
  Adam opt({good, bad}, AdamOptions(0.1));
  expect_error("Adam: expected a gradient of dtype", [&] { opt.step(); });
  EXPECT_FLOAT_EQ(get(good.detach(), 0), start(0));
  EXPECT_TRUE(opt.state().empty());
}

TEST(Optimizer, RefusesTheOptionsOfAnotherOptimizer) {
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<Tensor>{parameter(2, kFloat)});
  groups.emplace_back(std::vector<Tensor>{parameter(2, kFloat)},
                      std::make_unique<AdamOptions>(0.1));
  SGD opt(std::move(groups), SGDOptions(0.1));
  expect_error("SGD: expected parameter groups with SGDOptions", [&] { opt.step(); });
}

TEST(Adagrad, StateIsThereFromTheStart) {
  const Tensor p = parameter(3, kDouble);
  Adagrad opt({p}, AdagradOptions(0.1).initial_accumulator_value(2));
  ASSERT_EQ(opt.state().size(), 1u);
  auto& state = static_cast<AdagradParamState&>(*opt.state().at(p.unsafeGetTensorImpl()));
  EXPECT_EQ(state.step(), 0);
  EXPECT_EQ(state.sum().scalar_type(), kDouble);
  EXPECT_FALSE(state.sum().requires_grad());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get(state.sum(), i), 2);
}

// As programs for LibTorch 2 look states up, and as those for 1.13 do.
TEST(Optimizer, StatesAreFoundByTheTensorImplAndByItsText) {
  const Tensor p = parameter(2, kFloat), q = parameter(3, kFloat);
  Adagrad opt({p, q}, AdagradOptions(0.1));
  std::ostringstream text;
  text << p.unsafeGetTensorImpl();
  OptimizerParamState* const state = opt.state().at(p.unsafeGetTensorImpl()).get();
  EXPECT_EQ(opt.state()[text.str()].get(), state);
  EXPECT_EQ(opt.state().find(text.str().c_str())->second.get(), state);
  EXPECT_EQ(opt.state().count(q.unsafeGetTensorImpl()), 1u);
  for (const auto& item : opt.state()) {
    const bool first = item.second.get() == state;
    void* const key = item.first;
    EXPECT_EQ(key, (first ? p : q).unsafeGetTensorImpl());
    const std::string as_text = item.first;
    EXPECT_EQ(as_text == text.str(), first);
    EXPECT_EQ(item.first == text.str(), first);
  }
  opt.state().erase(text.str());
  EXPECT_EQ(opt.state().size(), 1u);
  expect_error("Optimizer::state: expected as key a parameter's TensorImpl",
               [&] { opt.state().find("weight"); });
}

TEST(Optimizer, OldFunctionsWarnThatTheyWillBeRemoved) {
  using testing::expect_warning;
  const Tensor p = parameter(2, kFloat), q = parameter(3, kFloat);
  SGD opt({p}, SGDOptions(0.1));
  expect_warning("Optimizer::parameters() will be removed",
                 [&] { EXPECT_TRUE(opt.parameters()[0].is_same(p)); });
  expect_warning("Optimizer::add_parameters() will be removed", [&] { opt.add_parameters({q}); });
  expect_warning("Optimizer::size() will be removed", [&] { EXPECT_EQ(opt.size(), 2u); });
  const SGD& same = opt;
  expect_warning("Optimizer::parameters() will be removed",
                 [&] { EXPECT_EQ(same.parameters().size(), 2u); });
  EXPECT_TRUE(testing::warnings_of([&] {
                opt.step();
                opt.zero_grad();
                opt.param_groups()[0].params();
              }).empty());
}

TEST(Adagrad, SumsOfAllGroupsStartAtTheDefault) {
  Tensor p = parameter(1, kDouble);
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(
      std::vector<Tensor>{p},
      std::make_unique<AdagradOptions>(AdagradOptions(0.5).initial_accumulator_value(100)));
  Adagrad opt(std::move(groups), AdagradOptions(0.1).initial_accumulator_value(3).eps(0));
  p.mutable_grad() = make(1, kDouble).add(1);
  opt.step();
  EXPECT_NEAR(get(p.detach(), 0), start(0) - 0.5 / 2, 1e-9);  // sqrt(3 + 1 * 1)
}

template <class Opt, class Options>
void resumes(Options options) {
  const auto steps = [](Opt& opt, const Tensor& p, int from, int to) {
    for (int t = from; t < to; ++t) {
      p.mutable_grad() = make(5, kFloat);
      for (int i = 0; i < 5; ++i) set(p.grad(), i, gradient(t, i));
      opt.step();
    }
  };
  Tensor p = parameter(5, kFloat), unused = parameter(2, kFloat);
  Opt opt({p, unused}, options);
  steps(opt, p, 0, 3);
  opt.param_groups()[0].options().set_lr(0.125);
  std::stringstream file;
  save(opt, file);
  Tensor q = p.detach().clone().requires_grad_(), unused2 = parameter(2, kFloat);
  steps(opt, p, 3, 6);

  Opt other({q, unused2}, options);
  load(other, file);
  EXPECT_DOUBLE_EQ(other.param_groups()[0].options().get_lr(), 0.125);
  steps(other, q, 3, 6);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(p.detach(), i), get(q.detach(), i)) << i;
}

TEST(Optimizer, SavedAndLoadedItGoesOnAsBefore) {
  resumes<SGD>(SGDOptions(0.1).momentum(0.9).dampening(0.1));
  resumes<Adam>(AdamOptions(0.1).amsgrad(true));
  resumes<AdamW>(AdamWOptions(0.1));
  resumes<Adagrad>(AdagradOptions(0.1).lr_decay(0.5));
  resumes<RMSprop>(RMSpropOptions(0.1).centered(true).momentum(0.5));
}

TEST(Optimizer, LoadingForOtherGroupsChangesNothing) {
  Tensor p = parameter(2, kFloat);
  p.mutable_grad() = make(2, kFloat);
  SGD one({p}, SGDOptions(0.5).momentum(0.5));
  one.step();
  std::stringstream file;
  save(one, file);
  SGD two({parameter(2, kFloat), parameter(2, kFloat)}, SGDOptions(0.25));
  expect_error("parameter group that has a different size", [&] { load(two, file); });
  EXPECT_DOUBLE_EQ(two.param_groups()[0].options().get_lr(), 0.25);
  EXPECT_TRUE(two.state().empty());
}

std::vector<double> rates(Optimizer& opt, LRScheduler& schedule, int steps) {
  std::vector<double> lrs;
  for (int i = 0; i < steps; ++i) {
    schedule.step();
    lrs.push_back(opt.param_groups()[0].options().get_lr());
  }
  return lrs;
}

void expect_rates(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12) << "step " << i;
}

TEST(Scheduler, RatesOverTime) {
  const auto sgd = [] { return SGD({parameter(1, kFloat)}, 1.0); };
  SGD a = sgd(), b = sgd(), c = sgd(), d = sgd();
  StepLR step(a, 2, 0.1);
  expect_rates(rates(a, step, 6), {1, 1, 0.1, 0.1, 0.01, 0.01});
  MultiStepLR multi(b, {2, 3}, 0.5);
  expect_rates(rates(b, multi, 4), {1, 0.5, 0.25, 0.25});
  ExponentialLR exponential(c, 0.5);
  expect_rates(rates(c, exponential, 3), {0.5, 0.25, 0.125});
  CosineAnnealingLR cosine(d, 4, 0.2);
  expect_rates(rates(d, cosine, 4),
               {0.2 + 0.4 * (1 + std::sqrt(0.5)), 0.6, 0.2 + 0.4 * (1 - std::sqrt(0.5)), 0.2});
  EXPECT_THROW(StepLR(a, 0), Error);
}

TEST(Scheduler, LowersTheRateOnAPlateau) {
  SGD opt({parameter(1, kFloat)}, 1.0);
  ReduceLROnPlateau schedule(opt, ReduceLROnPlateauScheduler::min, 0.5f, 1);
  const auto rate = [&](float loss) {
    schedule.step(loss);
    return opt.param_groups()[0].options().get_lr();
  };
  EXPECT_EQ(rate(3), 1);
  EXPECT_EQ(rate(2), 1);
  EXPECT_EQ(rate(2), 1);
  EXPECT_EQ(rate(2.5), 0.5);
  EXPECT_EQ(rate(1), 0.5);
}

TEST(Scheduler, FormulasOfSteps) {
  const auto step = schedule::step(2, 0.5), at = schedule::multi_step({1, 4}, 0.5);
  const std::vector<double> want_step = {8, 8, 4, 4, 2}, want_at = {8, 4, 4, 4, 2};
  for (unsigned n = 0; n < 5; ++n) {
    EXPECT_EQ(step(8, n), want_step[n]);
    EXPECT_EQ(at(8, n), want_at[n]);
    EXPECT_DOUBLE_EQ(schedule::exponential(0.5)(8, n), 8 * std::pow(0.5, n));
  }
  expect_error<ValueError>("StepLR: expected a step_size of at least 1, got 0",
                           [] { schedule::step(0, 0.5); });
}

TEST(Optimizer, AddsParametersToTheFirstGroup) {
  SGD optimizer({parameter(1, kFloat)}, SGDOptions(1));
  optimizer.add_parameters({parameter(2, kFloat), parameter(3, kFloat)});
  EXPECT_EQ(optimizer.param_groups()[0].params().size(), 3u);
}

// What a user's own optimizer forgot is named.
TEST(Optimizer, SubclassesSayWhatTheyLack) {
  struct State : OptimizerParamState {
  } state;
  struct Options : OptimizerOptions {
  } options;
  serialize::InputArchive in;
  serialize::OutputArchive out;
  const char* of_state = "has not been implemented in derived class of OptimizerParamState";
  const char* of_options = "has not been implemented in derived class of OptimizerOptions";
  expect_error<Error>(of_state, [&] { state.clone(); });
  expect_error<Error>(of_state, [&] { state.serialize(in); });
  expect_error<Error>(of_state, [&] { state.serialize(out); });
  expect_error<Error>(of_options, [&] { options.clone(); });
  expect_error<Error>(of_options, [&] { options.serialize(in); });
  expect_error<Error>(of_options, [&] { options.serialize(out); });
  expect_error<Error>("double get_lr()", [&] { options.get_lr(); });
  expect_error<Error>("void set_lr(double lr)", [&] { options.set_lr(1); });
}

}  // namespace
}  // namespace torch::taper
