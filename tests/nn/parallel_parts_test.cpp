// Data parallelism on simulated devices: rows G4 and G5, errors of replicas and the functions that
// DataParallel is made of.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <taper/nn/parallel/collective.h>
#include <taper/nn/parallel/scatter_functions.h>

#include "nn/parallel_util.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using nn::DataParallel;
using nn::DataParallelOptions;
using namespace testing;

// A program's own kind of result.
struct Logits {
  Tensor scores, state;
  std::string name;
};
template <class F>
void for_each_tensor(Logits& value, F&& f) {
  f(value.scores);
  f(value.state);
}

TEST(DataParallelG5, TypesOfOnesOwnAreSplitAndJoined) {
  TAPER_NEEDS_DEVICES(2);
  using Value = std::tuple<Logits, std::unordered_map<std::string, Tensor>>;
  const Value whole{{arange(4), arange(8).view({4, 2}), "both"},
                    {{"b", arange(4)}, {"a", ones({4})}}};
  const std::vector<Value> parts = nn::parallel::scatter(whole, {cuda0, cuda1});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_TRUE(std::get<0>(parts[1]).scores.cpu().equal(tensor({2, 3})));
  EXPECT_EQ(std::get<1>(parts[1]).at("b").device(), cuda1);
  const Value joined = nn::parallel::gather(parts, Device(kCPU));
  EXPECT_TRUE(std::get<0>(joined).state.equal(arange(8).view({4, 2})));
  EXPECT_EQ(std::get<0>(joined).name, "both");
  EXPECT_TRUE(std::get<1>(joined).at("b").equal(arange(4)));
}

// ---------------------------------------------------------------------- G4
struct OwnError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST(DataParallelG4, ErrorsOfAReplicaNameItsDevice) {
  TAPER_NEEDS_DEVICES(4);
  std::atomic<int> ended{0};
  bool fail = true;
  DataParallel net(module_of([&](const Tensor& x) {
    ++ended;
    TAPER_CHECK_VALUE(!fail || x.device() != cuda2, "no such luck");
    return x;
  }));
  const size_t before = cuda::memory_allocated(2);
  const std::string text = message_of<ValueError>([&] { net->forward(ones({8})); });
  EXPECT_EQ(text, "no such luck (in replica 2 on cuda:2)");
  EXPECT_EQ(ended, 4);
  EXPECT_EQ(cuda::memory_allocated(2), before);
  fail = false;
  EXPECT_TRUE(net->forward(ones({8})).cpu().equal(ones({8})));
}

TEST(DataParallelG4, OtherExceptionsAreNested) {
  TAPER_NEEDS_DEVICES(4);
  DataParallel net(module_of([](const Tensor& x) -> Tensor {
    if (x.device() == cuda1 || x.device() == cuda3) throw OwnError("mine");
    return x;
  }));
  try {
    net->forward(ones({4}));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "mine (in replica 1 on cuda:1)");
    EXPECT_THROW(std::rethrow_if_nested(e), OwnError);
  }
}

TEST(DataParallelG4, RunningOutOfMemoryOnOneDeviceLosesNothing) {
  TAPER_NEEDS_DEVICES(4);
  TAPER_NEEDS_SIMULATION("256 MiB of memory");
  DataParallel net(module_of([](const Tensor& x) {
    const int64_t n = x.device() == cuda3 ? int64_t{1} << 30 : 16;
    return empty({n}, TensorOptions(x.device()).dtype(kByte)).slice(0, 0, 1);
  }));
  const size_t before = cuda::memory_allocated(3);
  EXPECT_THROW(net->forward(ones({4})), OutOfMemoryError);
  EXPECT_EQ(cuda::memory_allocated(3), before);
  EXPECT_TRUE(ones({4}, cuda3).sum().item<float>() == 4);
}

TEST(DataParallelG4, AModuleWithoutCloneSaysSo) {
  TAPER_NEEDS_DEVICES(2);
  struct Plain : nn::Module {
    Plain() { weight = register_parameter("weight", full({1}, 2.0)); }
    Tensor forward(const Tensor& x) { return x * weight; }
    Tensor weight;
  };
  const auto plain = std::make_shared<Plain>();
  plain->to(cuda0);
  DataParallel net(plain);
  expect_error("clone() has not been implemented", [&] { net->forward(ones({4})); });
  DataParallel made(plain,
                    DataParallelOptions().make_replica([] { return std::make_shared<Plain>(); }));
  made->forward(arange(4, kFloat)).sum().backward();
  EXPECT_EQ(plain->weight.grad().item<float>(), 6);
  DataParallel wrong(plain,
                     DataParallelOptions().make_replica([] { return nn::Linear(1, 1).ptr(); }));
  nn::parallel::forget_replicas(*plain);
  expect_error("parameters and buffers of the original", [&] { wrong->forward(ones({4})); });
}

// ---------------------------------------------------------------------- G5
TEST(DataParallelG5, ScatterAndGatherAreInverse) {
  TAPER_NEEDS_DEVICES(4);
  const Tensor x = arange(10, kFloat).view({5, 2}).requires_grad_();
  const auto parts = nn::parallel::scatter(x, {cuda0, cuda1, cuda2});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[2].sizes(), IntArrayRef({1, 2}));
  EXPECT_EQ(parts[1].device(), cuda1);
  const Tensor y = nn::parallel::gather(parts, cuda3);
  EXPECT_EQ(y.device(), cuda3);
  EXPECT_TRUE(y.cpu().equal(x));
  (y * y).sum().backward();
  EXPECT_TRUE(x.grad().equal(2 * x.detach()));
  EXPECT_TRUE(nn::parallel::gather(parts, kCPU).is_cpu());
}

TEST(DataParallelG5, ScatterTakesSizesAndStreams) {
  TAPER_NEEDS_DEVICES(3);
  const Tensor x = arange(6, kFloat);
  const cuda::Stream side(cuda1);
  const auto parts = cuda::scatter(x, {0, 1}, std::vector<int64_t>{4, 2}, 0,
                                   std::vector<optional<cuda::Stream>>{nullopt, side});
  EXPECT_EQ(parts[0].numel(), 4);
  side.synchronize();
  EXPECT_TRUE(parts[1].cpu().equal(x.slice(0, 4)));
  expect_error(
      "given chunk sizes don't sum up to the tensor's size (sum(chunk_sizes) == 5, but "
      "expected 6)",
      [&] {
        cuda::scatter(x, {0, 1}, std::vector<int64_t>{4, 1});
      });
  expect_error("Chunk size must be positive", [&] {
    cuda::scatter(x, {0, 1}, std::vector<int64_t>{6, 0});
  });
  expect_error("(was 1) to match the device supplied at that index (expected 2)", [&] {
    cuda::scatter(x, {0, 2}, nullopt, 0, std::vector<optional<cuda::Stream>>{nullopt, side});
  });
  EXPECT_EQ(autograd::Scatter({cuda0, cuda1}, nullopt, 0, nullopt, true)
                .apply({tensor({1.f, 2.f})})[1]
                .dim(),
            0);
}

TEST(DataParallelG5, GatherChecksItsInputs) {
  TAPER_NEEDS_DEVICES(3);
  expect_error("All inputs to Gather must be CUDA tensors, got CPUFloatType",
               [] { autograd::Gather(cuda0).apply({ones({2})}); });
  expect_error("Expected at least one tensor to gather from", [] { cuda::gather({}, 0); });
  expect_error("Gather got an input of invalid size: got [2, 3], but expected [2, 2]", [] {
    cuda::gather(std::vector<Tensor>{ones({1, 2}, cuda0), ones({2, 3}, cuda1)}, 0);
  });
  const Tensor y =
      cuda::gather(std::vector<Tensor>{ones({2, 1}, cuda0), zeros({2, 2}, cuda1)}, -1, 2);
  EXPECT_EQ(y.device(), cuda2);
  EXPECT_TRUE(y.cpu().equal(tensor({1.f, 0.f, 0.f, 1.f, 0.f, 0.f}).view({2, 3})));
}

TEST(DataParallelG5, GatherGoesToTheCurrentDeviceUnlessTold) {
  TAPER_NEEDS_DEVICES(3);
  const std::vector<Tensor> parts{ones({1}, cuda0), zeros({2}, cuda2)};
  const cuda::DeviceGuard guard(cuda1);
  EXPECT_EQ(cuda::gather(parts, 0).device(), cuda1);
  EXPECT_EQ(cuda::gather(parts, 0, nullopt).device(), cuda1);
  EXPECT_EQ(cuda::gather(parts, 0, 0).device(), cuda0);
  EXPECT_EQ(cuda::gather(parts, 0, 2).device(), cuda2);
  EXPECT_TRUE(cuda::gather(parts, 0, -1).equal(tensor({1.f, 0.f, 0.f})));
  EXPECT_TRUE(cuda::gather(parts, 0).cpu().equal(tensor({1.f, 0.f, 0.f})));
}

// A pool keeps replicas of the same state, and their modes are those of the module at each call.
TEST(DataParallelG5, ReplicasHaveTheModeOfEachModule) {
  TAPER_NEEDS_DEVICES(2);
  nn::Sequential net(nn::Linear(2, 2), nn::Dropout(0.5), nn::TransformerEncoderLayer(4, 2));
  net->to(cuda0);
  const auto expect_modes = [&] {
    for (const auto& replica : nn::parallel::replicate(net.ptr(), {cuda0, cuda1})) {
      const auto wanted = net->modules(), got = replica->modules();
      ASSERT_EQ(got.size(), wanted.size());
      for (size_t i = 0; i < got.size(); ++i)
        EXPECT_EQ(got[i]->is_training(), wanted[i]->is_training()) << i;
    }
  };
  expect_modes();
  net->children()[1]->eval();
  expect_modes();
  net->children()[1]->train();
  net->children()[2]->children()[0]->eval();
  expect_modes();
  net->eval();
  expect_modes();
  net->children()[2]->train();
  expect_modes();
}

TEST(DataParallelG5, CoalescedCopiesMixDtypesAndSizes) {
  TAPER_NEEDS_DEVICES(3);
  const std::vector<Tensor> tensors{
      randn({3, 5}).cuda(), arange(7, kLong).cuda(),     randn({}).cuda(),
      randn({0, 2}).cuda(), randn({33}, kDouble).cuda(), randn({4, 2}).cuda().t()};
  for (size_t buffer_size : {size_t{1}, size_t{100}, size_t{1} << 20}) {
    const auto rows = cuda::broadcast_coalesced(tensors, {0, 2, 1}, buffer_size);
    ASSERT_EQ(rows.size(), 3u);
    for (size_t i = 0; i < tensors.size(); ++i) {
      EXPECT_TRUE(rows[0][i].is_same(tensors[i]));
      EXPECT_EQ(rows[1][i].device(), cuda2);
      EXPECT_TRUE(rows[1][i].cpu().equal(tensors[i].cpu())) << i;
    }
    // Each has a version of its own.
    rows[1][0].zero_();
    EXPECT_EQ(rows[1][2]._version(), 0);
    const auto sums = cuda::reduce_add_coalesced({rows[0], rows[2]}, 1, buffer_size);
    for (size_t i = 0; i < tensors.size(); ++i) {
      EXPECT_EQ(sums[i].device(), cuda1);
      EXPECT_TRUE(sums[i].cpu().equal(tensors[i].cpu() * 2)) << i;
    }
  }
  expect_error("all tensors must be on devices[0]", [&] {
    cuda::broadcast_coalesced(tensors, {1, 0});
  });
  expect_error("must appear as the first on devices list", [&] {
    cuda::broadcast(tensors[0], {1, 0});
  });
  EXPECT_EQ(cuda::broadcast(ones({2}), {1, 0})[0].device(), cuda1);
}

struct CountedImpl : nn::Cloneable<CountedImpl> {
  explicit CountedImpl(std::shared_ptr<int> resets) : resets(std::move(resets)) {
    CountedImpl::reset();
  }
  void reset() override {
    ++*resets;
    weight = register_parameter("weight", ones({2}));
  }
  Tensor forward(const Tensor& x) { return x * weight; }
  std::shared_ptr<int> resets;
  Tensor weight;
};
TAPER_MODULE(Counted);

TEST(DataParallelG5, ReplicasAreKeptBetweenSteps) {
  TAPER_NEEDS_DEVICES(4);
  const auto resets = std::make_shared<int>(0);
  Counted model(resets);
  model->to(cuda0);
  DataParallel net(model);
  optim::SGD sgd(model->parameters(), optim::SGDOptions(0.5));
  const size_t before = cuda::memory_allocated(1);
  size_t allocated = 0;
  for (int i = 0; i < 5; ++i) {
    sgd.zero_grad();
    net->forward(ones({4, 2})).sum().backward();
    sgd.step();
    if (i == 0) allocated = cuda::memory_allocated(1);
    EXPECT_EQ(cuda::memory_allocated(1), allocated);
  }
  EXPECT_EQ(*resets, 4);  // the module's own, and three replicas
  EXPECT_TRUE(model->weight.detach().cpu().equal(full({2}, -9.0)));
  // A graph that has yet to run backward, and needs the replicas' weights for it.
  Tensor held = net->forward(ones({4, 2}).requires_grad_());
  net->forward(ones({4, 2}));
  EXPECT_EQ(*resets, 7);
  // With other dtypes there are others.
  model->to(kDouble);
  EXPECT_EQ(net->forward(ones({4, 2}, kDouble)).scalar_type(), kDouble);
  EXPECT_EQ(*resets, 10);
  nn::parallel::forget_replicas(*model);
  EXPECT_GT(cuda::memory_allocated(1), before);  // what `held` still needs
  held = Tensor();
  EXPECT_EQ(cuda::memory_allocated(1), before);
}

TEST(DataParallelG5, PlainMembersFollow) {
  TAPER_NEEDS_DEVICES(2);
  struct Scaled : nn::Cloneable<Scaled> {
    explicit Scaled(int* made) : resets(made) { reset(); }
    void reset() override {
      ++*resets;
      dropout = register_module("dropout", nn::Dropout(0.0));
      weight = register_parameter("weight", ones({1}));
    }
    Tensor forward(const Tensor& x) { return dropout(x * weight) * scale; }
    int* resets;
    double scale = 2;
    nn::Dropout dropout{nullptr};
    Tensor weight;
  };
  int resets = 0;
  const auto model = std::make_shared<Scaled>(&resets);
  model->to(cuda0);
  DataParallel net(model, DataParallelOptions().device_ids({0, 1}));
  const auto run = [&] { return values_of(net->forward(ones({4})).cpu()); };
  EXPECT_EQ(run(), std::vector<double>(4, 2));
  run();
  EXPECT_EQ(resets, 2);  // the module's own, and one replica, which is kept
  model->scale = 7;
  EXPECT_EQ(run(), std::vector<double>(4, 7));
  model->eval();
  EXPECT_EQ(run(), std::vector<double>(4, 7));
  EXPECT_EQ(resets, 3);
  model->train();
  model->dropout->options.p(1.0);
  EXPECT_EQ(run(), std::vector<double>(4, 0));
}

TEST(DataParallelG5, CallsOnOtherStreamsWaitForTheReplicas) {
  TAPER_NEEDS_DEVICES(2);
  nn::Linear linear(8, 8);
  linear->to(cuda0);
  const Tensor x = randn({4, 8}).cuda();
  DataParallel net(linear, on({0, 1}));
  net->forward(x);
  cuda::synchronize(0);
  cuda::synchronize(1);
  const cuda::RaceDetectorGuard detector;
  const NoGradGuard no_grad;
  {
    const cuda::Stream s0(cuda0), s1(cuda1);
    const cuda::StreamGuard g0(s0), g1(s1);
    net->forward(x);
  }
  net->forward(x);
  cuda::synchronize(0);
  cuda::synchronize(1);
  for (const auto& r : cuda::race_reports()) ADD_FAILURE() << r.text;
}

TEST(DataParallelG5, ReplicasDieWithTheModule) {
  TAPER_NEEDS_DEVICES(2);
  const size_t before = cuda::memory_allocated(1);
  {
    nn::Linear linear(10, 10);
    linear->to(cuda0);
    DataParallel(linear)->forward(ones({4, 10}));
    EXPECT_GT(cuda::memory_allocated(1), before);
  }
  EXPECT_EQ(cuda::memory_allocated(1), before);
}

TEST(DataParallelG5, ReplicateMakesModulesThatFeedTheOriginal) {
  TAPER_NEEDS_DEVICES(2);
  nn::Linear linear(3, 2);
  linear->to(cuda0);
  const std::vector<Device> devices{cuda0, cuda1};
  auto replicas = nn::parallel::replicate(linear, devices);
  ASSERT_EQ(replicas.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(replicas[i]->weight.device(), devices[i]);
    EXPECT_TRUE(replicas[i]->weight.cpu().equal(linear->weight.cpu()));
    EXPECT_FALSE(replicas[i]->weight.is_leaf());
  }
  const auto others = nn::parallel::replicate(linear, devices);
  EXPECT_NE(others[0].get(), replicas[0].get());
  const Tensor x = ones({1, 3});
  const auto outputs =
      nn::parallel::parallel_apply(replicas, {x.to(cuda0), x.to(cuda1) * 2}, devices);
  (outputs[0].sum().cpu() + outputs[1].sum().cpu()).backward();
  EXPECT_TRUE(linear->weight.grad().cpu().equal(full({2, 3}, 3.0)));
  expect_error("Must have as many inputs as modules",
               [&] { nn::parallel::parallel_apply(replicas, {x}); });
  expect_error("Must have as many devices as modules", [&] {
    nn::parallel::parallel_apply(replicas, {x, x}, std::vector<Device>{cuda0});
  });
}

TEST(DataParallelG5, DataParallelFunction) {
  TAPER_NEEDS_DEVICES(3);
  nn::Linear linear(3, 2);  // on the CPU: all devices have replicas
  const Tensor x = randn({7, 3});
  const Tensor y = nn::parallel::data_parallel(linear, x);
  EXPECT_EQ(y.device(), cuda0);
  EXPECT_TRUE(y.cpu().allclose(linear->forward(x), 1e-5, 1e-6));
  y.sum().backward();
  EXPECT_TRUE(linear->weight.grad().allclose(x.sum(0).expand({2, 3}), 1e-5, 1e-5));
  const Tensor z =
      nn::parallel::data_parallel(linear, x, std::vector<Device>{cuda1, cuda2}, Device(kCPU));
  EXPECT_TRUE(z.is_cpu());
  EXPECT_EQ(nn::parallel::data_parallel(linear, x, std::vector<Device>{cuda2}).device(), cuda2);
  EXPECT_EQ(linear->weight.device(), cuda2);
}

// ---------------------------------------------------------------------- G6
TEST(DataParallelG6, SeveralThreadsShareAModuleAndDevices) {
  TAPER_NEEDS_DEVICES(4);
  nn::Sequential shared(nn::Linear(4, 4), nn::ReLU());
  shared->to(cuda0);
  DataParallel net(shared);
  const Tensor x = randn({6, 4}).cuda(), want = shared->forward(x).detach().cpu();
  cuda::synchronize(0);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      nn::Linear own(4, 1);
      own->to(Device(kCUDA, static_cast<DeviceIndex>(t)));
      DataParallel trained(own, on({t, (t + 1) % 4}));
      for (int i = 0; i < 10; ++i) {
        const NoGradGuard values_only;
        if (!net->forward(x).cpu().allclose(want, 1e-4, 1e-5)) ++wrong;
        const AutoGradMode grad(true);
        own->zero_grad(true);
        trained->forward(x).sum().backward();
        if (own->bias.grad().item<float>() != 6) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Collectives, TakeDenseTensorsEachOnADeviceOfItsOwn) {
  TAPER_NEEDS_DEVICES(2);
  const auto on = [](const char* device, int64_t n, ScalarType dtype) {
    return zeros({n, 2}, TensorOptions(Device(device)).dtype(dtype));
  };
  const Tensor a = on("cuda:0", 3, kFloat), b = on("cuda:1", 3, kFloat);
  EXPECT_TRUE(nn::parallel::spans_devices({a, b}));
  EXPECT_FALSE(nn::parallel::spans_devices({a}));
  EXPECT_FALSE(nn::parallel::spans_devices({a, b, a}));
  EXPECT_FALSE(nn::parallel::spans_devices({a, on("cpu", 3, kFloat)}));
  EXPECT_FALSE(nn::parallel::spans_devices({a, on("cuda:1", 4, kFloat)}));
  EXPECT_FALSE(nn::parallel::spans_devices({a, on("cuda:1", 3, kDouble)}));
  EXPECT_FALSE(nn::parallel::spans_devices({a, on("cuda:1", 6, kFloat).slice(0, 0, 6, 2)}));
  EXPECT_FALSE(nn::parallel::spans_devices({on("cuda:0", 0, kFloat), on("cuda:1", 0, kFloat)}));
}

}  // namespace
}  // namespace torch::taper
