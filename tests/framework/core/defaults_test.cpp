// What factories take that are given nothing.
#include <gtest/gtest.h>

#include <thread>

#include <taper/taper.h>

#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using testing::device_at;
using testing::message_of;

TEST(DevicesD9, FactoriesFollowTheDefaultDevice) {
  const Tensor cpu = ones({2});
  const DefaultDeviceGuard guard(kCUDA);
  EXPECT_EQ(get_default_device(), Device(kCUDA));
  for (const Tensor& t : {zeros({2}), ones({2}), full({2}, 3), empty({2}), rand({2}), randn({2}),
                          arange(3), linspace(0, 1, 3), eye(2), randperm(3), tensor({1., 2.}),
                          tensor(5), zeros({2}, kLong), scalar_tensor(2), randint(5, {2})})
    EXPECT_EQ(t.device().str(), "cuda:0");
  EXPECT_EQ(nn::Linear(2, 2)->weight.get_device(), 0);
  EXPECT_EQ(nn::BatchNorm1d(2)->running_var.get_device(), 0);
  {
    const cuda::DeviceGuard inner(device_at(2));
    EXPECT_EQ(zeros({2}).get_device(), device_at(2).index());
  }
  // Others say where they are.
  EXPECT_TRUE(zeros({2}, kCPU).is_cpu());
  EXPECT_TRUE(zeros_like(cpu).is_cpu() && (cpu + 1).is_cpu() && cpu.new_zeros({1}).is_cpu());
  float memory[2] = {1, 2};
  EXPECT_TRUE(from_blob(memory, {2}).is_cpu());
}

TEST(DevicesD9, DefaultDevicesBelongToTheThreadAndToScopes) {
  TAPER_NEEDS_DEVICES(3);
  set_default_device("cuda:1");
  EXPECT_EQ(zeros({1}).get_device(), 1);
  {
    const DefaultDeviceGuard guard("cuda:2");
    EXPECT_EQ(zeros({1}).get_device(), 2);
    std::thread([] { EXPECT_TRUE(zeros({1}).is_cpu()); }).join();
  }
  EXPECT_EQ(zeros({1}).get_device(), 1);
  EXPECT_THROW(set_default_device("cuda:7"), Error);
  EXPECT_EQ(get_default_device(), Device("cuda:1"));
  set_default_device(kCPU);
  EXPECT_TRUE(zeros({1}).is_cpu());
}

TEST(DevicesD9, TheLibraryWorksUnderAnyDefaultDevice) {
  const DefaultDeviceGuard guard(kCUDA);
  for (size_t workers : {0, 2}) {
    auto loader = data::make_data_loader(data::datasets::TensorDataset(ones({6, 2}, kCPU))
                                             .map(data::transforms::Stack<data::TensorExample>()),
                                         data::DataLoaderOptions(2).workers(workers));
    int batches = 0;
    for (auto& batch : *loader) batches += batch.data.size(0) == 2;
    EXPECT_EQ(batches, 3);
  }
  const Tensor w = nn::init::orthogonal_(empty({3, 3}));
  EXPECT_TRUE(w.mm(w.t()).allclose(eye(3), 1e-5, 1e-5));
  nn::init::sparse_(w, 0.5);
  nn::Sequential net(nn::Linear(4, 8), nn::Dropout(0.5), nn::LayerNorm(nn::LayerNormOptions({8})));
  optim::Adam adam(net->parameters(), optim::AdamOptions(0.1));
  nn::functional::cross_entropy(net->forward(randn({3, 4})), tensor({0, 1, 2})).backward();
  adam.step();
  nn::utils::clip_grad_norm_(net->parameters(), 1);
  std::stringstream file;
  save(net, file);
  load(net, file);
  EXPECT_EQ(net->parameters()[0].get_device(), 0);
  EXPECT_EQ(std::get<0>(unique_dim(zeros({0, 2}), 0)).get_device(), 0);
}

TEST(DevicesD9, DefaultDtypesHaveAGuard) {
  {
    const DefaultDtypeGuard guard(kDouble);
    EXPECT_EQ(zeros({1}).dtype(), kDouble);
    std::thread([] { EXPECT_EQ(zeros({1}).dtype(), kDouble); }).join();  // the process's
  }
  EXPECT_EQ(zeros({1}).dtype(), kFloat);
  EXPECT_EQ(message_of<TypeError>([] { set_default_dtype(kInt); }).substr(0, 62),
            "set_default_dtype: only floating-point types are supported as ");
}

TEST(DevicesD9, TensorTypesSetDtypeAndDevice) {
  set_default_tensor_type("torch.cuda.DoubleTensor");
  EXPECT_EQ(zeros({1}).dtype(), kDouble);
  EXPECT_EQ(zeros({1}).get_device(), 0);
  set_default_tensor_type("torch.FloatTensor");
  EXPECT_EQ(zeros({1}).dtype(), kFloat);
  EXPECT_TRUE(zeros({1}).is_cpu());
  {
    const DefaultTensorTypeGuard guard("torch.cuda.HalfTensor");
    EXPECT_EQ(empty({1}).options().dtype(), kHalf);
    EXPECT_TRUE(empty({1}).is_cuda());
  }
  EXPECT_EQ(zeros({1}).dtype(), kFloat);
  EXPECT_TRUE(zeros({1}).is_cpu());
}

TEST(DevicesD9, BadTensorTypesListWhatIsAccepted) {
  for (const char* name : {"", "FloatTensor", "torch.Float", "torch.cuda.FooTensor", "torch.cuda.",
                           "torch.xpu.FloatTensor"})
    EXPECT_EQ(message_of<ValueError>([&] { set_default_tensor_type(name); }),
              std::string("invalid type: '") + name +
                  "'; expected 'torch.' or 'torch.cuda.' and one of ByteTensor, CharTensor, "
                  "ShortTensor, IntTensor, LongTensor, HalfTensor, FloatTensor, DoubleTensor, "
                  "BoolTensor, BFloat16Tensor");
  EXPECT_EQ(message_of<TypeError>([] { set_default_tensor_type("torch.cuda.IntTensor"); }),
            "only floating-point types are supported as the default type, got "
            "'torch.cuda.IntTensor'");
  EXPECT_TRUE(zeros({1}).is_cpu());
  EXPECT_EQ(zeros({1}).dtype(), kFloat);
}

}  // namespace
}  // namespace torch::taper
