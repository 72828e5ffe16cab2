// state_dict and load_state_dict: PyTorch's names, order and words.
#include <taper/framework/io/pt.h>
#include <taper/framework/io/serialize.h>
#include <taper/framework/random/random.h>
#include <taper/nn/modules.h>
#include <taper/ops/random/rand.h>
#include <taper/ops/tensor/factory.h>

#include "framework/io/python_files.h"
#include "nn/util.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using namespace nn;
using testing::bytes_of_file;
using testing::counting;
using testing::expect_error;
using testing::message_of;
using testing::python_file;
using testing::values_of;

/// The network of make_python_files.py.
struct NetImpl : Module {
  NetImpl() {
    body = register_module("body", Sequential(Linear(2, 3), BatchNorm1d(3)));
    head = register_module("head", Linear(LinearOptions(3, 1).bias(false)));
  }
  Tensor forward(const Tensor& x) { return head(body->forward(x)); }
  Sequential body{nullptr};
  Linear head{nullptr};
};
TAPER_MODULE(Net);

TEST(StateDict, HasPythonsNamesInPythonsOrder) {
  Net net;
  const StateDict dict = net->state_dict();
  EXPECT_EQ(dict.keys(), load_state_dict(python_file("state_dict.pt")).keys());
  EXPECT_EQ(net->state_dict("model.")[7].key(), "model.head.weight");
  EXPECT_EQ(dict["head.weight"].data_ptr(), net->head->weight.data_ptr());
  EXPECT_FALSE(dict["head.weight"].requires_grad());
}

TEST(StateDict, OfAPythonFileGivesPythonsNetwork) {
  manual_seed(0);
  Net net;
  net->train();
  net->forward(randn({4, 2}));  // as the script did
  const StateDict made = net->state_dict();
  const StateDict read = load_state_dict(python_file("state_dict.pt"));
  for (const auto& item : read)
    EXPECT_TRUE(made[item.key()].allclose(item.value(), 1e-5, 1e-6)) << item.key();
  Net other;
  const Tensor weight = other->head->weight;
  const IncompatibleKeys keys = other->load_state_dict(read);
  EXPECT_TRUE(keys.missing_keys.empty());
  EXPECT_TRUE(keys.unexpected_keys.empty());
  EXPECT_TRUE(weight.equal(read["head.weight"]));
  EXPECT_TRUE(weight.requires_grad());
}

TEST(StateDict, AllThatIsWrongIsToldAtOnceAndNothingChanges) {
  Net net;
  StateDict dict = net->state_dict();
  for (auto& item : dict) item.value() = item->clone().add_(1);
  dict.erase("body.0.bias");
  dict.erase("head.weight");
  dict.insert("body.0.weight.extra", ones({1}));  // PyTorch looks at the next part of a name only
  dict.insert("head.bias", ones({1}));
  dict.insert("tail", ones({1}));
  dict["body.0.weight"] = ones({2, 2});
  dict["body.1.num_batches_tracked"] = ones({3}, kLong);
  const std::vector<double> before = values_of(net->body->named_buffers()["1.running_mean"]);
  EXPECT_EQ(message_of([&] { net->load_state_dict(dict); }),
            "Error(s) in loading state_dict for Net:\n"
            "\tMissing key(s) in state_dict: \"body.0.bias\", \"head.weight\". \n"
            "\tUnexpected key(s) in state_dict: \"tail\", \"head.bias\". \n"
            "\tsize mismatch for body.0.weight: copying a param with shape torch.Size([2, 2]) from "
            "checkpoint, the shape in current model is torch.Size([3, 2]).\n"
            "\tsize mismatch for body.1.num_batches_tracked: copying a param with shape "
            "torch.Size([3]) from checkpoint, the shape in current model is torch.Size([]).");
  EXPECT_EQ(values_of(net->body->named_buffers()["1.running_mean"]), before);
  expect_error("size mismatch for body.0.weight", [&] { net->load_state_dict(dict, false); });
  EXPECT_EQ(values_of(net->body->named_buffers()["1.running_mean"]), before);
}

TEST(StateDict, NotStrictTakesWhatFits) {
  Net net;
  const StateDict dict{{"head.weight", full({1, 3}, 4, kDouble)},
                       {"body.1.num_batches_tracked", full({1}, 5, kLong)},
                       {"other", ones({1})}};
  const IncompatibleKeys keys = net->load_state_dict(dict, /*strict=*/false);
  EXPECT_EQ(keys.missing_keys.size(), 6u);
  EXPECT_EQ(keys.unexpected_keys, std::vector<std::string>{"other"});
  EXPECT_EQ(values_of(net->head->weight), (std::vector<double>{4, 4, 4}));
  EXPECT_EQ(net->head->weight.scalar_type(), kFloat);
  EXPECT_EQ(net->state_dict()["body.1.num_batches_tracked"].item<int64_t>(), 5);
}

TEST(StateDict, GoesThroughEveryKindOfFile) {
  const testing::TemporaryFolder folder;
  Net from;
  save_state_dict(folder.path("a.pt"), from->state_dict());
  save_safetensors(folder.path("a.safetensors"), from->state_dict());
  save(from, folder.path("b.pt"));
  for (const char* name : {"a.pt", "a.safetensors", "b.pt"}) {
    Net to;
    to->load_state_dict(load_state_dict(folder.path(name)));
    for (const auto& item : from->state_dict())
      EXPECT_TRUE(to->state_dict()[item.key()].equal(item.value())) << name << " " << item.key();
  }
}

}  // namespace
}  // namespace torch::taper
