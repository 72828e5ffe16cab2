// Learning rate schedules, which set the learning rates of the parameter groups of an optimizer.
#pragma once

#include <taper/optim/optimizer.h>

#include <limits>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// The base class of learning rate schedules. The optimizer must outlive the schedule. Call step()
/// once per epoch or once per batch, after step() of the optimizer.
///
///     StepLR schedule(optimizer, 30, 0.1);  // multiplies by 0.1 every 30 steps
///     optimizer.step();
///     schedule.step();
class LRScheduler {
 public:
  /// Keeps a reference to `optimizer`. The learning rates do not change yet.
  explicit LRScheduler(Optimizer& optimizer) : step_count_(0), optimizer_(optimizer) {}
  virtual ~LRScheduler() = default;
  /// Sets the learning rate of every group to the result of get_lrs(). Throws Error if the number
  /// of learning rates differs from the number of groups.
  void step();

 protected:
  /// Returns the new learning rate of every group.
  virtual std::vector<double> get_lrs() = 0;
  /// Returns the current learning rates of the groups, in order.
  std::vector<double> get_current_lrs() const;

  /// The number of earlier calls of step().
  unsigned step_count_;

 private:
  void set_optimizer_lrs(const std::vector<double>& lrs);
  Optimizer& optimizer_;
};

/// Multiplies the learning rates by gamma every step_size steps. As in LibTorch, the first call of
/// step() changes nothing. The rates change in calls number step_size + 1, 2 * step_size + 1, ...
class StepLR : public LRScheduler {
 public:
  /// Sets the options. Throws Error unless step_size is at least 1.
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1);

 private:
  std::vector<double> get_lrs() override;
  const unsigned step_size_;
  const double gamma_;
};

/// Sets the learning rates by a formula. After n calls of step(), each rate is its initial value
/// times factor(n). This class and its subclasses count steps like PyTorch's Python schedules.
class LambdaLR : public LRScheduler {
 public:
  /// Returns the factor of the initial learning rate after a number of calls of step().
  using Factor = std::function<double(unsigned)>;
  /// Takes the current learning rates as the initial values. factor(0) is never called.
  LambdaLR(Optimizer& optimizer, Factor factor);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> base_lrs_;
  Factor factor_;
};

/// Multiplies the learning rates by gamma at each milestone.
class MultiStepLR : public LambdaLR {
 public:
  /// Takes milestones, which are numbers of steps, in any order. A milestone that occurs twice
  /// multiplies by gamma twice.
  MultiStepLR(Optimizer& optimizer, std::vector<unsigned> milestones, double gamma = 0.1);
};

/// Multiplies the learning rates by gamma in every step.
class ExponentialLR : public LambdaLR {
 public:
  /// Takes the current learning rates as the initial values.
  ExponentialLR(Optimizer& optimizer, double gamma);
};

/// Lowers the learning rates along half a cosine wave, from their initial values to eta_min after
/// T_max steps. Then raises the rates again (Loshchilov and Hutter, "SGDR: stochastic gradient
/// descent with warm restarts", 2016).
class CosineAnnealingLR : public LRScheduler {
 public:
  /// Sets the options. Throws Error unless T_max is at least 1.
  CosineAnnealingLR(Optimizer& optimizer, unsigned T_max, double eta_min = 0);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> base_lrs_;
  const unsigned t_max_;
  const double eta_min_;
};

/// Lowers the learning rates when a metric has stopped improving. Call step(metric).
class ReduceLROnPlateauScheduler {
 public:
  /// Selects which values are better: smaller values (min) or larger values (max).
  enum SchedulerMode { min, max };
  /// Selects the unit of `threshold`: relative to the best value (rel), or absolute (abs).
  enum ThresholdMode { rel, abs };
  /// Sets the options. After more than `patience` steps without an improvement by `threshold`, the
  /// rates are multiplied by `factor`. The rates never fall below min_lrs, which has one value per
  /// group, or is empty. After a reduction, the next `cooldown` steps do not count as steps without
  /// an improvement. Throws Error unless factor is below 1 and min_lrs has a valid size.
  explicit ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode = min,
                                      float factor = 0.1f, int patience = 10,
                                      double threshold = 1e-4, ThresholdMode threshold_mode = rel,
                                      int cooldown = 0, const std::vector<float>& min_lrs = {},
                                      double eps = 1e-8, bool verbose = false);
  virtual ~ReduceLROnPlateauScheduler() = default;
  /// Takes a new value of the metric, for example the loss of an epoch. A NaN is not an
  /// improvement. A learning rate that would fall by at most `eps` stays unchanged.
  void step(float metric);

 private:
  bool is_better(double value) const;
  void reduce();
  Optimizer& optimizer_;
  SchedulerMode mode_;
  ThresholdMode threshold_mode_;
  double factor_, threshold_, eps_, best_;
  int patience_, cooldown_, bad_steps_ = 0, cooldown_left_ = 0;
  std::vector<float> min_lrs_;
  bool verbose_;
};
/// Names the schedule as Python does.
using ReduceLROnPlateau = ReduceLROnPlateauScheduler;

}  // namespace torch::taper::optim

#pragma GCC visibility pop
