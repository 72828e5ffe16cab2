#include <taper/optim/swa_utils.h>

#include <taper/data/example.h>
#include <taper/nn/nn.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/reduce/reduce_sum.h>
#include <taper/ops/tensor/factory.h>
#include <taper/optim/sgd.h>

#include "test_util.h"

namespace torch::taper {
namespace {

using namespace optim::swa_utils;
using testing::message_of;

void set_weight(const nn::Linear& l, double value) {
  NoGradGuard no_grad;
  l->weight.fill_(value);
}

TEST(AveragedModel, CountsAllEqually) {
  nn::Linear l(1, 1);
  AveragedModel averaged(l);
  for (double v : {1.0, 2.0, 6.0}) {
    set_weight(l, v);
    averaged.update_parameters(*l);
  }
  EXPECT_FLOAT_EQ(averaged.module()->weight.item<float>(), 3);
  EXPECT_FLOAT_EQ(l->weight.item<float>(), 6);
  EXPECT_EQ(averaged.n_averaged.item<int64_t>(), 3);
  EXPECT_EQ(averaged.state_dict().keys(),
            (std::vector<std::string>{"n_averaged", "module.weight", "module.bias"}));
  const Tensor x = ones({2, 1});
  EXPECT_TRUE(averaged(x).equal(averaged.module()->forward(x)));
  EXPECT_EQ(message_of([&] { averaged.update_parameters(*nn::Linear(2, 1)); }),
            "update_parameters: expected a model like the one that is averaged, got other "
            "parameters");
}

TEST(AveragedModel, WithAFunctionAndBuffers) {
  nn::BatchNorm1d norm(2);
  AveragedModel averaged(norm, nullopt, get_ema_avg_fn(0.75), /*use_buffers=*/true);
  norm->running_mean.fill_(4);
  averaged.update_parameters(*norm);
  norm->running_mean.fill_(8);
  averaged.update_parameters(*norm);
  EXPECT_FLOAT_EQ(averaged.module()->running_mean[0].item<float>(), 5);
  EXPECT_EQ(message_of([] { get_ema_avg_fn(1.5); }),
            "Invalid decay value 1.5 provided. Please provide a value in [0,1] range.");
}

// Expected values are PyTorch 1.13's.
TEST(SWALR, GoesToItsRateAndStays) {
  std::vector<Tensor> ps{zeros({1}).requires_grad_()};
  optim::SGD sgd(ps, 1.0);
  SWALR schedule(sgd, 0.2, 4);
  std::vector<double> rates;
  for (int i = 0; i < 6; ++i) {
    schedule.step();
    rates.push_back(sgd.param_groups()[0].options().get_lr());
  }
  const std::vector<double> expected{0.882842712474619, 0.6, 0.317157287525381, 0.2, 0.2, 0.2};
  for (size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(rates[i], expected[i], 1e-12);
  SWALR at_once(sgd, 0.5, 0, "linear");
  EXPECT_EQ(sgd.param_groups()[0].options().get_lr(), 0.5);
  EXPECT_EQ(message_of([&] { SWALR(sgd, 0.1, 4, "steps"); }),
            "anneal_strategy must by one of 'cos' or 'linear', instead got steps");
  EXPECT_NE(message_of([&] {
              SWALR(sgd, {0.1, 0.2});
            }).find("must have the same length"),
            std::string::npos);
}

TEST(UpdateBN, TakesThePlainMeanOverTheLoader) {
  nn::Sequential net(nn::BatchNorm1d(1));
  const auto& norm = net->at<nn::BatchNorm1dImpl>(0);
  norm.running_mean.fill_(99);
  net->eval();
  const std::vector<data::Example<>> batches{{tensor({1.f, 3.f}).view({2, 1}), Tensor()},
                                             {tensor({5.f, 7.f}).view({2, 1}), Tensor()}};
  update_bn(batches, net);
  EXPECT_FLOAT_EQ(norm.running_mean.item<float>(), 4);
  EXPECT_EQ(norm.num_batches_tracked.item<int64_t>(), 2);
  EXPECT_FALSE(net->is_training());
  EXPECT_EQ(norm.options.momentum(), 0.1);
  AveragedModel averaged(net);
  const std::vector<Tensor> tensors{tensor({0.f, 2.f}).view({2, 1})};
  update_bn(tensors, averaged);
  EXPECT_FLOAT_EQ(averaged.module()->at<nn::BatchNorm1dImpl>(0).running_mean.item<float>(), 1);
}

}  // namespace
}  // namespace torch::taper
