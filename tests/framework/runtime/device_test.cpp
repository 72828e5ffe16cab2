// Asking for devices and choosing among them. A suite's name ends with the line of the table in
// docs/devices.md that it holds.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

#include <taper/taper.h>

#include "expect_error.h"
#include "framework/runtime/gate.h"
#include "framework/runtime/own_process.h"
#include "harness/devices.h"
#include "test_util.h"

namespace torch::taper {
namespace {

using testing::device_at;
using testing::expect_error;
using testing::Gate;
using testing::in_own_process;
using testing::last_device;
using testing::message_of;

// ---------------------------------------------------------------------- asking
TEST(DevicesD1, AreCountedAndNamed) {
  EXPECT_TRUE(cuda::is_available());
  EXPECT_GE(cuda::device_count(), 1);
  EXPECT_EQ(cuda::current_device(), 0);
  EXPECT_FALSE(cuda::get_device_name().empty());
  EXPECT_EQ(cuda::get_device_name(), cuda::get_device_name(0));
  if (!cuda::is_simulated()) return;
  EXPECT_EQ(cuda::get_device_name(last_device().index()),
            "Simulated CUDA device " + std::to_string(last_device().index()));
}

TEST(DevicesD1, OutOfRangeIsAnError) {
  const DeviceIndex count = cuda::device_count();
  EXPECT_EQ(message_of([&] { cuda::set_device(count); }),
            detail::concat("CUDA error: invalid device ordinal: expected 0 to ", count - 1,
                           ", got ", int{count}));
  EXPECT_THROW(cuda::get_device_name(count), Error);
  EXPECT_THROW(zeros({2}, Device(kCUDA, count)), Error);
  EXPECT_THROW(cuda::synchronize(-2), Error);
  EXPECT_THROW(cuda::simulate_devices(2), Error);  // too late
  EXPECT_THROW(cuda::simulate_devices(65), ValueError);
  EXPECT_EQ(cuda::current_device(), 0);
}

// What asks about devices, or needs one, and there is none.
TEST(DevicesD1, WithoutDevicesAnswersAndErrorsAreClear) {
  in_own_process(
      [] {
        EXPECT_FALSE(cuda::is_available());
        EXPECT_FALSE(cuda::is_simulated());
        EXPECT_EQ(cuda::device_count(), 0);
        EXPECT_TRUE(cuda::devices_by_free_memory().empty());
        EXPECT_EQ(cuda::memory_snapshot(), "[]");
        cuda::empty_cache();
        cuda::manual_seed(1);
        cuda::manual_seed_all(1);
        manual_seed(1);
        const Tensor x = ones({2});
        const std::vector<std::function<void()>> uses = {
            [] { cuda::current_device(); },
            [] { cuda::set_device(0); },
            [] { cuda::get_device_name(0); },
            [] { cuda::synchronize(); },
            [] { cuda::DeviceGuard guard(0); },
            [] { cuda::Stream(); },
            [] { zeros({2}, kCUDA); },
            [&] { x.cuda(); },
            [&] { x.to("cuda:1"); },
            [] { set_default_device(kCUDA); },
            [] { set_default_tensor_type("torch.cuda.FloatTensor"); },
            [] { nn::Linear(2, 2)->to(kCUDA); },
            [] { cuda::memory_allocated(); }};
        for (size_t i = 0; i < uses.size(); ++i)
          EXPECT_NE(message_of(uses[i]).find("expected a CUDA device, and none is available"),
                    std::string::npos)
              << i << ": " << message_of(uses[i]);
        EXPECT_EQ(ones({2}).sum().item<float>(), 2);
      },
      "", 0);
}

TEST(DevicesD2, NamesAreReadAndWritten) {
  EXPECT_EQ(Device("cuda:1"), Device(kCUDA, 1));
  EXPECT_EQ(Device("cuda"), Device(kCUDA));
  EXPECT_EQ(Device("cpu"), Device(kCPU));
  EXPECT_EQ(Device(kCUDA, 1).str(), "cuda:1");
  EXPECT_EQ(Device(kCUDA).str(), "cuda");
  EXPECT_EQ(repr(Device("cuda:1")), "device(type='cuda', index=1)");
  EXPECT_EQ(repr(Device("cpu")), "device(type='cpu')");
}

TEST(DevicesD2, IndicesOfTheCpuAreNames) {
  EXPECT_EQ(Device("cpu:1"), Device(kCPU, 1));
  EXPECT_EQ(Device("cpu:1").str(), "cpu:1");
  const Tensor x = zeros({2}, Device("cpu:1"));
  EXPECT_EQ(x.device(), Device(kCPU));
  EXPECT_TRUE(x.to(Device(kCPU, 3)).add(ones({2})).equal(ones({2})));
}

TEST(DevicesD2, BadNamesListWhatIsAccepted) {
  for (const char* text : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:01", "cuda:1 ",
                           "cuda:999", "cuda:1:2", "CUDA", "cpu:128", "cuda1"})
    EXPECT_EQ(message_of([&] { Device device(text); }),
              std::string("Invalid device string: '") + text +
                  "'; expected 'cpu', 'cuda' or 'cuda:N' with N a device number");
}

TEST(DevicesD2, TypesWithoutDevicesAreNames) {
  EXPECT_NE(device_at(0).type(), kMPS);
  const std::string message =
      "Taper is not linked with support for mps devices; expected cpu or cuda";
  EXPECT_EQ(message_of([] { zeros({2}).to(kMPS); }), message);
  EXPECT_EQ(message_of([] { zeros({2}, kMPS); }), message);
  EXPECT_EQ(message_of([] { Device device("mps:0"); }), message);
  EXPECT_EQ(message_of([] { zeros({2}).hip(); }),
            "Taper is not linked with support for hip devices; expected cpu or cuda");
  EXPECT_EQ(message_of([] { zeros({2}).ve(); }),
            "Taper is not linked with support for ve devices; expected cpu or cuda");
}

TEST(DevicesD2, BackendsAreDevices) {
  const Tensor x = zeros({2});
  EXPECT_TRUE(x.toBackend(Backend::CPU).is_same(x));
  EXPECT_TRUE(x.toBackend(Backend::CUDA).is_cuda());
  EXPECT_EQ(message_of([&] { x.toBackend(Backend::Metal); }),
            "Taper is not linked with support for metal devices; expected cpu or cuda");
  EXPECT_EQ(message_of([&] { x.toBackend(Backend::Undefined); }),
            "Undefined backend is not a valid device type");
  EXPECT_THROW(x.toBackend(Backend::SparseCUDA), NotImplementedError);
}

// ---------------------------------------------------------------------- the same program
std::vector<Tensor> weights_after_training(Device device) {
  manual_seed(0);
  // No bias before the batch norm: its gradient is zero but for rounding, which Adam would scale
  // up.
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 4, 3).bias(false)), nn::BatchNorm2d(4),
                     nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(), nn::Linear(36, 5));
  const Tensor x = randn({8, 1, 8, 8}), y = randint(0, 5, {8}, kLong);
  net->to(device);
  optim::Adam adam(net->parameters(), optim::AdamOptions(0.01));
  for (int i = 0; i < 10; ++i) {
    adam.zero_grad();
    nn::functional::cross_entropy(net->forward(x.to(device)), y.to(device)).backward();
    adam.step();
  }
  std::vector<Tensor> weights;
  for (const Tensor& p : net->parameters()) weights.push_back(p.detach().cpu());
  return weights;
}

TEST(DevicesD3, TrainingEndsWithTheWeightsOfTheCpuRun) {
  const Device device(cuda::is_available() ? kCUDA : kCPU);
  EXPECT_TRUE(device.is_cuda());
  const std::vector<Tensor> cpu = weights_after_training(kCPU);
  for (const Device& d : {device, device_at(3)}) {
    const std::vector<Tensor> gpu = weights_after_training(d);
    for (size_t i = 0; i < cpu.size(); ++i) EXPECT_TRUE(gpu[i].allclose(cpu[i], 1e-4, 1e-6)) << i;
  }
}

TEST(DevicesD3, WithoutDevicesTheProgramTrainsOnTheCpu) {
  in_own_process(
      [] {
        const Device device(cuda::is_available() ? kCUDA : kCPU);
        EXPECT_TRUE(device.is_cpu());
        for (const Tensor& w : weights_after_training(device)) EXPECT_TRUE(w.is_cpu());
      },
      "", 0);
}

// ---------------------------------------------------------------------- choosing
TEST(DevicesD4, GuardsNestAndRestoreOnExceptions) {
  TAPER_NEEDS_DEVICES(4);
  EXPECT_EQ(cuda::current_device(), 0);
  try {
    cuda::DeviceGuard outer(1);
    EXPECT_EQ(cuda::current_device(), 1);
    EXPECT_EQ(outer.original_device(), Device(kCUDA, 0));
    {
      cuda::OptionalDeviceGuard inner(Device(kCUDA, 3));
      EXPECT_EQ(cuda::current_device(), 3);
      cuda::OptionalDeviceGuard nothing(Device("cpu")), empty;
      EXPECT_EQ(cuda::current_device(), 3);
    }
    EXPECT_EQ(cuda::current_device(), 1);
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(cuda::current_device(), 0);
}

TEST(DevicesD4, OutsideIsZeroInsideIsOne) {
  TAPER_NEEDS_DEVICES(2);
  const auto where = [] { return empty({1}, kCUDA).get_device(); };
  EXPECT_EQ(where(), 0);
  {
    const cuda::DeviceGuard guard(1);
    EXPECT_EQ(where(), 1);
  }
  EXPECT_EQ(where(), 0);
  cuda::set_device(1);
  EXPECT_EQ(where(), 1);
  cuda::set_device(0);
  EXPECT_EQ(where(), 0);
}

TEST(DevicesD4, EachThreadHasItsOwnCurrentDevice) {
  TAPER_NEEDS_DEVICES(3);
  cuda::DeviceGuard guard(2);
  DeviceIndex seen = -1;
  std::thread([&] { seen = cuda::current_device(); }).join();
  EXPECT_EQ(seen, 0);
}

TEST(DevicesD5, NewTensorsGoToTheCurrentOne) {
  TAPER_NEEDS_DEVICES(3);
  const Tensor cpu = tensor({1., 2.}), zero = cpu.cuda();
  cuda::DeviceGuard guard(1);
  const Tensor a = tensor({1., 2.}, kCUDA), b = cpu.cuda(), b2 = cpu.to(kCUDA), c = a + b;
  EXPECT_EQ(a.device().str(), "cuda:1");
  EXPECT_EQ(b.device().str(), "cuda:1");
  EXPECT_EQ(b2.get_device(), 1);
  EXPECT_EQ(c.get_device(), 1);
  EXPECT_EQ((zero + zero).get_device(), 0);
  EXPECT_EQ(randn({2}, Device("cuda:2")).get_device(), 2);
  EXPECT_EQ(randn({2}, "cuda:2").get_device(), 2);
  EXPECT_EQ(cpu.to("cuda:2").get_device(), 2);
  EXPECT_EQ(cpu.cuda(2).get_device(), 2);
}

// ---------------------------------------------------------------------- which are visible
TEST(DevicesD6, VisibleOnesAreReadAsCudaReadsThem) {
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

TEST(DevicesD6, SetenvBeforeTheFirstUseChoosesAndNumbersAnew) {
  in_own_process([] {
    ::setenv("CUDA_VISIBLE_DEVICES", "0,3,2", 1);
    EXPECT_EQ(cuda::device_count(), 3);
    EXPECT_EQ(cuda::get_device_name(0), "Simulated CUDA device 0");
    EXPECT_EQ(cuda::get_device_name(1), "Simulated CUDA device 3");
    EXPECT_EQ(cuda::get_device_properties(2).name, "Simulated CUDA device 2");
    EXPECT_THROW(cuda::set_device(3), Error);
    const Tensor x = empty({64 << 20}, TensorOptions(Device("cuda:1")).dtype(kByte));
    EXPECT_LT(cuda::mem_get_info(1).first, cuda::mem_get_info(2).first);
    EXPECT_EQ(cuda::devices_by_free_memory().back(), 3);  // its number on this machine
    EXPECT_EQ(x.device().str(), "cuda:1");
    ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);  // too late
    EXPECT_EQ(cuda::device_count(), 3);
  });
}

TEST(DevicesD6, MalformedListsEndWhereTheyAreMalformed) {
  in_own_process([] {
    ::setenv("CUDA_VISIBLE_DEVICES", "2,nonsense,1", 1);
    EXPECT_EQ(cuda::device_count(), 1);
    EXPECT_EQ(cuda::get_device_name(0), "Simulated CUDA device 2");
  });
  in_own_process([] {
    ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
    EXPECT_FALSE(cuda::is_available());
  });
}

TEST(DevicesD6, HiddenDevicesAreTheReasonThatThereAreNone) {
  in_own_process([] { EXPECT_EQ(cuda::why_unavailable(), ""); });
  in_own_process([] {
    ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
    const std::string why = cuda::why_unavailable();
    EXPECT_EQ(why.rfind("CUDA_VISIBLE_DEVICES hides all simulated devices", 0), 0u) << why;
    EXPECT_NE(message_of([] { detail::require_cuda(); }).find(why), std::string::npos);
  });
}

TEST(DevicesD6, AnEmptyListHidesTheSuitesOwnDevices) {
  in_own_process(
      [] {
        ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
        EXPECT_FALSE(cuda::is_available());
        EXPECT_EQ(cuda::device_count(), 0);
        EXPECT_EQ(ones({2}).sum().item<float>(), 2);
      },
      "", -1);
  in_own_process(
      [] {
        ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
        EXPECT_EQ(cuda::device_count(), 1);
        EXPECT_EQ(ones({2}, kCUDA).sum().item<float>(), 2);
      },
      "", -1);
}

TEST(DevicesD7, FreeMemoryLetsAProgramPickItsDevices) {
  in_own_process([] {
    // Asking is no use: what was picked is put into the variable.
    const std::vector<DeviceIndex> order = cuda::devices_by_free_memory();
    EXPECT_EQ(order, (std::vector<DeviceIndex>{0, 1, 2, 3}));
    ::setenv("CUDA_VISIBLE_DEVICES", "3,1", 1);
    EXPECT_EQ(cuda::device_count(), 2);
    const auto bytes = [](int64_t n, int d) {
      return empty({n << 20},
                   TensorOptions(Device(kCUDA, static_cast<DeviceIndex>(d))).dtype(kByte));
    };
    const Tensor x = bytes(64, 0), y = bytes(128, 1);
    EXPECT_EQ(cuda::devices_by_free_memory(), (std::vector<DeviceIndex>{0, 2, 3, 1}));
    EXPECT_EQ(cuda::mem_get_info(1).first, cuda::mem_get_info(1).second - (size_t{128} << 20));
  });
}

TEST(DevicesD8, PropertiesAndCapability) {
  const DeviceProperties p = cuda::get_device_properties(last_device().index());
  EXPECT_EQ(p.name, cuda::get_device_name(last_device().index()));
  EXPECT_EQ(p.total_memory, cuda::mem_get_info(last_device().index()).second);
  EXPECT_EQ(cuda::get_device_capability(last_device().index()), std::pair(p.major, p.minor));
  EXPECT_GE(p.major, 1);
  EXPECT_GE(p.multi_processor_count, 1);
  if (cuda::is_simulated()) EXPECT_EQ(p.total_memory, size_t{256} << 20);
  EXPECT_THROW(cuda::get_device_properties(cuda::device_count()), Error);
}

TEST(DevicesD8, Peers) {
  EXPECT_FALSE(cuda::can_device_access_peer(0, 0));
  EXPECT_THROW(cuda::can_device_access_peer(0, cuda::device_count()), Error);
  TAPER_NEEDS_DEVICES(2);
  EXPECT_EQ(cuda::can_device_access_peer(0, 1), cuda::can_device_access_peer(1, 0));
  if (cuda::is_simulated()) EXPECT_TRUE(cuda::can_device_access_peer(0, 1));
}

// ---------------------------------------------------------------------- random numbers
TEST(DevicesD10, SeedsGiveTheSameNumbersOnEach) {
  manual_seed(3);
  const Tensor a = rand({5}, Device("cuda:0")).cpu();
  if (cuda::device_count() > 1) EXPECT_TRUE(rand({5}, Device("cuda:1")).cpu().equal(a));
  EXPECT_FALSE(rand({5}, Device("cuda:0")).cpu().equal(a));
  cuda::manual_seed(3);  // the current one
  EXPECT_TRUE(rand({5}, Device("cuda:0")).cpu().equal(a));
  if (cuda::device_count() > 1) EXPECT_FALSE(rand({5}, Device("cuda:1")).cpu().equal(a));
  cuda::manual_seed_all(3);
  for (DeviceIndex i = 0; i < cuda::device_count(); ++i)
    EXPECT_TRUE(rand({5}, Device(kCUDA, i)).cpu().equal(a)) << int{i};
}

TEST(DevicesD10, GeneratorsHaveAState) {
  Generator g = cuda::default_generator(last_device().index());
  const Tensor state = g.get_state(), first = rand({4}, last_device()).cpu();
  g.set_state(state);
  EXPECT_TRUE(rand({4}, last_device()).cpu().equal(first));
}

// With the generator's lock held, as LibTorch's programs do it.
TEST(DevicesD10, SeedsAndClonesComeBehindQueuedDraws) {
  const Device device = last_device();
  Generator g = cuda::default_generator(device.index()).clone();
  const auto seed = [&g](uint64_t number) {
    const std::lock_guard<std::mutex> lock(g.mutex());
    g.set_current_seed(number);
  };
  // What is called while one draw waits in the stream, and what that draw gives.
  const auto draw_before = [&](const std::function<void()>& call) {
    Gate gate(device.index());
    const Tensor x = rand({4}, g, device);
    std::thread opener([&gate] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      gate.open();
    });
    call();
    opener.join();
    return x.cpu();
  };
  seed(3);
  const Tensor first = rand({4}, g, device).cpu(), second = rand({4}, g, device).cpu();
  seed(3);
  EXPECT_TRUE(draw_before([&] { seed(5); }).equal(first));
  EXPECT_EQ(g.current_seed(), 5u);
  seed(3);
  EXPECT_TRUE(draw_before([&] { (void)g.seed(); }).equal(first));
  seed(3);
  Generator clone;
  EXPECT_TRUE(draw_before([&] { clone = g.clone(); }).equal(first));
  EXPECT_TRUE(rand({4}, clone, device).cpu().equal(second));
}

TEST(DevicesD10, SeedsAndClonesAreRefusedInACapture) {
  for (const Device& device : {Device(kCPU), last_device()}) {
    Generator g =
        (device.is_cpu() ? default_generator() : cuda::default_generator(device.index())).clone();
    for (const auto& call : std::vector<std::function<void()>>{
             [&] { g.set_current_seed(1); }, [&] { (void)g.seed(); }, [&] { (void)g.clone(); }}) {
      Graph graph(device);
      expect_error("operation not permitted when", [&] {
        const GraphGuard guard(graph);
        call();
      });
    }
  }
}

TEST(DevicesD10, AQueuedDrawKeepsItsGenerator) {
  const Device device = last_device();
  Generator own = cuda::default_generator(device.index()).clone();
  own.set_current_seed(3);
  const Tensor want = rand({4}, own, device).cpu();
  own.set_current_seed(3);
  Gate gate(device.index());
  const Tensor x = rand({4}, own, device);
  EXPECT_EQ(own.unsafeGetGeneratorImpl()->refs.load(), cuda::is_simulated() ? 2u : 1u);
  own = Generator();
  gate.open();
  EXPECT_TRUE(x.cpu().equal(want));
}

TEST(DevicesD10, AGeneratorIsForItsDevice) {
  TAPER_NEEDS_DEVICES(3);
  Generator g = cuda::default_generator(2);
  EXPECT_EQ(message_of([&] { rand({2}, g, Device("cuda:0")); }),
            "Expected a 'cuda:0' device type for generator but found 'cuda:2'");
}

}  // namespace
}  // namespace torch::taper
