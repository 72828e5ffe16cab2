// Trains a network on MNIST:
//
//   mnist --model cnn --epochs 3
//   mnist --resume            goes on where the last run was stopped, by Ctrl-C or even kill -9
//   mnist --device cuda --data-parallel
#include <taper/taper.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "checkpoint.h"
#include "files.h"
#include "models.h"
#include "options.h"
#include "progress.h"
#include "source.h"

namespace mnist {
namespace {

namespace data = taper::data;
using data::datasets::MNIST;
using taper::Tensor;

// Set by Ctrl-C, which is obeyed after the current batch; the second one ends the program at once.
volatile std::sig_atomic_t interrupted = 0;
constexpr int kInterrupted = 128 + SIGINT;  // what shells say of a program that it ended

void obey_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

constexpr double kMean = 0.1307, kStddev = 0.3081;

// Where to compute. Throws taper::Error, saying what lacks, when that cannot be.
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

// How batches come: on CUDA pinned, so that they are copied while the device computes.
data::DataLoaderOptions loading(const Options& options, const taper::Device& device) {
  return data::DataLoaderOptions(static_cast<size_t>(options.batch_size))
      .workers(static_cast<size_t>(options.workers))
      .pin_memory(device.is_cuda());
}

// The network on all CUDA devices, its own first.
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

// A run: the network, its optimizer and where they are.
class Run {
 public:
  Run(const Options& options, const MNIST& train, const MNIST& test)
      : options_(options),
        device_(chosen_device(options)),
        network_(make_network(options.model)),
        optimizer_((network_->to(device_), network_->parameters()),
                   taper::optim::SGDOptions(options.lr).momentum(options.momentum)),
        generator_(taper::default_generator()),
        images_(options.limit ? options.limit : static_cast<int64_t>(*train.size())),
        train_loader_(data::make_data_loader(
            prepared(train), data::samplers::RandomSampler(images_), loading(options, device_))),
        test_loader_(data::make_data_loader<data::samplers::SequentialSampler>(
            prepared(test), data::DataLoaderOptions(1000).pin_memory(device_.is_cuda()))) {
    if (options.data_parallel && device_.is_cuda())
      parallel_.emplace(on_all_devices(network_, options_.model, device_));
  }

  void resume() {
    position_ = load_checkpoint(options_.checkpoint, *network_, optimizer_);
    std::printf("going on from %s: %lld epochs and %lld batches are done\n",
                options_.checkpoint.c_str(), static_cast<long long>(position_.epoch),
                static_cast<long long>(position_.batch));
    generator_.set_state(position_.generator_now);
    resumed_ = true;
  }

  // False when it was interrupted: the checkpoint holds all that was done.
  bool train() {
    for (; position_.epoch < options_.epochs; ++position_.epoch) {
      if (!epoch()) return false;
      position_.batch = 0;
      position_.loss_sum = 0;
      const double right = accuracy();
      std::printf("epoch %lld/%d  accuracy on the test images %.2f%%\n",
                  static_cast<long long>(position_.epoch + 1), options_.epochs, 100 * right);
      if (interrupted) return false;
    }
    return true;
  }

  // The share of the test images that the network names correctly.
  double accuracy() {
    taper::NoGradGuard no_grad;
    network_->eval();
    int64_t right = 0, all = 0;
    for (auto& batch : data::prefetch_to_device(*test_loader_, device_)) {
      right += forward(batch.data).argmax(1).eq(batch.target).sum().item<int64_t>();
      all += batch.target.size(0);
    }
    network_->train();
    return static_cast<double>(right) / static_cast<double>(all);
  }

 private:
  // One epoch, or what is left of it. The order of the images is drawn when the loader starts: to
  // go on in the middle, it is drawn again from the same state and the batches done are passed
  // over. False when it was interrupted.
  bool epoch() {
    const int64_t done_before = resumed_ ? position_.batch : 0;
    if (resumed_)
      generator_.set_state(position_.generator_at_epoch);
    else
      position_.generator_at_epoch = generator_.get_state();
    auto batches = data::prefetch_to_device(*train_loader_, device_);
    auto batch = batches.begin();
    const auto end = batches.end();
    for (int64_t i = 0; i < done_before && batch != end; ++i) ++batch;
    if (done_before > 0) generator_.set_state(position_.generator_now);
    resumed_ = false;
    loss_sum_ = taper::full({}, position_.loss_sum, device_);
    Progress progress(static_cast<int>(position_.epoch + 1), options_.epochs,
                      std::min(done_before * options_.batch_size, images_), images_);
    for (; batch != end; ++batch) {
      loss_sum_ += step(batch->data, batch->target);
      ++position_.batch;
      progress.update(std::min(position_.batch * options_.batch_size, images_), [this] {
        return loss_sum_.item<double>() / static_cast<double>(position_.batch);
      });
      if (interrupted || position_.batch % options_.checkpoint_every == 0) save();
      if (interrupted) return false;
    }
    save_epoch();
    return true;
  }

  Tensor forward(const Tensor& x) {
    return parallel_ ? (*parallel_)->forward(x) : network_->forward(x);
  }

  // The host does not wait for the loss: on CUDA it goes on to the next batch.
  Tensor step(const Tensor& x, const Tensor& y) {
    optimizer_.zero_grad();
    Tensor loss = taper::nll_loss(forward(x), y);
    loss.backward();
    optimizer_.step();
    return loss.detach();
  }

  void save() {
    position_.generator_now = generator_.get_state();
    position_.loss_sum = loss_sum_.item<double>();
    save_checkpoint(options_.checkpoint, options_, *network_, optimizer_, position_);
  }
  // The end of an epoch is saved as the start of the next.
  void save_epoch() {
    Position next;
    next.epoch = position_.epoch + 1;
    next.generator_at_epoch = next.generator_now = generator_.get_state();
    save_checkpoint(options_.checkpoint, options_, *network_, optimizer_, next);
  }

  using Loader = decltype(data::make_data_loader(prepared(std::declval<MNIST>()),
                                                 std::declval<data::samplers::RandomSampler>(),
                                                 data::DataLoaderOptions()));
  using TestLoader = decltype(data::make_data_loader<data::samplers::SequentialSampler>(
      prepared(std::declval<MNIST>()), data::DataLoaderOptions()));

  const Options options_;
  const taper::Device device_;
  std::shared_ptr<Network> network_;
  taper::optim::SGD optimizer_;
  taper::Generator generator_;
  const int64_t images_;
  Loader train_loader_;
  TestLoader test_loader_;
  taper::optional<taper::nn::DataParallel<Network>> parallel_;
  Position position_;
  Tensor loss_sum_;  // of this epoch, where it is computed
  bool resumed_ = false;
};

int run(Options options) {
  if (options.checkpoint.empty()) {
    make_folders(cache_folder());
    options.checkpoint = cache_folder() + "/mnist.checkpoint";
  }
  const bool resume = options.resume && exists(options.checkpoint);
  if (options.resume && !resume)
    std::printf("there is no checkpoint %s yet: starting anew\n", options.checkpoint.c_str());
  if (resume) adopt_settings(options.checkpoint, options);
  chosen_device(options);  // what cannot be is said before data is looked for
  check_writable(options.checkpoint);
  if (options.threads > 0) taper::set_num_threads(options.threads);
  taper::manual_seed(static_cast<uint64_t>(options.seed));

  const Source source = find_data(options);
  std::printf("data: %s (%s)\n", source.folder.c_str(), source.description.c_str());
  const MNIST train(source.folder, MNIST::Mode::kTrain), test(source.folder, MNIST::Mode::kTest);
  TAPER_CHECK(options.limit <= static_cast<int64_t>(*train.size()), "--limit: expected at most ",
              *train.size(), " images, got ", options.limit);
  Run training(options, train, test);
  if (resume) training.resume();
  obey_interrupts();
  if (!training.train()) {
    std::printf("\nstopped; %s is saved, and --resume goes on from there\n",
                options.checkpoint.c_str());
    return kInterrupted;
  }
  std::printf("final accuracy on the test images: %.2f%%\n", 100 * training.accuracy());
  return 0;
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
