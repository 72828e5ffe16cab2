#ifdef TAPER_WITH_GLOO
#include "distributed/ranks.h"

namespace taper::testing {
namespace {

using namespace std::chrono_literals;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;

struct NetImpl : nn::Module {
  explicit NetImpl(int64_t width = 32)
      : first(register_module("first", nn::Linear(8, width))),
        norm(register_module("norm", nn::BatchNorm1d(width))),
        second(register_module("second", nn::Linear(width, 3))),
        aside(register_module("aside", nn::Linear(8, 3))) {}
  Tensor forward(const Tensor& x) {
    const Tensor y = second(norm(first(x)).relu());
    return with_aside ? y + aside(x) : y;
  }
  nn::Linear first;
  nn::BatchNorm1d norm;
  nn::Linear second, aside;
  bool with_aside = true;
};
TAPER_MODULE(Net);

struct PlainImpl : nn::Module {
  PlainImpl()
      : first(register_module("first", nn::Linear(8, 200))),
        second(register_module("second", nn::Linear(200, 3))) {}
  Tensor forward(const Tensor& x) { return second(first(x).tanh()); }
  nn::Linear first, second;
};
TAPER_MODULE(Plain);

DistributedDataParallelOptions options_for(ProcessGroup& group) {
  return DistributedDataParallelOptions().process_group(intrusive_ptr<ProcessGroup>(&group));
}
Tensor batch(int64_t step, int64_t n) {
  return arange(n * 8, kDouble).mul(0.37 + static_cast<double>(step)).sin().view({n, 8}).to(kFloat);
}

/// Losses and the last parameters of a training, by so many ranks, of batches of 24.
struct Training {
  std::vector<double> losses;
  std::vector<Tensor> parameters;
};
Training train(int ranks, const DistributedDataParallelOptions* given = nullptr,
               distributed::CommHook hook = nullptr) {
  Training run;
  in_groups(ranks, [&](ProcessGroup& group) {
    Plain net;
    {
      const NoGradGuard off;
      for (Tensor& p : net->parameters())  // each rank begins elsewhere but for rank 0
        p.copy_(arange(p.numel(), kFloat).add(100.0 * group.getRank()).cos().view(p.sizes()) * 0.3);
    }
    auto options = given ? *given : DistributedDataParallelOptions();
    options.process_group(intrusive_ptr<ProcessGroup>(&group));
    DistributedDataParallel ddp(net, options);
    if (hook) ddp.register_comm_hook(hook);
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.01).momentum(0.9));
    const int64_t n = 24 / ranks;
    for (int64_t step = 0; step < 10; ++step) {
      const Tensor x = batch(step, 24).narrow(0, group.getRank() * n, n);
      optimizer.zero_grad();
      const Tensor loss = ddp(x).sub(x.narrow(1, 0, 3)).square().mean();
      loss.backward();
      optimizer.step();
      std::vector<Tensor> mean = {loss.detach().clone()};
      AllreduceOptions average;
      average.reduceOp = ReduceOp::AVG;
      group.allreduce(mean, average)->wait();
      if (group.getRank() == 0) run.losses.push_back(mean[0].item<double>());
    }
    if (group.getRank() == 0)
      for (const Tensor& p : net->parameters()) run.parameters.push_back(p.detach().clone());
  });
  return run;
}
void expect_same(const Training& a, const Training& b, double tolerance = 1e-5) {
  ASSERT_EQ(a.losses.size(), b.losses.size());
  for (size_t i = 0; i < a.losses.size(); ++i)
    EXPECT_NEAR(a.losses[i], b.losses[i], tolerance * (1 + std::abs(a.losses[i]))) << "step " << i;
  for (size_t i = 0; i < a.parameters.size(); ++i)
    EXPECT_TRUE(a.parameters[i].allclose(b.parameters[i], tolerance, tolerance)) << i;
}

TEST(DistributedDataParallel, TrainsAsOneProcessWithTheWholeBatch) {
  const Training alone = train(1);
  EXPECT_LT(alone.losses.back(), alone.losses.front());
  for (int ranks : {2, 4}) expect_same(train(ranks), alone);
}

TEST(DistributedDataParallel, InManyBuckets) {
  const auto small = DistributedDataParallelOptions().bucket_cap_mb(1.0 / 4096);  // 256 bytes
  expect_same(train(3, &small), train(1));
}

TEST(DistributedDataParallel, CompressesGradients) {
  expect_same(train(2, nullptr, distributed::bf16_compress_hook()), train(1), 0.05);
  expect_same(train(2, nullptr, distributed::fp16_compress_hook()), train(1), 0.01);
}

TEST(DistributedDataParallel, TakesTheValuesOfRank0) {
  in_groups(3, [](ProcessGroup& group) {
    Net net;
    {
      const NoGradGuard off;
      for (Tensor& p : net->parameters()) p.fill_(group.getRank() + 1);
      net->norm->running_mean.fill_(group.getRank() + 5);
    }
    DistributedDataParallel ddp(net, options_for(group));
    for (const Tensor& p : net->parameters()) EXPECT_TRUE(p.eq(1).all().item<bool>());
    EXPECT_TRUE(net->norm->running_mean.eq(5).all().item<bool>());
    // ... of buffers again at each forward pass.
    ddp(batch(group.getRank(), 4));
    ddp(batch(group.getRank(), 4));
    const Tensor mean = net->norm->running_mean.clone();
    Tensor all = zeros({3, mean.numel()});
    Tensor own = mean.contiguous();
    group._allgather_base(all, own)->wait();
    EXPECT_FALSE(all[0].equal(all[1]));  // after the pass each has its own
    net->eval();
    net->train();
    {
      const NoGradGuard off;
      ddp(batch(0, 4));
    }
  });
}

TEST(DistributedDataParallel, ModulesThatDiffer) {
  in_groups(2, [](ProcessGroup& group) {
    Net net(group.getRank() == 0 ? 32 : 16);
    const std::string message =
        error_of([&] { DistributedDataParallel ddp(net, options_for(group)); });
    EXPECT_NE(message.find("rank 1 has parameter first.weight Float[16, 8]"), std::string::npos)
        << message;
    EXPECT_NE(message.find("rank 0 has parameter first.weight Float[32, 8]"), std::string::npos)
        << message;
  });
}

TEST(DistributedDataParallel, UnusedParameters) {
  in_groups(2, [](ProcessGroup& group) {
    Net net;
    DistributedDataParallel ddp(net, options_for(group));
    net->with_aside = false;
    ddp(batch(group.getRank(), 4)).sum().backward();
    const std::string message = error_of([&] { ddp(batch(1, 4)); });
    EXPECT_NE(message.find("aside.weight, aside.bias"), std::string::npos) << message;
    EXPECT_NE(message.find("find_unused_parameters"), std::string::npos) << message;
  });
  in_groups(2, [](ProcessGroup& group) {
    Net net;
    DistributedDataParallel ddp(net, options_for(group).find_unused_parameters(true));
    for (int step = 0; step < 3; ++step) {
      net->zero_grad();
      net->with_aside = group.getRank() == 0 && step != 2;
      ddp(batch(step, 4)).sum().backward();
      const Tensor g = net->aside->bias.grad();
      if (step == 2) continue;
      ASSERT_TRUE(g.defined()) << step;  // one rank has used it: half of its gradient
      EXPECT_TRUE(g.allclose(full({3}, 2.0))) << g;
    }
  });
}

TEST(DistributedDataParallel, WithoutSynchronisation) {
  in_groups(2, [](ProcessGroup& group) {
    Plain net;
    DistributedDataParallel ddp(net, options_for(group));
    const Tensor a = batch(group.getRank(), 4), b = batch(5 + group.getRank(), 4);
    {
      const auto alone = ddp.no_sync();
      ddp(a).sum().backward();
    }
    const Tensor own = net->first->weight.grad().clone();
    ddp(b).sum().backward();
    // The mean over the ranks of both gradients.
    Plain twin;
    {
      const NoGradGuard off;
      for (size_t i = 0; i < net->parameters().size(); ++i)
        twin->parameters()[i].copy_(net->parameters()[i]);
    }
    for (int r = 0; r < 2; ++r)
      (twin->forward(batch(r, 4)).sum() + twin->forward(batch(5 + r, 4)).sum()).backward();
    EXPECT_TRUE(net->first->weight.grad().allclose(twin->first->weight.grad() / 2, 1e-4, 1e-4));
    EXPECT_FALSE(own.allclose(net->first->weight.grad()));
  });
}

TEST(DistributedDataParallel, OnDevices) {
  in_groups(2, [](ProcessGroup& group) {
    const Device device(kCUDA, static_cast<DeviceIndex>(group.getRank()));
    Plain net;
    net->to(device);
    DistributedDataParallel ddp(net, options_for(group));
    ddp(batch(group.getRank(), 4).to(device)).sum().backward();
    Tensor own = net->first->weight.grad().cpu().contiguous(), all = zeros({2, 200, 8});
    group._allgather_base(all, own)->wait();
    EXPECT_TRUE(all[0].equal(all[1]));
    EXPECT_GT(own.abs().sum().item<float>(), 0);
  });
}

TEST(DistributedDataParallel, NeedsAGroupAndParameters) {
  Plain net;
  EXPECT_THROW(DistributedDataParallel ddp(net), Error);
  in_groups(1, [](ProcessGroup& group) {
    nn::ReLU nothing;
    EXPECT_THROW(DistributedDataParallel ddp(nothing, options_for(group)), Error);
    Plain some;
    EXPECT_THROW(DistributedDataParallel ddp(some, options_for(group).bucket_cap_mb(0)),
                 ValueError);
  });
}

[[maybe_unused]] const bool simulated = [] {
  const char* on_gpu = std::getenv("TAPER_TEST_GPU");
  if (!on_gpu || *on_gpu == '0') cuda::simulate_devices(2);
  return true;
}();

}  // namespace
}  // namespace taper::testing
#endif
