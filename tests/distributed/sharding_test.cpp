// Optimizers and parameters of which each rank keeps a part.
#ifdef TAPER_WITH_GLOO
#include <taper/framework/memory/memory.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "distributed/sharding.h"

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;
using optim::ZeroRedundancyOptimizer;

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

#include "distributed/several_parameters_test.inc"

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

/// Losses of a training of which each step has two passes, the first of which averages nothing.
std::vector<double> losses_in_two_passes(const FullyShardOptions& given) {
  std::vector<double> losses;
  in_groups(2, [&](ProcessGroup& group) {
    FullyShardOptions own = given;
    Net net;
    fill(*net);
    shard_all(net, own.process_group(pointer_to(group)));
    optim::Adam optimizer(net->parameters(), optim::AdamOptions(0.01));
    for (int step = 0; step < 6; ++step) {
      optimizer.zero_grad();
      const Tensor x = part_of(batch(step, 12), group);
      Tensor sum = zeros({});
      for (const int half : {0, 1}) {
        set_requires_gradient_sync(*net, half == 1);
        const Tensor part = x.narrow(0, 3 * half, 3),
                     loss = loss_of(net(part).to(kFloat), part) / 2;
        const uint64_t before = group.getSequenceNumberForGroup();
        loss.backward();
        // Gathers of the two blocks, and averages of the three modules.
        EXPECT_EQ(group.getSequenceNumberForGroup() - before, half == 1 ? 6u : 3u);
        const Tensor& g = net->first->up->weight.grad();
        EXPECT_EQ(g.defined() && g.abs().sum().item<float>() > 0, half == 1);
        sum += loss.detach();
      }
      optimizer.step();
      const double mean = mean_over_ranks(group, sum);
      if (group.getRank() == 0) losses.push_back(mean);
    }
  });
  return losses;
}

TEST(FullyShard, AddsUpGradientsThatAreAveragedLater) {
  const std::vector<double> alone = losses_alone<optim::Adam>(optim::AdamOptions(0.01), 6);
  expect_same(losses_in_two_passes({}), alone);
  const auto half = FullyShardOptions().param_dtype(kBFloat16).reduce_dtype(kFloat);
  expect_same(losses_in_two_passes(half), alone, 0.05);
}

// A pass that has thrown leaves nothing; those before it stay.
TEST(FullyShard, KeepsSumsWhenAPassThrows) {
  in_groups(2, [](ProcessGroup& group) {
    Net net, twin;
    fill(*net);
    fill(*twin);
    shard_all(net, options_for(group));
    set_requires_gradient_sync(*net, false);
    net(batch(0, 4)).sum().backward();
    Tensor y = net(batch(1, 4)).sum();
    y.register_hook([](const Tensor&) -> Tensor { throw Error("bad"); });
    EXPECT_THROW(y.backward(), Error);
    set_requires_gradient_sync(*net, true);
    net(batch(2, 4)).sum().backward();
    for (const int i : {0, 2}) twin(batch(i, 4)).sum().backward();
    const Shard here = *shard_of(net->head->weight);
    const Tensor want = twin->head->weight.grad().narrow(0, here.begin, here.rows);
    EXPECT_TRUE(net->head->weight.grad().allclose(want, 1e-4, 1e-4));
  });
}

/// How many collectives have been called when the first block runs in forward, and when its
/// gradient comes, counted from the begin of each pass.
std::pair<uint64_t, uint64_t> calls_before_first_block(ProcessGroup& group,
                                                       const std::function<void(Net&)>& prepare,
                                                       Tensor* weight_grad) {
  Net net;
  fill(*net);
  shard_all(net, options_for(group));
  prepare(net);
  uint64_t begin = 0, forward = 0, backward = 0;
  net->first->register_forward_pre_hook([&](nn::Module&, std::vector<Tensor>&) {
    if (forward == 0) forward = group.getSequenceNumberForGroup() - begin;
  });
  net->first->register_forward_hook(
      [&](nn::Module&, const std::vector<Tensor>&, std::vector<Tensor>& outputs) {
        outputs[0].register_hook(
            [&](const Tensor&) { backward = group.getSequenceNumberForGroup() - begin; });
      });
  begin = group.getSequenceNumberForGroup();
  const Tensor y = net(batch(group.getRank(), 4)).sum();
  begin = group.getSequenceNumberForGroup();
  y.backward();
  *weight_grad = net->first->up->weight.grad().clone();
  return {forward, backward};
}

TEST(FullyShard, GathersAhead) {
  in_groups(2, [](ProcessGroup& group) {
    Tensor plain, ahead, late;
    const auto of_plain = calls_before_first_block(
        group, [](Net&) {}, &plain);
    const auto of_ahead = calls_before_first_block(
        group, [](Net& net) { set_modules_to_forward_prefetch(*net->first, {net->second.get()}); },
        &ahead);
    const auto of_late = calls_before_first_block(
        group,
        [](Net& net) {  // in place of the block before it
          set_modules_to_backward_prefetch(*net->second, {net->second.get()});
        },
        &late);
    EXPECT_EQ(of_ahead.first, of_plain.first + 1);  // the second block's
    EXPECT_EQ(of_late.first, of_plain.first);
    EXPECT_EQ(of_ahead.second, of_plain.second);
    EXPECT_EQ(of_late.second + 1, of_plain.second);  // the first block's
    EXPECT_TRUE(ahead.equal(plain));
    EXPECT_TRUE(late.equal(plain));
  });
}

// What was gathered ahead for nothing is not taken for the parameters of a later step.
TEST(FullyShard, GathersAgainWhatHasChanged) {
  in_groups(2, [](ProcessGroup& group) {
    Net net;
    fill(*net);
    shard_all(net, options_for(group));
    set_modules_to_forward_prefetch(*net->first, {net->second.get()});
    const NoGradGuard off;
    (void)net->first(batch(0, 4));
    for (Tensor& p : net->parameters()) p.add_(1);
    Net twin;
    fill(*twin);
    for (Tensor& p : twin->parameters()) p.add_(1);
    EXPECT_TRUE(net(batch(0, 4)).allclose(twin(batch(0, 4)), 1e-5, 1e-5));
  });
}

// As above, for parameters that got other memory.
TEST(FullyShard, GathersAgainAfterSetData) {
  in_groups(2, [](ProcessGroup& group) {
    Net net, twin;
    fill(*net);
    fill(*twin);
    shard_all(net, options_for(group));
    set_modules_to_forward_prefetch(*net->first, {net->second.get()});
    const NoGradGuard off;
    (void)net->first(batch(0, 4));  // gathers the second block, too
    for (Tensor& p : net->second->parameters()) p.set_data(p.detach() + 1);
    for (Tensor& p : twin->second->parameters()) p.add_(1);
    for (int pass = 0; pass < 2; ++pass)
      EXPECT_TRUE(net(batch(pass, 4)).allclose(twin(batch(pass, 4)), 1e-5, 1e-5)) << pass;
  });
}

TEST(FullyShard, KeepsTheWholeAfterForwardOnDemand) {
  in_groups(2, [](ProcessGroup& group) {
    Net net;
    fill(*net);
    shard_all(net, options_for(group));
    for (const bool reshards : {false, true}) {
      set_reshard_after_forward(*net, reshards);
      const Tensor y = net(batch(0, 4)).sum();
      EXPECT_EQ(net->first->up->weight.size(0) == 21, !reshards);
      const uint64_t before = group.getSequenceNumberForGroup();
      y.backward();
      EXPECT_EQ(group.getSequenceNumberForGroup() - before, reshards ? 6u : 3u);
      EXPECT_NE(net->first->up->weight.size(0), 21);
    }
    nn::Linear whole(2, 2);
    EXPECT_THROW(set_requires_gradient_sync(*whole, false), ValueError);
    EXPECT_THROW(set_reshard_after_forward(*whole, false), ValueError);
    EXPECT_THROW(set_modules_to_forward_prefetch(*net, {whole.get()}), ValueError);
    EXPECT_THROW(set_modules_to_backward_prefetch(*net, {nullptr}), ValueError);
  });
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
}  // namespace
}  // namespace torch::taper::testing
#endif
