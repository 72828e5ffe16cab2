// A small network, and steps of it in one process and on parts of a batch: what the tests of
// sharded optimizers, parameters and checkpoints train.
#pragma once

#include "distributed/ranks.h"

namespace torch::taper::testing {

inline intrusive_ptr<ProcessGroup> pointer_to(ProcessGroup& group) {
  return intrusive_ptr<ProcessGroup>(&group);
}
inline void fill(nn::Module& module, double start = 0.4) {
  const NoGradGuard off;
  for (Tensor& p : module.parameters())
    p.copy_(arange(p.numel(), kFloat).add(start += 0.3).cos().view(p.sizes()) * 0.3);
}
inline Tensor batch(int64_t step, int64_t n) {
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

inline Tensor loss_of(const Tensor& y, const Tensor& x) {
  return y.sub(x.narrow(1, 0, 3)).square().mean();
}
inline double mean_over_ranks(ProcessGroup& group, const Tensor& loss) {
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
inline void expect_same(const std::vector<double>& a, const std::vector<double>& b,
                        double tolerance = 1e-5) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "step " << i;
}
inline Tensor part_of(const Tensor& x, ProcessGroup& group) {
  const int64_t n = x.size(0) / group.getSize();
  return x.narrow(0, n * group.getRank(), n);
}

inline FullyShardOptions options_for(ProcessGroup& group) {
  return FullyShardOptions().process_group(pointer_to(group));
}
inline void shard_all(Net& net, const FullyShardOptions& options) {
  fully_shard(net->first, options);
  fully_shard(net->second, options);
  fully_shard(net, options);
}

}  // namespace torch::taper::testing
