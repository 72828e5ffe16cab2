// Asking for devices, choosing among them, moving tensors. Test names begin with what they show.
#include <gtest/gtest.h>

#include <taper/taper.h>

#include "test_util.h"

namespace taper {
namespace {

using testing::message_of;

// ---------------------------------------------------------------------- asking and choosing
TEST(Devices, AreCountedAndNamed) {
  EXPECT_TRUE(cuda::is_available());
  EXPECT_TRUE(cuda::is_simulated());
  EXPECT_EQ(cuda::device_count(), 4);
  EXPECT_EQ(cuda::get_device_name(2), "Simulated CUDA device 2");
  EXPECT_EQ(cuda::get_device_properties(0).total_memory, size_t{256} << 20);
  EXPECT_EQ(cuda::get_device_capability(0).first, 9);
  EXPECT_TRUE(cuda::can_device_access_peer(0, 1));
  EXPECT_FALSE(cuda::can_device_access_peer(1, 1));
}

TEST(Devices, OutOfRangeIsAnError) {
  EXPECT_EQ(message_of([] { cuda::set_device(4); }),
            "CUDA error: invalid device ordinal: expected 0 to 3, got 4");
  EXPECT_THROW(zeros({2}, Device("cuda:7")), Error);
  EXPECT_THROW(cuda::synchronize(-2), Error);
  EXPECT_THROW(cuda::simulate_devices(2), Error);  // too late
  EXPECT_THROW(cuda::simulate_devices(65), ValueError);
  EXPECT_EQ(cuda::current_device(), 0);
}

TEST(Devices, GuardsNestAndRestoreOnExceptions) {
  EXPECT_EQ(cuda::current_device(), 0);
  try {
    cuda::DeviceGuard outer(1);
    EXPECT_EQ(cuda::current_device(), 1);
    EXPECT_EQ(outer.original_device(), Device(kCUDA, 0));
    {
      cuda::OptionalDeviceGuard inner(Device(kCUDA, 3));
      EXPECT_EQ(cuda::current_device(), 3);
      cuda::OptionalDeviceGuard nothing(Device("cpu"));
      EXPECT_EQ(cuda::current_device(), 3);
    }
    EXPECT_EQ(cuda::current_device(), 1);
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(cuda::current_device(), 0);
}

TEST(Devices, NewTensorsGoToTheCurrentOne) {
  const Tensor cpu = tensor({1., 2.}), zero = cpu.cuda();
  cuda::DeviceGuard guard(1);
  const Tensor a = tensor({1., 2.}, kCUDA), b = cpu.cuda(), b2 = cpu.to(kCUDA);
  EXPECT_EQ(a.device().str(), "cuda:1");
  EXPECT_EQ(b.device().str(), "cuda:1");
  EXPECT_EQ(b2.get_device(), 1);
  EXPECT_EQ((a + b).get_device(), 1);
  EXPECT_EQ((zero + zero).get_device(), 0);
  EXPECT_EQ(randn({2}, Device("cuda:2")).get_device(), 2);
  EXPECT_EQ(cpu.to(Device("cuda:2")).get_device(), 2);
  EXPECT_EQ(cpu.cuda(2).get_device(), 2);
}

TEST(Devices, VisibleOnesAreReadAsCudaReadsThem) {
  using List = std::vector<DeviceIndex>;
  EXPECT_EQ(detail::visible_devices(nullptr, 3), (List{0, 1, 2}));
  EXPECT_EQ(detail::visible_devices("2,3", 4), (List{2, 3}));
  EXPECT_EQ(detail::visible_devices("0, 3 ,2", 4), (List{0, 3, 2}));
  EXPECT_EQ(detail::visible_devices("", 4), List{});
  EXPECT_EQ(detail::visible_devices("-1", 4), List{});
  EXPECT_EQ(detail::visible_devices("1,9,2", 4), List{1});
  EXPECT_EQ(detail::visible_devices("1,x", 4), List{1});
  EXPECT_EQ(detail::visible_devices("1,1", 4), List{});
}

TEST(Devices, SeedsGiveTheSameNumbersOnEach) {
  manual_seed(3);
  const Tensor a = rand({5}, Device("cuda:0")).cpu(), b = rand({5}, Device("cuda:1")).cpu();
  EXPECT_TRUE(a.equal(b));
  cuda::manual_seed(3);  // the current one
  EXPECT_TRUE(rand({5}, Device("cuda:0")).cpu().equal(a));
  EXPECT_FALSE(rand({5}, Device("cuda:1")).cpu().equal(a));
  Generator g = cuda::default_generator(2);
  const Tensor state = g.get_state(), first = rand({4}, Device("cuda:2")).cpu();
  g.set_state(state);
  EXPECT_TRUE(rand({4}, Device("cuda:2")).cpu().equal(first));
  EXPECT_EQ(message_of([&] { rand({2}, g, Device("cuda:0")); }),
            "Expected a 'cuda:0' device type for generator but found 'cuda:2'");
}

// ---------------------------------------------------------------------- moving
TEST(Moving, GivesANewTensorAndKeepsTheOld) {
  const Tensor x = tensor({1., 2., 3.});
  const Tensor y = x.cuda(), same = y.to(kCUDA);
  EXPECT_TRUE(same.is_same(y));
  EXPECT_FALSE(y.to(Device("cuda:0"), y.scalar_type(), false, true).is_same(y));
  EXPECT_TRUE(x.is_cpu());
  EXPECT_TRUE(y.is_cuda());
  EXPECT_TRUE(y.cpu().equal(x));
  EXPECT_TRUE(y.cuda(3).cuda(1).cpu().equal(x));
  EXPECT_EQ(y.to(kLong).dtype(), kLong);
  EXPECT_TRUE(x.to(Device("cuda:1"), kInt).cpu().equal(tensor({1, 2, 3}, kInt)));
  EXPECT_TRUE(y.to(zeros({1}, Device("cuda:2"))).device() == Device("cuda:2"));
}

TEST(Moving, KeepsStridedAndExpandedValues) {
  const Tensor x = arange(24, kFloat).view({4, 6});
  for (const Tensor& t : {x.t(), x.slice(1, 1, 6, 2), x.select(0, 1).expand({3, 6}), x.flip({0})})
    EXPECT_TRUE(t.cuda().cuda(1).cpu().equal(t)) << t.strides();
  const Tensor y = zeros({6, 4}, Device("cuda:1"));
  y.t().copy_(x.cuda());
  EXPECT_TRUE(y.cpu().equal(x.t()));
}

TEST(Moving, GradientsFlowBack) {
  const Tensor x = tensor({1., 2.}).requires_grad_();
  (x.cuda() * 3).cuda(1).pow(2).sum().backward();
  EXPECT_TRUE(x.grad().is_cpu());
  EXPECT_TRUE(x.grad().equal(tensor({18., 36.})));
  const Tensor w = tensor({2.}, Device("cuda:2")).requires_grad_();
  (w * w).sum().cpu().backward();
  EXPECT_EQ(w.grad().get_device(), 2);
  EXPECT_EQ(w.grad().item<double>(), 4);
}

TEST(Moving, MixedDevicesAreAnError) {
  const Tensor a = ones({2}, kCUDA), b = ones({2});
  const std::string text = message_of([&] { a + b; });
  EXPECT_NE(text.find("Expected all tensors to be on the same device, but found at least two "
                      "devices, cuda:0 and cpu!"),
            std::string::npos)
      << text;
  EXPECT_NE(message_of([&] { a + b.cuda(1); }).find("cuda:0 and cuda:1!"), std::string::npos);
  EXPECT_NE(message_of([&] { nn::Linear(2, 2)->forward(a); }).find("same device"),
            std::string::npos);
  // A number without dimensions may mix.
  EXPECT_TRUE((a + tensor(2.f)).cpu().equal(tensor({3.f, 3.f})));
  EXPECT_TRUE((tensor(2.f) * a).is_cuda());
}

TEST(Moving, ModulesMoveInPlaceWithTheirBuffers) {
  nn::BatchNorm1d norm(3);
  const Tensor weight = norm->weight;
  optim::SGD sgd(norm->parameters(), optim::SGDOptions(0.5));
  norm->to(Device("cuda:1"));
  EXPECT_TRUE(norm->weight.is_same(weight));
  EXPECT_EQ(weight.get_device(), 1);
  EXPECT_EQ(norm->running_mean.get_device(), 1);
  norm->forward(randn({4, 3}, Device("cuda:1"))).pow(3).sum().backward();
  sgd.step();
  EXPECT_FALSE(norm->weight.cpu().equal(ones({3})));
  norm->to(kCPU);
  EXPECT_TRUE(norm->running_var.is_cpu());
}

TEST(Moving, LossWeightsAreBuffers) {
  nn::CrossEntropyLoss criterion(nn::CrossEntropyLossOptions().weight(tensor({1.f, 3.f})));
  const Tensor x = randn({3, 2}, kCUDA),
               target = tensor({0, 1, 1}, TensorOptions(kCUDA).dtype(kLong));
  EXPECT_NE(message_of([&] { criterion(x, target); }).find("same device"), std::string::npos);
  criterion->to(Device(kCUDA));
  EXPECT_TRUE(criterion(x, target).is_cuda());
  EXPECT_EQ(criterion->named_buffers()["weight"].device().str(), "cuda:0");
}

TEST(Moving, LikenessIncludesTheDevice) {
  const Tensor x = ones({2}, TensorOptions(Device("cuda:1")).dtype(kDouble));
  for (const Tensor& t : {ones_like(x), zeros_like(x), full_like(x, 3), rand_like(x), randn_like(x),
                          empty_like(x), x.new_full({3}, 9), x.new_zeros({1}), x.new_ones({1})}) {
    EXPECT_EQ(t.get_device(), 1);
    EXPECT_EQ(t.dtype(), kDouble);
  }
  EXPECT_TRUE(ones_like(x, TensorOptions(kCPU)).is_cpu());
}

TEST(Moving, PrintsWithTheDevice) {
  const Tensor x = tensor({1., 3.}, TensorOptions(kCUDA).dtype(kFloat));
  EXPECT_EQ(repr(x), "tensor([1., 3.], device='cuda:0')");
  std::ostringstream out;
  out << x;
  EXPECT_EQ(out.str(), " 1\n 3\n[ CUDAFloatType{2} ]");
}

TEST(Moving, FilesAreReadAndWrittenFromAnyDevice) {
  const Tensor x = randn({3}, Device("cuda:1"));
  std::stringstream file;
  save(x, file);
  Tensor y;
  load(y, file);
  EXPECT_TRUE(y.cpu().equal(x.cpu()));
  EXPECT_EQ(x.sum().item<float>(), x.cpu().sum().item<float>());
}

}  // namespace
}  // namespace taper
