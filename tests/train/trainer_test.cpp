#include <taper/train/trainer.h>

#include <gtest/gtest.h>
#include <taper/taper.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "test_util.h"

namespace torch::taper {
namespace {

using train::EpochResult;
using train::Trainer;
using train::TrainerOptions;

// Points in two classes, apart but for a few.
struct Points : data::Dataset<Points> {
  explicit Points(int64_t n) : n(n) {}
  data::Example<> get(size_t i) override {
    const auto k = static_cast<int64_t>(i);
    return {tensor({double(k % 7) - 3, double(k % 5) - 2}, kFloat),
            tensor((k % 7 + k % 5) > 5 ? 1 : 0)};
  }
  optional<size_t> size() const override { return static_cast<size_t>(n); }
  int64_t n;
};

auto loader(int64_t n) {
  return data::make_data_loader(Points(n).map(data::transforms::Stack<>()),
                                data::samplers::RandomSampler(n), data::DataLoaderOptions(8));
}

// A run with dropout, a schedule, momentum and a checkpoint: all that must be restored.
struct Experiment {
  explicit Experiment(TrainerOptions options, double lr = 0.1)
      : sgd((manual_seed(5), net->parameters()), optim::SGDOptions(lr).momentum(0.9)),
        schedule(sgd, 2, 0.5),
        trainer(
            net, sgd,
            [](const Tensor& y, const Tensor& t) { return nn::functional::cross_entropy(y, t); },
            std::move(options)) {
    trainer.add_metric(train::accuracy());
    trainer.add_schedule(schedule);
  }
  const std::vector<EpochResult>& fit() { return trainer.fit(*batches, *validation); }
  std::vector<Tensor> weights() const { return net->parameters(); }
  double rate() const {
    return static_cast<optim::SGDOptions&>(const_cast<optim::SGD&>(sgd).param_groups()[0].options())
        .lr();
  }

  nn::Sequential net{(manual_seed(4), nn::Linear(2, 16)), nn::ReLU(), nn::Dropout(0.5),
                     nn::Linear(16, 2)};
  optim::SGD sgd;
  optim::StepLR schedule;
  Trainer trainer;
  decltype(loader(1)) batches = loader(80), validation = loader(30);
};

void expect_same(const Experiment& a, const Experiment& b) {
  for (size_t i = 0; i < a.weights().size(); ++i)
    EXPECT_TRUE(equal(a.weights()[i], b.weights()[i])) << i;
  EXPECT_EQ(a.rate(), b.rate());
}

struct TrainerTest : ::testing::Test {
  void SetUp() override { std::filesystem::remove(file); }
  void TearDown() override { std::filesystem::remove(file); }
  TrainerOptions saving(int64_t epochs) const {
    return TrainerOptions().epochs(epochs).checkpoint(file);
  }
  const std::string file =
      ::testing::TempDir() + "trainer_test." + std::to_string(::getpid()) + ".pt";
};

TEST_F(TrainerTest, Learns) {
  Experiment run(TrainerOptions().epochs(8), 0.02);
  const auto results = run.fit();
  ASSERT_EQ(results.size(), 8u);
  EXPECT_EQ(results[7].epoch, 8);
  EXPECT_LT(results[7].loss, results[0].loss);
  EXPECT_GT(results[7].metrics.at(0), 0.85);
  EXPECT_LT(results[7].validation_loss, results[0].validation_loss);
  EXPECT_TRUE(run.net->is_training());
}

TEST_F(TrainerTest, TheLossIsTheMeanOfSamples) {
  nn::Linear net(1, 1);
  optim::SGD sgd(net->parameters(), 0.0);
  Trainer trainer(net, sgd,
                  [](const Tensor& y, const Tensor& t) { return (y * 0 + t.to(kFloat)).mean(); });
  using Batch = data::Example<>;
  std::vector<Batch> batches = {{zeros({3, 1}), full({3, 1}, 2)}, {zeros({1, 1}), full({1, 1}, 6)}};
  EXPECT_DOUBLE_EQ(trainer.fit(batches).at(0).loss, 3);
  EXPECT_DOUBLE_EQ(trainer.evaluate(batches).validation_loss, 3);
  EXPECT_TRUE(std::isnan(trainer.fit(batches).at(0).validation_loss));
}

TEST_F(TrainerTest, TheMetricIsWhatItSays) {
  auto metric = train::accuracy();
  metric.update(tensor({{0., 1.}, {1., 0.}, {0., 1.}}, kFloat), tensor({1, 1, 1}));
  metric.update(tensor({{1., 0.}}, kFloat), tensor({0}));
  EXPECT_DOUBLE_EQ(metric.compute(), 0.75);
  metric.update(tensor({{1., 0.}}, kFloat), tensor({1}));
  EXPECT_DOUBLE_EQ(metric.compute(), 0);
}

// Stopped after any number of batches and resumed in a new process' objects: the same bits.
TEST_F(TrainerTest, ResumesToTheBitAfterAnyBatch) {
  Experiment whole(TrainerOptions().epochs(4));
  const auto want = whole.fit();
  for (const int stop_after : {1, 7, 10, 11, 25}) {
    std::filesystem::remove(file);
    {
      Experiment first(saving(4));
      int batches = 0;
      first.trainer.after_batch([&] {
        if (++batches == stop_after) first.trainer.stop();
      });
      first.fit();
      EXPECT_TRUE(first.trainer.stopped());
    }
    Experiment second(saving(4));
    randn({100});  // the generator is somewhere else
    ASSERT_TRUE(second.trainer.resume());
    const auto got = second.fit();
    expect_same(whole, second);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].loss, want[i].loss) << stop_after << ' ' << i;
      EXPECT_EQ(got[i].validation_loss, want[i].validation_loss);
      EXPECT_EQ(got[i].metrics, want[i].metrics);
    }
  }
}

TEST_F(TrainerTest, MoreEpochsAreAsIfAskedForAtOnce) {
  Experiment whole(TrainerOptions().epochs(5));
  whole.fit();
  Experiment first(saving(3));
  first.fit();
  Experiment second(saving(5));
  ASSERT_TRUE(second.trainer.resume());
  EXPECT_EQ(second.trainer.epochs_done(), 3);
  EXPECT_EQ(second.fit().size(), 5u);
  expect_same(whole, second);
}

TEST_F(TrainerTest, ACheckpointInsideAnEpochIsOneOfTheBatchThatIsSaid) {
  Experiment killed(saving(1).checkpoint_every(3));
  int batches = 0;
  killed.trainer.after_batch([&] {
    if (++batches == 8) throw std::runtime_error("killed");
  });
  EXPECT_THROW(killed.fit(), std::runtime_error);
  Experiment second(saving(1));
  ASSERT_TRUE(second.trainer.resume());
  EXPECT_EQ(second.trainer.batches_done(), 6);
}

// Two devices, each with a half of a batch.
struct SplitExperiment {
  SplitExperiment(TrainerOptions options, double dropout)
      : net{(manual_seed(4), nn::Linear(2, 16)), nn::Tanh(), nn::Dropout(dropout),
            nn::Linear(16, 2)},
        sgd((net->to(Device(kCUDA, 0)), manual_seed(5), net->parameters()),
            optim::SGDOptions(0.05).momentum(0.9)),
        split(net, nn::DataParallelOptions().device_ids({0, 1})),
        trainer(
            net, sgd, [](const Tensor& y, const Tensor& t) { return cross_entropy_loss(y, t); },
            options.device(Device(kCUDA, 0))) {
    trainer.add_metric(train::accuracy());
  }
  void use_both() {
    trainer.set_forward([this](const Tensor& x) { return split->forward(x); });
  }
  std::vector<EpochResult> fit() { return trainer.fit(*batches, *validation); }

  nn::Sequential net;
  optim::SGD sgd;
  nn::DataParallel<nn::SequentialImpl> split;
  Trainer trainer;
  decltype(loader(1)) batches = loader(80), validation = loader(30);
};

void skip_without_two_devices() {
  if (cuda::device_count() < 2) GTEST_SKIP() << "not run: it takes two devices";
}

TEST_F(TrainerTest, TwoDevicesTrainAsOne) {
  skip_without_two_devices();
  if (IsSkipped()) return;
  SplitExperiment one(TrainerOptions().epochs(3), 0), two(TrainerOptions().epochs(3), 0);
  two.use_both();
  std::vector<DeviceIndex> devices;
  std::mutex mutex;
  for (auto* run : {&one, &two}) {
    manual_seed(6);
    const auto hook = two.net->ptr(0)->register_forward_hook(
        [&](nn::Module&, const std::vector<Tensor>& x, std::vector<Tensor>&) {
          const std::lock_guard<std::mutex> lock(mutex);
          EXPECT_LE(x[0].size(0), 4);
          devices.push_back(x[0].device().index());
        });
    run->fit();
    two.net->ptr(0)->remove_hook(hook);
  }
  EXPECT_EQ(std::count(devices.begin(), devices.end(), 0), 3 * (10 + 4));
  EXPECT_EQ(std::count(devices.begin(), devices.end(), 1), 3 * (10 + 4));
  for (size_t i = 0; i < one.net->parameters().size(); ++i)
    EXPECT_TRUE(allclose(one.net->parameters()[i], two.net->parameters()[i], 1e-4, 1e-5)) << i;
  const auto a = one.trainer.fit(*one.batches), b = two.trainer.fit(*two.batches);
  ASSERT_EQ(a.size(), 3u);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i].loss, b[i].loss, 1e-5);
    EXPECT_NEAR(a[i].validation_loss, b[i].validation_loss, 1e-5);
    EXPECT_EQ(a[i].metrics, b[i].metrics);
  }
}

// With dropout, each device has random numbers of its own: a checkpoint has both generators.
TEST_F(TrainerTest, TwoDevicesResumeToTheBit) {
  skip_without_two_devices();
  if (IsSkipped()) return;
  SplitExperiment whole(TrainerOptions().epochs(2), 0.5);
  whole.use_both();
  const auto want = whole.fit();
  {
    SplitExperiment first(saving(2), 0.5);
    first.use_both();
    int batches = 0;
    first.trainer.after_batch([&] {
      if (++batches == 7) first.trainer.stop();
    });
    first.fit();
  }
  SplitExperiment second(saving(2), 0.5);
  second.use_both();
  randn({10}, Device(kCUDA, 1));  // the generator is somewhere else
  ASSERT_TRUE(second.trainer.resume());
  const auto got = second.fit();
  ASSERT_EQ(got.size(), 2u);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].loss, want[i].loss);
  for (size_t i = 0; i < whole.net->parameters().size(); ++i)
    EXPECT_TRUE(equal(whole.net->parameters()[i], second.net->parameters()[i])) << i;
}

TEST_F(TrainerTest, EndsWhenTheLossNoLongerFalls) {
  nn::Linear net(1, 1);
  optim::SGD sgd(net->parameters(), 0.0);
  std::vector<data::Example<>> batches = {{zeros({2, 1}), zeros({2, 1})}};
  std::vector<double> losses = {3, 2, 2.5, 2, 1};  // the second of them is the best for two epochs
  size_t epoch = 0;
  Trainer trainer(
      net, sgd, [&](const Tensor& y, const Tensor&) { return (y * 0 + losses.at(epoch++)).mean(); },
      TrainerOptions().epochs(5).patience(2));
  EXPECT_EQ(trainer.fit(batches).size(), 4u);
}

TEST_F(TrainerTest, PlateausSeeTheLoss) {
  nn::Linear net(1, 1);
  optim::SGD sgd(net->parameters(), 1.0);
  optim::ReduceLROnPlateauScheduler schedule(sgd, optim::ReduceLROnPlateauScheduler::min, 0.5, 0);
  std::vector<data::Example<>> batches = {{zeros({2, 1}), zeros({2, 1})}};
  Trainer trainer(
      net, sgd, [](const Tensor& y, const Tensor&) { return (y * 0 + 1).mean(); },
      TrainerOptions().epochs(3));
  trainer.add_schedule(schedule);
  trainer.fit(batches);
  EXPECT_EQ(static_cast<optim::SGDOptions&>(sgd.param_groups()[0].options()).lr(), 0.25);
}

TEST_F(TrainerTest, WhatUsersAdd) {
  Experiment run(saving(1));
  int steps = 0, epochs = 0;
  run.trainer.before_step([&] {
    EXPECT_TRUE(run.weights()[0].grad().defined());
    ++steps;
  });
  run.trainer.after_epoch([&](const EpochResult& r) { epochs += static_cast<int>(r.epoch); });
  run.trainer.on_save([](serialize::OutputArchive& a) { a.write("mine", IValue(int64_t{7})); });
  run.fit();
  EXPECT_EQ(steps, 10);
  EXPECT_EQ(epochs, 1);
  serialize::InputArchive archive;
  archive.load_from(file);
  IValue mine;
  archive.read("mine", mine);
  EXPECT_EQ(mine.toInt(), 7);
}

TEST_F(TrainerTest, Errors) {
  EXPECT_THROW(Experiment(TrainerOptions().epochs(-1)), ValueError);
  EXPECT_THROW(Experiment(TrainerOptions().patience(-1)), ValueError);
  Experiment none(saving(1));
  EXPECT_FALSE(none.trainer.resume());
  none.fit();
  Experiment more(saving(1));
  more.trainer.add_metric(train::accuracy());
  EXPECT_THROW(more.trainer.resume(), Error);
  nn::Linear other(3, 2);
  optim::SGD sgd(other->parameters(), 0.1);
  Trainer trainer(
      other, sgd, [](const Tensor& y, const Tensor&) { return y.mean(); }, saving(1));
  trainer.add_metric(train::accuracy());
  EXPECT_THROW(trainer.resume(), Error);
}

// Augmentation without workers draws from the generator that dropout draws from.
struct NoisyPoints : data::Dataset<NoisyPoints> {
  data::Example<> get(size_t i) override {
    auto point = Points(64).get(i);
    return {point.data + randn({2}), point.target};
  }
  optional<size_t> size() const override { return 64; }
};

std::vector<Tensor> train_on_noise(TrainerOptions options, int stop_after, bool resumes) {
  manual_seed(4);
  nn::Sequential net(nn::Linear(2, 16), nn::ReLU(), nn::Dropout(0.5), nn::Linear(16, 2));
  net->to(options.device());
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
  const auto batches =
      data::make_data_loader(NoisyPoints().map(data::transforms::Stack<>()),
                             data::samplers::RandomSampler(64), data::DataLoaderOptions(8));
  Trainer trainer(
      net, sgd,
      [](const Tensor& y, const Tensor& t) { return nn::functional::cross_entropy(y, t); },
      std::move(options));
  int done = 0;
  trainer.after_batch([&] {
    if (++done == stop_after) trainer.stop();
  });
  if (resumes) {
    randn({100});
    EXPECT_TRUE(trainer.resume());
  }
  trainer.fit(*batches);
  return net->parameters();
}

TEST_F(TrainerTest, ADataSetThatDrawsNumbersResumesToTheBit) {
  std::vector<Device> devices = {Device(kCPU)};
  if (cuda::is_available()) devices.push_back(Device(kCUDA, 0));
  for (const Device device : devices) {
    const auto want = train_on_noise(TrainerOptions().epochs(2).device(device), 0, false);
    for (const int stop_after : {1, 2, 5, 8, 15}) {
      std::filesystem::remove(file);
      train_on_noise(saving(2).device(device), stop_after, false);
      const auto got = train_on_noise(saving(2).device(device), 0, true);
      for (size_t i = 0; i < want.size(); ++i)
        EXPECT_TRUE(got[i].equal(want[i])) << stop_after << ' ' << device;
    }
  }
}

}  // namespace
}  // namespace torch::taper
