// Steps on devices, where one launch takes many parameters. The CPU, which takes them one by one,
// is the measure.
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include <taper/framework/debug/race_detector.h>
#include <taper/optim/serialize.h>
#include <taper/taper.h>

#include <gtest/gtest.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using namespace optim;
using testing::expect_warning;
using testing::message_of;
using testing::numbers;
using testing::warnings_of;

/// A parameter that is: 0 as wide as its memory, 1 not aligned for packs, 2 transposed.
Tensor laid_out(const Tensor& x, int64_t form, Device device) {
  Tensor r = empty_like(x, TensorOptions(device));
  if (form == 1)
    r = empty({x.numel() + 1}, TensorOptions(device).dtype(x.scalar_type())).slice(0, 1);
  if (form == 2) r = r.view({2, -1}).t();
  return r.copy_(x.view(r.sizes())).detach();
}

/// Parameters of sizes around those of packs, of chunks and of nothing, on one device.
std::vector<Tensor> parameters_on(Device device, ScalarType dtype) {
  const int64_t sizes[] = {0, 1, 2, 7, 8, 64, 1000, 8191, 8192, 8193, 20000};
  std::vector<Tensor> all;
  for (int64_t copy = 0; copy < 12; ++copy)  // more than a list holds
    for (int64_t n : sizes) {
      const int64_t form = copy % 4 == 3 && n % 2 == 0 && n > 0 ? 2 : copy % 2;
      const Tensor start = numbers({n + 1}, dtype).slice(0, 1).mul(0.1 * static_cast<double>(copy));
      all.push_back(laid_out(start, form, device).requires_grad_());
    }
  return all;
}

/// Gives gradients to all but every seventh parameter, in this step.
void give_gradients(const std::vector<Tensor>& parameters, int64_t step) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    Tensor p = parameters[i];
    p.mutable_grad().reset();
    if (static_cast<int64_t>(i) % 7 == step) continue;
    const Tensor g =
        numbers({p.numel()}, p.scalar_type()).mul(0.3 + 0.1 * static_cast<double>(step));
    p.mutable_grad() = g.to(p.device()).view(p.sizes());
  }
}

using Make = std::function<std::unique_ptr<Optimizer>(std::vector<OptimizerParamGroup>)>;

/// What three steps make of the parameters: two groups of different rates.
std::vector<Tensor> after_steps(const Make& make, Device device, ScalarType dtype) {
  const std::vector<Tensor> all = parameters_on(device, dtype);
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<Tensor>(all.begin(), all.begin() + 40));
  groups.emplace_back(std::vector<Tensor>(all.begin() + 40, all.end()));
  const auto opt = make(std::move(groups));
  opt->param_groups()[1].options().set_lr(0.03);
  for (int64_t step = 0; step < 3; ++step) {
    give_gradients(all, step);
    opt->step();
  }
  std::vector<Tensor> result;
  for (const Tensor& p : all) result.push_back(p.detach().cpu());
  return result;
}

template <class Opt, class Options>
void same_as_on_the_cpu(const Options& options) {
  const Make make = [&](std::vector<OptimizerParamGroup> groups) {
    return std::make_unique<Opt>(std::move(groups), options);
  };
  for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
    const auto want = after_steps(make, kCPU, dtype), got = after_steps(make, kCUDA, dtype);
    const double tolerance = dtype == kDouble ? 1e-12 : dtype == kFloat ? 1e-5 : 2e-2;
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_TRUE(got[i].allclose(want[i], tolerance, tolerance)) << dtype << " parameter " << i;
  }
}

TEST(ManyParameters, SgdIsTheSameOnDevices) {
  same_as_on_the_cpu<SGD>(SGDOptions(0.1).weight_decay(0.1));
  same_as_on_the_cpu<SGD>(SGDOptions(0.1).momentum(0.9).dampening(0.2));
  same_as_on_the_cpu<SGD>(SGDOptions(0.1).momentum(0.9).nesterov(true));
}
TEST(ManyParameters, AdamIsTheSameOnDevices) {
  same_as_on_the_cpu<Adam>(AdamOptions(0.05).eps(1e-3).weight_decay(0.1));
  same_as_on_the_cpu<Adam>(AdamOptions(0.05).eps(1e-3).amsgrad(true));
  same_as_on_the_cpu<AdamW>(AdamWOptions(0.05).eps(1e-3).weight_decay(0.2));
}
TEST(ManyParameters, AdagradIsTheSameOnDevices) {
  same_as_on_the_cpu<Adagrad>(AdagradOptions(0.1).lr_decay(0.1).eps(1e-3));
}
TEST(ManyParameters, RmspropIsTheSameOnDevices) {
  same_as_on_the_cpu<RMSprop>(RMSpropOptions(0.02).eps(1e-2));
  same_as_on_the_cpu<RMSprop>(RMSpropOptions(0.02).eps(1e-2).momentum(0.5));
  same_as_on_the_cpu<RMSprop>(RMSpropOptions(0.02).eps(1e-1).centered(true));
  same_as_on_the_cpu<RMSprop>(RMSpropOptions(0.02).eps(1e-1).centered(true).momentum(0.5));
}

std::vector<Tensor> with_gradients(int count, Device device, int64_t n = 10) {
  std::vector<Tensor> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(full({n}, i, TensorOptions(device).dtype(kFloat)).requires_grad_());
    all.back().mutable_grad() = ones({n}, TensorOptions(device).dtype(kFloat));
  }
  return all;
}

/// The kernels that `work` starts on devices, by name.
std::map<std::string, int> launches_of(const std::function<void()>& work) {
  testing::synchronize_all();
  cuda::Timeline timeline;
  work();
  timeline.stop();
  std::map<std::string, int> count;
  for (const cuda::TimelineEvent& e : timeline.events()) ++count[e.name];
  return count;
}

TEST(ManyParameters, AStepIsAsFewLaunchesAsListsHoldThem) {
  const auto all = with_gradients(160, kCUDA);
  Adam adam(all, AdamOptions(0.1));
  adam.step();  // makes the states
  using Count = std::map<std::string, int>;
  EXPECT_EQ(launches_of([&] { adam.step(); }), (Count{{"adam_update_all", 3}}));  // of 77
  SGD sgd(all, SGDOptions(0.1));
  EXPECT_EQ(launches_of([&] { sgd.step(); }), (Count{{"sgd_update_all", 2}}));     // of 116
  EXPECT_EQ(launches_of([&] { sgd.zero_grad(); }), (Count{{"foreach_zero", 2}}));  // of 154
  all[0].mutable_grad().reset();
  adam.step();  // the first one is a step behind: it gets a launch of its own
  all[0].mutable_grad() = ones({10}, TensorOptions(kCUDA));
  EXPECT_EQ(launches_of([&] { adam.step(); })["adam_update_all"], 4);
}

TEST(ManyParameters, ZeroGradSetsGradientsOfDevicesToZero) {
  const auto all = with_gradients(5, kCUDA);
  all[1].mutable_grad() = ones({10, 10}, TensorOptions(kCUDA)).t()[0];  // with gaps
  SGD opt(all, SGDOptions(0.1));
  const int64_t before = all[0].grad()._version();
  opt.zero_grad();
  for (const Tensor& p : all) EXPECT_EQ(p.grad().abs().sum().item<float>(), 0);
  EXPECT_GT(all[0].grad()._version(), before);
}

TEST(ManyParameters, AnErrorInTheMiddleLeavesStepsThatAreWhole) {
  for (Device device : {Device(kCPU), Device(kCUDA)}) {
    const auto all = with_gradients(3, device);
    SGD opt(all, SGDOptions(1).momentum(0.5));
    opt.step();
    auto& state = static_cast<SGDParamState&>(*opt.state().at(all[1].unsafeGetTensorImpl()));
    state.momentum_buffer(zeros({3}, TensorOptions(device)));
    EXPECT_NE(message_of([&] { opt.step(); }).find("SGD: expected a state of"), std::string::npos);
    EXPECT_EQ(all[0][0].item<float>(), 0 - 1 - 1.5f) << device;
    EXPECT_EQ(all[1][0].item<float>(), 1 - 1) << device;
  }
}

TEST(ManyParameters, TheRaceDetectorSeesEveryOperand) {
  cuda::RaceDetectorGuard guard;
  const auto all = with_gradients(3, kCUDA);
  SGD opt(all, SGDOptions(0.1).momentum(0.5));
  opt.step();
  cuda::synchronize();
  cuda::clear_race_reports();
  const auto races_with = [&](const std::function<void()>& other) {
    cuda::synchronize();
    cuda::clear_race_reports();
    const cuda::Stream side;
    {
      const cuda::StreamGuard on_side(side);
      other();
    }
    opt.step();
    const size_t found = cuda::race_reports().size();
    cuda::synchronize();
    return found;
  };
  EXPECT_EQ(races_with([&] { all[2].grad().sum(); }), 0u);  // a gradient is only read
  EXPECT_EQ(races_with([&] { all[2].grad().fill_(1); }), 1u);
  EXPECT_EQ(races_with([&] { all[1].detach().sum(); }), 1u);
}

TEST(ClipGradOnDevices, IsTheSameAsOnTheCpu) {
  for (double order : {1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()})
    for (ScalarType dtype : {kFloat, kDouble}) {
      const auto cpu = parameters_on(kCPU, dtype), there = parameters_on(kCUDA, dtype);
      give_gradients(cpu, 0);
      give_gradients(there, 0);
      const double want = nn::utils::clip_grad_norm_(cpu, 0.5, order);
      EXPECT_NEAR(nn::utils::clip_grad_norm_(there, 0.5, order), want, 1e-5 * want) << order;
      for (size_t i = 0; i < cpu.size(); ++i)
        if (cpu[i].grad().defined())
          EXPECT_TRUE(there[i].grad().cpu().allclose(cpu[i].grad(), 1e-5, 1e-7)) << order << i;
    }
}

TEST(ClipGradOnDevices, TakesSeveralDevicesTogether) {
  TAPER_NEEDS_DEVICES(2);
  auto all = with_gradients(2, Device("cuda:0"), 8);
  for (const char* device : {"cuda:1", "cpu"})
    all.push_back(with_gradients(1, Device(device), 4)[0]);
  EXPECT_NEAR(nn::utils::clip_grad_norm_(all, 1.0), std::sqrt(24.0), 1e-9);
  for (const Tensor& p : all)
    EXPECT_NEAR(p.grad()[0].item<double>(), 1 / std::sqrt(24.0), 1e-6) << p.device();
  nn::utils::clip_grad_value_(all, 0.125);
  for (const Tensor& p : all) EXPECT_EQ(p.grad().max().item<double>(), 0.125) << p.device();
}

TEST(ClipGradOnDevices, NotFinite) {
  const auto all = with_gradients(3, kCUDA);
  all[1].grad()[4].fill_(std::nan(""));
  for (double order : {2.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_NE(
        message_of([&] { nn::utils::clip_grad_norm_(all, 1, order, true); }).find("non-finite"),
        std::string::npos);
    EXPECT_EQ(all[0].grad()[0].item<float>(), 1);
  }
  EXPECT_TRUE(std::isnan(nn::utils::clip_grad_norm_(all, 1)));
  EXPECT_TRUE(std::isnan(all[0].grad()[0].item<float>()));
}

// In two parts nothing waits.
TEST(ClipGradOnDevices, IsCaptured) {
  const auto all = with_gradients(3, kCUDA);
  std::vector<Tensor> grads;
  for (const Tensor& p : all) grads.push_back(p.grad());
  const auto clip = [&] {
    const Tensor norm = nn::utils::get_total_norm(grads);
    nn::utils::clip_grads_with_norm_(all, 0.5, norm);
    return norm;
  };
  const double want = clip().item<double>();
  Graph graph{Device(kCUDA)};
  Tensor norm;
  {
    const GraphGuard guard(graph);
    norm = clip();
  }
  for (const Tensor& g : grads) g.fill_(2);
  graph.replay();
  EXPECT_NEAR(norm.item<double>(), 2 * want, 1e-9);
  EXPECT_NEAR(nn::utils::get_total_norm(grads).item<double>(), 0.5, 1e-6);
}

TEST(ClipGradOnDevices, QueuesAllBeforeItWaits) {
  const auto all = with_gradients(100, kCUDA);
  auto count = launches_of([&] { nn::utils::clip_grad_norm_(all, 1); });
  EXPECT_EQ(count["foreach_norm_parts"], 1);
  EXPECT_EQ(count["foreach_pointwise"], 1);
}

// As in PyTorch, a module may go to another dtype between two steps.
TEST(ManyParameters, StateFollowsItsParameterToAnotherDtype) {
  const auto train = [](ScalarType from, auto&& make) {
    const Tensor p = tensor({1., 2., 3.}, from).requires_grad_();
    auto opt = make(std::vector<Tensor>{p});
    for (int i = 0; i < 4; ++i) {
      if (i == 2) {
        p.set_data(p.data().to(kDouble));
        p.mutable_grad() = p.grad().to(kDouble);
      }
      opt.zero_grad();
      p.square().sum().backward();
      opt.step();
    }
    return p.detach();
  };
  const auto check = [&](auto&& make) {
    const Tensor got = train(kFloat, make), want = train(kDouble, make);
    EXPECT_EQ(got.scalar_type(), kDouble);
    EXPECT_TRUE(allclose(got, want, 1e-5, 1e-6));
  };
  check([](auto p) { return SGD(p, SGDOptions(0.1).momentum(0.9)); });
  check([](auto p) { return Adam(p, AdamOptions(0.1).amsgrad(true)); });
  check([](auto p) { return RMSprop(p, RMSpropOptions(0.1).momentum(0.9).centered(true)); });
  check([](auto p) { return Adagrad(p, AdagradOptions(0.1)); });
}

TEST(ManyParameters, NoneAtTheFirstStepIsAWarning) {
  struct Forgotten : nn::Module {
    nn::Linear fc{2, 1};
  } net;
  SGD opt(net.parameters(), SGDOptions(0.1));
  expect_warning("Were the modules registered", [&] { opt.step(); });
  EXPECT_TRUE(warnings_of([&] { opt.step(); }).empty());
  SGD later(std::vector<Tensor>(), SGDOptions(0.1));
  later.add_param_group(OptimizerParamGroup({ones({2}).requires_grad_()}));
  EXPECT_TRUE(warnings_of([&] { later.step(); }).empty());
}

}  // namespace
}  // namespace torch::taper
