#include "nn/util.h"

#include <sstream>

#include <taper/framework/io/serialize.h>
#include <taper/nn/modules.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper {
namespace {

using namespace nn;
using test::message_of;

struct Net : Module {
  Net() {
    body = register_module(
        "body", Sequential(Linear(2, 3), BatchNorm1d(3), Functional([](Tensor x) { return x; })));
    head = register_module("head", Linear(LinearOptions(3, 1).bias(false)));
  }
  Sequential body{nullptr};
  Linear head{nullptr};
};

TEST(ModuleIo, RoundTripKeepsParametersAndBuffers) {
  auto from = std::make_shared<Net>(), to = std::make_shared<Net>();
  from->body->at<BatchNorm1dImpl>(1).running_mean.fill_(0.5);
  std::stringstream file;
  save(from, file);
  const Tensor handle = to->head->weight;
  load(to, file);
  EXPECT_TRUE(handle.is_same(to->head->weight));
  EXPECT_TRUE(handle.is_leaf() && handle.requires_grad());
  const auto expected = from->named_parameters(), got = to->named_parameters();
  ASSERT_EQ(got.keys(), expected.keys());
  for (const auto& item : expected) EXPECT_TRUE(got[item.key()].equal(*item)) << item.key();
  EXPECT_TRUE(to->named_buffers()["body.1.running_mean"].equal(
      from->named_buffers()["body.1.running_mean"]));
}

TEST(ModuleIo, HoldersAndNestedNames) {
  Linear a(2, 2), b(2, 2);
  std::stringstream file;
  save(a, file);
  load(b, file);
  EXPECT_TRUE(a->weight.equal(b->weight) && a->bias.equal(b->bias));
  serialize::OutputArchive out;
  std::make_shared<Net>()->save(out);
  std::stringstream net_file;
  out.save_to(net_file);
  serialize::InputArchive in, body, first;
  in.load_from(net_file);
  in.read("body", body);
  body.read("0", first);
  Tensor weight;
  first.read("weight", weight);
  EXPECT_EQ(weight.sizes(), IntArrayRef({3, 2}));
}

TEST(ModuleIo, AnotherModelsFileLeavesTheModuleAsItWas) {
  Linear small(2, 2), large(3, 2);
  std::stringstream file;
  save(small, file);
  const Tensor before = large->weight.clone();
  EXPECT_NE(message_of([&] { load(large, file); }), "no error");
  EXPECT_TRUE(large->weight.equal(before));
  EXPECT_EQ(
      message_of([] { save(std::shared_ptr<Module>(), *std::make_unique<std::stringstream>()); }),
      "Cannot serialize empty module");
}

TEST(ModuleIo, CountsThatBecameFloatsAreCountsAgain) {
  BatchNorm1d from(2), to(2);
  from(ones({3, 2}));
  from->to(kDouble);
  ASSERT_EQ(from->num_batches_tracked.scalar_type(), kDouble);
  std::stringstream file;
  save(from, file);
  load(to, file);
  EXPECT_EQ(to->num_batches_tracked.scalar_type(), kLong);
  EXPECT_EQ(to->num_batches_tracked.item<int64_t>(), 1);
}

}  // namespace
}  // namespace torch::taper
