// nn::DataParallel splits a batch over the devices, and the model trains as on one device.
//
//   data_parallel                                       on all GPUs of the machine
//   TAPER_SIMULATED_CUDA_DEVICES=4 data_parallel        on four simulated ones
#include <taper/taper.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "pictures/svg.h"

namespace {

namespace nn = taper::nn;
using taper::Device;
using taper::Tensor;

constexpr int64_t kInputs = 5, kOutputs = 2, kRows = 100;
constexpr const char* kPicture = "data_parallel.svg";

struct Options {
  int devices = 0;  // 0: all
  int batch_size = 30;
  int epochs = 3;
  int64_t seed = 1;
  bool disable_cuda = false;
};

// A linear layer that prints the sizes of its input and output.
struct ModelImpl : nn::Cloneable<ModelImpl> {
  ModelImpl() { ModelImpl::reset(); }
  void reset() override { fc = register_module("fc", nn::Linear(kInputs, kOutputs)); }
  Tensor forward(const Tensor& x) {
    const Tensor y = fc->forward(x);
    if (says_sizes) print("    In Model: input size ", x, " output size ", y);
    return y;
  }
  static void print(const char* before, const Tensor& x, const char* between, const Tensor& y) {
    std::ostringstream line;
    line << before << x.sizes() << between << y.sizes() << " on " << y.device() << "\n";
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    std::fputs(line.str().c_str(), stdout);
  }
  nn::Linear fc{nullptr};
  static inline bool says_sizes = false;
};
TAPER_MODULE(Model);

Model new_model(const Options& options, const Device& device) {
  taper::manual_seed(static_cast<uint64_t>(options.seed));
  Model model;
  model->to(device);
  return model;
}

// A run: the call of a model, and the optimizer of its parameters.
template <class Net>
struct Run {
  Run(const Model& model, Net net, const Device& device)
      : device(device), net(std::move(net)), sgd(model->parameters(), 0.1) {}
  double step(const Tensor& x, const Tensor& y) {
    sgd.zero_grad();
    const Tensor output = net->forward(x.to(device));
    if (ModelImpl::says_sizes) ModelImpl::print("Outside: input size ", x, " output_size ", output);
    Tensor loss = nn::functional::mse_loss(output, y.to(device));
    loss.backward();
    sgd.step();
    return loss.template item<double>();
  }
  const Device device;
  Net net;
  taper::optim::SGD sgd;
};

// Returns the devices to use. An empty list means the CPU.
std::vector<int64_t> chosen_devices(const Options& options) {
  const int found = options.disable_cuda ? 0 : taper::cuda::device_count();
  if (options.devices > found)
    throw std::invalid_argument(
        "--devices " + std::to_string(options.devices) + ": found " + std::to_string(found) +
        " CUDA devices; set TAPER_SIMULATED_CUDA_DEVICES=" + std::to_string(options.devices) +
        " to simulate as many");
  std::vector<int64_t> ids(static_cast<size_t>(options.devices > 0 ? options.devices : found));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i);
  return ids;
}

// Trains on one device and on all devices, with equal batches. Draws the losses, and returns their
// largest difference.
template <class Many, class One>
double train(const Options& options, Many& many, One& one) {
  const Tensor x = taper::randn({kRows, kInputs});
  const Tensor y = x.matmul(taper::randn({kInputs, kOutputs}));
  double largest = 0;
  int step = 0;
  Series split{"split over the devices", {}, {}, true}, alone{"on one device", {}, {}};
  for (int epoch = 0; epoch < options.epochs; ++epoch)
    for (int64_t i = 0; i < kRows; i += options.batch_size) {
      const int64_t end = std::min<int64_t>(i + options.batch_size, kRows);
      ModelImpl::says_sizes = epoch == 0;
      const double got = many.step(x.slice(0, i, end), y.slice(0, i, end));
      ModelImpl::says_sizes = false;
      const double want = one.step(x.slice(0, i, end), y.slice(0, i, end));
      std::printf("step %d  loss %.6f, on one device %.6f\n", ++step, got, want);
      largest = std::max(largest, std::fabs(got - want));
      split.add(step, got);
      alone.add(step, want);
    }
  write_svg({split, alone}, "step", kPicture);
  return largest;
}

int run(const Options& options) {
  expect_writable(kPicture);
  const std::vector<int64_t> ids = chosen_devices(options);
  const Device device = ids.empty() ? Device(taper::kCPU) : Device("cuda:0");
  if (ids.empty())
    std::printf("Let's use the CPU%s\n",
                options.disable_cuda ? ""
                                     : " (there is no CUDA device: TAPER_SIMULATED_CUDA_DEVICES=4 "
                                       "in the environment simulates four)");
  else
    std::printf("Let's use %zu %s\n", ids.size(),
                taper::cuda::is_simulated() ? "simulated devices" : "GPUs");
  Model model = new_model(options, device), alone = new_model(options, device);
  Run one(alone, alone, device);
  double difference = 0;
  if (ids.empty()) {
    Run many(model, model, device);
    difference = train(options, many, one);
  } else {
    Run many(model, nn::DataParallel(model, nn::DataParallelOptions().device_ids(ids)), device);
    difference = train(options, many, one);
  }
  std::printf("largest difference of the losses: %.1e\n", difference);
  return difference < 1e-5 ? 0 : 1;
}

bool parse(int argc, char** argv, Options& o, int& status) {
  CLI::App app{"Trains a small model under nn::DataParallel, and beside it on one device."};
  app.add_option("--devices", o.devices, "CUDA devices to use (default: all)")
      ->check(CLI::Range(1, taper::kMaxDevices));
  app.add_option("--batch-size", o.batch_size, "Rows in a batch")
      ->check(CLI::Range(int64_t{1}, kRows))
      ->capture_default_str();
  app.add_option("--epochs", o.epochs, "Passes over the 100 rows")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "Seed of all random numbers")->capture_default_str();
  app.add_flag("--disable-cuda", o.disable_cuda, "Compute on the CPU");
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", app.help().c_str());
    status = 0;
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "data_parallel: %s (--help lists the flags)\n", e.what());
    status = 2;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  int status = 0;
  if (!parse(argc, argv, options, status)) return status;
  try {
    return run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "data_parallel: %s\n", e.what());
    return 1;
  }
}
