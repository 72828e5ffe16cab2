#ifdef TAPER_WITH_GLOO
#include "distributed/ranks.h"

namespace taper::testing {
namespace {

using namespace std::chrono_literals;
namespace F = nn::functional;

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

}  // namespace
}  // namespace taper::testing
#endif
