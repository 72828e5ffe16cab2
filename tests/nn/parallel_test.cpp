// Data parallelism on simulated devices: rows G1 to G3, what DataParallel computes.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "nn/parallel_util.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using nn::DataParallel;
using namespace testing;

/// {rows of the part, device it ran on} of each call.
const auto describe = [](const Tensor& x) {
  return tensor({x.size(0), int64_t{cuda::current_device()}},
                TensorOptions(x.device()).dtype(kLong))
      .view({1, 2});
};

std::vector<int64_t> numbers_of(const Tensor& t) {
  const Tensor c = t.cpu().to(kLong).contiguous();
  return {c.data_ptr<int64_t>(), c.data_ptr<int64_t>() + c.numel()};
}

// ---------------------------------------------------------------------- G1
TEST(DataParallelG1, SplitsAsChunkDoes) {
  TAPER_NEEDS_DEVICES(4);
  DataParallel net(module_of(describe), on({0, 1, 2}));
  EXPECT_EQ(numbers_of(net->forward(ones({5, 2}))), (std::vector<int64_t>{2, 0, 2, 1, 1, 2}));
  EXPECT_EQ(numbers_of(net->forward(ones({4, 2}))), (std::vector<int64_t>{2, 0, 2, 1}));
  EXPECT_EQ(numbers_of(net->forward(ones({1, 2}))), (std::vector<int64_t>{1, 0}));
  DataParallel two(module_of(describe), on({3, 1}));
  EXPECT_EQ(numbers_of(two->forward(ones({16}))), (std::vector<int64_t>{8, 3, 8, 1}));
}

TEST(DataParallelG1, TakesAllDevicesByDefault) {
  TAPER_NEEDS_DEVICES(4);
  DataParallel net(module_of(describe));
  EXPECT_EQ(numbers_of(net->forward(ones({4}))), (std::vector<int64_t>{1, 0, 1, 1, 1, 2, 1, 3}));
  EXPECT_EQ(net->devices().size(), 4u);
}

TEST(DataParallelG1, OutputsAreJoinedOnTheOutputDeviceAlongDim) {
  TAPER_NEEDS_DEVICES(3);
  const auto twice = [](const Tensor& x) { return x * 2; };
  const Tensor x = arange(12, kFloat).view({2, 6});
  DataParallel net(module_of(twice), on({0, 1, 2}).output_device(1).dim(1));
  const Tensor y = net->forward(x);
  EXPECT_EQ(y.device(), cuda1);
  EXPECT_TRUE(y.cpu().equal(x * 2));
  DataParallel to_host(module_of(twice), on({0, 1}).output_device(-1));
  EXPECT_TRUE(to_host->forward(x.cuda(2)).is_cpu());
}

TEST(DataParallelG1, WithOneDeviceTheModuleIsCalledThere) {
  TAPER_NEEDS_DEVICES(3);
  nn::Linear linear(3, 2);
  DataParallel net(linear, on({2}));
  EXPECT_EQ(linear->weight.device(), cuda2);
  const Tensor y = net->forward(ones({4, 3}));
  EXPECT_EQ(y.device(), cuda2);
  EXPECT_TRUE(y.equal(linear->forward(ones({4, 3}, cuda2))));
  expect_error("invalid device ordinal", [&] { DataParallel(linear, on({0, 9})); });
}

TEST(DataParallelG1, ReplicasRunAtOnce) {
  TAPER_NEEDS_DEVICES(4);
  struct Meeting {
    std::mutex mutex;
    std::condition_variable met;
    size_t here = 0;
    std::set<std::thread::id> threads;
  };
  const auto meeting = std::make_shared<Meeting>();
  DataParallel net(module_of([meeting](const Tensor& x) {
    std::unique_lock<std::mutex> lock(meeting->mutex);
    meeting->threads.insert(std::this_thread::get_id());
    ++meeting->here;
    meeting->met.notify_all();
    meeting->met.wait_for(lock, std::chrono::seconds(20), [&] { return meeting->here == 4; });
    return x;
  }));
  net->forward(ones({4}));
  EXPECT_EQ(meeting->here, 4u);
  EXPECT_EQ(meeting->threads.size(), 4u);
}

TEST(DataParallelG1, ThreadsHaveTheCallersModesAndStreams) {
  TAPER_NEEDS_DEVICES(4);
  const cuda::Stream side(cuda1);
  DataParallel net(module_of([side](const Tensor& x) {
                     const bool own_stream =
                         x.device() == cuda1
                             ? cuda::current_stream() == side
                             : cuda::current_stream() == cuda::default_stream(x.get_device());
                     return tensor({GradMode::is_enabled(), InferenceMode::is_enabled(),
                                    cuda::current_device() == x.get_device(), own_stream},
                                   TensorOptions(x.device()).dtype(kLong));
                   }),
                   on({0, 1}));
  const auto seen = [&] { return numbers_of(net->forward(ones({2}))); };
  cuda::DeviceGuard elsewhere(3);
  EXPECT_EQ(seen(), (std::vector<int64_t>{1, 0, 1, 1, 1, 0, 1, 0}));
  EXPECT_EQ(cuda::current_device(), 3);
  {
    const cuda::StreamGuard guard(side);
    const NoGradGuard no_grad;
    EXPECT_EQ(seen(), (std::vector<int64_t>{0, 0, 1, 1, 0, 0, 1, 1}));
  }
  {
    const InferenceMode inference;
    EXPECT_EQ(seen(), (std::vector<int64_t>{0, 1, 1, 1, 0, 1, 1, 0}));
  }
  EXPECT_EQ(seen(), (std::vector<int64_t>{1, 0, 1, 1, 1, 0, 1, 0}));
}

TEST(DataParallelG1, ThreadsHaveTheCallersDefaultDevice) {
  TAPER_NEEDS_DEVICES(2);
  DataParallel net(module_of([](const Tensor& x) {
                     const Tensor made = zeros({1});
                     return tensor({made.get_device()}, TensorOptions(x.device()).dtype(kLong));
                   }),
                   on({0, 1}));
  const auto seen = [&] { return numbers_of(net->forward(ones({2}))); };
  {
    const DefaultDeviceGuard guard(kCUDA);
    EXPECT_EQ(seen(), (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(get_default_device(), Device(kCUDA));
  }
  EXPECT_EQ(seen(), (std::vector<int64_t>{-1, -1}));
}

// ---------------------------------------------------------------------- G2
TEST(DataParallelG2, ModuleMustBeOnTheFirstDevice) {
  TAPER_NEEDS_DEVICES(3);
  nn::Linear linear(3, 2);
  DataParallel net(linear, on({1, 0}));
  linear->to(cuda2);
  expect_error(
      "module must have its parameters and buffers on device cuda:1 (device_ids[0]) but found one "
      "of them on device: cuda:2",
      [&] {
        net->forward(ones({4, 3}));
      });
  linear->to(kCPU);
  expect_error("found one of them on device: cpu", [&] { net->forward(ones({4, 3})); });
  nn::BatchNorm1d norm(3);
  norm->to(cuda1);
  norm->running_mean.set_data(norm->running_mean.to(cuda0));
  DataParallel normed(norm, on({1, 0}));
  expect_error("on device: cuda:0", [&] { normed->forward(ones({4, 3})); });
  linear->to(cuda1);
  EXPECT_EQ(net->forward(ones({4, 3})).device(), cuda1);
}

// ---------------------------------------------------------------------- G3
Tensor to_double(const Tensor& x) { return isFloatingType(x.scalar_type()) ? x.to(kDouble) : x; }

/// The parameters of a network after some steps of SGD, on the CPU. `wrap` makes the network that
/// is called of the one that is trained.
template <class Net, class Wrap, class Batch>
std::vector<Tensor> train(Net net, const Wrap& wrap, const Batch& batch, int steps = 8) {
  net->to(cuda0, kDouble);
  auto run = wrap(net);
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
  for (int i = 0; i < steps; ++i) {
    const auto [x, target] = batch(i);
    sgd.zero_grad();
    nn::functional::cross_entropy(run->forward(to_double(x)), target.to(cuda0)).backward();
    sgd.step();
  }
  std::vector<Tensor> weights;
  for (const Tensor& p : net->parameters()) weights.push_back(p.detach().cpu());
  for (const Tensor& b : net->buffers()) weights.push_back(b.cpu());
  return weights;
}

void expect_close(const std::vector<Tensor>& got, const std::vector<Tensor>& want,
                  double tolerance = 1e-10) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(got[i].allclose(want[i], tolerance, tolerance))
        << i << ": off by " << (got[i] - want[i]).abs().max().template item<double>();
}

const auto as_it_is = [](const auto& net) { return net; };
const auto on_all = [](const auto& net) { return DataParallel(net); };
const auto on_three = [](const auto& net) { return DataParallel(net, on({0, 1, 2})); };

TEST(DataParallelG3, TrainsAnMlpLikeOneDevice) {
  TAPER_NEEDS_DEVICES(3);
  const auto mlp = [] {
    manual_seed(0);
    return nn::Sequential(nn::Linear(6, 16), nn::ReLU(), nn::Linear(16, 16), nn::Tanh(),
                          nn::Linear(16, 3));
  };
  // 13 rows over 4 devices are 4, 4, 4, 1; over 3: 5, 5, 3; then fewer parts than devices.
  const auto batch = [](int i) {
    manual_seed(100 + i);
    const int64_t n = i == 5 ? 2 : 13;
    return std::make_pair(randn({n, 6}), randint(0, 3, {n}, kLong));
  };
  const auto one = train(
      mlp(), [](const auto& net) { return DataParallel(net, on({0})); }, batch);
  expect_close(train(mlp(), on_all, batch), one);
  expect_close(train(mlp(), on_three, batch), one);
}

struct WordsImpl : nn::Cloneable<WordsImpl> {
  WordsImpl() { WordsImpl::reset(); }
  void reset() override {
    words = register_module("words", nn::Embedding(20, 8));
    out = register_module("out", nn::Linear(8, 4));
  }
  Tensor forward(const Tensor& x) { return out(words(x).mean(1)); }
  nn::Embedding words{nullptr};
  nn::Linear out{nullptr};
};
TAPER_MODULE(Words);

TEST(DataParallelG3, TrainsAnEmbeddingLikeOneDevice) {
  const auto model = [] {
    manual_seed(0);
    return Words();
  };
  const auto batch = [](int i) {
    manual_seed(200 + i);
    return std::make_pair(randint(0, 20, {10, 5}, kLong), randint(0, 4, {10}, kLong));
  };
  const auto one = train(
      model(), [](const auto& net) { return DataParallel(net, on({0})); }, batch);
  expect_close(train(model(), on_all, batch), one);
}

/// What DataParallel over `parts` devices computes, written out on one device: each part has
/// statistics of its own, and the first part's are kept.
struct PartByPart {
  nn::Sequential net;
  int64_t parts;
  PartByPart* operator->() { return this; }
  Tensor forward(const Tensor& x) {
    std::vector<Tensor> outputs, kept;
    for (const Tensor& part : x.to(cuda0).chunk(parts)) {
      outputs.push_back(net->forward(part));
      const NoGradGuard no_grad;
      if (kept.empty())
        for (const Tensor& b : net->buffers()) kept.push_back(b.clone());
    }
    const NoGradGuard no_grad;
    const std::vector<Tensor> buffers = net->buffers();
    for (size_t i = 0; i < kept.size(); ++i) buffers[i].copy_(kept[i]);
    const AutoGradMode grad(true);
    return cat(outputs);
  }
};

TEST(DataParallelG3, TrainsABatchNormNetWithStatisticsOfEachPart) {
  const auto cnn = [] {
    manual_seed(0);
    return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 4, 3).bias(false)), nn::BatchNorm2d(4),
                          nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(), nn::Linear(36, 5),
                          nn::BatchNorm1d(5));
  };
  const auto batch = [](int i) {
    manual_seed(300 + i);
    return std::make_pair(randn({12, 1, 8, 8}), randint(0, 5, {12}, kLong));
  };
  const auto by_hand = [](const nn::Sequential& net) {
    return PartByPart{net, cuda::device_count()};
  };
  expect_close(train(cnn(), on_all, batch), train(cnn(), by_hand, batch));
}

TEST(DataParallelG3, BuffersOfTheFirstDeviceAreKept) {
  TAPER_NEEDS_DEVICES(2);
  nn::BatchNorm1d norm(nn::BatchNormOptions(2).momentum(1.0));
  norm->to(cuda0);
  const void* place = norm->running_mean.data_ptr();
  DataParallel net(norm, on({0, 1}));
  const Tensor x = cat({ones({4, 2}), full({4, 2}, 7.0)}) + arange(8, kFloat).view({8, 1});
  net->forward(x);
  EXPECT_EQ(norm->running_mean.data_ptr(), place);
  EXPECT_TRUE(norm->running_mean.cpu().allclose(full({2}, 2.5)));
  EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 1);
  // Replicas take over the modes: in evaluation all use the module's buffers.
  net->eval();
  const Tensor y = net->forward(x);
  EXPECT_TRUE(y.allclose(norm->forward(x.cuda())));
}

TEST(DataParallelG3, DropoutDiffersPerReplicaAndFollowsTheSeed) {
  DataParallel net(nn::Dropout(0.5));
  const auto masks = [&] {
    manual_seed(7);
    const Tensor y = net->forward(ones({4, 64}));
    return cat({y, net->forward(ones({4, 64}))}).cpu();
  };
  const Tensor y = masks();
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < i; ++j) EXPECT_FALSE(y[i].equal(y[j])) << i << ' ' << j;
  EXPECT_TRUE(masks().equal(y));
}

TEST(DataParallelG3, MakingReplicasDrawsNoNumbersOfTheProgram) {
  nn::Linear linear(3, 3);
  linear->to(cuda0);
  manual_seed(3);
  const Tensor want = randn({4});
  manual_seed(3);
  DataParallel(linear)->forward(ones({4, 3}));
  EXPECT_TRUE(randn({4}).equal(want));
}

using TwoTensors = std::tuple<Tensor, std::pair<Tensor, std::vector<Tensor>>>;
struct NestedImpl : nn::Cloneable<NestedImpl> {
  NestedImpl() { NestedImpl::reset(); }
  void reset() override {
    left = register_module("left", nn::Sequential(nn::Linear(2, 2), nn::Tanh()));
    frozen = register_parameter("frozen", ones({2}) * 3, /*requires_grad=*/false);
    unused = register_parameter("unused", ones({2}));
    scale = register_buffer("scale", full({1}, 2.0));
  }
  TwoTensors forward(const Tensor& x, const std::vector<Tensor>& more, double factor) {
    const Tensor y = left->forward(x) * frozen * factor;
    return {y, {more[0] * scale, {y.sum(), more[1] + y}}};
  }
  nn::Sequential left{nullptr};
  Tensor frozen, unused, scale;
};
TAPER_MODULE(Nested);

TEST(DataParallelG3, NestedModulesInputsAndOutputs) {
  TAPER_NEEDS_DEVICES(4);
  Nested model;
  model->to(cuda0);
  const Tensor x = randn({5, 2}), a = randn({5, 1}), b = randn({5, 2});
  auto outputs = [&](auto& net) {
    TwoTensors y = net->forward(x.cuda(), std::vector<Tensor>{a.cuda(), b.cuda()}, 0.5);
    model->zero_grad(/*set_to_none=*/true);
    (std::get<0>(y).sum() + std::get<1>(y).second[1].pow(2).sum()).backward();
    EXPECT_FALSE(model->frozen.grad().defined());
    EXPECT_FALSE(model->unused.grad().defined());
    std::vector<Tensor> all{std::get<0>(y), std::get<1>(y).first, std::get<1>(y).second[0].sum(),
                            std::get<1>(y).second[1]};
    for (const Tensor& p : model->left->parameters()) all.push_back(p.grad());
    for (Tensor& t : all) t = t.detach().cpu();
    return all;
  };
  DataParallel net(model);
  const auto parallel = outputs(net);
  expect_close(parallel, outputs(model), 1e-5);
  // Sums without dimensions become a vector, one for each replica.
  const TwoTensors y = net->forward(x, std::vector<Tensor>{a, b}, 1.0);
  EXPECT_EQ(std::get<1>(y).second[0].sizes(), IntArrayRef({3}));
  expect_error("same number of parts", [&] {
    net->forward(x, std::vector<Tensor>{a.slice(0, 0, 2), b}, 1.0);
  });
}

TEST(DataParallelG3, LossesAreGatheredAsAVector) {
  TAPER_NEEDS_DEVICES(2);
  DataParallel net(module_of([](const Tensor& x) { return x.pow(2).mean(); }), on({0, 1}));
  const Tensor x = tensor({1.f, 2.f, 3.f, 4.f}).requires_grad_();
  const Tensor loss = net->forward(x);
  EXPECT_EQ(loss.sizes(), IntArrayRef({2}));
  loss.mean().backward();
  EXPECT_TRUE(x.grad().allclose(x.detach() / 2));
}

TEST(DataParallelG3, EmptyPartsRun) {
  nn::Linear linear(3, 2);
  linear->to(cuda0);
  DataParallel net(linear);
  const Tensor y = net->forward(zeros({0, 3}));
  EXPECT_EQ(y.sizes(), IntArrayRef({0, 2}));
  y.sum().backward();
  EXPECT_TRUE(linear->weight.grad().cpu().equal(zeros({2, 3})));
}

TEST(DataParallelG3, HooksSeeTheWholeGradient) {
  nn::Linear linear(3, 2);
  linear->to(cuda0);
  int calls = 0;
  linear->weight.register_hook([&](const Tensor& g) {
    ++calls;
    return g * 2;
  });
  const Tensor x = randn({6, 3});
  DataParallel(linear)->forward(x).sum().backward();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(linear->weight.grad().cpu().allclose(x.sum(0).expand({2, 3}) * 2, 1e-5, 1e-6));
}

TEST(DataParallelG3, GradientsFlowToInputsAndToSecondOrder) {
  nn::Linear linear(2, 2);
  linear->to(kDouble);
  linear->to(cuda0);
  const auto second = [&](auto net) {
    const Tensor x = arange(10, kDouble).view({5, 2}).requires_grad_();
    const Tensor y = net->forward(x.cuda()).pow(3).sum();
    const auto first = autograd::grad({y}, {x, linear->weight}, {}, nullopt, true);
    return autograd::grad({first[0].pow(2).sum() + first[1].pow(2).sum().cpu()},
                          {x, linear->weight, linear->bias});
  };
  const auto want = second(linear), got = second(DataParallel(linear));
  for (size_t i = 0; i < want.size(); ++i) EXPECT_TRUE(got[i].allclose(want[i])) << i;
}

TEST(DataParallelG3, TwoCallsBeforeBackwardHaveReplicasOfTheirOwn) {
  TAPER_NEEDS_DEVICES(4);
  nn::Linear linear(3, 2);
  linear->to(cuda0);
  const Tensor x = randn({4, 3}).requires_grad_(), w = linear->weight.detach().clone();
  DataParallel net(linear);
  const Tensor first = net->forward(x).pow(2).sum();
  {
    const NoGradGuard no_grad;
    linear->weight.set_data(w * 3);
  }
  const Tensor second = net->forward(x).pow(2).sum();
  const Tensor g1 = autograd::grad({first}, {x})[0], g2 = autograd::grad({second}, {x})[0];
  const auto gradient = [&](const Tensor& weight) {
    const Tensor xc = x.detach().cuda();
    return (2 * (xc.mm(weight.t()) + linear->bias.detach())).mm(weight).cpu();
  };
  // Row 0 ran on the module itself, whose weight was exchanged; the others had the weights of then.
  EXPECT_TRUE(g1.slice(0, 1).allclose(gradient(w).slice(0, 1), 1e-4, 1e-5));
  EXPECT_TRUE(g2.allclose(gradient(w * 3), 1e-4, 1e-5));
}

TEST(DataParallelG3, SideStreamsOnEachDevice) {
  TAPER_NEEDS_DEVICES(3);
  nn::Linear linear(64, 64);
  linear->to(cuda0);
  DataParallel net(linear);
  const Tensor x = randn({32, 64}).cuda();
  const Tensor want = linear->forward(x).detach();
  linear->zero_grad(true);
  linear->forward(x).sum().backward();
  const Tensor gradient = linear->weight.grad().clone();
  cuda::synchronize(0);
  for (int i = 0; i < 20; ++i) {
    const cuda::Stream s0(cuda0), s1(cuda1), s2(cuda2);
    for (const auto& s : {s0, s1, s2}) s.wait_stream(cuda::current_stream(0));
    {
      const cuda::StreamGuard g0(s0), g1(s1), g2(s2);
      linear->zero_grad();
      const Tensor y = net->forward(x);
      y.sum().backward();
      EXPECT_TRUE(y.allclose(want, 1e-4, 1e-5));
      ASSERT_TRUE(linear->weight.grad().allclose(gradient, 1e-4, 1e-5));
    }
    cuda::current_stream(0).wait_stream(s0);
  }
}

TEST(DataParallelG3, BackwardGivesWorkToAllDevicesInTurns) {
  TAPER_NEEDS_DEVICES(4);
  std::vector<DeviceIndex> order;
  DataParallel net(module_of([&](const Tensor& x) {
    Tensor y = x;
    for (int layer = 0; layer < 5; ++layer) {
      y = y * 2;
      y.register_hook([&](const Tensor& g) { order.push_back(g.device().index()); });
    }
    return y;
  }));
  const Tensor x = ones({4}).requires_grad_();
  for (int i = 0; i < 3; ++i) {
    // What threads recorded before makes no difference.
    const auto y = nn::parallel::scatter(x, {cuda0, cuda1, cuda2, cuda3});
    nn::parallel::detail::run_on_devices({cuda0, cuda1}, [&](size_t d) {
      for (int n = 0; n < 10; ++n) y[d] * 2;
    });
    order.clear();
    net->forward(x).sum().backward();
    ASSERT_EQ(order.size(), 20u);
    for (size_t layer = 0; layer < 5; ++layer)
      EXPECT_EQ(std::set<DeviceIndex>(&order[4 * layer], &order[4 * layer] + 4).size(), 4u)
          << layer;
  }
}

TEST(DataParallelG3, StateSavesAndLoads) {
  nn::Sequential a(nn::Linear(2, 2), nn::BatchNorm1d(2)), b(nn::Linear(2, 2), nn::BatchNorm1d(2));
  a->to(cuda0);
  b->to(cuda0);
  DataParallel from(a), to(b);
  EXPECT_EQ(from->parameters().size(), 4u);
  EXPECT_TRUE(from->named_parameters().contains("module.0.weight"));
  EXPECT_EQ(from->module(), a.ptr());
  std::stringstream file;
  save(from, file);
  load(to, file);
  EXPECT_TRUE(b->parameters()[0].equal(a->parameters()[0]));
  const auto copy = std::dynamic_pointer_cast<decltype(from)::Impl>(from->clone());
  EXPECT_TRUE(copy->forward(ones({8, 2})).equal(from->forward(ones({8, 2}))));
  EXPECT_FALSE(copy->parameters()[0].is_same(a->parameters()[0]));
  std::ostringstream text;
  text << from;
  EXPECT_EQ(text.str().find("torch::nn::DataParallel(\n  (module): torch::nn::Sequential("), 0u)
      << text.str();
}

}  // namespace
}  // namespace torch::taper
