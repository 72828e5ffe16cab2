// What ranks agree on before DistributedDataParallel calls a module.
#ifdef TAPER_WITH_GLOO
#include "distributed/ranks.h"

namespace torch::taper::testing {
namespace {

using nn::parallel::DistributedDataParallel;
using nn::parallel::DistributedDataParallelOptions;

DistributedDataParallelOptions options_of(ProcessGroup& group) {
  return DistributedDataParallelOptions().process_group(intrusive_ptr<ProcessGroup>(&group));
}

struct BatchNormsImpl : nn::Module {
  Tensor forward(const Tensor& x) { return norms->forward(first(x)); }
  nn::Linear first = register_module("first", nn::Linear(8, 6));
  nn::Sequential norms = register_module(
      "norms", nn::Sequential(nn::BatchNorm1d(6), nn::BatchNorm1d(6), nn::BatchNorm1d(6)));
};
TAPER_MODULE(BatchNorms);

// Of three layers with nine buffers, the floats are one broadcast and the counts another.
TEST(DistributedDataParallel, BroadcastsBuffersTogether) {
  in_groups(2, [](ProcessGroup& group) {
    BatchNorms net;
    std::vector<Tensor> buffers = net->buffers();
    const Tensor transposed = ones({500, 700}).t(), wide = ones({7, 5}).t();
    buffers.push_back(net->register_buffer("transposed", transposed));  // 1.3 MiB
    buffers.push_back(net->register_buffer("wide", wide));
    buffers.push_back(net->register_buffer("empty", zeros({0})));
    ASSERT_EQ(buffers.size(), 12u);
    DistributedDataParallel ddp(net, options_of(group));
    for (size_t i = 0; i < buffers.size(); ++i) {
      const NoGradGuard off;
      const Tensor numbers =
          arange(buffers[i].numel()).add(static_cast<int64_t>(i) + group.getRank());
      buffers[i].copy_(numbers.view(buffers[i].sizes()));
    }
    const uint64_t before = group.getSequenceNumberForGroup();
    net->eval();
    ddp(ones({4, 8}));
    EXPECT_EQ(group.getSequenceNumberForGroup(), before) << "in evaluation nothing is sent";
    net->train();
    net->norms->eval();  // which keep their buffers then
    const int64_t version = buffers[0]._version();
    ddp(ones({4, 8}));
    EXPECT_EQ(group.getSequenceNumberForGroup() - before, 3u);
    EXPECT_EQ(buffers[0]._version(), version);
    for (size_t i = 0; i < buffers.size(); ++i) {
      const Tensor numbers = arange(buffers[i].numel()).add(static_cast<int64_t>(i));
      EXPECT_TRUE(buffers[i].eq(numbers.view(buffers[i].sizes())).all().item<bool>()) << i;
    }
  });
}

// Else the first backward pass would wait for a gradient that one rank does not have.
TEST(DistributedDataParallel, ParametersThatOneRankHasFrozen) {
  in_groups(2, [](ProcessGroup& group) {
    BatchNorms net;
    if (group.getRank() == 1) net->first->bias.requires_grad_(false);
    const std::string message =
        error_of([&] { DistributedDataParallel ddp(net, options_of(group)); });
    EXPECT_NE(message.find("rank 1 has parameter first.bias Float[6] where rank 0 has parameter "
                           "first.bias Float[6] that requires a gradient"),
              std::string::npos)
        << message;
  });
}

}  // namespace
}  // namespace torch::taper::testing
#endif
