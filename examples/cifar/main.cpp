// Trains ResNet-18 on CIFAR-10, in mixed precision:
//
//   cifar --data cifar-10-batches-bin                      on the CPU
//   cifar --data cifar-10-batches-bin --device cuda
// cifar --data cifar-10-batches-bin --resume continues after the last epoch
#include <taper/taper.h>
#include <taper/train/trainer.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "pictures/svg.h"
#include "resnet.h"

namespace cifar {
namespace {

// The options of the command line.
struct Options {
  std::string data;
  int epochs = 30;
  int batch_size = 512;
  double lr = 0.4;
  int64_t width = 64;
  int64_t seed = 1;
  int threads = 0;
  int workers = 2;
  std::string device = "cpu";
  bool disable_cuda = false;
  bool float32 = false;
  std::string checkpoint = "cifar.checkpoint";
  bool resume = false;
  std::string curve;
};

// Returns true to continue. Otherwise, after --help or a wrong flag, `status` is the exit code. A
// wrong flag is reported on stderr.
bool parse_options(int argc, char** argv, Options& o, int& status) {
  CLI::App app{"Trains ResNet-18 on CIFAR-10."};
  app.add_option("--data", o.data, "Folder of CIFAR-10's binary version (data_batch_1.bin ...)")
      ->required();
  app.add_option("--epochs", o.epochs, "Passes over the training images")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--batch-size", o.batch_size, "Images in a batch")
      ->check(CLI::Range(2, 50000))
      ->capture_default_str();
  app.add_option("--lr", o.lr, "Highest learning rate")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--width", o.width, "Channels of the first stage")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--seed", o.seed, "Seed of all random numbers")->capture_default_str();
  app.add_option("--threads", o.threads, "Threads of an operation (default: all cores)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--workers", o.workers, "Threads that prepare batches ahead")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  app.add_option("--device", o.device, "Where to compute: cpu, cuda, cuda:1")
      ->capture_default_str();
  app.add_flag("--disable-cuda", o.disable_cuda, "Compute on the CPU whatever else is said");
  app.add_flag("--float32", o.float32, "Compute in f32 alone, not in bf16 where autocast does");
  app.add_option("--checkpoint", o.checkpoint, "File to save the state of the run in")
      ->capture_default_str();
  app.add_flag("--resume", o.resume, "Go on from the checkpoint, if there is one");
  app.add_option("--curve", o.curve, "File for a drawing (SVG) of the accuracy over the epochs");
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", app.help().c_str());
    status = 0;
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "cifar: %s (--help lists the flags)\n", e.what());
    status = 2;
  }
  return false;
}

namespace data = taper::data;
using data::datasets::CIFAR10;

taper::Device chosen_device(const Options& options) {
  const taper::Device device(options.disable_cuda ? "cpu" : options.device);
  TAPER_CHECK(device.is_cpu() || taper::cuda::is_available(), "--device ", device,
              ": there is no CUDA device; use --device cpu");
  return device.is_cuda() && !device.has_index() ? taper::Device("cuda:0") : device;
}

// Mean and standard deviation of the training images' channels.
data::transforms::Normalize<> normalized() {
  return data::transforms::Normalize<>({0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616});
}
// Pads images by 4 pixels, crops them at random places and mirrors some of them, anew in each
// epoch.
auto augmented(const CIFAR10& images) {
  auto cropped = data::datasets::map(images, data::transforms::RandomCrop<>(32, 4));
  auto mirrored =
      data::datasets::map(std::move(cropped), data::transforms::RandomHorizontalFlip<>());
  auto scaled = data::datasets::map(std::move(mirrored), normalized());
  return data::datasets::map(std::move(scaled), data::transforms::Stack<>());
}
auto as_they_are(const CIFAR10& images) {
  return data::datasets::map(data::datasets::map(images, normalized()),
                             data::transforms::Stack<>());
}

// Raises the learning rate linearly in the first sixth of the epochs, then lowers it linearly to a
// thousandth.
double factor_at(int64_t epoch, int64_t epochs) {
  const double peak = std::max(1.0, static_cast<double>(epochs) / 6),
               at = static_cast<double>(epoch);
  if (at < peak) return (at + 1) / (peak + 1);
  return std::max(0.001,
                  (static_cast<double>(epochs) - at) / (static_cast<double>(epochs) - peak + 1));
}

Tensor smoothed_loss(const Tensor& logits, const Tensor& target) {
  return taper::cross_entropy_loss(logits, target, {}, taper::Reduction::Mean, -100,
                                   /*label_smoothing=*/0.1);
}

void draw(const std::vector<taper::train::EpochResult>& results, const std::string& file) {
  Series accuracy{"accuracy on the test images, %", {}, {}};
  for (const taper::train::EpochResult& result : results)
    accuracy.add(static_cast<double>(result.epoch), 100 * result.metrics[0]);
  write_svg({accuracy}, "epochs", file);
}

int run(const Options& options) {
  const taper::Device device = chosen_device(options);
  if (!options.curve.empty()) expect_writable(options.curve);
  if (options.threads > 0) taper::set_num_threads(options.threads);
  taper::manual_seed(static_cast<uint64_t>(options.seed));
  const CIFAR10 train(options.data), test(options.data, CIFAR10::Mode::kTest);
  const auto count = static_cast<int64_t>(*train.size());

  ResNet18 net(options.width);
  net->to(device);
  taper::optim::SGD optimizer(net->parameters(),
                              taper::optim::SGDOptions(options.lr * factor_at(0, options.epochs))
                                  .momentum(0.9)
                                  .nesterov(true)
                                  .weight_decay(5e-4));
  taper::optim::LambdaLR schedule(optimizer, [&options](int64_t epoch) {
    return factor_at(epoch, options.epochs) / factor_at(0, options.epochs);
  });
  const auto loading = data::DataLoaderOptions(static_cast<size_t>(options.batch_size))
                           .workers(static_cast<size_t>(options.workers))
                           .pin_memory(device.is_cuda());
  auto batches =
      data::make_data_loader(augmented(train), data::samplers::RandomSampler(count), loading);
  auto test_batches =
      data::make_data_loader<data::samplers::SequentialSampler>(as_they_are(test), loading);

  taper::train::Trainer trainer(net, optimizer, smoothed_loss,
                                taper::train::TrainerOptions()
                                    .epochs(options.epochs)
                                    .device(device)
                                    .checkpoint(options.checkpoint)
                                    .samples(count)
                                    .unit("images"));
  trainer.add_metric(taper::train::accuracy());
  trainer.add_schedule(schedule);
  trainer.set_forward([&](const Tensor& x) {
    const taper::autocast mixed(device, taper::kBFloat16, !options.float32);
    return net(x).to(taper::kFloat);
  });
  trainer.after_epoch([&](const taper::train::EpochResult& result) {
    std::printf("epoch %lld/%d  loss %.3f  accuracy on the test images %.2f%%\n",
                static_cast<long long>(result.epoch), options.epochs, result.loss,
                100 * result.metrics[0]);
  });
  if (options.resume && trainer.resume())
    std::printf("going on from %s: %lld epochs are done\n", options.checkpoint.c_str(),
                static_cast<long long>(trainer.epochs_done()));
  const auto& results = trainer.fit(*batches, *test_batches);
  std::printf("final accuracy on the test images: %.2f%%\n", 100 * results.back().metrics[0]);
  if (!options.curve.empty()) draw(results, options.curve);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cifar

int main(int argc, char** argv) {
  cifar::Options options;
  int status = 0;
  if (!cifar::parse_options(argc, argv, options, status)) return status;
  try {
    return cifar::run(options);
  } catch (const std::exception& e) {
    std::fflush(stdout);
    std::fprintf(stderr, "cifar: %s\n", e.what());
    return 1;
  }
}
