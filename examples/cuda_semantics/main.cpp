// Runs the code of docs/devices.md and related pages, which quote the functions below
// (tests/docs/code_blocks.py compares them). Each function prints its result.
//
//   cuda_semantics                                      on the GPUs of the machine
//   TAPER_SIMULATED_CUDA_DEVICES=4 cuda_semantics       on simulated devices
// cuda_semantics --simulate the same, set by the program
#include <taper/nn/compile.h>
#include <taper/taper.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "pictures/timeline.h"

namespace {

// ---------------------------------------------------------------------- what the pieces share
taper::nn::Sequential model(taper::nn::Linear(4, 3));
taper::nn::CrossEntropyLoss criterion;
taper::optim::SGD optimizer(model->parameters(), taper::optim::SGDOptions(0.1));
taper::Tensor x = taper::randn({8, 4}), y = taper::zeros({8}, taper::kLong);

auto dataset =
    taper::data::datasets::TensorDataset(taper::ones({256, 4}))
        .map(taper::data::transforms::Lambda<taper::data::TensorExample, taper::data::Example<>>(
            [](taper::data::TensorExample e) {
              return taper::data::Example<>(e.data, taper::tensor(1));
            }))
        .map(taper::data::transforms::Stack<>());

int steps = 0;
void step(const taper::Tensor& data, const taper::Tensor& target) {
  model->zero_grad();
  criterion(model->forward(data), target).backward();
  ++steps;
}

void say(const std::string& name, const taper::Tensor& t) {
  std::cout << "  " << name << " is on " << t.device() << '\n';
}

// ---------------------------------------------------------------------- the pieces
taper::Device the_same_program() {
  taper::Device device(taper::cuda::is_available() ? taper::kCUDA : taper::kCPU);
  model->to(device);  // parameters and buffers, in place
  auto loss = criterion(model->forward(x.to(device)), y.to(device));
  std::cout << "  the loss is " << loss.item<float>() << ", computed on " << device << '\n';
  return device;
}

void simulated_devices() {
  taper::cuda::SimulationOptions options;
  options.memory = size_t{1} << 30;  // bytes per device: small values test running out
  options.max_delay_us = 50;         // largest random delay of a kernel's start
  options.seed = 1;
  taper::cuda::simulate_devices(4, options);
  std::cout << "  asked for 4 simulated devices of " << (options.memory >> 20) << " MiB\n";
}

void devices_with_free_memory() {
  const char* before = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string own = before ? before : "";
  auto order = taper::cuda::devices_by_free_memory();  // machine's indices, most free first
  if (order.size() > 1) {
    const std::string two = std::to_string(order[0]) + "," + std::to_string(order[1]);
    setenv("CUDA_VISIBLE_DEVICES", two.c_str(), 1);
  }
  std::cout << "  most free memory first:";
  for (auto number : order) std::cout << ' ' << int{number};
  std::cout << '\n';
  // The functions below need all devices.
  before ? setenv("CUDA_VISIBLE_DEVICES", own.c_str(), 1) : unsetenv("CUDA_VISIBLE_DEVICES");
}

void the_current_device() {
  auto a = taper::tensor({1., 2.}, taper::Device("cuda:0"));
  taper::cuda::DeviceGuard guard(1);                      // until the end of the scope
  auto b = taper::tensor({1., 2.}, taper::kCUDA);         // on cuda:1
  auto c = taper::tensor({1., 2.}).to(taper::kCUDA) + b;  // on cuda:1
  auto d = a + a;                                         // on cuda:0, where its inputs are
  say("b", b);
  say("c", c);
  say("d", d);
}

void default_devices() {
  taper::DefaultDeviceGuard guard(taper::kCUDA);  // or set_default_device, without a scope
  auto weights = taper::randn({3, 4});            // on the current CUDA device
  taper::set_default_tensor_type("torch.cuda.DoubleTensor");
  taper::set_default_tensor_type("torch.FloatTensor");
  say("weights", weights);
}

void pinned_memory(const taper::Device& device) {
  auto pinned = x.pin_memory();
  auto on_device = pinned.to(device, /*non_blocking=*/true);
  std::cout << "  pinned: " << pinned.is_pinned() << ", x itself: " << x.is_pinned() << '\n';
  say("on_device", on_device);
}

void loading(const taper::Device& device) {
  steps = 0;
  auto loader = taper::data::make_data_loader(
      dataset, taper::data::DataLoaderOptions(64).workers(2).prefetch_factor(4).pin_memory(true));
  for (auto& batch : taper::data::prefetch_to_device(*loader, device))
    step(batch.data, batch.target);  // both are on the device
  std::cout << "  " << steps << " batches were computed with on " << device << '\n';
}

void streams() {
  taper::cuda::Stream side;
  taper::Tensor total;
  auto a = taper::ones({100, 100}, taper::kCUDA);   // on the current stream
  side.wait_stream(taper::cuda::current_stream());  // without this line, a race
  {
    taper::cuda::StreamGuard guard(side);
    total = a.sum();
  }
  taper::cuda::current_stream().wait_stream(side);
  std::cout << "  the sum on a side stream is " << total.item<float>() << '\n';
}

void timelines(const taper::Device& device) {
  const taper::data::Example<> batch(x.to(device), y.to(device));
  taper::cuda::Timeline timeline;
  step(batch.data, batch.target);
  timeline.stop();
  timeline.export_chrome_trace("trace.json");
  std::cout << "  trace.json has " << timeline.events().size() << " events\n";
}

void captured_steps(const taper::Device& device) {
  auto loader = taper::data::make_data_loader(dataset, taper::data::DataLoaderOptions(64));
  auto data = taper::zeros({8, 4}, device);
  auto target = taper::zeros({8}, taper::TensorOptions(taper::kLong).device(device));
  auto train = [&] {
    optimizer.zero_grad();
    auto loss = criterion(model->forward(data), target);
    loss.backward();
    optimizer.step();
    return loss;
  };
  train();  // once before: creates state and loads libraries
  taper::Graph graph(device);
  taper::Tensor loss;
  {
    taper::GraphGuard guard(graph);  // with torch.cuda.graph(g):
    loss = train();                  // nothing runs
  }
  for (auto& batch : *loader) {
    data.copy_(batch.data.slice(0, 0, 8));  // new values at the old addresses
    target.copy_(batch.target.slice(0, 0, 8).view({8}));
    graph.replay();  // loss holds the new value
  }
  std::cout << "  the loss of the last replay is " << loss.item<float>() << '\n';
}

void budget_of_memory() {
  taper::nn::Sequential net(taper::nn::Linear(64, 256), taper::nn::GELU(),
                            taper::nn::Linear(256, 256), taper::nn::GELU(),
                            taper::nn::Linear(256, 256), taper::nn::GELU());
  taper::optim::SGD sgd(net->parameters(), /*lr=*/0.1);
  auto input = taper::randn({1024, 64});
  taper::Tensor loss;
  auto train = [&] {
    sgd.zero_grad();
    loss = net->forward(input).square().mean();
    loss.backward();
    sgd.step();
  };
  train();
  taper::Graph graph(taper::kCPU);
  graph.capture(train, taper::GraphOptions().memory_budget(7 << 20));  // calls train several times
  std::cout << "  replays take " << graph.memory().planned / 1024 << " KiB, "
            << graph.recomputed() / 1024 << " are made again\n";
  graph.replay();
}

void compiled_steps(const taper::Device& device) {
  auto loader = taper::data::make_data_loader(dataset, taper::data::DataLoaderOptions(64));
  auto fast = taper::compile(model);
  for (auto& batch : *loader) {
    auto loss = criterion(fast(batch.data.to(device)), batch.target.to(device));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  std::cout << fast.captures() << " captures; " << fast.fallback_reason() << '\n';
}

void memory() {
  const auto before = taper::cuda::memory_allocated();
  auto large = taper::empty({1 << 20}, taper::kCUDA);  // 4 MiB
  const auto with_it = taper::cuda::memory_allocated();
  large = taper::Tensor();
  const auto after = taper::cuda::memory_allocated();  // as before, though the block is cached
  std::cout << "  4 MiB count as " << with_it - before << " bytes, and as " << after - before
            << " when they are freed\n";
}

void data_parallelism() {
  auto loader = taper::data::make_data_loader(dataset, taper::data::DataLoaderOptions(64));
  taper::cuda::Timeline timeline;
  model->to(taper::Device("cuda:0"));
  taper::nn::DataParallel net(model);  // on all devices, or .device_ids({0, 1, 2})
  for (auto& batch : *loader) {
    optimizer.zero_grad();  // made with model->parameters()
    auto loss = criterion(net->forward(batch.data), batch.target.to(taper::kCUDA));
    loss.backward();
    optimizer.step();
  }
  timeline.stop();
  write_timeline(timeline.events(), "cuda_semantics.svg");
  std::cout << "  trained on " << net->devices().size()
            << " devices; cuda_semantics.svg shows it\n";
}

// ---------------------------------------------------------------------- running them
struct Options {
  bool simulate = false, disable_cuda = false;
};

void run(const Options& options) {
  // A process without visible devices has none.
  if (options.disable_cuda) setenv("CUDA_VISIBLE_DEVICES", "", 1);
  std::cout << std::boolalpha << "simulated devices\n";
  // These calls must come before the first use of a device.
  if (options.simulate && !options.disable_cuda)
    simulated_devices();
  else
    std::cout << "  not asked for (--simulate)\n";
  std::cout << "devices with free memory\n";
  if (!options.disable_cuda) devices_with_free_memory();

  if (!options.disable_cuda && !taper::cuda::is_available())
    throw std::runtime_error(
        "there is no CUDA device; --simulate simulates four, as does "
        "TAPER_SIMULATED_CUDA_DEVICES=4 in the environment, and --disable-cuda runs what needs "
        "none");
  std::cout << "the same program\n";
  const taper::Device device = the_same_program();
  if (device.is_cpu()) return;
  std::cout << "the current device\n";
  if (taper::cuda::device_count() > 1)
    the_current_device();
  else
    std::cout << "  needs two devices, and there is one\n";
  std::cout << "default devices\n";
  default_devices();
  std::cout << "pinned memory\n";
  pinned_memory(device);
  std::cout << "loading\n";
  loading(device);
  std::cout << "streams\n";
  streams();
  std::cout << "timelines\n";
  timelines(device);
  std::cout << "captured steps\n";
  captured_steps(device);
  std::cout << "a budget of memory\n";
  budget_of_memory();
  std::cout << "compiled steps\n";
  compiled_steps(device);
  std::cout << "memory\n";
  memory();
  std::cout << "data parallelism\n";
  data_parallelism();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Runs the code of docs/devices.md; writes trace.json and cuda_semantics.svg."};
  app.add_flag("--simulate", options.simulate, "Simulate four devices");
  app.add_flag("--disable-cuda", options.disable_cuda, "Run only what needs no CUDA device");
  try {
    app.parse(argc, argv);
    run(options);
    return 0;
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& e) {
    std::cerr << "cuda_semantics: " << e.what() << " (--help lists the flags)\n";
    return 2;
  } catch (const std::exception& e) {
    std::cerr << "cuda_semantics: " << e.what() << '\n';
    return 1;
  }
}
