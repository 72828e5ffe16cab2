#include "nn/util.h"

#include <sstream>

#include <taper/framework/io/serialize.h>
#include <taper/framework/io/tensor_files.h>
#include <taper/nn/modules.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

#include "harness/devices.h"
#include "script_archive.h"

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

std::stringstream file_of(const std::shared_ptr<Module>& module) {
  std::stringstream file;
  save(module, file);
  return file;
}

// As in LibTorch.
TEST(ModuleIo, GoesToTheDeviceThatLoadIsGiven) {
  const Device device = testing::last_device();
  auto from = std::make_shared<Net>(), to = std::make_shared<Net>();
  to->head->weight.sum().backward();
  std::stringstream file = file_of(from);
  load(to, file, device);
  for (const Tensor& t : to->parameters()) EXPECT_EQ(t.device(), device);
  for (const Tensor& t : to->buffers()) EXPECT_EQ(t.device(), device);
  EXPECT_EQ(to->head->weight.grad().device(), device);
  EXPECT_TRUE(to->head->weight.is_leaf() && to->head->weight.requires_grad());
  EXPECT_TRUE(to->head->weight.cpu().equal(from->head->weight));
  std::stringstream of_device = file_of(to);
  load(from, of_device);  // stays where it is
  EXPECT_TRUE(from->head->weight.is_cpu());
  std::stringstream damaged = file_of(std::make_shared<LinearImpl>(2, 3));
  EXPECT_NE(message_of([&] { load(from, damaged, device); }), "no error");
  for (const Tensor& t : from->parameters()) EXPECT_TRUE(t.is_cpu());
}

TEST(ModuleIo, ATensorComesBackToItsDevice) {
  const Device device = testing::last_device();
  const Tensor x = arange(3, kFloat).to(device).requires_grad_();
  std::stringstream file;
  save(std::vector<Tensor>{x, ones({2})}, file);
  std::vector<Tensor> got;
  load(got, file);
  EXPECT_EQ(got.at(0).device(), device);
  EXPECT_TRUE(got[0].is_leaf() && got[0].requires_grad() && got[1].is_cpu());
  EXPECT_TRUE(got[0].cpu().equal(x.cpu()));
  got.clear();
  file.seekg(0);
  load(got, file, Device(kCPU));
  EXPECT_TRUE(got.at(0).is_cpu() && got[0].equal(x.cpu()));
}

// As LibTorch writes it: what it calls Functional has no archive.
std::string libtorch_file(const Tensor& weight) {
  std::vector<Tensor> storages;
  testing::ScriptModule net(storages), body(storages), linear(storages), norm(storages),
      head(storages);
  linear.write("weight", weight).write("bias", full({3}, 0.5));
  norm.write("weight", full({3}, 2.0)).write("bias", full({3}, 3.0));
  norm.write("running_mean", full({3}, 4.0)).write("running_var", full({3}, 5.0));
  norm.write("num_batches_tracked", full({}, 6, kLong));
  body.write("0", linear).write("1", norm);
  head.write("weight", full({1, 3}, 7.0));
  net.write("body", body).write("head", head);
  return testing::script_archive(net, storages);
}

TEST(ModuleIo, ReadsFilesOfLibTorch) {
  auto net = std::make_shared<Net>();
  const Tensor handle = net->head->weight;
  const std::string bytes = libtorch_file(full({3, 2}, 1.0));
  load(net, bytes.data(), bytes.size());
  EXPECT_TRUE(handle.is_same(net->head->weight));
  EXPECT_TRUE(handle.requires_grad() && handle.equal(full({1, 3}, 7.0)));
  const auto dict = net->state_dict();
  EXPECT_TRUE(dict["body.0.weight"].equal(full({3, 2}, 1.0)));
  EXPECT_TRUE(dict["body.1.running_var"].equal(full({3}, 5.0)));
  EXPECT_EQ(dict["body.1.num_batches_tracked"].item<int64_t>(), 6);
}

TEST(ModuleIo, AnotherModelsFileOfLibTorchChangesNothing) {
  auto net = std::make_shared<Net>();
  const Tensor before = net->head->weight.clone();
  const std::string bytes = libtorch_file(full({2, 3}, 1.0));
  EXPECT_EQ(message_of([&] { load(net, bytes.data(), bytes.size()); }),
            "load: 'body.0.weight': expected a tensor of sizes [3, 2], got [2, 3]");
  EXPECT_TRUE(net->head->weight.equal(before));
}

}  // namespace
}  // namespace torch::taper
