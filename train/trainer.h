// Trainer: an optional training loop for a network, an optimizer and a loss. This header needs no
// additional library.
//
//   train::Trainer trainer(net, optimizer, taper::cross_entropy_loss,
//                          train::TrainerOptions().epochs(3).checkpoint("run.pt"));
//   trainer.add_metric(train::accuracy());
//   trainer.add_schedule(schedule);
//   trainer.resume();
//   for (const auto& epoch : trainer.fit(*train_loader, *test_loader))
//     std::cout << epoch.loss << '\n';
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <taper/data/prefetch.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/io/archive.h>
#include <taper/framework/random/random.h>
#include <taper/nn/parallel/data_parallel.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>
#include <taper/optim/lr_scheduler.h>
#include <taper/optim/optimizer.h>
#include <taper/train/metric.h>
#include <taper/train/run_state.h>
#include <taper/utils/progress.h>

#pragma GCC visibility push(default)

namespace torch::taper::train {

/// Configures a Trainer.
struct TrainerOptions {
  /// Number of epochs, including the epochs before a resume().
  TAPER_ARG(int64_t, epochs) = 1;
  /// Device to which batches are moved. The network must already be on this device.
  TAPER_ARG(Device, device) = Device(kCPU);
  /// File of the checkpoint. If it is empty, no checkpoint is written.
  TAPER_ARG(std::string, checkpoint);
  /// Number of batches between checkpoints inside an epoch. With 0, checkpoints are written only at
  /// the end of each epoch.
  TAPER_ARG(int64_t, checkpoint_every) = 0;
  /// Training ends after this number of epochs without a smaller loss (early stopping). If there is
  /// validation, the validation loss counts. With 0, training does not end early.
  TAPER_ARG(int64_t, patience) = 0;
  /// Number of samples in an epoch, for the progress line. With 0, no line is printed.
  TAPER_ARG(int64_t, samples) = 0;
  /// Unit of the progress line.
  TAPER_ARG(std::string, unit) = "samples";
};

/// Trains on batches with members `data` and `target` (samples along dimension 0). The host waits
/// for the device only when a number is shown, saved or compared.
///
/// A run that continues from a checkpoint is bit-identical to an uninterrupted run. The checkpoint
/// holds the network, the optimizer, the position, the results, and the generators of the CPU and
/// of the CUDA devices. It does not hold schedules. Instead, resume() steps the added schedules
/// through the finished epochs.
class Trainer {
 public:
  /// A function that computes the network's output for a batch's data.
  using Forward = std::function<Tensor(const Tensor&)>;
  /// A function that computes the loss for backward: a number, the mean over the batch.
  using Loss = std::function<Tensor(const Tensor& output, const Tensor& target)>;

  /// Makes a trainer. `net` is a module's holder, or a shared pointer to a module with
  /// forward(Tensor). The optimizer must outlive the trainer. Throws ValueError if a number in the
  /// options is negative.
  template <class Net>
  Trainer(Net net, optim::Optimizer& optimizer, Loss loss, TrainerOptions options = {})
      : module_(nn::parallel::detail::pointer_of(net)),
        forward_([net](const Tensor& x) mutable { return net->forward(x); }),
        optimizer_(optimizer),
        loss_(std::move(loss)),
        options_(std::move(options)) {
    for (const int64_t n :
         {options_.epochs(), options_.checkpoint_every(), options_.patience(), options_.samples()})
      TAPER_CHECK_VALUE(n >= 0, "Trainer: expected options of at least 0, got ", n);
  }

  /// Adds a metric that validation computes in addition to the loss. Call this before resume().
  void add_metric(Metric metric) { metrics_.push_back(std::move(metric)); }
  /// Adds a schedule, which must outlive the trainer. The trainer steps it after each epoch.
  void add_schedule(optim::LRScheduler& schedule) {
    schedules_.push_back([&schedule](double) { schedule.step(); });
  }
  /// Adds a schedule. The trainer passes the validation loss to its step(), or without validation
  /// the training loss.
  void add_schedule(optim::ReduceLROnPlateauScheduler& schedule) {
    schedules_.push_back([&schedule](double loss) { schedule.step(static_cast<float>(loss)); });
  }
  /// Sets the function that computes the output, instead of net->forward(). It may call a
  /// DataParallel of `net`.
  void set_forward(Forward forward) { forward_ = std::move(forward); }

  /// Sets a callback that runs between backward() and the optimizer's step, for example to clip
  /// gradients. All callbacks may call stop().
  void before_step(std::function<void()> f) { before_step_ = std::move(f); }
  /// Sets a callback that runs after each batch.
  void after_batch(std::function<void()> f) { after_batch_ = std::move(f); }
  /// Sets a callback that runs after each epoch and gets the results of the epoch.
  void after_epoch(std::function<void(const EpochResult&)> f) { after_epoch_ = std::move(f); }
  /// Sets a callback that writes more into each checkpoint.
  void on_save(std::function<void(serialize::OutputArchive&)> f) { on_save_ = std::move(f); }

  /// Ends training after the current batch. The checkpoint holds all finished work.
  void stop() { stopped_ = true; }
  /// Returns whether stop() was called since fit() began.
  bool stopped() const { return stopped_; }

  /// Continues from the checkpoint. Returns false if there is no checkpoint. Call this after
  /// add_metric and add_schedule. Throws Error if the file is damaged, or belongs to another
  /// network, optimizer or number of metrics.
  bool resume() {
    const std::string& path = options_.checkpoint();
    if (path.empty() || !std::filesystem::exists(path)) return false;
    serialize::InputArchive archive, model, optimizer;
    archive.load_from(path);
    archive.read("model", model);
    archive.read("optimizer", optimizer);
    auto results = detail::read_results(archive, metrics_.size(), path);
    auto position = detail::Position::read(archive);
    const auto states = detail::read_generators(archive);
    module_->load(model);
    restore_results(
        std::move(results));  // steps the schedules, which also set the optimizer's rates
    optimizer_.load(optimizer);
    position_ = std::move(position);
    detail::set_generators(states);
    return true;
  }
  /// Returns the number of finished epochs.
  int64_t epochs_done() const { return position_.epoch; }
  /// Returns the number of finished batches of the current epoch.
  int64_t batches_done() const { return position_.batch; }

  /// Trains until `epochs` epochs are finished, including the epochs before a resume(), and returns
  /// the results of all epochs. The loader `validation` provides the batches for the validation
  /// loss and the metrics.
  template <class Loader, class Validation>
  const std::vector<EpochResult>& fit(Loader& loader, Validation& validation) {
    return run(loader, [&](EpochResult& result) { validate(validation, result); });
  }
  /// Trains without validation.
  template <class Loader>
  const std::vector<EpochResult>& fit(Loader& loader) {
    return run(loader, [](EpochResult&) {});
  }
  /// Computes loss and metrics of a loader's batches, in evaluation mode and without gradients.
  template <class Loader>
  EpochResult evaluate(Loader& loader) {
    EpochResult result;
    validate(loader, result);
    return result;
  }

 private:
  template <class Loader, class Validate>
  const std::vector<EpochResult>& run(Loader& loader, Validate validate) {
    stopped_ = false;
    while (position_.epoch < options_.epochs() && !stopped_ && !is_worn_out()) {
      if (!train(loader)) break;
      EpochResult result;
      result.epoch = position_.epoch + 1;
      result.loss = mean_loss();
      validate(result);
      finish_epoch(std::move(result));
    }
    return results_;
  }

  // Trains one epoch, or its remaining batches. Returns false if stop() was called. The loader
  // draws the order of the samples when it starts. To continue in the middle, it draws the order
  // again from the saved state, and the trainer skips the finished batches.
  template <class Loader>
  bool train(Loader& loader) {
    module_->train();
    Generator generator = default_generator();
    const auto now = position_.batch > 0 ? detail::states_of_generators() : std::vector<Tensor>();
    if (position_.batch > 0) generator.set_state(position_.generator_at_epoch);
    position_.generator_at_epoch = generator.get_state();
    auto batches = data::prefetch_to_device(loader, options_.device());
    auto batch = batches.begin();
    const auto end = batches.end();
    int64_t read = 0;
    const auto next = [&] {
      if (read++ > 0) ++batch;
      return batch != end;
    };
    bool more = true;
    while (more && read < position_.batch) {
      if (read + 1 == position_.batch) set_generator_at_read();
      more = next();
    }
    detail::set_generators(now);
    loss_sum_ = full({}, position_.loss_sum, TensorOptions(kDouble).device(options_.device()));
    optional<utils::Progress> progress;
    if (options_.samples() > 0) start_progress(progress);
    while (more) {
      Tensor before = generator.get_state();
      if (!(more = next())) break;
      position_.generator_at_read = std::move(before);
      step(batch->data, batch->target);
      if (progress) progress->update(position_.samples, [this] { return mean_loss(); });
      if (after_batch_) after_batch_();
      const int64_t every = options_.checkpoint_every();
      if (stopped_ || (every > 0 && position_.batch % every == 0)) save();
      if (stopped_) return false;
    }
    return true;
  }

  // Restores the state from before the last batch was read. It differs from the state at the
  // checkpoint, because a data set may draw random numbers and a prefetcher reads one batch ahead.
  void set_generator_at_read() const {
    Generator generator = default_generator();
    if (position_.generator_at_read.defined()) generator.set_state(position_.generator_at_read);
  }

  template <class Loader>
  void validate(Loader& loader, EpochResult& result) {
    const NoGradGuard no_grad;
    const bool was_training = module_->is_training();
    module_->eval();
    Tensor sum = zeros({}, TensorOptions(kDouble).device(options_.device()));
    int64_t samples = 0;
    for (auto& batch : data::prefetch_to_device(loader, options_.device())) {
      const Tensor y = forward_(batch.data);
      sum += loss_(y, batch.target) * batch.data.size(0);
      samples += batch.data.size(0);
      for (auto& metric : metrics_) metric.update(y, batch.target);
    }
    module_->train(was_training);
    result.validation_loss = sum.item<double>() / static_cast<double>(samples);
    for (auto& metric : metrics_) result.metrics.push_back(metric.compute());
  }

  void step(const Tensor& x, const Tensor& target) {
    optimizer_.zero_grad();
    const Tensor loss = loss_(forward_(x), target);
    loss.backward();
    if (before_step_) before_step_();
    optimizer_.step();
    loss_sum_ += loss.detach() * x.size(0);
    position_.samples += x.size(0);
    ++position_.batch;
  }

  void start_progress(optional<utils::Progress>& progress) const {
    progress.emplace(
        "epoch " + std::to_string(position_.epoch + 1) + '/' + std::to_string(options_.epochs()),
        options_.samples(),
        utils::ProgressOptions().unit(options_.unit()).first(position_.samples));
  }

  void finish_epoch(EpochResult result) {
    for (auto& step : schedules_) step(watched(result));
    results_.push_back(std::move(result));
    const int64_t done = position_.epoch + 1;
    position_ = detail::Position();
    position_.epoch = done;
    save();
    if (after_epoch_) after_epoch_(results_.back());
  }

  double mean_loss() const {
    return loss_sum_.item<double>() / static_cast<double>(position_.samples);
  }

  // The loss that schedules and early stopping use.
  static double watched(const EpochResult& r) {
    return std::isnan(r.validation_loss) ? r.loss : r.validation_loss;
  }
  bool is_worn_out() const {
    const auto less = [](auto& a, auto& b) { return watched(a) < watched(b); };
    const auto best = std::min_element(results_.begin(), results_.end(), less);
    return options_.patience() > 0 && results_.end() - best > options_.patience();
  }

  void save() {
    if (options_.checkpoint().empty()) return;
    if (position_.batch > 0) position_.loss_sum = loss_sum_.item<double>();
    serialize::OutputArchive archive, model, optimizer;
    module_->save(model);
    optimizer_.save(optimizer);
    archive.write("model", model);
    archive.write("optimizer", optimizer);
    position_.write(archive, detail::rows_of(results_, metrics_.size()));
    detail::write_generators(archive);
    if (on_save_) on_save_(archive);
    archive.save_to(options_.checkpoint());
  }

  void restore_results(std::vector<EpochResult> results) {
    results_ = std::move(results);
    for (const EpochResult& result : results_)
      for (auto& step : schedules_) step(watched(result));
  }

  const std::shared_ptr<nn::Module> module_;
  Forward forward_;
  optim::Optimizer& optimizer_;
  const Loss loss_;
  const TrainerOptions options_;
  std::vector<Metric> metrics_;
  std::vector<std::function<void(double)>> schedules_;
  std::function<void()> before_step_, after_batch_;
  std::function<void(const EpochResult&)> after_epoch_;
  std::function<void(serialize::OutputArchive&)> on_save_;
  detail::Position position_;
  Tensor loss_sum_;  // of this epoch's samples, on the device that computes it
  std::vector<EpochResult> results_;
  bool stopped_ = false;
};

}  // namespace torch::taper::train

#pragma GCC visibility pop
