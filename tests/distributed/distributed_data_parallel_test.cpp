#ifdef TAPER_WITH_GLOO
#include "distributed/ranks.h"

#include <limits>

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;
using nn::parallel::JoinOptions;

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
void fill(nn::Module& module, double start = 0.4, double size = 0.4) {
  const NoGradGuard off;
  for (Tensor& p : module.parameters())
    p.copy_(arange(p.numel(), kFloat).add(start).cos().view(p.sizes()) * size);
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
    fill(*net, 100.0 * group.getRank(), 0.3);  // rank 0's are all ranks'
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

TEST(DistributedDataParallel, WithGradientsInBuckets) {
  const auto views = DistributedDataParallelOptions().gradient_as_bucket_view(true);
  const auto small = DistributedDataParallelOptions(views).bucket_cap_mb(1.0 / 4096);
  for (const auto* options : {&views, &small}) expect_same(train(2, options), train(1));
  in_groups(2, [&](ProcessGroup& group) {
    Plain net;
    DistributedDataParallel ddp(net, options_for(group).gradient_as_bucket_view(true));
    Tensor former;
    for (const int pass : {0, 1, 2, 3}) {
      net->zero_grad(/*set_to_none=*/pass == 2);
      ddp(batch(group.getRank(), 4)).sum().backward();
      const Tensor g = net->first->weight.grad();
      for (const Tensor& p : net->parameters())  // all in one
        EXPECT_TRUE(p.grad().storage().is_alias_of(g.storage()));
      // When buckets have their order they stay.
      if (pass > 1) EXPECT_TRUE(g.storage().is_alias_of(former.storage())) << pass;
      former = g;
    }
  });
}

TEST(DistributedDataParallel, WithPowerSGD) {
  const auto run = [](PowerSGDOptions options) {
    auto state = std::make_shared<std::vector<std::shared_ptr<PowerSGDState>>>();
    for (int r = 0; r < 2; ++r) state->push_back(std::make_shared<PowerSGDState>(options));
    return train(2, nullptr, [state](ProcessGroup& group, GradBucket& bucket) {
      return power_sgd_hook((*state)[static_cast<size_t>(group.getRank())])(group, bucket);
    });
  };
  const Training alone = train(1);
  // Of full rank nothing is lost, nor before the start.
  expect_same(run(PowerSGDOptions()
                      .matrix_approximation_rank(8)
                      .start_powerSGD_iter(2)
                      .min_compression_rate(0.5)),
              alone, 1e-4);
  expect_same(run(PowerSGDOptions().start_powerSGD_iter(1000)), alone);
  // Of rank 1 much is, but what was lost comes later.
  const Training compressed = run(PowerSGDOptions().start_powerSGD_iter(2));
  EXPECT_LT(compressed.losses.back(), 0.7 * compressed.losses.front());
  EXPECT_GT(std::abs(compressed.losses.back() - alone.losses.back()), 1e-6);
  EXPECT_THROW(PowerSGDState(PowerSGDOptions().start_powerSGD_iter(1)), ValueError);
  EXPECT_THROW(PowerSGDState(PowerSGDOptions().matrix_approximation_rank(0)), ValueError);
}

TEST(DistributedDataParallel, PowerSGDKeepsWhatItLoses) {
  in_groups(2, [](ProcessGroup& group) {
    PowerSGDOptions options;
    options.start_powerSGD_iter(2);
    const auto state = std::make_shared<PowerSGDState>(options);
    const CommHook hook = power_sgd_hook(state);
    const Tensor weight = zeros({20, 30}), bias = zeros({20});
    const Tensor own = batch(group.getRank(), 100).view({-1}).narrow(0, 0, 620);
    Tensor mean = (batch(0, 100) + batch(1, 100)).view({-1}).narrow(0, 0, 620) / 2;
    Tensor sent = zeros({620});
    for (int pass = 0; pass < 40; ++pass) {
      GradBucket bucket(0, 1, own.clone(), {weight, bias});
      hook(group, bucket)->wait();
      if (pass >= 2) sent.add_(bucket.getBuffer());
      if (pass < 2) EXPECT_TRUE(bucket.getBuffer().allclose(mean, 1e-5, 1e-5));
      EXPECT_TRUE(
          bucket.getBuffer().narrow(0, 600, 20).allclose(mean.narrow(0, 600, 20), 1e-5, 1e-5));
    }
    // The sum of what was sent is that of the gradients but for the last error.
    const double left = (sent / 38 - mean).norm().item<double>() / mean.norm().item<double>();
    EXPECT_LT(left, 0.2);
    EXPECT_GT(state->compression_rate(), 3);
    EXPECT_EQ(state->iteration(), 40);
  });
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

struct TwiceImpl : nn::Module {
  Tensor forward(const Tensor& x) {
    const auto block = [this](const autograd::variable_list& in) {
      return autograd::variable_list{shared(in[0]).tanh()};
    };
    Tensor y = autograd::checkpoint(block, {first(x)})[0];
    if (uses_twice) y = autograd::checkpoint(block, {y})[0];
    return y;
  }
  nn::Linear first = register_module("first", nn::Linear(8, 6));
  nn::Linear shared = register_module("shared", nn::Linear(6, 6));
  nn::Linear aside = register_module("aside", nn::Linear(8, 3));
  bool uses_twice = true;
};
TAPER_MODULE(Twice);

/// The gradients of all ranks' batches of 4, averaged, from one module.
template <class Net>
std::vector<Tensor> mean_gradients(Net& net, int ranks, int64_t step) {
  net->zero_grad();
  for (int r = 0; r < ranks; ++r) (net->forward(batch(step + r, 4)).sum() / ranks).backward();
  std::vector<Tensor> all;
  for (const Tensor& p : net->parameters())
    all.push_back(p.grad().defined() ? p.grad().clone() : Tensor());
  return all;
}

TEST(DistributedDataParallel, AStaticGraphTakesSeveralCheckpoints) {
  in_groups(2, [](ProcessGroup& group) {
    Twice net, twin;
    fill(*net);
    fill(*twin);
    DistributedDataParallel ddp(net, options_for(group).static_graph(true));
    for (int64_t step = 0; step < 4; ++step) {
      net->zero_grad();
      ddp(batch(step + group.getRank(), 4)).sum().backward();
      const std::vector<Tensor> want = mean_gradients(twin, 2, step);
      for (size_t i = 0; i < want.size(); ++i) {
        const Tensor g = net->parameters()[i].grad();
        ASSERT_EQ(g.defined(), want[i].defined()) << i;  // `aside` is never used
        if (g.defined()) EXPECT_TRUE(g.allclose(want[i], 1e-5, 1e-5)) << step << " " << i;
      }
    }
  });
}

TEST(DistributedDataParallel, SeveralCheckpointsNeedAStaticGraph) {
  in_groups(2, [](ProcessGroup& group) {
    Twice net;
    fill(*net);
    DistributedDataParallel ddp(net, options_for(group).find_unused_parameters(false));
    net->uses_twice = true;
    const Tensor y = ddp(batch(group.getRank(), 4)).sum() + net->aside(batch(0, 4)).sum();
    const std::string message = error_of([&] { y.backward(); });
    EXPECT_NE(message.find("came more often"), std::string::npos) << message;
    EXPECT_NE(message.find("static_graph"), std::string::npos) << message;
  });
}

/// y = x^3, with a derivative of its own.
struct Cube : autograd::Function<Cube> {
  static Tensor forward(autograd::AutogradContext* ctx, Tensor x) {
    ctx->save_for_backward({x});
    return x * x * x;
  }
  static autograd::variable_list backward(autograd::AutogradContext* ctx,
                                          autograd::variable_list g) {
    return {g[0] * 3 * ctx->get_saved_variables()[0].square()};
  }
};
struct CubeNetImpl : PlainImpl {
  Tensor forward(const Tensor& x) {
    return autograd::checkpoint(
        [this](const autograd::variable_list& in) {
          return autograd::variable_list{second(Cube::apply(in[0]))};
        },
        {first(x) * 0.1})[0];
  }
};
TAPER_MODULE(CubeNet);

TEST(DistributedDataParallel, WithCheckpointsAndFunctionsOfOnesOwn) {
  in_groups(2, [](ProcessGroup& group) {
    CubeNet net, twin;
    fill(*net);
    fill(*twin);
    DistributedDataParallel ddp(net, options_for(group));
    for (int64_t step = 0; step < 3; ++step) {
      net->zero_grad();
      ddp(batch(step + group.getRank(), 4)).sum().backward();
      const std::vector<Tensor> want = mean_gradients(twin, 2, step);
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_TRUE(net->parameters()[i].grad().allclose(want[i], 1e-4, 1e-5)) << i;
    }
  });
}

TEST(DistributedDataParallel, WithAutocastAndAScaler) {
  in_groups(2, [](ProcessGroup& group) {
    const Device device(kCUDA, static_cast<DeviceIndex>(group.getRank()));
    Plain net;
    fill(*net);
    net->to(device);
    DistributedDataParallel ddp(net, options_for(group));
    optim::SGD optimizer(net->parameters(), 0.01);
    amp::GradScaler scaler(device, 1024);
    double first = 0, last = 0;
    for (int step = 0; step < 6; ++step) {
      Tensor x = batch(group.getRank(), 4).to(device);
      if (step == 3 && group.getRank() == 1) x = x * std::numeric_limits<float>::infinity();
      optimizer.zero_grad();
      Tensor y;
      {
        const autocast guard(kCUDA);
        y = ddp(x);
        EXPECT_EQ(y.scalar_type(), kHalf);
      }
      const Tensor before = net->first->weight.detach().clone();
      const Tensor loss = y.to(kFloat).sub(0.5).square().mean();
      scaler.scale(loss).backward();
      scaler.step(optimizer);
      scaler.update();
      // One rank's gradients are infinite: so are the means, and no rank steps.
      EXPECT_EQ(before.equal(net->first->weight), step == 3) << step;
      EXPECT_EQ(scaler.get_scale(), step < 3 ? 1024 : 512) << step;
      if (step == 0) first = loss.item<double>();
      if (step == 5) last = loss.item<double>();
    }
    EXPECT_LT(last, first);
  });
}

/// Ranks with so many batches each, joined; the parameters afterwards, and what ranks threw.
std::vector<Tensor> train_joined(const std::vector<int64_t>& batches, JoinOptions how,
                                 const DistributedDataParallelOptions& options = {}) {
  std::vector<Tensor> parameters;
  in_groups(static_cast<int>(batches.size()), [&](ProcessGroup& group) {
    Net net;
    fill(*net);
    net->norm->eval();
    auto own = options;  // ranks are threads: each has options of its own
    DistributedDataParallel ddp(net, own.process_group(intrusive_ptr<ProcessGroup>(&group)));
    optim::SGD optimizer(net->parameters(), 0.05);
    ddp.join(
        [&] {
          for (int64_t i = 0; i < batches[static_cast<size_t>(group.getRank())]; ++i) {
            optimizer.zero_grad();
            ddp(batch(10 * i + group.getRank(), 4)).square().mean().backward();
            optimizer.step();
          }
        },
        how);
    std::vector<Tensor> trained;
    for (const Tensor& p : net->parameters()) {
      Tensor one = p.detach().contiguous(), all = zeros({group.getSize(), one.numel()});
      group._allgather_base(all, one)->wait();
      for (int r = 1; r < group.getSize(); ++r) EXPECT_TRUE(all[r].equal(all[0]));
      trained.push_back(one.clone());
    }
    if (group.getRank() == 0) parameters = trained;
  });
  return parameters;
}
/// The same in one process: each step has the gradients of the ranks that have a batch.
std::vector<Tensor> train_joined_alone(const std::vector<int64_t>& batches, bool by_all) {
  Net net;
  fill(*net);
  net->norm->eval();
  optim::SGD optimizer(net->parameters(), 0.05);
  for (int64_t i = 0;; ++i) {
    int alive = 0;
    for (const int64_t n : batches) alive += n > i;
    if (alive == 0) break;
    optimizer.zero_grad();
    for (size_t r = 0; r < batches.size(); ++r)
      if (batches[r] > i)
        (net->forward(batch(10 * i + static_cast<int64_t>(r), 4)).square().mean() /
         (by_all ? static_cast<int>(batches.size()) : alive))
            .backward();
    optimizer.step();
  }
  std::vector<Tensor> parameters;
  for (const Tensor& p : net->parameters()) parameters.push_back(p.detach().clone());
  return parameters;
}

TEST(DistributedDataParallel, JoinsRanksWithFewerInputs) {
  using Batches = std::vector<int64_t>;
  for (const Batches& batches : {Batches{2, 5, 3}, Batches{0, 3}, Batches{4, 4}})
    for (const bool by_all : {true, false}) {
      const auto how = JoinOptions().divide_by_initial_world_size(by_all);
      const std::vector<Tensor> want = train_joined_alone(batches, by_all);
      const auto all = DistributedDataParallelOptions();
      for (const auto& options :
           {all, DistributedDataParallelOptions(all).bucket_cap_mb(1.0 / 4096),
            DistributedDataParallelOptions(all).find_unused_parameters(true),
            DistributedDataParallelOptions(all).static_graph(true)}) {
        const std::vector<Tensor> got = train_joined(batches, how, options);
        for (size_t i = 0; i < want.size(); ++i)
          EXPECT_TRUE(got[i].allclose(want[i], 1e-4, 1e-5)) << i;
      }
    }
}

TEST(DistributedDataParallel, JoinEndsAllWhereThatIsWanted) {
  in_groups(3, [](ProcessGroup& group) {
    Plain net;
    DistributedDataParallel ddp(net, options_for(group));
    int64_t passes = 0;
    const std::string message = error_of([&] {
      ddp.join(
          [&] {
            for (; passes < 2 + group.getRank(); ++passes) ddp(batch(0, 4)).sum().backward();
          },
          JoinOptions().throw_on_early_termination(true));
    });
    EXPECT_NE(message.find("1 of 3 have no more"), std::string::npos) << message;
    EXPECT_EQ(passes, 2);
    EXPECT_EQ(error_of([&] { ddp(batch(0, 4)).sum().backward(); }), "");  // all go on
    EXPECT_NE(error_of([&] { ddp.join([&] { ddp.join([] {}); }); }), "");
  });
}

TEST(DistributedDataParallel, ARankThatThrowsInAJoinEndsTheOthers) {
  in_groups(
      3,
      [](ProcessGroup& group) {
        Plain net;
        DistributedDataParallel ddp(net, options_for(group));
        const std::string message = error_of([&] {
          ddp.join([&] {
            for (int i = 0; i < group.getRank(); ++i) {
              if (group.getRank() == 2 && i == 1) throw Error("bad batch");
              ddp(batch(0, 4)).sum().backward();
            }
          });
        });
        if (group.getRank() == 2)
          EXPECT_EQ(message.find("bad batch"), 0u) << message;
        else
          EXPECT_NE(message.find("allgather"), std::string::npos) << message;
      },
      3s);
}

// A captured pass leaves gradients of this rank alone, which are averaged after each replay.
void train_captured(ProcessGroup& group, Device device) {
  Plain net, twin;
  for (Plain* n : {&net, &twin}) {
    fill(**n, 0, 0.3);
    (*n)->to(device);
  }
  DistributedDataParallel captured(net, options_for(group).gradient_as_bucket_view(true)),
      plain(twin, options_for(group));
  optim::SGD of_captured(net->parameters(), 0.05), of_plain(twin->parameters(), 0.05);
  const Tensor x = zeros({4, 8}, TensorOptions(device));
  Graph refused(device), graph(device);
  const std::string message = error_of([&] {
    const GraphGuard records(refused);
    captured(x);
  });
  EXPECT_NE(message.find("no_sync(), and call average_gradients()"), std::string::npos) << message;
  {
    const GraphGuard records(graph);
    const auto alone = captured.no_sync();
    net->zero_grad();
    captured(x).square().sum().backward();
  }
  for (int64_t step = 0; step < 3; ++step) {
    x.copy_(batch(10 * step + group.getRank(), 4));
    graph.replay();
    captured.average_gradients();
    of_captured.step();
    of_plain.zero_grad();
    plain(x).square().sum().backward();
    of_plain.step();
    for (size_t i = 0; i < net->parameters().size(); ++i)
      EXPECT_TRUE(net->parameters()[i].allclose(twin->parameters()[i], 1e-5, 1e-6)) << step;
  }
  of_captured.zero_grad();  // passes that are not captured average as ever
  captured(x).square().sum().backward();
  of_plain.zero_grad();
  plain(x).square().sum().backward();
  EXPECT_TRUE(net->first->weight.grad().allclose(twin->first->weight.grad(), 1e-4, 1e-5));
}
TEST(DistributedDataParallel, CapturedSteps) {
  in_groups(2, [](ProcessGroup& group) { train_captured(group, Device(kCPU)); });
  in_groups(2, [](ProcessGroup& group) {
    train_captured(group, Device(kCUDA, static_cast<DeviceIndex>(group.getRank())));
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
}  // namespace torch::taper::testing
#endif
