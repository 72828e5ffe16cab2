#ifdef TAPER_WITH_GLOO
#include <algorithm>
#include <cmath>

#include "distributed/sharding.h"

namespace torch::taper::testing {
namespace {

using namespace std::chrono_literals;
namespace F = nn::functional;
using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;
using nn::parallel::JoinOptions;
using optim::ZeroRedundancyOptimizer;

Tensor wave(IntArrayRef sizes, double step) {
  int64_t numel = 1;
  for (int64_t n : sizes) numel *= n;
  return arange(numel, kDouble).mul(step).sin().mul(2).add(0.7).view(sizes);
}
void fill(nn::Module& module) {
  const NoGradGuard off;
  double step = 0.9;
  for (Tensor& p : module.parameters()) p.copy_(wave(p.sizes(), step += 0.31));
}
intrusive_ptr<ProcessGroup> pointer_to(ProcessGroup& group) {
  return intrusive_ptr<ProcessGroup>(&group);
}

/// A norm of a whole batch, and what came of it.
template <class Norm>
struct Whole {
  Norm norm;
  Tensor x, y, coefficients;
};
/// The batch of all ranks, whose first dimension has the sum of `parts`.
template <class Norm>
Whole<Norm> whole_batch(const nn::BatchNormOptions& options, const std::vector<int64_t>& parts,
                        std::vector<int64_t> sizes, ScalarType dtype) {
  sizes[0] = 0;
  for (int64_t n : parts) sizes[0] += n;
  Whole<Norm> all{Norm(options), wave(sizes, 0.77).to(dtype).requires_grad_(), {}, {}};
  fill(*all.norm);
  all.coefficients = wave(sizes, 1.3).to(dtype);
  all.y = all.norm(all.x);
  all.y.mul(all.coefficients).sum().backward();
  return all;
}

void expect_close(const Tensor& a, const Tensor& b, double tolerance, const char* what) {
  ASSERT_EQ(a.sizes(), b.sizes()) << what;
  ASSERT_EQ(a.scalar_type(), b.scalar_type()) << what;
  EXPECT_TRUE(a.to(kDouble).allclose(b.to(kDouble), tolerance, tolerance)) << what << "\n"
                                                                           << a << "\n"
                                                                           << b;
}

/// Ranks with so many samples each give what one process gives of all.
template <class Norm>
void compare(const std::vector<int64_t>& parts, const std::vector<int64_t>& sizes,
             ScalarType dtype = kFloat, double tolerance = 1e-5,
             nn::BatchNormOptions options = nn::BatchNormOptions(3), bool on_devices = false) {
  const Whole<Norm> all = whole_batch<Norm>(options, parts, sizes, dtype);
  in_groups(static_cast<int>(parts.size()), [&](ProcessGroup& group) {
    const auto rank = static_cast<size_t>(group.getRank());
    const Device device = on_devices ? Device(kCUDA, static_cast<DeviceIndex>(rank % 2)) : kCPU;
    const double of_f32 = std::max(tolerance, 1e-6);
    Norm norm(options);
    fill(*norm);
    norm->to(device);
    nn::convert_sync_batchnorm(*norm, pointer_to(group));
    int64_t begin = 0;
    for (size_t r = 0; r < rank; ++r) begin += parts[r];
    Tensor x = all.x.detach().narrow(0, begin, parts[rank]).to(device).requires_grad_();
    const Tensor y = norm(x);
    y.mul(all.coefficients.narrow(0, begin, parts[rank]).to(device)).sum().backward();
    expect_close(y.cpu(), all.y.narrow(0, begin, parts[rank]), tolerance, "y");
    expect_close(x.grad().cpu(), all.x.grad().narrow(0, begin, parts[rank]), tolerance, "gx");
    if (options.affine()) {
      std::vector<Tensor> gw = {norm->weight.grad().clone()}, gb = {norm->bias.grad().clone()};
      group.allreduce(gw)->wait();  // the sum over the ranks
      group.allreduce(gb)->wait();
      expect_close(gw[0].cpu(), all.norm->weight.grad(), 10 * of_f32, "gw");
      expect_close(gb[0].cpu(), all.norm->bias.grad(), 10 * of_f32, "gb");
    }
    if (!options.track_running_stats()) return;
    expect_close(norm->running_mean.cpu(), all.norm->running_mean, of_f32, "running_mean");
    expect_close(norm->running_var.cpu(), all.norm->running_var, of_f32, "running_var");
    EXPECT_EQ(norm->num_batches_tracked.template item<int64_t>(), 1);
  });
}

TEST(SyncBatchNorm, IsTheNormOfTheWholeBatch) {
  compare<nn::BatchNorm1d>({4, 4}, {0, 3});
  compare<nn::BatchNorm1d>({2, 2, 2}, {0, 3, 5});
  compare<nn::BatchNorm2d>({2, 2, 2, 2}, {0, 3, 4, 5});
  compare<nn::BatchNorm3d>({1, 1}, {0, 3, 2, 3, 2}, kDouble, 1e-12);
}

TEST(SyncBatchNorm, OfUnevenAndEmptyBatches) {
  compare<nn::BatchNorm2d>({1, 5, 2}, {0, 3, 3, 3});
  compare<nn::BatchNorm1d>({1, 1}, {0, 3});  // one value per channel here, two in all
  compare<nn::BatchNorm2d>({0, 4}, {0, 3, 2, 2});
  compare<nn::BatchNorm1d>({3, 0, 0}, {0, 3});
}

TEST(SyncBatchNorm, With16BitNumbers) {
  compare<nn::BatchNorm2d>({2, 3}, {0, 3, 4, 4}, kHalf, 4e-3);
  compare<nn::BatchNorm2d>({2, 3}, {0, 3, 4, 4}, kBFloat16, 4e-2);
}

TEST(SyncBatchNorm, WithOtherOptions) {
  compare<nn::BatchNorm1d>({2, 4}, {0, 3}, kFloat, 1e-5,
                           nn::BatchNormOptions(3).momentum(nullopt).eps(1e-3));
  compare<nn::BatchNorm1d>({2, 4}, {0, 3}, kFloat, 1e-5, nn::BatchNormOptions(3).affine(false));
  compare<nn::BatchNorm1d>({2, 4}, {0, 3}, kFloat, 1e-5,
                           nn::BatchNormOptions(3).track_running_stats(false));
}

TEST(SyncBatchNorm, OnDevices) {
  compare<nn::BatchNorm2d>({2, 3}, {0, 3, 4, 4}, kFloat, 1e-5, nn::BatchNormOptions(3), true);
}

TEST(SyncBatchNorm, OfLargeMeansKeepsTheVariance) {
  const Tensor all = wave({8, 2}, 0.9).add(1e4).to(kFloat);
  nn::BatchNorm1d whole(2);
  const Tensor want = whole(all);
  in_groups(2, [&](ProcessGroup& group) {
    nn::SyncBatchNorm norm(nn::BatchNormOptions(2), pointer_to(group));
    const Tensor y = norm(all.narrow(0, 4 * group.getRank(), 4));
    expect_close(y, want.narrow(0, 4 * group.getRank(), 4), 2e-3, "y");
  });
}

TEST(SyncBatchNorm, EvaluationIsLocal) {
  in_groups(2, [](ProcessGroup& group) {
    nn::SyncBatchNorm norm(nn::BatchNormOptions(3).momentum(nullopt), pointer_to(group));
    norm(wave({2 + group.getRank(), 3}, 0.4).to(kFloat));
    norm(wave({4, 3}, 0.9 + group.getRank()).to(kFloat));
    EXPECT_EQ(norm->num_batches_tracked.item<int64_t>(), 2);
    norm->eval();
    nn::BatchNorm1d plain(3);
    {
      const NoGradGuard off;
      plain->running_mean.copy_(norm->running_mean);
      plain->running_var.copy_(norm->running_var);
    }
    plain->eval();
    if (group.getRank() == 1) return;  // the other computes alone
    const Tensor x = wave({5, 3}, 0.2).to(kFloat);
    EXPECT_TRUE(norm(x).equal(plain(x)));
    EXPECT_NE(taper::detail::concat(*norm).find("SyncBatchNorm(3, eps=1e-05, momentum=None"),
              std::string::npos);
  });
}

struct NetImpl : nn::Module {
  Tensor forward(const Tensor& x) { return second(norm(first(x)).relu()); }
  nn::Linear first = register_module("first", nn::Linear(6, 8));
  nn::BatchNorm1d norm = register_module("norm", nn::BatchNorm1d(8));
  nn::Linear second = register_module("second", nn::Linear(8, 2));
};
TAPER_MODULE(Net);

/// Losses of ten steps of the batch of 12.
std::vector<double> losses_of(int ranks) {
  std::vector<double> losses;
  in_groups(ranks, [&](ProcessGroup& group) {
    Net net;
    fill(*net);
    nn::convert_sync_batchnorm(net, pointer_to(group));
    nn::parallel::DistributedDataParallel parallel(
        net, nn::parallel::DistributedDataParallelOptions().process_group(pointer_to(group)));
    optim::SGD optimizer(net->parameters(), 0.05);
    const int64_t n = 12 / ranks;
    for (int step = 0; step < 10; ++step) {
      const Tensor x = wave({12, 6}, 0.3 + step).to(kFloat).narrow(0, n * group.getRank(), n);
      optimizer.zero_grad();
      const Tensor loss = parallel(x).sub(x.narrow(1, 0, 2)).square().mean();
      loss.backward();
      optimizer.step();
      std::vector<Tensor> mean = {loss.detach().clone()};
      AllreduceOptions average;
      average.reduceOp = ReduceOp::AVG;
      group.allreduce(mean, average)->wait();
      if (group.getRank() == 0) losses.push_back(mean[0].item<double>());
    }
  });
  return losses;
}

TEST(SyncBatchNorm, TrainsAsOneProcess) {
  const std::vector<double> alone = losses_of(1);
  for (int ranks : {2, 4}) {
    const std::vector<double> losses = losses_of(ranks);
    for (size_t i = 0; i < losses.size(); ++i) EXPECT_NEAR(losses[i], alone[i], 1e-4) << i;
  }
}

TEST(SyncBatchNorm, BadInputs) {
  in_groups(2, [](ProcessGroup& group) {
    nn::SyncBatchNorm norm(nn::BatchNormOptions(3), pointer_to(group));
    const Tensor before = norm->running_mean.clone();
    const std::string few = error_of([&] { norm(zeros({group.getRank(), 3})); });
    EXPECT_NE(few.find("Expected more than 1 value per channel"), std::string::npos) << few;
    const std::string none = error_of([&] { norm(zeros({0, 3})); });
    EXPECT_NE(none.find("Expected more than 1 value per channel"), std::string::npos) << none;
    const std::string dtypes = error_of([&] {
      norm(zeros({2, 3}, group.getRank() ? kFloat : kDouble));
    });
    EXPECT_NE(dtypes.find("expected inputs of one dtype"), std::string::npos) << dtypes;
    EXPECT_THROW(norm(zeros({4})), Error);
    EXPECT_THROW(norm(zeros({4, 2})), Error);  // channels
    EXPECT_TRUE(norm->running_mean.equal(before));
    const Tensor x = wave({2, 3}, 0.4).to(kFloat).requires_grad_();
    const Tensor loss = norm(x).square().sum();
    const std::string twice =
        error_of([&] { autograd::grad({loss}, {x}, {}, /*retain_graph=*/true, true); });
    EXPECT_NE(twice.find("no derivative"), std::string::npos) << twice;
  });
}

TEST(SyncBatchNorm, ARankThatLeavesEndsTheOthers) {
  for (const bool in_backward : {false, true})
    in_groups(
        3,
        [&](ProcessGroup& group) {
          nn::SyncBatchNorm norm(nn::BatchNormOptions(3), pointer_to(group));
          const Tensor x = wave({2, 3}, 0.4).to(kFloat).requires_grad_();
          if (group.getRank() == 1 && !in_backward) return;
          const std::string message = error_of([&] {
            const Tensor loss = norm(x).square().sum();
            if (group.getRank() == 1) throw Error("this one has enough");
            loss.backward();
          });
          EXPECT_NE(message, "");
          if (group.getRank() != 1)
            EXPECT_NE(message.find("allreduce"), message.find("allgather")) << message;
        },
        3s);
}

// ---------------------------------------------------------------------- join
struct NormedImpl : nn::Module {
  Tensor forward(const Tensor& x) { return last(norm(first(x)).relu()); }
  nn::Linear first = register_module("first", nn::Linear(8, 21));
  nn::BatchNorm1d norm = register_module("norm", nn::BatchNorm1d(21));
  nn::Linear last = register_module("last", nn::Linear(21, 3));
};
TAPER_MODULE(Normed);

Tensor joined_batch(int64_t step, size_t rank) {
  return batch(10 * step + static_cast<int64_t>(rank), 4);
}
std::vector<Tensor> values_of(nn::Module& net) {
  std::vector<Tensor> all;
  for (const Tensor& p : net.parameters()) all.push_back(p.detach().clone());
  for (const Tensor& b : net.buffers()) all.push_back(b.detach().clone());
  return all;
}

/// In one process: steps with the batches of the ranks that still have some, and one of all.
std::vector<Tensor> train_uneven_alone(const std::vector<int64_t>& batches, bool by_all) {
  Normed net;
  fill(*net);
  optim::SGD optimizer(net->parameters(), optim::SGDOptions(0.05).momentum(0.9));
  optim::StepLR schedule(optimizer, 2, 0.5);
  const auto step_with = [&](const std::vector<Tensor>& parts) {
    optimizer.zero_grad();
    const double share = by_all ? static_cast<double>(parts.size()) / batches.size() : 1;
    net(cat(parts)).square().mean().mul(share).backward();
    optimizer.step();
    schedule.step();
  };
  const int64_t most = *std::max_element(batches.begin(), batches.end());
  for (int64_t i = 0; i <= most; ++i) {
    std::vector<Tensor> parts;
    for (size_t r = 0; r < batches.size(); ++r)
      if (i == most || batches[r] > i) parts.push_back(joined_batch(i, r));
    step_with(parts);
  }
  return values_of(*net);
}

/// The rate of a step under StepLR(2, 0.5).
double rate_of(int64_t step) { return 0.05 * std::pow(0.5, step > 0 ? (step - 1) / 2 : 0); }

/// The same on ranks: each has its part of the optimizer's state, statistics are those of all.
void train_uneven(ProcessGroup& group, const std::vector<int64_t>& batches, JoinOptions how,
                  const DistributedDataParallelOptions& options, const std::vector<Tensor>& want) {
  const auto rank = static_cast<size_t>(group.getRank());
  Normed net;
  fill(*net);
  nn::convert_sync_batchnorm(net, pointer_to(group));
  auto own = options;
  DistributedDataParallel ddp(net, own.process_group(pointer_to(group)));
  const auto optimizer = ZeroRedundancyOptimizer::of<optim::SGD>(
      net->parameters(), optim::SGDOptions(0.05).momentum(0.9), pointer_to(group));
  optim::StepLR schedule(*optimizer, 2, 0.5);
  const auto step = [&](int64_t i) {
    optimizer->zero_grad();
    ddp(joined_batch(i, rank)).square().mean().backward();
    optimizer->step();
    schedule.step();
  };
  ddp.join(
      [&] {
        for (int64_t i = 0; i < batches[rank]; ++i) step(i);
      },
      how.optimizers({optimizer.get()}));
  const int64_t most = *std::max_element(batches.begin(), batches.end());
  optim::OptimizerOptions& settings = optimizer->param_groups()[0].options();
  if (batches[rank] < most) EXPECT_EQ(settings.get_lr(), rate_of(most - 1));  // the others' last
  settings.set_lr(rate_of(most));
  step(most);
  const std::vector<Tensor> got = values_of(*net);
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(got[i].allclose(want[i], 1e-4, 1e-5))
        << i << " of rank " << rank << ": " << (got[i] - want[i]).abs().max();
}

TEST(Join, StepsOfShardedOptimizersAndStatisticsOfAllRanks) {
  using Batches = std::vector<int64_t>;
  const auto of_any = DistributedDataParallelOptions();
  const auto compare = [](const Batches& batches, bool by_all,
                          const DistributedDataParallelOptions& options) {
    const std::vector<Tensor> want = train_uneven_alone(batches, by_all);
    const auto how = JoinOptions().divide_by_initial_world_size(by_all);
    in_groups(static_cast<int>(batches.size()),
              [&](ProcessGroup& group) { train_uneven(group, batches, how, options, want); });
  };
  for (const Batches& batches : {Batches{2, 5, 3}, Batches{0, 3}}) {
    compare(batches, true, of_any);
    for (const auto& options :
         {of_any, DistributedDataParallelOptions(of_any).bucket_cap_mb(1.0 / 4096),
          DistributedDataParallelOptions(of_any).find_unused_parameters(true),
          DistributedDataParallelOptions(of_any).static_graph(true),
          DistributedDataParallelOptions(of_any).gradient_as_bucket_view(true)})
      compare(batches, false, options);
  }
  compare({4, 4}, true, of_any);
}

TEST(Join, EndsAllWhereThatIsWanted) {
  in_groups(3, [](ProcessGroup& group) {
    Normed net;
    nn::convert_sync_batchnorm(net, pointer_to(group));
    DistributedDataParallel ddp(net,
                                DistributedDataParallelOptions().process_group(pointer_to(group)));
    const auto optimizer = ZeroRedundancyOptimizer::of<optim::Adam>(
        net->parameters(), optim::AdamOptions(0.01), pointer_to(group));
    int64_t steps = 0;
    const auto step = [&] {
      optimizer->zero_grad();
      ddp(joined_batch(steps, 0)).square().mean().backward();
      optimizer->step();
    };
    const std::string message = error_of([&] {
      ddp.join(
          [&] {
            for (; steps < 2 + group.getRank(); ++steps) step();
          },
          JoinOptions().throw_on_early_termination(true).optimizers({optimizer.get()}));
    });
    EXPECT_NE(message.find("1 of 3 have no more"), std::string::npos) << message;
    EXPECT_EQ(steps, 2);
    step();  // all go on
  });
}

TEST(Join, WantsToKnowWhatTakesPart) {
  in_groups(2, [](ProcessGroup& group) {
    Normed net;
    const auto options = DistributedDataParallelOptions().process_group(pointer_to(group));
    DistributedDataParallel ddp(net, options);
    const auto optimizer = ZeroRedundancyOptimizer::of<optim::Adam>(
        net->parameters(), optim::AdamOptions(0.01), pointer_to(group));
    const auto step = [&] {
      ddp(joined_batch(0, 0)).sum().backward();
      optimizer->step();
    };
    EXPECT_NE(error_of([&] { ddp.join(step); }).find("JoinOptions::optimizers"), std::string::npos);
    nn::convert_sync_batchnorm(net, group.splitGroup({0, 1}));
    const std::string message = error_of([&] { ddp.join([&] { ddp(joined_batch(0, 0)); }); });
    EXPECT_NE(message.find("sync_batch_norm: expected the process group of the join()"),
              std::string::npos)
        << message;
    nn::convert_sync_batchnorm(net, pointer_to(group));
    step();  // and nothing is left of them
  });
}

// Gathers of rows want all ranks; Python's fully_shard has no join, either.
TEST(Join, RefusesShardedModules) {
  in_groups(2, [](ProcessGroup& group) {
    Normed net;
    nn::Linear sharded(3, 3), other(3, 3);
    DistributedDataParallel ddp(net,
                                DistributedDataParallelOptions().process_group(pointer_to(group)));
    fully_shard(sharded, options_for(group));
    const std::string message = error_of([&] {
      ddp.join([&] { (void)sharded(ddp(joined_batch(0, 0))); },
               JoinOptions().throw_on_early_termination(true));
    });
    EXPECT_NE(message.find("fully_shard: expected no join() around a call of a sharded module"),
              std::string::npos)
        << message;
    sharded(zeros({2, 3})).sum().backward();  // outside it goes on
    const auto options = DistributedDataParallelOptions().process_group(pointer_to(group));
    EXPECT_NE(error_of([&] {
                DistributedDataParallel twice(sharded, options);
              }).find("but of weight each rank has a part"),
              std::string::npos);
    EXPECT_NE(error_of([&] {
                ZeroRedundancyOptimizer::of<optim::Adam>(
                    sharded->parameters(), optim::AdamOptions(0.01), pointer_to(group));
              }).find("fully_shard() has sharded"),
              std::string::npos);
    group.barrier()->wait();
  });
}

// Ranks that are not at the same place of the loop hear of it.
TEST(Join, RanksThatDoDifferentThings) {
  in_groups(
      3,
      [](ProcessGroup& group) {
        Normed net;
        DistributedDataParallel ddp(
            net, DistributedDataParallelOptions().process_group(pointer_to(group)));
        const auto optimizer = ZeroRedundancyOptimizer::of<optim::Adam>(
            net->parameters(), optim::AdamOptions(0.01), pointer_to(group));
        const std::string message = error_of([&] {
          ddp.join(
              [&] {
                if (group.getRank() == 0) return;
                ddp(joined_batch(0, 0)).sum().backward();
                if (group.getRank() == 1) optimizer->step();
                ddp(joined_batch(1, 0)).sum().backward();
              },
              JoinOptions().optimizers({optimizer.get()}));
        });
        EXPECT_NE(message.find("rank 2 is at a forward pass"), std::string::npos) << message;
        EXPECT_NE(message.find("where rank 1 is at an optimizer's step"), std::string::npos);
      },
      5s);
}

}  // namespace
}  // namespace torch::taper::testing
#endif
