// Learning rate schedules: each sets the learning rates of an optimizer's parameter groups.
#pragma once

#include <taper/optim/optimizer.h>

#include <limits>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// The base of the schedules. The optimizer must outlive it. Call step() once an epoch (or once a
/// batch), after the optimizer's own step().
class LRScheduler {
 public:
  /// Keeps a reference to `optimizer`; changes no rate yet.
  explicit LRScheduler(Optimizer& optimizer) : step_count_(0), optimizer_(optimizer) {}
  virtual ~LRScheduler() = default;
  /// Sets the rate of every group to what get_lrs() gives. Throws Error when that has another
  /// number of rates than there are groups now.
  void step();

 protected:
  /// The new learning rate of every group.
  virtual std::vector<double> get_lrs() = 0;
  /// The rates that the groups have now, in their order.
  std::vector<double> get_current_lrs() const;

  /// How often step() was called before this time.
  unsigned step_count_;

 private:
  void set_optimizer_lrs(const std::vector<double>& lrs);
  Optimizer& optimizer_;
};

/// Multiplies by gamma every step_size steps. As in LibTorch the first call of step() changes
/// nothing, so that the rate falls in calls step_size + 1, 2 * step_size + 1, ...
class StepLR : public LRScheduler {
 public:
  /// Throws unless step_size is at least 1.
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1);

 private:
  std::vector<double> get_lrs() override;
  const unsigned step_size_;
  const double gamma_;
};

/// A schedule given by a formula: after n calls of step() the rate of a group is its rate at the
/// start times factor(n). The ones below are PyTorch's, in Python's counting.
class LambdaLR : public LRScheduler {
 public:
  /// What the rate at the start is multiplied by after that many calls of step().
  using Factor = std::function<double(unsigned)>;
  /// The rates of the groups now are those at the start. factor(0) is never asked for.
  LambdaLR(Optimizer& optimizer, Factor factor);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> base_lrs_;
  Factor factor_;
};

/// Multiplies by gamma whenever the number of steps reaches one of the milestones.
class MultiStepLR : public LambdaLR {
 public:
  /// `milestones` are numbers of steps in any order; one that occurs twice counts twice.
  MultiStepLR(Optimizer& optimizer, std::vector<unsigned> milestones, double gamma = 0.1);
};

/// Multiplies by gamma every step.
class ExponentialLR : public LambdaLR {
 public:
  /// The rates of the groups now are those at the start.
  ExponentialLR(Optimizer& optimizer, double gamma);
};

/// From the start value along half a cosine down to eta_min at T_max steps, then up again.
/// Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", 2016.
class CosineAnnealingLR : public LRScheduler {
 public:
  /// Throws unless T_max is at least 1.
  CosineAnnealingLR(Optimizer& optimizer, unsigned T_max, double eta_min = 0);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> base_lrs_;
  const unsigned t_max_;
  const double eta_min_;
};

/// Lowers the rates when a measured value has not become better for a while: call step(value).
class ReduceLROnPlateauScheduler {
 public:
  /// Which values are better: the smaller ones, or the larger ones.
  enum SchedulerMode { min, max };
  /// What `threshold` is: a share of the best value's absolute value, or a difference from it.
  enum ThresholdMode { rel, abs };
  /// `factor` below 1 multiplies the rates (not below min_lrs: one value, or one a group) after
  /// more than `patience` steps without an improvement by `threshold`, then `cooldown` steps pass
  /// before it counts again. Throws for a factor of 1 or more.
  explicit ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode = min,
                                      float factor = 0.1f, int patience = 10,
                                      double threshold = 1e-4, ThresholdMode threshold_mode = rel,
                                      int cooldown = 0, const std::vector<float>& min_lrs = {},
                                      double eps = 1e-8, bool verbose = false);
  virtual ~ReduceLROnPlateauScheduler() = default;
  /// Takes a value that was measured, the loss of an epoch, say; a NaN is no improvement. A rate
  /// that would fall by no more than `eps` stays.
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
/// Python's name.
using ReduceLROnPlateau = ReduceLROnPlateauScheduler;

}  // namespace torch::taper::optim

#pragma GCC visibility pop
