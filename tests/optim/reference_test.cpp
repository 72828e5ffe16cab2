// Optimizers and schedules, step by step, beside PyTorch's numbers: tests/data_files/
// optim_reference.txt, which make_optim_reference.py writes.
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/io/serialize.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>
#include <taper/optim/optim.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "data_folder.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using namespace optim;
using testing::expect_error;
using testing::values_of;
using Values = std::vector<double>;
using Parameters = std::vector<Tensor>;

constexpr int kSteps = 12;

const std::map<std::string, Values>& references() {
  static const std::map<std::string, Values> all = [] {
    std::map<std::string, Values> read;
    std::ifstream in(testing::data_folder(TAPER_TEST_DATA) + "/optim_reference.txt");
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      std::string name;
      words >> name;
      for (double v; words >> v;) read[name].push_back(v);
    }
    return read;
  }();
  return all;
}

void expect_reference(const std::string& name, const Values& got, double tolerance) {
  ASSERT_EQ(references().count(name), 1u) << name;
  const Values& expected = references().at(name);
  ASSERT_EQ(got.size(), expected.size()) << name;
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::fabs(got[i] - expected[i]), tolerance * (1 + std::fabs(expected[i])))
        << name << ", value " << i << ": " << got[i] << ", expected " << expected[i];
}

void append(Values& values, const Tensor& t) {
  for (double v : values_of(t)) values.push_back(v);
}

Tensor start_point() { return linspace(-1.3, 0.7, 5, kDouble).requires_grad_(); }
Tensor gradient(int t) {
  Values g;
  for (int i = 0; i < 5; ++i) g.push_back(std::sin(1 + 2.5 * t + 1.7 * i) * (1 + i % 3));
  return testing::values(g, kDouble);
}

// ---------------------------------------------------------------------- optimizers
template <class Opt, class State = void, class Options>
void follows(const std::string& name, const Options& options) {
  const Tensor p = start_point();
  Opt opt(Parameters{p}, options);
  Values got;
  for (int t = 0; t < kSteps; ++t) {
    p.mutable_grad() = gradient(t);
    opt.step();
    append(got, p);
  }
  if constexpr (!std::is_void_v<State>)
    append(got, static_cast<State&>(*opt.state().begin()->second).ax());
  expect_reference(name, got, 1e-11);
}

TEST(OptimReference, Adadelta) {
  follows<Adadelta>("adadelta", AdadeltaOptions());
  follows<Adadelta>("adadelta.options", AdadeltaOptions(0.5).rho(0.8).eps(1e-4).weight_decay(0.1));
}
TEST(OptimReference, Adamax) {
  follows<Adamax>("adamax", AdamaxOptions());
  follows<Adamax>("adamax.options",
                  AdamaxOptions(0.05).betas({0.8, 0.99}).eps(1e-3).weight_decay(0.1));
}
TEST(OptimReference, NAdam) {
  follows<NAdam>("nadam", NAdamOptions());
  follows<NAdam>(
      "nadam.options",
      NAdamOptions(0.05).betas({0.8, 0.99}).eps(1e-3).weight_decay(0.1).momentum_decay(0.05));
}
TEST(OptimReference, RAdam) {
  follows<RAdam>("radam", RAdamOptions());
  follows<RAdam>("radam.options", RAdamOptions(0.05).betas({0.8, 0.9}).eps(1e-3).weight_decay(0.1));
}
TEST(OptimReference, ASGD) {
  follows<ASGD, ASGDParamState>("asgd", ASGDOptions());
  follows<ASGD, ASGDParamState>("asgd.options",
                                ASGDOptions(0.1).lambd(0.01).alpha(0.6).t0(3).weight_decay(0.1));
}
TEST(OptimReference, Rprop) {
  follows<Rprop>("rprop", RpropOptions());
  follows<Rprop>("rprop.options", RpropOptions(0.1).etas({0.4, 1.5}).step_sizes({0.05, 0.3}));
}

/// Rosenbrock's valley in two parameters, one of them a matrix.
struct Valley {
  Tensor a = full({1}, -1.2, kDouble).requires_grad_();
  Tensor b = testing::tensor_of({2, 2}, {1.0, 0.5, -0.3, 0.8}, kDouble).requires_grad_();

  Tensor loss() const {
    a.mutable_grad() = Tensor();
    b.mutable_grad() = Tensor();
    const Tensor x = cat({a, b.flatten()});
    const Tensor low = x.slice(0, 0, 4), high = x.slice(0, 1);
    const Tensor f = (high.sub(low.square()).square().mul(10) + low.sub(1).square()).sum();
    f.backward();
    return f;
  }
  Values run(LBFGS& opt, int steps) const {
    Values got;
    for (int i = 0; i < steps; ++i) {
      got.push_back(opt.step([this] { return loss(); }).item<double>());
      append(got, a);
      append(got, b.flatten());
    }
    const auto& state = static_cast<const LBFGSParamState&>(*opt.state().begin()->second);
    got.push_back(static_cast<double>(state.func_evals()));
    got.push_back(static_cast<double>(state.n_iter()));
    return got;
  }
};

TEST(OptimReference, LBFGS) {
  const auto run = [](const std::string& name, const LBFGSOptions& options, int steps) {
    const Valley valley;
    LBFGS opt({valley.a, valley.b}, options);
    expect_reference(name, valley.run(opt, steps), 1e-8);
  };
  run("lbfgs", LBFGSOptions(0.1), 5);
  run("lbfgs.wolfe", LBFGSOptions().line_search_fn("strong_wolfe"), 2);
  run("lbfgs.options",
      LBFGSOptions(0.5).max_iter(6).max_eval(9).history_size(2).line_search_fn("strong_wolfe"), 5);
}

/// A function of one number as a line of straight pieces: the corners, from 0 on, and the slope
/// behind each.
struct Pieces {
  Values corners, slopes;
  std::pair<double, double> at(double x) const {
    double y = 0, slope = slopes[0];
    for (size_t i = 0; i < corners.size() && x >= corners[i]; ++i) {
      slope = slopes[i];
      y += slope * (std::min(x, i + 1 < corners.size() ? corners[i + 1] : x) - corners[i]);
    }
    return {y, slope};
  }
};

/// Where the first line search looks, after the start.
Values places_of_search(const Pieces& f, size_t count) {
  const Tensor x = zeros({1}, kDouble).requires_grad_();
  LBFGS opt(Parameters{x}, LBFGSOptions().max_iter(1).max_eval(50).line_search_fn("strong_wolfe"));
  Values places;
  opt.step([&] {
    places.push_back(x.item<double>());
    const auto [y, slope] = f.at(places.back());
    x.mutable_grad() = full({1}, slope, kDouble);
    return full({}, y, kDouble);
  });
  places.resize(count + 1);
  return {places.begin() + 1, places.end()};
}

// Minima at corners near either end of the bracket. Every second step is moved inwards from that
// end. The places are those of PyTorch's algorithm, computed apart.
TEST(LBFGS, TheLineSearchMovesInwardsFromEitherEnd) {
  const Values near_zero = places_of_search({{0, 0.3}, {-1, 10}}, 7);
  const Values lower = {1.0,
                        0.0422982077089,
                        0.138068386938,
                        0.165931413007,
                        0.249338271706,
                        0.268680150202,
                        0.341812135182};
  const Values near_one = places_of_search({{0, 0.05, 0.7}, {-1, -10, 0.95}}, 7);
  const Values upper = {
      1.0,           0.975302430183, 0.877772187164, 0.859028957206, 0.773126061485, 0.758770399708,
      0.682893359737};
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(near_zero[i], lower[i], 1e-9) << i;
    EXPECT_NEAR(near_one[i], upper[i], 1e-9) << i;
  }
}

TEST(LBFGS, GoesOnAfterLoadingAsIfItHadNotStopped) {
  const Valley one, two;
  LBFGS first({one.a, one.b}, LBFGSOptions(0.1).max_iter(3));
  LBFGS second({two.a, two.b}, LBFGSOptions(0.7));
  one.run(first, 3);
  {
    NoGradGuard no_grad;
    two.a.copy_(one.a);
    two.b.copy_(one.b);
  }
  std::stringstream file;
  save(first, file);
  load(second, file);
  EXPECT_EQ(one.run(first, 3), two.run(second, 3));
}

TEST(LBFGS, WrongUseIsRefused) {
  const Valley valley;
  LBFGS opt({valley.a, valley.b});
  expect_error("LBFGS requires a closure function", [&] { opt.step(nullptr); });
  static_cast<LBFGSOptions&>(opt.param_groups()[0].options()).line_search_fn("other");
  const Values before = values_of(valley.b);
  expect_error("only 'strong_wolfe' is supported",
               [&] { opt.step([&] { return valley.loss(); }); });
  EXPECT_EQ(values_of(valley.b), before);
  std::vector<OptimizerParamGroup> groups{{Parameters{valley.a}}, {Parameters{valley.b}}};
  expect_error("LBFGS doesn't support per-parameter options", [&] { LBFGS two(groups); });
  LBFGS other({valley.a, start_point()});
  std::stringstream file;
  LBFGS trained({valley.a, valley.b});
  valley.run(trained, 1);
  save(trained, file);
  expect_error("expected a vector of 6 elements", [&] { load(other, file); });
}

/// Saves after some steps, loads into another optimizer, and expects both to go on alike.
template <class Opt, class Options>
void goes_on(const Options& options) {
  const Tensor p = start_point(), q = start_point();
  Opt first(Parameters{p}, options), second(Parameters{q}, Options(0.9));
  const auto step = [](Opt& opt, const Tensor& parameter, int t) {
    parameter.mutable_grad() = gradient(t);
    opt.step();
  };
  for (int t = 0; t < 4; ++t) step(first, p, t);
  {
    NoGradGuard no_grad;
    q.copy_(p);
  }
  std::stringstream file;
  save(first, file);
  load(second, file);
  for (int t = 4; t < 8; ++t) {
    step(first, p, t);
    step(second, q, t);
  }
  EXPECT_TRUE(p.equal(q));
}

TEST(OptimReference, EveryOptimizerGoesOnAfterLoading) {
  goes_on<Adadelta>(AdadeltaOptions(0.5).rho(0.8));
  goes_on<Adamax>(AdamaxOptions(0.05).betas({0.8, 0.99}));
  goes_on<NAdam>(NAdamOptions(0.05).momentum_decay(0.05));
  goes_on<RAdam>(RAdamOptions(0.05).betas({0.8, 0.9}));
  goes_on<ASGD>(ASGDOptions(0.1).t0(2));
  goes_on<Rprop>(RpropOptions(0.1).etas({0.4, 1.5}));
}

TEST(OptimReference, WrongOptionsAreRefused) {
  const Parameters p{start_point()};
  expect_error("Adadelta: Invalid rho value: 2", [&] { Adadelta(p, AdadeltaOptions().rho(2)); });
  expect_error("ASGD: Invalid learning rate: -1", [&] { ASGD(p, ASGDOptions(-1)); });
  expect_error("Adamax: Invalid beta parameter at index 1: 1", [&] {
    Adamax(p, AdamaxOptions().betas({0.9, 1.0}));
  });
  expect_error("RAdam: Invalid beta parameter at index 0: -1", [&] {
    RAdam(p, RAdamOptions().betas({-1.0, 0.9}));
  });
  expect_error("NAdam: Invalid momentum_decay value: -1",
               [&] { NAdam(p, NAdamOptions().momentum_decay(-1)); });
  expect_error("Rprop: Invalid eta values: 0.5, 0.9", [&] {
    Rprop(p, RpropOptions().etas({0.5, 0.9}));
  });
}

// ---------------------------------------------------------------------- schedules
enum class Momentum { kNone, kSgd, kAdam };

template <class MakeScheduler>
void schedules(const std::string& name, const MakeScheduler& make,
               Momentum momentum = Momentum::kNone) {
  const Tensor p = ones({1}), q = ones({1});
  const auto group = [&](const Tensor& t, double lr) {
    std::unique_ptr<OptimizerOptions> options;
    if (momentum == Momentum::kAdam)
      options = std::make_unique<AdamOptions>(lr);
    else
      options = std::make_unique<SGDOptions>(
          SGDOptions(lr).momentum(momentum == Momentum::kSgd ? 0.5 : 0));
    return OptimizerParamGroup(Parameters{t}, std::move(options));
  };
  const std::vector<OptimizerParamGroup> groups{group(p, 0.4), group(q, 0.2)};
  std::unique_ptr<Optimizer> opt;
  if (momentum == Momentum::kAdam)
    opt = std::make_unique<Adam>(groups);
  else
    opt = std::make_unique<SGD>(groups, SGDOptions(0.4));
  auto scheduler = make(*opt);
  Values got;
  for (int i = 0; i < 25; ++i) {
    for (const auto& g : opt->param_groups()) got.push_back(g.options().get_lr());
    OptimizerOptions& o = opt->param_groups()[0].options();
    if (momentum == Momentum::kSgd) got.push_back(static_cast<SGDOptions&>(o).momentum());
    if (momentum == Momentum::kAdam)
      got.push_back(std::get<0>(static_cast<AdamOptions&>(o).betas()));
    scheduler.step();
  }
  expect_reference(name, got, 1e-12);
}

TEST(ScheduleReference, Formulas) {
  schedules("constant", [](Optimizer& o) { return ConstantLR(o, 0.25, 7); });
  schedules("linear", [](Optimizer& o) { return LinearLR(o); });
  schedules("linear.options", [](Optimizer& o) { return LinearLR(o, 0.2, 0.6, 9); });
  schedules("polynomial", [](Optimizer& o) { return PolynomialLR(o, 8, 2); });
  schedules("restarts", [](Optimizer& o) { return CosineAnnealingWarmRestarts(o, 4); });
  schedules("restarts.options",
            [](Optimizer& o) { return CosineAnnealingWarmRestarts(o, 3, 2, 0.05); });
  schedules("multiplicative", [](Optimizer& o) {
    return MultiplicativeLR(o, [](unsigned n) { return 1 - 1.0 / (n + 2); });
  });
  schedules("sequential", [](Optimizer& o) {
    return SequentialLR(
        o, {schedule::linear(0.1, 1, 4), schedule::exponential(0.9), schedule::cosine(10)},
        {4, 12});
  });
}

TEST(ScheduleReference, Cycles) {
  schedules(
      "onecycle", [](Optimizer& o) { return OneCycleLR(o, OneCycleLROptions(0.5, 26)); },
      Momentum::kSgd);
  const auto three = OneCycleLROptions(0.5, 26)
                         .pct_start(0.4)
                         .linear(true)
                         .div_factor(10)
                         .final_div_factor(100)
                         .three_phase(true);
  schedules(
      "onecycle.three", [&](Optimizer& o) { return OneCycleLR(o, three); }, Momentum::kAdam);
  schedules(
      "cyclic", [](Optimizer& o) { return CyclicLR(o, CyclicLROptions(0.1, 0.6).step_size_up(4)); },
      Momentum::kSgd);
  const auto halved = CyclicLROptions(0.1, 0.6).step_size_up(3).step_size_down(5).mode(
      CyclicLROptions::triangular2);
  schedules(
      "cyclic.halved", [&](Optimizer& o) { return CyclicLR(o, halved); }, Momentum::kSgd);
  const auto falling = CyclicLROptions(0.1, 0.6)
                           .step_size_up(4)
                           .mode(CyclicLROptions::exp_range)
                           .gamma(0.9)
                           .cycle_momentum(false);
  schedules("cyclic.falling", [&](Optimizer& o) { return CyclicLR(o, falling); });
}

TEST(Schedules, WrongUseIsRefused) {
  const Tensor p = ones({1});
  Adagrad opt(Parameters{p}, AdagradOptions(0.4));
  expect_error<ValueError>("optimizer must support momentum",
                           [&] { OneCycleLR(opt, OneCycleLROptions(0.5, 3)); });
  EXPECT_EQ(opt.param_groups()[0].options().get_lr(), 0.4);
  OneCycleLR cycle(opt, OneCycleLROptions(0.5, 2).cycle_momentum(false));
  cycle.step();
  cycle.step();
  expect_error<ValueError>("Tried to step 3 times. The specified number of total steps is 2",
                           [&] { cycle.step(); });
  expect_error<ValueError>("Expected positive integer T_0, but got 0",
                           [&] { CosineAnnealingWarmRestarts(opt, 0); });
  expect_error<ValueError>("number of schedulers 1 and the number of milestones to be equal to 2",
                           [&] {
                             SequentialLR(opt, {schedule::constant()}, {1, 2});
                           });
  expect_error<ValueError>("Starting multiplicative factor", [&] { LinearLR(opt, 0); });
  expect_error<ValueError>("Constant multiplicative factor", [&] { ConstantLR(opt, 1.5); });
}

}  // namespace
}  // namespace torch::taper
