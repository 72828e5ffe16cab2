// Random steps give the same bits captured and eager. TAPER_FUZZ_STEPS=N runs N of each kind, and
// TAPER_FUZZ_SEED=S begins with seed S.
#include <gtest/gtest.h>

#include <cstdlib>

#include <taper/nn/compile.h>

#include "fuzz/captured/step.h"

namespace torch::taper::testing::captured {
namespace {

uint64_t number(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Calls f with seeds until a step has failed. AddressSanitizer makes steps ten times slower.
template <class F>
void each_seed(uint64_t steps, const F& f) {
#ifdef __SANITIZE_ADDRESS__
  steps /= 10;
#endif
  const uint64_t first = number("TAPER_FUZZ_SEED", 1), count = number("TAPER_FUZZ_STEPS", steps);
  for (uint64_t seed = first; seed < first + count && !::testing::Test::HasFailure(); ++seed)
    f(seed);
}

/// How many steps were captured, and how many were refused.
struct Counts {
  int captured = 0, refused = 0;
};

/// Compares replays of a whole step with eager steps.
void compare_graph(const Step& step, const GraphOptions& options, Counts& counts) {
  State eager = step.state(), captured = step.state();
  const auto both = [&](uint64_t seed, const auto& a, const auto& b) {
    manual_seed(seed);
    a();
    manual_seed(seed);
    b();
  };
  both(
      1, [&] { step.run(eager); }, [&] { step.run(captured); });  // makes the state of optimizers
  Graph graph(step.device);
  std::vector<Tensor> got, want;
  try {
    if (step.device.is_cuda()) {
      const GraphGuard guard(graph);
      got = step.run(captured);
    } else {
      graph.capture([&] { got = step.run(captured); }, options);
    }
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    ++counts.refused;
    return;
  }
  ++counts.captured;
  for (uint64_t k = 2; k < 5; ++k) {
    change(eager, step.seed + k);
    change(captured, step.seed + k);
    both(
        k, [&] { want = step.run(eager); }, [&] { graph.replay(); });
    ASSERT_EQ(difference(got, want), "") << "replay " << k << "\n" << step.text();
    ASSERT_EQ(difference(all_of(captured), all_of(eager)), "") << "state after replay " << k << "\n"
                                                               << step.text();
  }
}

TEST(FuzzCaptured, GraphsGiveTheBitsOfEagerSteps) {
  Counts counts;
  each_seed(12000, [&](uint64_t seed) { compare_graph(make_step(seed), {}, counts); });
  EXPECT_GT(counts.captured, 4 * counts.refused);
}

TEST(FuzzCaptured, BudgetsGiveTheBitsOfEagerSteps) {
  Counts counts;
  each_seed(1000, [&](uint64_t seed) {
    compare_graph(make_step(seed), GraphOptions().memory_budget(1), counts);
  });
  EXPECT_GT(counts.captured, counts.refused);
}

TEST(FuzzCaptured, ThreadsGiveTheBitsOfEagerSteps) {
  Counts counts;
  const int before = get_num_threads();
  set_num_threads(2);
  each_seed(500, [&](uint64_t seed) { compare_graph(make_step(seed), {}, counts); });
  set_num_threads(before);
  EXPECT_GT(counts.captured, counts.refused);
}

TEST(FuzzCaptured, SimulatedDevicesGiveTheBitsOfEagerSteps) {
  if (!cuda::is_available()) GTEST_SKIP() << "no device";
  Counts counts;
  each_seed(60, [&](uint64_t seed) { compare_graph(make_step(seed, kCUDA), {}, counts); });
  EXPECT_GT(counts.captured, counts.refused);
}

// ---------------------------------------------------------------- compile
/// What a program may change between calls of a compiled function.
struct Call {
  std::vector<Tensor> arguments;
  bool records, casts;
  std::vector<bool> wants_gradient;  // of the parameters
};

Call make_call(const State& s, Random& random) {
  Call call{s.inputs, draw(random, 5) != 0, draw(random, 8) == 0, {}};
  for (Tensor& t : call.arguments) {
    const int64_t kind = draw(random, 12);
    if (kind == 0 && t.dim() == 2) t = t.t().contiguous().t();  // other strides
    if (kind == 1) t = t.repeat_interleave(2, 0).slice(0, 0, t.size(0) * 2, 2);
    if (kind == 2) t = call.arguments[0];
    if (kind == 3) t = t.slice(0, 0, 1);
    if (kind == 4) t = t.detach().clone().requires_grad_();
  }
  for (size_t i = 0; i < s.parameters.size(); ++i)
    call.wants_gradient.push_back(draw(random, 10) != 0);
  return call;
}

/// Returns the outputs, and gradients of parameters and arguments. Two calls that throw are equal.
std::vector<Tensor> results_of(const Call& call, State& s,
                               const std::function<std::vector<Tensor>(const Call&)>& f) {
  for (size_t i = 0; i < s.parameters.size(); ++i) {
    s.parameters[i].mutable_grad() = Tensor();
    s.parameters[i].requires_grad_(call.wants_gradient[i]);
  }
  const AutoGradMode mode(call.records);
  autocast::set_autocast_enabled(kCPU, call.casts);
  std::vector<Tensor> y;
  bool threw = false;
  try {
    y = f(call);
  } catch (const Error&) {
    threw = true;
  }
  autocast::set_autocast_enabled(kCPU, false);
  if (threw) return {};
  // The gradient of an output has its layout. Another layout would round sums differently.
  std::vector<Tensor> roots, gradients;
  for (const Tensor& t : y) {
    if (!t.requires_grad()) continue;
    roots.push_back(t);
    gradients.push_back(t.detach().cos());
  }
  if (!roots.empty()) autograd::backward(roots, gradients);
  std::vector<Tensor> all;
  for (const Tensor& t : y) all.push_back(t.detach());
  for (const Tensor& p : s.parameters) all.push_back(p.grad());
  for (const Tensor& t : call.arguments) {
    all.push_back(t.is_leaf() ? t.grad() : Tensor());
    if (t.is_leaf() && t.requires_grad()) t.mutable_grad() = Tensor();
  }
  for (Tensor& t : all)
    if (t.defined()) t = t.clone();
  return all;
}

void compare_compiled(const Step& step, Counts& counts) {
  State eager = step.state(), compiled = step.state();
  const auto body = [&step](State& s, const std::vector<Tensor>& arguments) {
    const std::vector<Tensor> before = std::exchange(s.inputs, arguments);
    std::vector<Tensor> v;
    try {
      v = step.values(s);
    } catch (...) {
      s.inputs = before;
      throw;
    }
    s.inputs = before;
    return std::vector<Tensor>{v.back().mul(1), v[v.size() - 2].mul(1)};
  };
  const CompiledCallable fast([&](const std::vector<Tensor>& a) { return body(compiled, a); },
                              nullptr, CompileOptions());
  Random random(step.seed * 3);
  std::vector<Call> kinds;
  for (int i = 0; i < 2; ++i) kinds.push_back(make_call(eager, random));
  for (uint64_t k = 0; k < 8; ++k) {
    change(eager, step.seed + k);
    change(compiled, step.seed + k);
    if (draw(random, 4) == 0) kinds.push_back(make_call(eager, random));
    const Call call = draw(random, 3) ? kinds[0] : kinds[draw(random, int64_t(kinds.size()))];
    manual_seed(k);
    const auto want =
        results_of(call, eager, [&](const Call& c) { return body(eager, c.arguments); });
    manual_seed(k);
    const auto got =
        results_of(call, compiled, [&](const Call& c) { return fast.call(c.arguments); });
    ASSERT_EQ(difference(got, want), "") << "call " << k << "\n" << step.text();
    ++(fast.fallback_reason().empty() ? counts.captured : counts.refused);
  }
}

TEST(FuzzCaptured, CompiledFunctionsGiveTheBitsOfEagerCalls) {
  Counts counts;
  each_seed(6000, [&](uint64_t seed) { compare_compiled(make_step(seed), counts); });
  EXPECT_GT(4 * counts.captured, counts.refused);
}

// ---------------------------------------------------------------- compiled modules
nn::Sequential make_net(Random& random, int64_t width) {
  nn::Sequential net;
  for (int64_t layers = 2 + draw(random, 4); layers > 0; --layers) switch (draw(random, 7)) {
      case 0:
        net->push_back(nn::BatchNorm1d(width));
        break;
      case 1:
        net->push_back(nn::Dropout(0.25));
        break;
      case 2:
        net->push_back(nn::LayerNorm(std::vector<int64_t>{width}));
        break;
      case 3:
        net->push_back(nn::GELU());
        break;
      case 4:
        net->push_back(nn::ReLU());
        break;
      default:
        net->push_back(nn::Linear(width, width));
    }
  net->push_back(nn::Linear(width, width));
  return net;
}

/// Changes a net as a program may do between calls. Equal seeds change equal nets alike.
void change_net(nn::SequentialImpl& net, uint64_t seed) {
  const NoGradGuard values_only;
  Random random(seed);
  const auto layer = net.ptr(static_cast<size_t>(draw(random, int64_t(net.size()))));
  auto parameters = net.parameters();
  Tensor& p = parameters[static_cast<size_t>(draw(random, int64_t(parameters.size())))];
  switch (draw(random, 9)) {
    case 0:
      return layer->train(!layer->is_training());
    case 1:
      return net.train(!net.is_training());
    case 2:
      if (auto* dropout = layer->as<nn::DropoutImpl>()) dropout->options.p(0.5);
      return;
    case 3:
      p.requires_grad_(!p.requires_grad());
      return;
    case 4:
      return p.set_data(p.detach().clone().mul(0.5));
    case 5:
      if (p.dim() == 2) p.set_data(p.detach().t().clone().t());
      return;
    case 6:
      p.mul_(0.75);
      return;
    case 7:
      for (Tensor& b : net.buffers())
        if (b.is_floating_point()) b.add_(0.125);
      return;
    default:
      return;
  }
}

void compare_net(uint64_t seed, Counts& counts) {
  constexpr int64_t kWidths[] = {1, 3, 4, 8, 16, 17};
  Random of_net(seed), of_twin(seed), random(seed * 5 + 1);
  const int64_t width = kWidths[draw(of_net, 6)];
  (void)draw(of_twin, 6);
  manual_seed(seed);
  nn::Sequential eager = make_net(of_net, width);
  manual_seed(seed);
  nn::Sequential twin = make_net(of_twin, width);
  const CompiledCallable fast = compile(twin);
  for (uint64_t k = 0; k < 10; ++k) {
    if (draw(random, 3) == 0) {
      change_net(*eager, seed + k);
      change_net(*twin, seed + k);
    }
    const Tensor x = randn({draw(random, 4) ? width + 1 : int64_t(3), width});
    const Tensor g = randn({x.size(0), width});
    const auto run = [&](nn::Sequential& net, const auto& call) {
      manual_seed(k);
      net->zero_grad();
      const Tensor y = call(x);
      if (y.requires_grad()) autograd::backward({y}, {g});
      std::vector<Tensor> all{y.detach()};
      for (const Tensor& p : net->parameters()) all.push_back(p.grad());
      for (const Tensor& b : net->buffers()) all.push_back(b);
      return all;
    };
    const auto want = run(eager, [&](const Tensor& t) { return eager->forward(t); });
    const auto got = run(twin, [&](const Tensor& t) { return fast(t); });
    ASSERT_EQ(difference(got, want), "") << "seed " << seed << ", call " << k << "\n" << eager;
    ++(fast.fallback_reason().empty() ? counts.captured : counts.refused);
  }
}

TEST(FuzzCaptured, CompiledModulesGiveTheBitsOfEagerCalls) {
  Counts counts;
  each_seed(1000, [&](uint64_t seed) { compare_net(seed, counts); });
  EXPECT_GT(4 * counts.captured, counts.refused);
}

}  // namespace
}  // namespace torch::taper::testing::captured
