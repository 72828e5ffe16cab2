// Optimizers and parameters of which each rank keeps a part, and checkpoints of them.
#ifdef TAPER_WITH_GLOO
#include <taper/framework/runtime/memory.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "distributed/ranks.h"

namespace taper::testing {
namespace {

using namespace std::chrono_literals;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;
using optim::ZeroRedundancyOptimizer;

intrusive_ptr<ProcessGroup> pointer_to(ProcessGroup& group) {
  return intrusive_ptr<ProcessGroup>(&group);
}
void fill(nn::Module& module, double start = 0.4) {
  const NoGradGuard off;
  for (Tensor& p : module.parameters())
    p.copy_(arange(p.numel(), kFloat).add(start += 0.3).cos().view(p.sizes()) * 0.3);
}
Tensor batch(int64_t step, int64_t n) {
  return arange(n * 8, kDouble).mul(0.37 + static_cast<double>(step)).sin().view({n, 8}).to(kFloat);
}

struct BlockImpl : nn::Module {
  explicit BlockImpl(int64_t width = 8)
      : up(register_module("up", nn::Linear(width, 21))),
        down(register_module("down", nn::Linear(21, width))),
        norm(register_module("norm", nn::LayerNorm(nn::LayerNormOptions({width})))) {}
  Tensor forward(const Tensor& x) { return norm(x + down(up(x).relu())); }
  nn::Linear up, down;
  nn::LayerNorm norm;
};
TAPER_MODULE(Block);

struct NetImpl : nn::Module {
  Tensor forward(const Tensor& x) { return head(second(first(x)) * scale); }
  Block first = register_module("first", Block());
  Block second = register_module("second", Block());
  nn::Linear head = register_module("head", nn::Linear(8, 3));
  Tensor scale = register_parameter("scale", ones({}));
};
TAPER_MODULE(Net);

Tensor loss_of(const Tensor& y, const Tensor& x) {
  return y.sub(x.narrow(1, 0, 3)).square().mean();
}
double mean_over_ranks(ProcessGroup& group, const Tensor& loss) {
  std::vector<Tensor> mean = {loss.detach().to(kFloat).clone()};
  AllreduceOptions average;
  average.reduceOp = ReduceOp::AVG;
  group.allreduce(mean, average)->wait();
  return mean[0].item<double>();
}

/// Losses of steps of batches of 12 in one process.
template <class Optimizer, class Options>
std::vector<double> losses_alone(const Options& options, int steps) {
  Net net;
  fill(*net);
  Optimizer optimizer(net->parameters(), options);
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    const Tensor x = batch(step, 12), loss = loss_of(net(x), x);
    loss.backward();
    optimizer.step();
    losses.push_back(loss.item<double>());
  }
  return losses;
}
void expect_same(const std::vector<double>& a, const std::vector<double>& b,
                 double tolerance = 1e-5) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "step " << i;
}
Tensor part_of(const Tensor& x, ProcessGroup& group) {
  const int64_t n = x.size(0) / group.getSize();
  return x.narrow(0, n * group.getRank(), n);
}

// ---------------------------------------------------------------------- ZeroRedundancyOptimizer
/// Steps beside those of an optimizer that has everything, bit for bit.
template <class Optimizer, class Options>
void compare_steps(int ranks, const Options& options) {
  const std::vector<double> alone = losses_alone<Optimizer>(options, 6);
  in_groups(ranks, [&](ProcessGroup& group) {
    Net net, twin;
    fill(*net);
    fill(*twin);
    const auto of_group = DistributedDataParallelOptions().process_group(pointer_to(group));
    DistributedDataParallel a(net, of_group), b(twin, of_group);
    auto sharded =
        ZeroRedundancyOptimizer::of<Optimizer>(net->parameters(), options, pointer_to(group));
    Optimizer whole(twin->parameters(), options);
    std::vector<double> losses;
    for (int step = 0; step < 6; ++step) {
      const Tensor x = part_of(batch(step, 12), group);
      sharded->zero_grad();
      whole.zero_grad();
      const Tensor loss = loss_of(a(x), x);
      loss.backward();
      loss_of(b(x), x).backward();
      sharded->step();
      whole.step();
      losses.push_back(mean_over_ranks(group, loss));
      for (size_t i = 0; i < net->parameters().size(); ++i)
        EXPECT_TRUE(net->parameters()[i].equal(twin->parameters()[i])) << step << " " << i;
    }
    expect_same(losses, alone);
    EXPECT_LT(sharded->local_optimizer().state().size(), net->parameters().size());
  });
}

TEST(ZeroRedundancyOptimizer, StepsAsTheWholeOptimizer) {
  compare_steps<optim::Adam>(2, optim::AdamOptions(0.01).weight_decay(0.1));
  compare_steps<optim::Adam>(3, optim::AdamOptions(0.01).amsgrad(true));
  compare_steps<optim::SGD>(4, optim::SGDOptions(0.05).momentum(0.9));
  compare_steps<optim::AdamW>(2, optim::AdamWOptions(0.01));
  compare_steps<optim::RMSprop>(2, optim::RMSpropOptions(0.01).momentum(0.5));
  compare_steps<optim::Adagrad>(3, optim::AdagradOptions(0.05));
  compare_steps<optim::NAdam>(2, optim::NAdamOptions(0.01));
}

TEST(ZeroRedundancyOptimizer, PartsAreOfAboutOneSize) {
  in_groups(3, [](ProcessGroup& group) {
    std::vector<Tensor> parameters;
    for (const int64_t n : {5, 70, 30, 40, 10, 60, 1})
      parameters.push_back(zeros({n}).requires_grad_());
    const auto optimizer = ZeroRedundancyOptimizer::of<optim::SGD>(
        parameters, optim::SGDOptions(0.1), pointer_to(group));
    // 70 60 40 | 30 10 5 1: the largest first, each where there is least.
    EXPECT_EQ(optimizer->owners(), (std::vector<int>{0, 0, 2, 2, 1, 1, 1}));
    const size_t owned = optimizer->local_optimizer().param_groups()[0].params().size();
    EXPECT_EQ(owned, group.getRank() == 1 ? 3u : 2u);
  });
}

TEST(ZeroRedundancyOptimizer, MoreRanksThanParameters) {
  in_groups(4, [](ProcessGroup& group) {
    std::vector<Tensor> parameters = {ones({3}).requires_grad_(), ones({2}).requires_grad_()};
    const auto optimizer = ZeroRedundancyOptimizer::of<optim::Adam>(
        parameters, optim::AdamOptions(0.5), pointer_to(group));
    for (Tensor& p : parameters) p.square().sum().backward();
    optimizer->step();
    for (const Tensor& p : parameters) EXPECT_LT(p.max().item<float>(), 0.6f);
  });
}

std::string saved(const optim::Optimizer& optimizer) {
  std::ostringstream out;
  save(optimizer, out);
  return out.str();
}

TEST(ZeroRedundancyOptimizer, FilesAreThoseOfOneProcess) {
  std::string file, whole_file;
  const auto options = optim::AdamOptions(0.01);
  const auto train = [](optim::Optimizer& optimizer, Net& net, int from, int steps) {
    for (int step = from; step < from + steps; ++step) {
      optimizer.zero_grad();
      const Tensor x = batch(step, 12);
      loss_of(net(x), x).backward();
      optimizer.step();
    }
  };
  Net whole_net;
  fill(*whole_net);
  optim::Adam whole(whole_net->parameters(), options);
  train(whole, whole_net, 0, 3);
  in_groups(3, [&](ProcessGroup& group) {
    Net net;
    fill(*net);
    auto optimizer =
        ZeroRedundancyOptimizer::of<optim::Adam>(net->parameters(), options, pointer_to(group));
    train(*optimizer, net, 0, 3);
    EXPECT_NE(error_of([&] { saved(*optimizer); }).find("consolidate_state_dict"),
              std::string::npos);
    optimizer->consolidate_state_dict(1);
    if (group.getRank() == 1) {
      file = saved(*optimizer);
      EXPECT_EQ(optimizer->state().size(), net->parameters().size());
    } else {
      EXPECT_THROW(saved(*optimizer), Error);
    }
  });
  EXPECT_EQ(file, saved(whole));
  // With another number of ranks, and by one, training goes on from there.
  const std::vector<Tensor> start = [&] {
    std::vector<Tensor> all;
    for (const Tensor& p : whole_net->parameters()) all.push_back(p.detach().clone());
    return all;
  }();
  train(whole, whole_net, 3, 2);
  in_groups(2, [&](ProcessGroup& group) {
    Net net;
    {
      const NoGradGuard off;
      for (size_t i = 0; i < start.size(); ++i) net->parameters()[i].copy_(start[i]);
    }
    auto optimizer = ZeroRedundancyOptimizer::of<optim::Adam>(
        net->parameters(), optim::AdamOptions(0.5), pointer_to(group));
    EXPECT_THROW(load(*optimizer, file.data(), file.size() / 2), Error);
    load(*optimizer, file.data(), file.size());
    train(*optimizer, net, 3, 2);
    for (size_t i = 0; i < start.size(); ++i)
      EXPECT_TRUE(net->parameters()[i].equal(whole_net->parameters()[i])) << i;
  });
}

TEST(ZeroRedundancyOptimizer, GroupsAndSchedules) {
  in_groups(2, [](ProcessGroup& group) {
    Net net, twin;
    fill(*net);
    fill(*twin);
    const auto options = optim::SGDOptions(0.1).momentum(0.9);
    auto sharded = ZeroRedundancyOptimizer::of<optim::SGD>(net->first->parameters(), options,
                                                           pointer_to(group));
    optim::SGD whole(twin->first->parameters(), options);
    optim::StepLR of_sharded(*sharded, 2, 0.5), of_whole(whole, 2, 0.5);
    for (int step = 0; step < 6; ++step) {
      if (step == 3) {
        const auto slow = [] { return std::make_unique<optim::SGDOptions>(0.01); };
        sharded->add_param_group(optim::OptimizerParamGroup(net->second->parameters(), slow()));
        whole.add_param_group(optim::OptimizerParamGroup(twin->second->parameters(), slow()));
      }
      for (auto* n : {&net, &twin}) {
        (*n)->zero_grad();
        const Tensor x = batch(step, 12);
        loss_of((*n)(x), x).backward();
      }
      sharded->step();
      whole.step();
      of_sharded.step();
      of_whole.step();
      for (size_t i = 0; i < net->parameters().size(); ++i)
        EXPECT_TRUE(net->parameters()[i].equal(twin->parameters()[i])) << step << " " << i;
    }
  });
}

TEST(ZeroRedundancyOptimizer, RanksThatDifferOrLeave) {
  in_groups(2, [](ProcessGroup& group) {
    std::vector<Tensor> parameters = {ones({3 + group.getRank()}).requires_grad_()};
    const std::string message = error_of([&] {
      ZeroRedundancyOptimizer::of<optim::SGD>(parameters, optim::SGDOptions(0.1),
                                              pointer_to(group));
    });
    EXPECT_NE(message.find("rank 1 has parameter Float[4]"), std::string::npos) << message;
  });
  for (const bool in_step : {true, false})
    in_groups(
        3,
        [&](ProcessGroup& group) {
          std::vector<Tensor> parameters = {ones({3}).requires_grad_(), ones({4}).requires_grad_()};
          auto optimizer = ZeroRedundancyOptimizer::of<optim::SGD>(
              parameters, optim::SGDOptions(0.1), pointer_to(group));
          for (const Tensor& p : parameters) p.sum().backward();
          if (group.getRank() == 1) return;
          const std::string message = error_of([&] {
            in_step ? (void)optimizer->step() : optimizer->consolidate_state_dict(0);
            group.barrier()->wait();
          });
          EXPECT_NE(message.find("ProcessGroupGloo"), std::string::npos) << message;
        },
        3s);
}

// ---------------------------------------------------------------------- fully_shard
FullyShardOptions options_for(ProcessGroup& group) {
  return FullyShardOptions().process_group(pointer_to(group));
}
void shard_all(Net& net, const FullyShardOptions& options) {
  fully_shard(net->first, options);
  fully_shard(net->second, options);
  fully_shard(net, options);
}

/// Losses of a sharded training of batches of 12.
std::vector<double> losses_sharded(int ranks, FullyShardOptions options = {}, int steps = 6,
                                   bool nested = true) {
  std::vector<double> losses;
  in_groups(ranks, [&](ProcessGroup& group) {
    FullyShardOptions own = options;
    own.process_group(pointer_to(group));
    Net net;
    fill(*net, 0.4 + group.getRank());  // rank 0's are taken
    if (nested)
      shard_all(net, own);
    else
      fully_shard(net, own);
    optim::Adam optimizer(net->parameters(), optim::AdamOptions(0.01));
    for (int step = 0; step < steps; ++step) {
      optimizer.zero_grad();
      const Tensor x = part_of(batch(step, 12), group), loss = loss_of(net(x).to(kFloat), x);
      loss.backward();
      optimizer.step();
      const double mean = mean_over_ranks(group, loss);
      if (group.getRank() == 0) losses.push_back(mean);
    }
    int64_t here = 0;
    for (const Tensor& p : net->parameters()) here += p.numel();
    std::vector<Tensor> sum = {full({1}, here, kLong)};
    group.allreduce(sum)->wait();
    int64_t whole = 0;
    const StateDict all = full_state_dict(*net);
    for (const auto& item : all) whole += item.value().numel();
    EXPECT_EQ(sum[0].item<int64_t>(), whole);
  });
  return losses;
}

TEST(FullyShard, TrainsAsOneProcess) {
  const std::vector<double> alone = losses_alone<optim::Adam>(optim::AdamOptions(0.01), 6);
  EXPECT_GT(std::abs(alone.back() - alone.front()), 0.01);
  for (int ranks : {1, 2, 3, 4}) expect_same(losses_sharded(ranks), alone);
  expect_same(losses_sharded(3, FullyShardOptions().reshard_after_forward(false)), alone);
  expect_same(losses_sharded(2, {}, 6, /*nested=*/false), alone);
}

TEST(FullyShard, InFewerBits) {
  const std::vector<double> alone = losses_alone<optim::Adam>(optim::AdamOptions(0.01), 6);
  const auto half = FullyShardOptions().param_dtype(kBFloat16).reduce_dtype(kFloat);
  const std::vector<double> losses = losses_sharded(2, half);
  expect_same(losses, alone, 0.05);
  EXPECT_GT(std::abs(losses[0] - alone[0]), 1e-6);  // it did compute in fewer bits
}

TEST(FullyShard, HasItsRowsAndGradientsOfThem) {
  in_groups(2, [](ProcessGroup& group) {
    Net net, twin;
    fill(*net);
    fill(*twin);
    shard_all(net, options_for(group));
    EXPECT_EQ(net->first->up->weight.sizes(), (IntArrayRef{group.getRank() ? 10 : 11, 8}));
    EXPECT_EQ(net->scale.numel(), group.getRank() ? 0 : 1);
    const auto shard = shard_of(net->first->up->weight);
    ASSERT_TRUE(shard);
    EXPECT_EQ(shard->sizes, (std::vector<int64_t>{21, 8}));
    EXPECT_EQ(shard->begin, group.getRank() ? 11 : 0);
    EXPECT_FALSE(shard_of(twin->scale));
    for (int pass = 0; pass < 2; ++pass) {  // the second adds to the first
      net(batch(group.getRank(), 4)).sum().backward();
      for (int r = 0; r < 2; ++r) (twin(batch(r, 4)).sum() / 2).backward();
    }
    for (const auto& item : net->named_parameters()) {
      const Shard here = *shard_of(item.value());
      Tensor want = twin->named_parameters()[item.key()].grad();
      if (want.dim() == 0) want = want.view({1});
      EXPECT_TRUE(item.value().grad().allclose(want.narrow(0, here.begin, here.rows), 1e-4, 1e-4))
          << item.key();
    }
    // Without gradients the whole goes after the call, too.
    const NoGradGuard off;
    EXPECT_TRUE(net(batch(0, 4)).allclose(twin(batch(0, 4)), 1e-5, 1e-5));
    EXPECT_EQ(net->first->up->weight.size(0), shard->rows);
  });
}

TEST(FullyShard, GathersInCheckpoints) {
  in_groups(2, [](ProcessGroup& group) {
    Net net, twin;
    fill(*net);
    fill(*twin);
    shard_all(net, options_for(group));
    const auto run = [](Net& n, const Tensor& x) {
      const auto both = [&n](const autograd::variable_list& in) {
        return autograd::variable_list{n->second(n->first(in[0]))};
      };
      Tensor leaf = x.clone().requires_grad_();
      return autograd::checkpoint(both, {leaf})[0].square().sum();
    };
    run(net, batch(group.getRank(), 4)).backward();
    for (int r = 0; r < 2; ++r) (run(twin, batch(r, 4)) / 2).backward();
    for (const char* name : {"first.up.weight", "second.norm.bias", "second.down.weight"}) {
      const Tensor p = net->named_parameters()[name];
      const Shard here = *shard_of(p);
      const Tensor want = twin->named_parameters()[name].grad().narrow(0, here.begin, here.rows);
      EXPECT_TRUE(p.grad().allclose(want, 1e-4, 1e-4)) << name;
    }
  });
}

TEST(FullyShard, WholeStatesInAndOut) {
  in_groups(3, [](ProcessGroup& group) {
    Net net, twin, other;
    fill(*net);
    fill(*twin);
    fill(*other, 2);
    shard_all(net, options_for(group));
    StateDict all = full_state_dict(*net);
    for (const auto& item : twin->state_dict()) EXPECT_TRUE(all[item.key()].equal(item.value()));
    load_full_state_dict(*net, other->state_dict());
    all = full_state_dict(*net);
    for (const auto& item : other->state_dict()) EXPECT_TRUE(all[item.key()].equal(item.value()));
    all["head.weight"] = zeros({2, 2});
    EXPECT_THROW(load_full_state_dict(*net, all), Error);
    EXPECT_TRUE(net(batch(0, 4)).allclose(other(batch(0, 4)), 1e-5, 1e-5));
  });
}

struct WideImpl : nn::Module {
  WideImpl() {
    for (int i = 0; i < 16; ++i)
      layers.push_back(register_module(std::to_string(i), nn::Linear(256, 256)));
  }
  Tensor forward(Tensor x) {
    for (nn::Linear& layer : layers) x = layer(x).relu();
    return x;
  }
  std::vector<nn::Linear> layers;
};
TAPER_MODULE(Wide);

/// The most bytes that a device held during a step, without what it held before the module came.
size_t peak_of_step(ProcessGroup& group, const std::function<void(Wide&)>& prepare) {
  const auto index = static_cast<DeviceIndex>(group.getRank());
  const cuda::DeviceGuard on(Device(kCUDA, index));
  const size_t before = cuda::memory_allocated(index);
  Wide net;
  net->to(Device(kCUDA, index));
  prepare(net);
  const Tensor x = zeros({2, 256}, TensorOptions(Device(kCUDA, index)));
  net(x).sum().backward();
  net->zero_grad(/*set_to_none=*/true);
  cuda::synchronize(index);
  cuda::reset_peak_memory_stats(index);
  net(x).sum().backward();
  cuda::synchronize(index);
  return cuda::max_memory_allocated(index) - before;
}

TEST(FullyShard, TakesLessMemory) {
  in_groups(2, [](ProcessGroup& group) {
    constexpr size_t kLayer = 4 * 256 * 257;  // bytes
    const size_t whole = peak_of_step(group, [](Wide&) {});
    EXPECT_GE(whole, 32 * kLayer);  // parameters and gradients
    const size_t sharded = peak_of_step(group, [&](Wide& net) {
      for (nn::Linear& layer : net->layers) fully_shard(layer, options_for(group));
    });
    if (group.getRank() == 0) {
      ::testing::Test::RecordProperty("whole", static_cast<int>(whole));
      ::testing::Test::RecordProperty("sharded", static_cast<int>(sharded));
    }
    EXPECT_LT(sharded, whole * 17 / 20) << whole;
    const size_t kept = peak_of_step(group, [&](Wide& net) {
      for (nn::Linear& layer : net->layers)
        fully_shard(layer, options_for(group).reshard_after_forward(false));
    });
    EXPECT_GT(kept, sharded + kLayer);
  });
}

TEST(FullyShard, ScalersAgree) {
  in_groups(2, [](ProcessGroup& group) {
    const Device device(kCUDA, static_cast<DeviceIndex>(group.getRank()));
    Net net;
    fill(*net);
    net->to(device);
    shard_all(net, options_for(group));
    optim::SGD optimizer(net->parameters(), 0.1);
    amp::GradScaler scaler(device, 256);
    agree_on_found_inf(scaler, pointer_to(group));
    for (int step = 0; step < 2; ++step) {
      const Tensor before = net->head->weight.detach().clone();
      scaler.scale(net(batch(0, 4).to(device)).sum()).backward();
      if (step == 1 && group.getRank() == 1)  // in the rows of one rank only
        net->head->weight.mutable_grad().fill_(std::numeric_limits<float>::infinity());
      scaler.step(optimizer);
      scaler.update();
      EXPECT_EQ(before.equal(net->head->weight), step == 1);
      EXPECT_EQ(scaler.get_scale(), step == 1 ? 128 : 256);
      optimizer.zero_grad();
    }
  });
}

TEST(FullyShard, BadModules) {
  in_groups(2, [](ProcessGroup& group) {
    nn::ReLU nothing;
    EXPECT_THROW(fully_shard(nothing, options_for(group)), ValueError);
    nn::Linear other(4, 3 + group.getRank());
    const std::string message = error_of([&] { fully_shard(other, options_for(group)); });
    EXPECT_NE(message.find("rank 1 has parameter Float[4, 4]"), std::string::npos) << message;
    EXPECT_EQ(other->weight.size(0), 3 + group.getRank());
    nn::Linear moved(4, 4);
    fully_shard(moved, options_for(group));
    EXPECT_THROW(fully_shard(moved, options_for(group)), ValueError);
    moved->to(Device(kCUDA, 0));
    EXPECT_NE(error_of([&] {
                moved(zeros({2, 4}));
              }).find("move the module before"),
              std::string::npos);
  });
}

TEST(FullyShard, ARankThatThrowsEndsTheOthers) {
  for (const bool in_backward : {false, true})
    in_groups(
        3,
        [&](ProcessGroup& group) {
          Net net;
          fill(*net);
          shard_all(net, options_for(group));
          const std::string message = error_of([&] {
            if (!in_backward && group.getRank() == 1) throw Error("bad input");
            const Tensor loss = net(batch(0, 4)).sum();
            if (group.getRank() == 1) throw Error("bad loss");
            loss.backward();
          });
          if (group.getRank() != 1)
            EXPECT_NE(message.find("ProcessGroupGloo"), std::string::npos) << message;
        },
        3s);
}

// ---------------------------------------------------------------------- checkpoints
struct Folder {
  std::string path = ::testing::TempDir() + "checkpoint_" + std::to_string(::getpid());
  Folder() { std::filesystem::remove_all(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::vector<std::string> shards() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().filename().string().rfind("shard-", 0) == 0)
        all.push_back(entry.path().string());
    std::sort(all.begin(), all.end());
    return all;
  }
};

void step_of(Net& net, optim::Optimizer& optimizer, const Tensor& x) {
  optimizer.zero_grad();
  loss_of(net(x), x).backward();
  optimizer.step();
}
void add_all(checkpoint::State& state, Net& net, optim::Optimizer& optimizer) {
  state.add("net", *net);
  state.add("optimizer", optimizer);
}
/// Trains sharded steps from `from`, if wanted from a checkpoint; whole parameters in the end.
StateDict train_sharded(int ranks, const std::string& folder, int from, int to, bool loads,
                        bool saves) {
  StateDict all;
  in_groups(ranks, [&](ProcessGroup& group) {
    Net net;
    fill(*net, loads ? 3 : 0.4);
    shard_all(net, options_for(group));
    optim::Adam optimizer(net->parameters(), optim::AdamOptions(loads ? 0.5 : 0.01));
    checkpoint::State state;
    add_all(state, net, optimizer);
    if (loads) {
      checkpoint::load(folder, state, pointer_to(group));
      EXPECT_EQ(state.text("step"), std::to_string(from));
    }
    for (int step = from; step < to; ++step) step_of(net, optimizer, batch(step, 12));
    state.set_text("step", std::to_string(to));
    if (saves) checkpoint::save(folder, state, pointer_to(group));
    StateDict whole = full_state_dict(*net);
    if (group.getRank() == 0) all = whole;
  });
  return all;
}

TEST(Checkpoint, AnyNumberOfRanksGoesOn) {
  const Folder folder;
  train_sharded(3, folder.path, 0, 3, false, true);
  EXPECT_EQ(folder.shards().size(), 3u);
  const StateDict undisturbed = train_sharded(1, "", 0, 6, false, false);
  for (int ranks : {3, 2, 1, 4}) {
    const StateDict resumed = train_sharded(ranks, folder.path, 3, 6, true, false);
    for (const auto& item : undisturbed)
      EXPECT_TRUE(resumed[item.key()].allclose(item.value(), 1e-5, 1e-6)) << ranks << item.key();
  }
  // The same number of ranks: the same bits.
  const StateDict straight = train_sharded(3, "", 0, 6, false, false),
                  resumed = train_sharded(3, folder.path, 3, 6, true, true);
  for (const auto& item : straight) EXPECT_TRUE(resumed[item.key()].equal(item.value()));
  EXPECT_EQ(folder.shards().size(), 3u);  // the former ones went
}

TEST(Checkpoint, OfWholeModulesIsWrittenOnce) {
  const Folder folder;
  in_groups(2, [&](ProcessGroup& group) {
    Net net;
    fill(*net);
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    step_of(net, optimizer, batch(0, 4));
    checkpoint::State state;
    add_all(state, net, optimizer);
    state.add("bytes", full({3}, 7, kByte));
    state.add("rows", full({2 + group.getRank(), 2}, group.getRank(), kLong),
              {{5, 2}, group.getRank() ? 2 : 0, 2 + group.getRank(), pointer_to(group)});
    checkpoint::save(folder.path, state, pointer_to(group));
  });
  int64_t numbers = 0;
  for (const std::string& path : folder.shards()) {
    int64_t here = 0;
    for (const auto& item : load_safetensors(path)) here += item.value().numel();
    EXPECT_GT(here, 300);  // both write about as much
    numbers += here;
  }
  Net net;
  int64_t parameters = 0;
  for (const Tensor& p : net->parameters()) parameters += p.numel();
  EXPECT_EQ(numbers, 2 * parameters + 3 + 10);
  in_groups(1, [&](ProcessGroup& group) {
    optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.5));
    checkpoint::State state;
    add_all(state, net, optimizer);
    const Tensor rows = zeros({5, 2}, kLong), bytes = zeros({3}, kByte);
    state.add("rows", rows);
    state.add("bytes", bytes);
    checkpoint::load(folder.path, state, pointer_to(group));
    EXPECT_EQ(rows.sum().item<int64_t>(), 6);
    EXPECT_EQ(bytes.sum().item<int64_t>(), 21);
    EXPECT_EQ(optimizer.param_groups()[0].options().get_lr(), 0.1);
    EXPECT_THROW(state.text("absent"), Error);
    EXPECT_THROW(state.add("rows", rows), ValueError);
    EXPECT_THROW(state.add("two\nlines", rows), ValueError);
  });
}

/// What ranks say to a checkpoint that `damage` has been done to; nothing may change.
std::string error_of_loading(const std::string& folder, const std::function<void()>& damage) {
  train_sharded(3, folder, 0, 2, false, true);
  damage();
  std::string first;
  in_groups(2, [&](ProcessGroup& group) {
    Net net, twin;
    fill(*net, 5);
    fill(*twin, 5);
    shard_all(net, options_for(group));
    optim::Adam optimizer(net->parameters(), optim::AdamOptions(0.3));
    checkpoint::State state;
    add_all(state, net, optimizer);
    const std::string message =
        error_of([&] { checkpoint::load(folder, state, pointer_to(group)); });
    EXPECT_NE(message, "");
    EXPECT_TRUE(optimizer.state().empty());
    EXPECT_EQ(optimizer.param_groups()[0].options().get_lr(), 0.3);
    const StateDict all = full_state_dict(*net);
    for (const auto& item : twin->state_dict()) EXPECT_TRUE(all[item.key()].equal(item.value()));
    if (group.getRank() == 0) first = message;
  });
  return first;
}

TEST(Checkpoint, DamageIsAnErrorBeforeAnythingChanges) {
  const Folder folder;
  const auto damaged = [&](const std::function<void()>& damage) {
    return error_of_loading(folder.path, damage);
  };
  EXPECT_NE(damaged([&] { std::filesystem::remove(folder.shards()[1]); }).find("cannot open"),
            std::string::npos);
  const std::string flipped = damaged([&] {
    std::fstream file(folder.shards()[2], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('\x55');
  });
  EXPECT_NE(flipped.find("is damaged"), std::string::npos) << flipped;
  const std::string cut = damaged([&] { std::filesystem::resize_file(folder.shards()[0], 100); });
  EXPECT_NE(cut.find("on rank 0"), std::string::npos) << cut;
  const std::string swapped = damaged([&] {
    std::filesystem::copy_file(folder.shards()[0], folder.shards()[1],
                               std::filesystem::copy_options::overwrite_existing);
  });
  EXPECT_NE(swapped.find("to be file 1 of"), std::string::npos) << swapped;
  EXPECT_NE(damaged([&] { std::filesystem::resize_file(folder.path + "/manifest.taper", 50); }),
            "");
  EXPECT_NE(damaged([&] { std::filesystem::remove(folder.path + "/manifest.taper"); }), "");
}

TEST(Checkpoint, OfAnotherModel) {
  const Folder folder;
  train_sharded(2, folder.path, 0, 2, false, true);
  in_groups(2, [&](ProcessGroup& group) {
    Block block;
    fill(*block, 5);
    const Tensor before = block->up->weight.detach().clone();
    checkpoint::State absent, other;
    absent.add("net.first", *block);
    absent.add("net.third", zeros({2}));
    other.add("net.first", *block);
    other.add("net.head.bias", zeros({4}));
    for (checkpoint::State* state : {&absent, &other}) {
      const std::string message =
          error_of([&] { checkpoint::load(folder.path, *state, pointer_to(group)); });
      EXPECT_NE(
          message.find(state == &absent ? "expected 'net.third'" : "expected 'net.head.bias'"),
          std::string::npos)
          << message;
      EXPECT_TRUE(block->up->weight.equal(before));
    }
  });
}

TEST(Checkpoint, ASaveThatFailsLeavesTheFormer) {
  const Folder folder;
  train_sharded(2, folder.path, 0, 2, false, true);
  const std::vector<std::string> former = folder.shards();
  // Ranks with other tensors.
  in_groups(2, [&](ProcessGroup& group) {
    checkpoint::State state;
    state.add("x", zeros({2 + group.getRank()}));
    EXPECT_NE(error_of([&] {
                checkpoint::save(folder.path, state, pointer_to(group));
              }).find("rank 1 has x of sizes [3]"),
              std::string::npos);
  });
  // A rank that cannot write.
  in_groups(2, [&](ProcessGroup& group) {
    checkpoint::State state;
    state.add("x", zeros({2}, group.getRank() ? kFloat : kFloat));
    const std::string own = group.getRank() ? "/dev/null/nowhere" : folder.path;
    const std::string message = error_of([&] { checkpoint::save(own, state, pointer_to(group)); });
    EXPECT_NE(message.find("on rank 1"), std::string::npos) << message;
  });
  // A rank that leaves in the midst.
  in_groups(
      2,
      [&](ProcessGroup& group) {
        checkpoint::State state;
        state.add("x", zeros({2}));
        if (group.getRank() == 1) return;
        const std::string message =
            error_of([&] { checkpoint::save(folder.path, state, pointer_to(group)); });
        EXPECT_NE(message.find("ProcessGroupGloo"), std::string::npos) << message;
      },
      3s);
  EXPECT_EQ(folder.shards(), former);
  EXPECT_FALSE(train_sharded(2, folder.path, 2, 3, true, false).is_empty());
}

}  // namespace
}  // namespace taper::testing
#endif
