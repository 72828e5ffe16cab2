// Moving tensors and modules between devices, and what they say of where they are. A suite's name
// ends with the line of the table in docs/devices.md that it holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <sstream>
#include <thread>

#include <taper/taper.h>

#include "framework/runtime/gate.h"
#include "framework/runtime/own_process.h"
#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using testing::device_at;
using testing::in_own_process;
using testing::last_device;
using testing::message_of;

TEST(DevicesM1, GivesANewTensorAndKeepsTheOld) {
  const Tensor x = tensor({1., 2., 3.});
  const Tensor y = x.cuda(), same = y.to(kCUDA);
  EXPECT_TRUE(same.is_same(y));
  EXPECT_FALSE(y.to(device_at(0), y.scalar_type(), false, true).is_same(y));
  EXPECT_TRUE(x.is_cpu());
  EXPECT_TRUE(y.is_cuda());
  EXPECT_TRUE(y.cpu().equal(x));
  EXPECT_TRUE(y.cuda(device_at(3).index()).cuda(device_at(1).index()).cpu().equal(x));
  EXPECT_EQ(y.to(kLong).dtype(), kLong);
  EXPECT_TRUE(x.to(device_at(1), kInt).cpu().equal(tensor({1, 2, 3}, kInt)));
  EXPECT_TRUE(y.to(zeros({1}, device_at(2))).device() == device_at(2));
}

TEST(DevicesM6, KeepsStridedAndExpandedValues) {
  const Tensor x = arange(24, kFloat).view({4, 6});
  for (const Tensor& t : {x.t(), x.slice(1, 1, 6, 2), x.select(0, 1).expand({3, 6}), x.flip({0})})
    EXPECT_TRUE(t.cuda().cuda(device_at(1).index()).cpu().equal(t)) << t.strides();
  const Tensor y = zeros({6, 4}, device_at(1));
  y.t().copy_(x.cuda());
  EXPECT_TRUE(y.cpu().equal(x.t()));
}

TEST(DevicesM6, CopyCrossesDevicesAndDtypes) {
  const std::vector<Device> devices = {kCPU, "cuda:0", device_at(1)};
  for (const Device& from : devices)
    for (const Device& to : devices)
      for (ScalarType dtype : {kFloat, kLong, kHalf}) {
        const Tensor a = zeros({2, 3}, TensorOptions(to).dtype(dtype));
        a.copy_(arange(3, TensorOptions(from).dtype(kDouble)));  // broadcast
        EXPECT_EQ(a.device(), detail::existing_device(to));
        EXPECT_TRUE(a.cpu().to(kLong).equal(arange(3).expand({2, 3}))) << from << to << dtype;
      }
}

TEST(DevicesM6, WithoutPeerAccessCopiesGoAnotherWay) {
  in_own_process([] {
    cuda::SimulationOptions options;
    options.peer_access = false;
    cuda::simulate_devices(2, options);
    EXPECT_FALSE(cuda::can_device_access_peer(0, 1));
    const Tensor x = arange(10, TensorOptions(Device("cuda:0")).dtype(kFloat));
    EXPECT_TRUE(x.cuda(1).cpu().equal(arange(10, kFloat)));
    const Tensor y = zeros({10}, "cuda:1");
    y.copy_(x);
    EXPECT_EQ(y.sum().item<float>(), 45);
  });
}

TEST(DevicesM1, GradientsFlowBack) {
  const Tensor x = tensor({1., 2.}).requires_grad_();
  (x.cuda() * 3).cuda(device_at(1).index()).pow(2).sum().backward();
  EXPECT_TRUE(x.grad().is_cpu());
  EXPECT_TRUE(x.grad().equal(tensor({18., 36.})));
  const Tensor w = tensor({2.}, device_at(2)).requires_grad_();
  (w * w).sum().cpu().backward();
  EXPECT_EQ(w.grad().get_device(), device_at(2).index());
  EXPECT_EQ(w.grad().item<double>(), 4);
}

TEST(DevicesM1, DevicesAndTypesHaveNames) {
  TAPER_NEEDS_DEVICES(3);
  const Tensor x = tensor({1.5f, 2.f});
  EXPECT_EQ(x.to("cuda:1").device(), Device("cuda:1"));
  EXPECT_EQ(x.to(std::string("cuda:2")).device(), Device("cuda:2"));
  EXPECT_EQ(x.to("cuda", /*non_blocking=*/true).device(), Device("cuda:0"));
  EXPECT_EQ(x.to("cuda:1", kInt).dtype(), kInt);
  EXPECT_TRUE(x.to("cpu").is_same(x));
  EXPECT_FALSE(x.to("cpu", false, /*copy=*/true).is_same(x));
  EXPECT_THROW(x.to("gpu"), Error);
  const Tensor y = x.type("torch.cuda.DoubleTensor");
  EXPECT_EQ(y.device(), Device("cuda:0"));
  EXPECT_EQ(y.dtype(), kDouble);
  EXPECT_TRUE(y.type("torch.LongTensor").equal(tensor({1, 2})));
  const Tensor z = x.cuda(1);
  EXPECT_TRUE(z.type("torch.cuda.FloatTensor").is_same(z));  // stays on its device
  EXPECT_EQ(x.type(kF64).dtype(), kDouble);
  EXPECT_NE(message_of<ValueError>([&] { x.type("torch.FooTensor"); }).find("expected 'torch.'"),
            std::string::npos);
}

TEST(DevicesM1, CopyIsASecondObjectEverywhere) {
  const Tensor x = ones({2}), y = x.cuda();
  EXPECT_TRUE(x.to(kCPU).is_same(x) && x.cpu().is_same(x) && x.to(kFloat).is_same(x));
  EXPECT_TRUE(y.cuda().is_same(y) && y.cuda(0).is_same(y) && y.to(y).is_same(y));
  for (const Tensor& t : {x, y}) {
    const Tensor c = t.to(t.device(), t.scalar_type(), false, /*copy=*/true);
    c.fill_(7);
    EXPECT_EQ(t.sum().item<float>(), 2);
  }
}

TEST(DevicesM5, MixedDevicesAreAnError) {
  const Tensor a = ones({2}, kCUDA), b = ones({2});
  const std::string text = message_of([&] { a + b; });
  EXPECT_NE(text.find("Expected all tensors to be on the same device, but found at least two "
                      "devices, cuda:0 and cpu!"),
            std::string::npos)
      << text;
  if (cuda::device_count() > 1)
    EXPECT_NE(message_of([&] { a + b.cuda(1); }).find("cuda:0 and cuda:1!"), std::string::npos);
  EXPECT_NE(message_of([&] { nn::Linear(2, 2)->forward(a); }).find("same device"),
            std::string::npos);
  // A number without dimensions may mix.
  EXPECT_TRUE((a + tensor(2.f)).cpu().equal(tensor({3.f, 3.f})));
  EXPECT_TRUE((tensor(2.f) * a).is_cuda());
}

TEST(DevicesM5, TheErrorNamesTheDevicesAndTheOp) {
  const Tensor a = ones({2, 2}, kCUDA), b = ones({2, 2});
  const std::string devices =
      "Expected all tensors to be on the same device, but found at least two devices, ";
  EXPECT_EQ(message_of([&] { a.gather(1, b.to(kLong)); }),
            "gather: " + devices + "cuda:0 and cpu!");
  EXPECT_NE(message_of([&] { a + b; }).find("add"), std::string::npos);
  EXPECT_NE(message_of([&] { a.mm(b); }).find("mm"), std::string::npos);
  nn::Linear on_cpu(2, 2);
  EXPECT_NE(message_of([&] { on_cpu->forward(a); }).find("cuda:0"), std::string::npos);
}

TEST(DevicesM2, ModulesMoveInPlaceWithTheirBuffers) {
  nn::BatchNorm1d norm(3);
  const Tensor weight = norm->weight;
  optim::SGD sgd(norm->parameters(), optim::SGDOptions(0.5));
  norm->to(device_at(1));
  EXPECT_TRUE(norm->weight.is_same(weight));
  EXPECT_EQ(weight.get_device(), device_at(1).index());
  EXPECT_EQ(norm->running_mean.get_device(), device_at(1).index());
  norm->forward(randn({4, 3}, device_at(1))).pow(3).sum().backward();
  sgd.step();
  EXPECT_FALSE(norm->weight.cpu().equal(ones({3})));
  norm->to(kCPU);
  EXPECT_TRUE(norm->running_var.is_cpu());
}

TEST(DevicesM2, EveryWayToMove) {
  nn::Sequential net(nn::Linear(2, 3), nn::BatchNorm1d(3));
  const Tensor weight = net->parameters()[0];
  net->cuda(device_at(2).index());
  EXPECT_EQ(weight.device(), device_at(2));
  EXPECT_EQ(net->buffers()[0].get_device(), device_at(2).index());
  net->cpu();
  EXPECT_TRUE(weight.is_cpu() && net->buffers()[0].is_cpu());
  net->to(device_at(1));
  EXPECT_EQ(weight.get_device(), device_at(1).index());
  net->to(kFloat64);
  EXPECT_EQ(weight.dtype(), kDouble);
  EXPECT_EQ(net->buffers()[0].dtype(), kDouble);
  net->to(Device(kCUDA), kFloat);
  EXPECT_EQ(weight.dtype(), kFloat);
  {
    const cuda::DeviceGuard guard(device_at(3));
    net->cuda();
  }
  EXPECT_EQ(weight.get_device(), device_at(3).index());
  nn::CrossEntropyLoss loss(nn::CrossEntropyLossOptions().weight(ones({2})));
  loss->cuda(device_at(1).index());
  EXPECT_EQ(loss->weight.get_device(), device_at(1).index());
}

TEST(DevicesM3, LossWeightsAreBuffers) {
  nn::CrossEntropyLoss criterion(nn::CrossEntropyLossOptions().weight(tensor({1.f, 3.f})));
  const Tensor x = randn({3, 2}, kCUDA),
               target = tensor({0, 1, 1}, TensorOptions(kCUDA).dtype(kLong));
  EXPECT_NE(message_of([&] { criterion(x, target); }).find("same device"), std::string::npos);
  criterion->to(Device(kCUDA));
  EXPECT_TRUE(criterion(x, target).is_cuda());
  EXPECT_EQ(criterion->named_buffers()["weight"].device().str(), "cuda:0");
}

TEST(DevicesM4, ResultsAreWhereTheirInputsAre) {
  const Tensor x = tensor({2.f, 3.f}, device_at(2));
  const cuda::DeviceGuard guard(device_at(1));
  EXPECT_EQ(x.pow(2).get_device(), device_at(2).index());
  EXPECT_TRUE(x.pow(2).cpu().equal(tensor({4.f, 9.f})));
  EXPECT_EQ(x.sum().get_device(), device_at(2).index());
  EXPECT_EQ(cat({x, x}).argmax().get_device(), device_at(2).index());
}

TEST(DevicesM7, LikenessIncludesTheDevice) {
  const Tensor x = ones({2}, TensorOptions(device_at(1)).dtype(kDouble));
  for (const Tensor& t : {ones_like(x), zeros_like(x), full_like(x, 3), rand_like(x), randn_like(x),
                          empty_like(x), x.new_full({3}, 9), x.new_zeros({1}), x.new_ones({1})}) {
    EXPECT_EQ(t.get_device(), device_at(1).index());
    EXPECT_EQ(t.dtype(), kDouble);
  }
  EXPECT_TRUE(ones_like(x, TensorOptions(kCPU)).is_cpu());
}

TEST(DevicesM7, NewOnesTakeDtypeAndDeviceUnlessTold) {
  const Tensor x = ones({2}, TensorOptions(device_at(1)).dtype(kDouble));
  const Tensor y = x.new_full({3, 4}, 9);
  EXPECT_EQ(y.sizes(), (std::vector<int64_t>{3, 4}));
  EXPECT_TRUE(y.cpu().equal(full({3, 4}, 9, kDouble)));
  const Tensor z = x.new_tensor({{1, 2, 3}});
  EXPECT_EQ(z.get_device(), device_at(1).index());
  EXPECT_TRUE(z.cpu().equal(tensor({{1., 2., 3.}}, kDouble)));
  EXPECT_EQ(x.new_empty({2}).get_device(), device_at(1).index());
  EXPECT_EQ(x.new_tensor({1}, kInt).dtype(), kInt);
  EXPECT_TRUE(x.new_zeros({2}, kCPU).is_cpu());
  EXPECT_EQ(full_like(x, 2, kInt).dtype(), kInt);
  EXPECT_EQ(rand_like(x, device_at(3)).get_device(), device_at(3).index());
}

TEST(DevicesM8, TensorsKnowWhereTheyAre) {
  const Tensor cpu = ones({2}), gpu = cpu.cuda(device_at(1).index());
  EXPECT_TRUE(gpu.is_cuda() && !gpu.is_cpu() && cpu.is_cpu() && !cpu.is_cuda());
  EXPECT_EQ(gpu.device(), device_at(1));
  EXPECT_EQ(gpu.get_device(), device_at(1).index());
  EXPECT_EQ(cpu.get_device(), -1);
  EXPECT_EQ(cpu.device(), Device(kCPU));
  EXPECT_TRUE(cpu.pin_memory().is_pinned() && !cpu.is_pinned() && !gpu.is_pinned());
  nn::Linear layer(2, 2);
  layer->to(device_at(3));
  for (const Tensor& p : layer->parameters()) EXPECT_EQ(p.device(), device_at(3));
}

TEST(DevicesM9, PythonsForm) {
  const TensorOptions gpu(kCUDA);
  EXPECT_EQ(repr(tensor({1.f, 3.f}, gpu)), "tensor([1., 3.], device='cuda:0')");
  EXPECT_EQ(repr(tensor({1, 2}, last_device())),
            "tensor([1, 2], device='" + last_device().str() + "')");
  EXPECT_EQ(repr(tensor({1., 2.5}, gpu.dtype(kDouble)).requires_grad_()),
            "tensor([1.0000, 2.5000], device='cuda:0', dtype=torch.float64,\n"
            "       requires_grad=True)");
  EXPECT_EQ(repr(tensor({true, false}, gpu)), "tensor([ True, False], device='cuda:0')");
  EXPECT_EQ(repr(tensor(3.f, gpu)), "tensor(3., device='cuda:0')");
  EXPECT_EQ(repr(zeros({0, 3}, gpu)), "tensor([], device='cuda:0', size=(0, 3))");
  EXPECT_EQ(repr(arange(2000, gpu.dtype(kInt))),
            "tensor([   0,    1,    2,  ..., 1997, 1998, 1999], device='cuda:0',\n"
            "       dtype=torch.int32)");
  nn::Linear layer(2, 1);
  for (const Tensor& p : layer->parameters()) p.data().fill_(0.5);
  layer->to(kCUDA);
  EXPECT_EQ(repr(layer->forward(ones({1, 2}, gpu))),
            "tensor([[1.5000]], device='cuda:0', grad_fn=<AddmmBackward0>)");
  EXPECT_EQ(
      repr(layer->weight),
      "Parameter containing:\ntensor([[0.5000, 0.5000]], device='cuda:0', requires_grad=True)");
  EXPECT_EQ(repr(layer->weight.detach()), "tensor([[0.5000, 0.5000]], device='cuda:0')");
}

TEST(DevicesM9, TheDeviceWhereNewTensorsAreIsNotSaid) {
  TAPER_NEEDS_DEVICES(2);
  const Tensor cpu = ones({1}), zero = cpu.cuda(0), one = cpu.cuda(1);
  const DefaultDeviceGuard guard(kCUDA);
  EXPECT_EQ(repr(zero), "tensor([1.])");
  EXPECT_EQ(repr(one), "tensor([1.], device='cuda:1')");
  EXPECT_EQ(repr(cpu), "tensor([1.], device='cpu')");
}

TEST(DevicesM9, LibTorchsForm) {
  const Tensor x = tensor({1., 3.}, TensorOptions(kCUDA).dtype(kFloat));
  EXPECT_EQ(repr(x), "tensor([1., 3.], device='cuda:0')");
  std::ostringstream out;
  out << x;
  EXPECT_EQ(out.str(), " 1\n 3\n[ CUDAFloatType{2} ]");
}

TEST(DevicesM10, ReadingWaits) {
  const Tensor x = ones({1000}, kCUDA);
  double total = 0;
  for (int i = 0; i < 20; ++i) {
    const Tensor loss = (x * i).sum();
    total += loss.item<float>();
  }
  EXPECT_EQ(total, 190000);
  testing::Gate gate;
  const Tensor acc = x.sum();
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate.open();
  });
  EXPECT_EQ(acc.cpu().item<float>(), 1000);
  opener.join();
}

TEST(DevicesM6, FilesAreReadAndWrittenFromAnyDevice) {
  const Tensor x = randn({3}, device_at(1));
  std::stringstream file;
  save(x, file);
  Tensor y;
  load(y, file);
  EXPECT_EQ(y.device(), x.device());
  EXPECT_TRUE(y.cpu().equal(x.cpu()));
  EXPECT_EQ(x.sum().item<float>(), x.cpu().sum().item<float>());
}

TEST(DevicesM6, AFileOfAMissingDeviceNamesIt) {
  const std::string path = ::testing::TempDir() + "moving_test.missing_device";
  const std::string state = path + "_state";
  const auto sgd_on = [](Device device) {
    const Tensor p = ones({2}, device).requires_grad_();
    p.sum().backward();
    return optim::SGD({p}, optim::SGDOptions(0.1).momentum(0.9));
  };
  in_own_process(
      [&] {
        save(ones({2}, Device(kCUDA, 1)), path);
        optim::SGD sgd = sgd_on(Device(kCUDA, 1));
        sgd.step();
        save(sgd, state);
      },
      "", 2);
  in_own_process(
      [&] {
        Tensor x;
        EXPECT_THAT(message_of([&] { load(x, path); }),
                    ::testing::HasSubstr("expected the device cuda:1 on which the tensor was "
                                         "saved, got 1 CUDA devices; pass a device to load"));
        load(x, path, Device(kCPU));
        EXPECT_TRUE(x.equal(ones({2})));
        optim::SGD sgd = sgd_on(kCPU);
        load(sgd, state);
        sgd.step();
      },
      "", 1);
  std::remove(path.c_str());
  std::remove(state.c_str());
}

TEST(DevicesM8, FactoriesPinWhatTheyAreAskedTo) {
  const TensorOptions pins = TensorOptions(kFloat).pinned_memory(true);
  for (const Tensor& t :
       {empty({3}, pins), zeros({3}, pins), ones({3}, pins), full({3}, 2, pins), rand({3}, pins),
        randn({3}, pins), arange(3, pins), linspace(0, 1, 3, pins), tensor({1., 2.}, pins),
        eye(3, pins), empty_strided({2, 2}, {1, 2}, pins), zeros_like(ones({3}), pins),
        ones({3}).new_zeros({2}, pins), ones({3}).to(pins), ones({3}, kCUDA).to(pins.device(kCPU)),
        ones({2, 3}).t().to(pins.dtype(kDouble)), ones({3}).to(pins, false, true)})
    EXPECT_TRUE(t.is_pinned() && t.is_cpu());
  EXPECT_TRUE(ones({3}).to(pins).equal(ones({3})));
  EXPECT_TRUE(ones({3}, pins.requires_grad(true)).requires_grad());
  const Tensor strided = arange(6, kFloat).view({2, 3}).t();
  EXPECT_TRUE(strided.to(pins).equal(strided));
  EXPECT_FALSE(ones({3}, pins).to(kDouble).is_pinned());
  const Tensor pinned = ones({3}, pins);
  EXPECT_TRUE(pinned.to(pins).is_same(pinned));
  for (const auto& body : std::vector<std::function<void()>>{
           [&] { zeros({3}, pins.device(kCUDA)); }, [&] { ones({3}).to(pins.device(kCUDA)); }})
    EXPECT_THAT(message_of(body), ::testing::HasSubstr("only dense CPU tensors can be pinned"));
}

TEST(DevicesM8, AskedForPinnedMemoryACopyDoesNotWait) {
  TAPER_NEEDS_SIMULATION("a gate that holds a stream");
  const Tensor x = full({1000}, 2., kCUDA);
  testing::Gate gate;
  const Tensor y = (x * 3).to(TensorOptions(kFloat).device(kCPU).pinned_memory(true), true);
  gate.open();
  cuda::synchronize();
  EXPECT_TRUE(y.equal(full({1000}, 6.)));
}

}  // namespace
}  // namespace torch::taper
