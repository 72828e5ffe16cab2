// amp::GradScaler against the rules of Python's: the scale, the stages of an iteration, steps that
// are skipped by the host and by devices, and f16 training.
#include <gtest/gtest.h>

#include <taper/taper.h>

#include <limits>
#include <sstream>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper::testing {
namespace {

using amp::GradScaler;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor parameter(std::vector<double> v, Device device = kCPU) {
  return values(std::move(v)).to(device).requires_grad_();
}
void set_grad(const Tensor& p, std::vector<double> g) {
  p.mutable_grad() = values(std::move(g), p.scalar_type()).to(p.device());
}
bool mentions(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

/// An iteration whose scaled gradients are these.
void iterate(GradScaler& scaler, optim::Optimizer& optimizer, const Tensor& p,
             std::vector<double> scaled) {
  scaler.scale(ones({}).to(p.device()));
  set_grad(p, std::move(scaled));
  scaler.step(optimizer);
  scaler.update();
}

// ---------------------------------------------------------------- the ops
void unscales_and_finds_on(Device device) {
  const Tensor a = values({2, 4}).to(device), b = values({6, 8, 10}, kDouble).to(device);
  const Tensor h = values({1, 3}, kHalf).to(device), none = values({}).to(device);
  const Tensor gaps = values({1, 2, 3, 4}).to(device).slice(0, 0, 4, 2);
  Tensor found = zeros({}, kFloat).to(device);
  const Tensor inv = values({0.5})[0].to(device);
  _amp_foreach_non_finite_check_and_unscale_({a, b, h, none, gaps}, found, inv);
  EXPECT_EQ(found.item<float>(), 0);
  EXPECT_TRUE(a.equal(values({1, 2}).to(device)));
  EXPECT_TRUE(b.equal(values({3, 4, 5}, kDouble).to(device)));
  EXPECT_TRUE(h.equal(values({0.5, 1.5}, kHalf).to(device)));
  EXPECT_TRUE(gaps.equal(values({0.5, 1.5}).to(device)));
  for (const double bad : {kInf, -kInf, kNan}) {
    const Tensor x = full({70000}, 1.).to(device);
    x[69999].fill_(bad);
    found.zero_();
    _amp_foreach_non_finite_check_and_unscale_({a, x}, found, inv);
    EXPECT_EQ(found.item<float>(), 1);
    EXPECT_EQ(x[0].item<float>(), 0.5);
  }
}

TEST(AmpOps, UnscaleAndFindWhatIsNotFinite) { unscales_and_finds_on(kCPU); }
TEST(AmpOps, UnscaleAndFindWhatIsNotFiniteOnCuda) {
  TAPER_NEEDS_DEVICES(1);
  unscales_and_finds_on(device_at(0));
}

TEST(AmpOps, RefuseBadArguments) {
  const Tensor a = values({1, 2});
  Tensor found = zeros({}, kFloat), two = zeros({2}), d = zeros({}, kDouble);
  const Tensor inv = ones({});
  const auto unscale = [&](const Tensor& x, Tensor f, const Tensor& i) {
    return message_of([&] { _amp_foreach_non_finite_check_and_unscale_({x}, f, i); });
  };
  EXPECT_TRUE(mentions(unscale(a, two, inv), "found_inf must be a 1-element tensor."));
  EXPECT_TRUE(mentions(unscale(a, found, two), "inv_scale must be a 1-element tensor."));
  EXPECT_TRUE(mentions(unscale(a, d, inv), "found_inf must be a float tensor."));
  EXPECT_TRUE(mentions(unscale(a, found, d), "inv_scale must be a float tensor."));
  EXPECT_THROW(_amp_foreach_non_finite_check_and_unscale_({tensor({1, 2})}, found, inv),
               NotImplementedError);
  Tensor scale = ones({}), tracker = zeros({}, kInt);
  EXPECT_TRUE(mentions(message_of([&] { _amp_update_scale_(scale, scale, found, 2, .5, 2); }),
                       "growth_tracker must be an int tensor."));
  EXPECT_TRUE(a.equal(values({1, 2})));
}

void updates_scale_on(Device device) {
  Tensor scale = full({}, 8.f).to(device), tracker = zeros({}, kInt).to(device);
  const Tensor fine = zeros({}).to(device), bad = ones({}).to(device);
  const auto update = [&](const Tensor& found) {
    _amp_update_scale_(scale, tracker, found, 2, 0.25, 3);
    return std::pair(scale.item<float>(), tracker.item<int>());
  };
  EXPECT_EQ(update(fine), std::pair(8.f, 1));
  EXPECT_EQ(update(fine), std::pair(8.f, 2));
  EXPECT_EQ(update(fine), std::pair(16.f, 0));
  EXPECT_EQ(update(fine), std::pair(16.f, 1));
  EXPECT_EQ(update(bad), std::pair(4.f, 0));
  scale.fill_(3e38);
  tracker.fill_(2);
  EXPECT_EQ(update(fine), std::pair(3e38f, 0));  // the next one would be infinite
}

TEST(AmpOps, UpdateTheScale) { updates_scale_on(kCPU); }
TEST(AmpOps, UpdateTheScaleOnCuda) {
  TAPER_NEEDS_DEVICES(1);
  updates_scale_on(device_at(0));
}

// ---------------------------------------------------------------- the scaler
TEST(GradScaler, HasPythonsDefaultsAndSetters) {
  GradScaler s(kCPU);
  EXPECT_TRUE(s.is_enabled());
  EXPECT_EQ(s.get_scale(), 65536);
  EXPECT_EQ(s.get_growth_factor(), 2);
  EXPECT_EQ(s.get_backoff_factor(), 0.5);
  EXPECT_EQ(s.get_growth_interval(), 2000);
  s.set_growth_factor(3);
  s.set_backoff_factor(0.25);
  s.set_growth_interval(7);
  EXPECT_EQ(s.get_growth_factor(), 3);
  EXPECT_EQ(s.get_backoff_factor(), 0.25);
  EXPECT_EQ(s.get_growth_interval(), 7);
  EXPECT_TRUE(
      mentions(message_of([] { GradScaler(kCPU, 1, 1.0); }), "The growth factor must be > 1.0."));
  EXPECT_TRUE(mentions(message_of([] { GradScaler(kCPU, 1, 2, 1.0); }),
                       "The backoff factor must be < 1.0."));
}

TEST(GradScaler, ScalesLossesAndUnscalesGradients) {
  GradScaler scaler(kCPU, 8);
  const Tensor p = parameter({1, 2});
  optim::SGD sgd({p}, optim::SGDOptions(0.5));
  scaler.scale((p * p).sum()).backward();
  EXPECT_TRUE(p.grad().equal(values({16, 32})));
  scaler.step(sgd);
  EXPECT_TRUE(p.grad().equal(values({2, 4})));
  EXPECT_TRUE(p.equal(values({0, 0})));
  scaler.update();
  const auto both = scaler.scale(std::vector<Tensor>{ones({}), full({2}, 3.)});
  EXPECT_EQ(both[0].item<float>(), 8);
  EXPECT_TRUE(both[1].equal(full({2}, 24.)));
}

TEST(GradScaler, SkipsStepsBacksOffAndGrows) {
  GradScaler scaler(kCPU, 8, 2, 0.5, 2);
  const Tensor p = parameter({1});
  optim::SGD sgd({p}, optim::SGDOptions(1));
  iterate(scaler, sgd, p, {kInf});
  EXPECT_EQ(p.item<float>(), 1);
  EXPECT_EQ(scaler.get_scale(), 4);
  iterate(scaler, sgd, p, {4});
  EXPECT_EQ(p.item<float>(), 0);
  EXPECT_EQ(scaler.get_scale(), 4);
  iterate(scaler, sgd, p, {kNan});
  EXPECT_EQ(scaler.get_scale(), 2);
  iterate(scaler, sgd, p, {0});
  iterate(scaler, sgd, p, {0});
  EXPECT_EQ(scaler.get_scale(), 4);
  EXPECT_EQ(scaler.state_dict().at("_growth_tracker"), 0);
}

TEST(GradScaler, LetsGradientsBeClippedBetweenUnscaleAndStep) {
  GradScaler scaler(kCPU, 1024);
  const Tensor p = parameter({0, 0});
  optim::SGD sgd({p}, optim::SGDOptions(1));
  scaler.scale(ones({}));
  set_grad(p, {3 * 1024, 4 * 1024});
  scaler.unscale_(sgd);
  EXPECT_NEAR(nn::utils::clip_grad_norm_({p}, 1.0), 5, 1e-5);
  scaler.step(sgd);
  EXPECT_TRUE(p.allclose(values({-0.6, -0.8}), 1e-4, 1e-5));
}

TEST(GradScaler, ThrowsPythonsErrors) {
  GradScaler scaler(kCPU, 8);
  const Tensor p = parameter({1});
  optim::SGD sgd({p}, optim::SGDOptions(1));
  EXPECT_TRUE(mentions(message_of([&] { scaler.unscale_(sgd); }),
                       "Attempted unscale_ but _scale is None."));
  EXPECT_TRUE(
      mentions(message_of([&] { scaler.step(sgd); }), "Attempted step but _scale is None."));
  EXPECT_TRUE(
      mentions(message_of([&] { scaler.update(); }), "Attempted update but _scale is None."));
  scaler.scale(ones({}));
  EXPECT_TRUE(mentions(message_of([&] { scaler.step(sgd, [] { return Tensor(); }); }),
                       "Closure use is not currently supported if GradScaler is enabled."));
  EXPECT_TRUE(mentions(message_of([&] { scaler.update(); }),
                       "No inf checks were recorded prior to update."));
  EXPECT_TRUE(mentions(message_of([&] { scaler.step(sgd); }),
                       "No inf checks were recorded for this optimizer."));
  scaler.update(8.0);
  set_grad(p, {1});
  scaler.unscale_(sgd);
  EXPECT_TRUE(
      mentions(message_of([&] { scaler.unscale_(sgd); }),
               "unscale_() has already been called on this optimizer since the last update()."));
  scaler.step(sgd);
  EXPECT_TRUE(mentions(message_of([&] { scaler.unscale_(sgd); }),
                       "unscale_() is being called after step()."));
  EXPECT_TRUE(mentions(message_of([&] { scaler.step(sgd); }),
                       "step() has already been called since the last update()."));
  scaler.update();
  const Tensor h = values({1}, kHalf).requires_grad_();
  optim::SGD of_half({h}, optim::SGDOptions(1));
  set_grad(h, {1});
  EXPECT_TRUE(mentions(message_of<ValueError>([&] { scaler.unscale_(of_half); }),
                       "Attempting to unscale FP16 gradients."));
}

TEST(GradScaler, TakesANewScale) {
  GradScaler scaler(kCPU, 8);
  scaler.scale(ones({}));
  scaler.update(32.0);
  EXPECT_EQ(scaler.get_scale(), 32);
  Tensor given = full({1}, 64.f);
  scaler.update(given);
  given.fill_(1);
  EXPECT_EQ(scaler.get_scale(), 64);
}

// Each condition alone, also of a scaler that has scaled nothing.
TEST(GradScaler, RefusesNewScalesThatAreNoFloat) {
  GradScaler scaler(kCPU, 8);
  for (const auto& update : {std::function<void()>([&] { scaler.update(4.0); }),
                             std::function<void()>([&] { scaler.update(ones({})); })})
    EXPECT_TRUE(mentions(message_of(update), "Attempted update but _scale is None."));
  scaler.scale(ones({}));
  std::vector<Tensor> wrong = {Tensor(), ones({2}), ones({0}), ones({}).requires_grad_()};
  if (cuda::device_count() > 0) wrong.push_back(ones({}, device_at(0)));
  for (const Tensor& t : wrong)
    EXPECT_TRUE(mentions(message_of([&] { scaler.update(t); }), "new_scale should be"));
  EXPECT_EQ(scaler.get_scale(), 8);
}

TEST(GradScaler, DoesNothingWhereItIsNotEnabled) {
  GradScaler scaler(kCPU, 8, 2, 0.5, 2000, false);
  const Tensor p = parameter({1}), loss = ones({});
  optim::SGD sgd({p}, optim::SGDOptions(1));
  EXPECT_TRUE(scaler.scale(loss).is_same(loss));
  set_grad(p, {1});
  scaler.unscale_(sgd);
  scaler.step(sgd);
  scaler.update();
  scaler.update(4.0);
  scaler.update(Tensor());
  EXPECT_EQ(p.item<float>(), 0);
  EXPECT_EQ(scaler.get_scale(), 1);
  EXPECT_TRUE(scaler.state_dict().empty());
}

TEST(GradScaler, HasAStateThatGoesThroughAFile) {
  GradScaler a(kCPU, 8, 3, 0.25, 5), b(kCPU);
  const Tensor p = parameter({1});
  optim::SGD sgd({p}, optim::SGDOptions(1));
  iterate(a, sgd, p, {0});
  std::stringstream file;
  save(a, file);
  b.scale(ones({}));
  load(b, file);
  EXPECT_EQ(a.state_dict(), b.state_dict());
  EXPECT_EQ(b.state_dict().at("_growth_tracker"), 1);
  EXPECT_EQ(b.get_scale(), 8);
  EXPECT_TRUE(
      mentions(message_of([&] { b.load_state_dict({}); }), "The source state dict is empty"));
  EXPECT_THROW(b.load_state_dict({{"scale", 1.0}}), Error);
  EXPECT_EQ(a.state_dict(), b.state_dict());
}

TEST(GradScaler, KeepsOptimizersApart) {
  GradScaler scaler(kCPU, 8);
  const Tensor p = parameter({1}), q = parameter({1});
  optim::SGD first({p}, optim::SGDOptions(1)), second({q}, optim::SGDOptions(1));
  scaler.scale(ones({}));
  set_grad(p, {kInf});
  set_grad(q, {8});
  scaler.step(first);
  scaler.step(second);
  scaler.update();
  EXPECT_EQ(p.item<float>(), 1);
  EXPECT_EQ(q.item<float>(), 0);
  EXPECT_EQ(scaler.get_scale(), 4);
}

// ---------------------------------------------------------------- devices
/// Five iterations, the second and the fourth with an infinite gradient, equal three good ones
/// without a scaler.
template <class Optimizer, class Options>
void skips_on(Device device, const Options& options) {
  const Tensor p = parameter({1, 2, 3}, device), q = parameter({1, 2, 3}, device);
  Optimizer scaled({p}, options), plain({q}, options);
  GradScaler scaler(device, 4);
  for (int i = 0; i < 5; ++i) {
    const double g = 0.25 * (i + 1), scale = scaler.get_scale();
    const bool bad = i % 2 == 1;
    iterate(scaler, scaled, p, {g * scale, bad ? kInf : -g * scale, 0.5 * scale});
    if (bad) continue;
    set_grad(q, {g, -g, 0.5});
    plain.step();
  }
  EXPECT_TRUE(p.allclose(q, 1e-6, 1e-6)) << p << q;
  EXPECT_EQ(scaler.get_scale(), 1);
}
template <class Run>
void on_all_devices(const Run& run) {
  run(Device(kCPU));
  if (cuda::device_count() > 0) run(device_at(0));
}

TEST(GradScaler, SkipsStepsOfSgd) {
  on_all_devices([](Device d) {
    skips_on<optim::SGD>(d, optim::SGDOptions(0.1));
    skips_on<optim::SGD>(d, optim::SGDOptions(0.1).momentum(0.9));
    skips_on<optim::SGD>(d, optim::SGDOptions(0.1).momentum(0.9).dampening(0.5));
  });
}
TEST(GradScaler, SkipsStepsOfAdam) {
  on_all_devices([](Device d) {
    skips_on<optim::Adam>(d, optim::AdamOptions(0.1));
    skips_on<optim::Adam>(d, optim::AdamOptions(0.1).amsgrad(true));
    skips_on<optim::AdamW>(d, optim::AdamWOptions(0.1));
  });
}
TEST(GradScaler, SkipsStepsOfOthers) {
  on_all_devices([](Device d) { skips_on<optim::RMSprop>(d, optim::RMSpropOptions(0.1)); });
}

TEST(GradScaler, LetsTheFirstStepBeASkippedOne) {
  on_all_devices([](Device device) {
    const Tensor p = parameter({1}, device), q = parameter({1}, device);
    optim::Adam scaled({p}, optim::AdamOptions(0.1)), plain({q}, optim::AdamOptions(0.1));
    GradScaler scaler(device, 4);
    iterate(scaler, scaled, p, {kNan});
    iterate(scaler, scaled, p, {2});
    set_grad(q, {1});
    plain.step();
    EXPECT_TRUE(p.allclose(q, 1e-6, 1e-6));
    const auto& state =
        static_cast<optim::AdamParamState&>(*scaled.state().at(p.unsafeGetTensorImpl()));
    EXPECT_EQ(state.step(), 1);
  });
}

TEST(GradScaler, SkipsParametersOfAllDevices) {
  TAPER_NEEDS_DEVICES(2);
  const Tensor p = parameter({1}, device_at(0)), q = parameter({1}, device_at(1));
  optim::SGD sgd({p, q}, optim::SGDOptions(1));
  GradScaler scaler(device_at(0), 4);
  scaler.scale(ones({}).to(device_at(0)));
  set_grad(p, {4});
  set_grad(q, {kInf});
  scaler.step(sgd);
  scaler.update();
  EXPECT_EQ(p.item<float>(), 1);
  EXPECT_EQ(scaler.get_scale(), 2);
}

// A step that waited could not be captured.
template <class Optimizer, class Options>
void is_captured(const Options& options) {
  const Device device = device_at(0);
  const Tensor p = parameter({1}, device), x = ones({1}).to(device);
  Optimizer optimizer({p}, options);
  GradScaler scaler(device, 4);
  const auto step = [&] {
    p.mutable_grad().reset();
    scaler.scale((p * x).sum()).backward();
    scaler.step(optimizer);
    scaler.update();
  };
  step();
  Graph graph(device);
  {
    const GraphGuard guard(graph);
    step();
  }
  const float before = p.item<float>();
  x.fill_(kInf);
  graph.replay();
  EXPECT_EQ(p.item<float>(), before);
  EXPECT_EQ(scaler.get_scale(), 2);
  x.fill_(1);
  graph.replay();
  EXPECT_LT(p.item<float>(), before);
}

TEST(GradScaler, WaitsForNoDevice) {
  TAPER_NEEDS_DEVICES(1);
  is_captured<optim::SGD>(optim::SGDOptions(0.1));
  is_captured<optim::Adam>(optim::AdamOptions(0.1).capturable(true));
  is_captured<optim::AdamW>(optim::AdamWOptions(0.1).capturable(true));
}

TEST(GradScaler, LetsHalfPrecisionSurvivePlantedOverflows) {
  on_all_devices([](Device device) {
    manual_seed(1);
    nn::Sequential net(nn::Linear(4, 16), nn::Tanh(), nn::Linear(16, 1));
    net->to(device);
    optim::Adam adam(net->parameters(), optim::AdamOptions(0.02));
    GradScaler scaler(device, 65536.0 * 65536.0);
    const Tensor x = rand({32, 4}), y = x.sum(1, true).sin();
    const Tensor input = x.to(device), target = y.to(device);
    double first = 0, last = 0;
    int overflows = 0;
    for (int i = 0; i < 120; ++i) {
      adam.zero_grad(true);
      Tensor loss;
      {
        const autocast guard(device, kHalf);
        loss = mse_loss(net->forward(input), target);
      }
      scaler.scale(loss).backward();
      if (i % 30 == 29) net->parameters()[0].grad()[0][0].fill_(kNan);
      const double before = scaler.get_scale();
      scaler.step(adam);
      scaler.update();
      overflows += scaler.get_scale() < before;
      last = loss.item<double>();
      if (i == 0) first = last;
    }
    EXPECT_GE(overflows, 5);
    EXPECT_LT(last, 0.1 * first);
    for (const Tensor& p : net->parameters()) EXPECT_TRUE(p.isfinite().all().item<bool>());
  });
}

}  // namespace
}  // namespace torch::taper::testing
