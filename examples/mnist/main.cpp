// Trains a network on MNIST:
//
//   mnist --model cnn --epochs 3
// mnist --resume continues a run that was stopped, by Ctrl-C or even kill -9
//   mnist --device cuda --data-parallel
#include <taper/taper.h>
#include <taper/train/trainer.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>

#include "checkpoint.h"
#include "files.h"
#include "models.h"
#include "options.h"
#include "pictures/svg.h"
#include "source.h"

namespace mnist {
namespace {

namespace data = taper::data;
using data::datasets::MNIST;
using taper::Tensor;

// Set by Ctrl-C. The program then stops after the current batch. A second Ctrl-C ends it at once.
volatile std::sig_atomic_t interrupted = 0;
constexpr int kInterrupted = 128 + SIGINT;  // the exit code that shells report for Ctrl-C

void obey_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

constexpr double kMean = 0.1307, kStddev = 0.3081;

// Returns the device to use. Throws taper::Error, with the reason, if it is not available.
taper::Device chosen_device(const Options& options) {
  const taper::Device device(options.disable_cuda ? "cpu" : options.device);
  TAPER_CHECK(device.is_cpu() || taper::cuda::is_available(), "--device ", device,
              ": there is no CUDA device; use --device cpu, or simulate devices with "
              "TAPER_SIMULATED_CUDA_DEVICES=4 in the environment");
  TAPER_CHECK(device.is_cpu() || device.index() < taper::cuda::device_count(), "--device ", device,
              ": expected a number below ", int{taper::cuda::device_count()},
              ", which is how many CUDA devices there are");
  TAPER_CHECK(device.is_cuda() || !options.data_parallel || options.disable_cuda,
              "--data-parallel: expected --device cuda with it, got --device ", device);
  return device.is_cuda() && !device.has_index() ? taper::Device("cuda:0") : device;
}

// Returns the options of the loader. On CUDA, batches are pinned, so that they are copied while the
// device computes.
data::DataLoaderOptions loading(const Options& options, const taper::Device& device) {
  return data::DataLoaderOptions(static_cast<size_t>(options.batch_size))
      .workers(static_cast<size_t>(options.workers))
      .pin_memory(device.is_cuda());
}

// Returns the network on all CUDA devices, the device of the network first.
taper::nn::DataParallel<Network> on_all_devices(const std::shared_ptr<Network>& network,
                                                const std::string& name,
                                                const taper::Device& first) {
  std::vector<int64_t> ids = {first.index()};
  for (int64_t i = 0; i < taper::cuda::device_count(); ++i)
    if (i != first.index()) ids.push_back(i);
  return taper::nn::DataParallel<Network>(
      network, taper::nn::DataParallelOptions().device_ids(ids).make_replica(
                   [name] { return make_network(name); }));
}

auto prepared(const MNIST& images) {
  return data::datasets::map(
      data::datasets::map(images, data::transforms::Normalize<>(kMean, kStddev)),
      data::transforms::Stack<>());
}

// Makes the trainer run the network on all CUDA devices, `first` first.
void train_on_all_devices(taper::train::Trainer& trainer, const std::shared_ptr<Network>& network,
                          const Options& options, const taper::Device& first) {
  trainer.set_forward([all = on_all_devices(network, options.model, first)](
                          const Tensor& x) mutable { return all->forward(x); });
}

// Writes a timeline of three steps to a file, after the first steps, which fill caches.
class ThreeSteps {
 public:
  explicit ThreeSteps(std::string file) : file_(std::move(file)) {}
  // Call it after each step.
  void step() {
    if (file_.empty() || ++steps_ > kFirst + 3) return;
    if (steps_ == kFirst) timeline_.emplace();
    if (steps_ < kFirst + 3) return;
    timeline_->stop();
    timeline_->export_chrome_trace(file_);
    std::printf("%s: what the devices did in three steps, %zu events\n", file_.c_str(),
                timeline_->events().size());
    timeline_.reset();
  }

 private:
  static constexpr int kFirst = 5;
  std::string file_;
  int steps_ = 0;
  std::optional<taper::cuda::Timeline> timeline_;
};

void draw(const std::vector<taper::train::EpochResult>& results, const std::string& file) {
  Series train{"training loss", {}, {}}, test{"test loss", {}, {}};
  for (const taper::train::EpochResult& result : results) {
    train.add(static_cast<double>(result.epoch), result.loss);
    test.add(static_cast<double>(result.epoch), result.validation_loss);
  }
  write_svg({train, test}, "epochs", file);
}

// Trains, and returns the program's exit code.
int train(const Options& options, bool resume, const MNIST& images, const MNIST& test_images) {
  const taper::Device device = chosen_device(options);
  auto network = make_network(options.model);
  network->to(device);
  taper::optim::SGD optimizer(network->parameters(),
                              taper::optim::SGDOptions(options.lr).momentum(options.momentum));
  const int64_t count = options.limit ? options.limit : static_cast<int64_t>(*images.size());
  auto batches = data::make_data_loader(prepared(images), data::samplers::RandomSampler(count),
                                        loading(options, device));
  auto test_batches = data::make_data_loader<data::samplers::SequentialSampler>(
      prepared(test_images), data::DataLoaderOptions(1000).pin_memory(device.is_cuda()));

  taper::train::Trainer trainer(
      network, optimizer, [](const Tensor& y, const Tensor& t) { return taper::nll_loss(y, t); },
      taper::train::TrainerOptions()
          .epochs(options.epochs)
          .device(device)
          .checkpoint(options.checkpoint)
          .checkpoint_every(options.checkpoint_every)
          .samples(count)
          .unit("images"));
  trainer.add_metric(taper::train::accuracy());
  if (options.data_parallel && device.is_cuda())
    train_on_all_devices(trainer, network, options, device);
  trainer.on_save([&](auto& archive) { save_settings(archive, options); });
  ThreeSteps trace(options.trace);
  trainer.after_batch([&] {
    trace.step();
    if (interrupted) trainer.stop();
  });
  trainer.after_epoch([&](const taper::train::EpochResult& result) {
    std::printf("epoch %lld/%d  accuracy on the test images %.2f%%\n",
                static_cast<long long>(result.epoch), options.epochs, 100 * result.metrics[0]);
    if (interrupted) trainer.stop();
  });
  if (resume && trainer.resume())
    std::printf("going on from %s: %lld epochs and %lld batches are done\n",
                options.checkpoint.c_str(), static_cast<long long>(trainer.epochs_done()),
                static_cast<long long>(trainer.batches_done()));
  obey_interrupts();
  const auto& results = trainer.fit(*batches, *test_batches);
  if (trainer.stopped()) {
    std::printf("\nstopped; %s is saved, and --resume goes on from there\n",
                options.checkpoint.c_str());
    return kInterrupted;
  }
  std::printf("final accuracy on the test images: %.2f%%\n", 100 * results.back().metrics[0]);
  if (!options.curve.empty()) draw(results, options.curve);
  return 0;
}

int run(Options options) {
  if (options.checkpoint.empty()) {
    make_folders(cache_folder());
    options.checkpoint = cache_folder() + "/mnist.checkpoint";
  }
  const bool resume = options.resume && exists(options.checkpoint);
  if (options.resume && !resume)
    std::printf("there is no checkpoint %s yet: starting anew\n", options.checkpoint.c_str());
  if (resume) adopt_settings(options.checkpoint, options);
  chosen_device(options);  // reports a missing device before looking for data
  check_writable(options.checkpoint);
  if (!options.curve.empty()) check_writable(options.curve);
  if (!options.trace.empty()) {
    TAPER_CHECK(chosen_device(options).is_cuda(), "--trace: expected --device cuda with it");
    check_writable(options.trace);
  }
  if (options.threads > 0) taper::set_num_threads(options.threads);
  taper::manual_seed(static_cast<uint64_t>(options.seed));

  const Source source = find_data(options);
  std::printf("data: %s (%s)\n", source.folder.c_str(), source.description.c_str());
  const MNIST train(source.folder, MNIST::Mode::kTrain), test(source.folder, MNIST::Mode::kTest);
  TAPER_CHECK(options.limit <= static_cast<int64_t>(*train.size()), "--limit: expected at most ",
              *train.size(), " images, got ", options.limit);
  return mnist::train(options, resume, train, test);
}

}  // namespace
}  // namespace mnist

int main(int argc, char** argv) {
  mnist::Options options;
  int status = 0;
  if (!mnist::parse_options(argc, argv, options, status)) return status;
  // A full disk or a closed pipe is reported as an error, not by a signal.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int result = mnist::run(options);
    return std::fflush(stdout) == 0 ? result : 1;
  } catch (const std::exception& e) {
    std::fflush(stdout);
    std::fprintf(stderr, "mnist: %s\n", e.what());
    return 1;
  }
}
