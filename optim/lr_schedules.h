// Learning rate schedules given by formulas. These schedules count steps like PyTorch's Python
// schedules.
#pragma once

#include <taper/optim/lr_scheduler.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Schedules as formulas. SequentialLR can run them one after another. Each formula returns the
/// learning rate after n steps of a group whose initial learning rate is `base`.
namespace schedule {

/// A function that returns the learning rate after n steps. `base` is the initial learning rate.
using Formula = std::function<double(double base, unsigned n)>;

/// Returns the formula base * gamma^k. k is the number of milestones that are at most n.
Formula multi_step(std::vector<unsigned> milestones, double gamma = 0.1);
/// Returns the formula base * gamma^k, with k = n / step_size rounded down. Throws ValueError
/// unless step_size is at least 1.
Formula step(unsigned step_size, double gamma = 0.1);
/// Returns the formula base * gamma^n.
Formula exponential(double gamma);
/// Returns a formula: base * factor during the first total_iters steps, and base afterwards. Throws
/// ValueError unless 0 <= factor <= 1.
Formula constant(double factor = 1.0 / 3, unsigned total_iters = 5);
/// Returns a formula: a line from base * start_factor at n = 0 to base * end_factor at n =
/// total_iters. Throws ValueError unless 0 < start_factor <= 1 and 0 <= end_factor <= 1.
Formula linear(double start_factor = 1.0 / 3, double end_factor = 1, unsigned total_iters = 5);
/// Returns the formula base * (1 - n / total_iters)^power, which is 0 after total_iters steps.
/// Throws ValueError unless total_iters is at least 1.
Formula polynomial(unsigned total_iters = 5, double power = 1);
/// Returns a formula: half a cosine wave from base to eta_min at n = T_max. Then the rate rises
/// again. Throws ValueError unless T_max is at least 1.
Formula cosine(unsigned T_max, double eta_min = 0);
/// Returns a formula: half a cosine wave from base to eta_min in T_0 steps, then a restart from
/// base. Each cycle is T_mult times as long as the previous cycle. Throws ValueError unless T_0 and
/// T_mult are at least 1.
Formula cosine_with_restarts(unsigned T_0, unsigned T_mult = 1, double eta_min = 0);

}  // namespace schedule

/// Sets the learning rates by a formula. As in PyTorch, the constructor sets the rates for n = 0.
/// Each step() sets the rates for the next n.
class FormulaLR : public LRScheduler {
 public:
  /// Takes the current learning rates as `base`.
  FormulaLR(Optimizer& optimizer, schedule::Formula formula);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> base_lrs_;
  schedule::Formula formula_;
};

/// Applies schedule::constant to an optimizer.
class ConstantLR : public FormulaLR {
 public:
  /// Sets the first learning rates. Throws ValueError unless 0 <= factor <= 1.
  explicit ConstantLR(Optimizer& optimizer, double factor = 1.0 / 3, unsigned total_iters = 5);
};
/// Applies schedule::linear to an optimizer.
class LinearLR : public FormulaLR {
 public:
  /// Sets the first learning rates. Throws ValueError for factors that schedule::linear refuses.
  explicit LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1,
                    unsigned total_iters = 5);
};
/// Applies schedule::polynomial to an optimizer.
class PolynomialLR : public FormulaLR {
 public:
  /// Sets the first learning rates. Throws ValueError unless total_iters is at least 1.
  explicit PolynomialLR(Optimizer& optimizer, unsigned total_iters = 5, double power = 1);
};
/// Applies schedule::cosine_with_restarts to an optimizer (Loshchilov and Hutter, "SGDR: stochastic
/// gradient descent with warm restarts", 2016).
class CosineAnnealingWarmRestarts : public FormulaLR {
 public:
  /// Sets the first learning rates. Throws ValueError unless T_0 and T_mult are at least 1.
  CosineAnnealingWarmRestarts(Optimizer& optimizer, unsigned T_0, unsigned T_mult = 1,
                              double eta_min = 0);
};

/// Applies formulas one after another. Formula i + 1 begins with n = 0 at milestone i. Each formula
/// starts from the initial learning rates of the groups.
class SequentialLR : public FormulaLR {
 public:
  /// Sets the first learning rates. Throws ValueError unless the milestones increase, and there is
  /// one milestone fewer than formulas.
  SequentialLR(Optimizer& optimizer, std::vector<schedule::Formula> formulas,
               std::vector<unsigned> milestones);
};

/// Multiplies the current learning rate by factor(n) in step n.
class MultiplicativeLR : public LRScheduler {
 public:
  /// Returns the factor in step n. The first step has n = 1.
  using Factor = std::function<double(unsigned)>;
  /// Does not change the learning rates before the first step().
  MultiplicativeLR(Optimizer& optimizer, Factor factor);

 private:
  std::vector<double> get_lrs() override;
  Factor factor_;
};

/// Configures OneCycleLR.
struct OneCycleLROptions {
  /// Sets the largest learning rate and the number of steps.
  OneCycleLROptions(double max_lr, unsigned total_steps)
      : max_lr_(max_lr), total_steps_(total_steps) {}
  TAPER_ARG(double, max_lr);         ///< the largest rate
  TAPER_ARG(unsigned, total_steps);  ///< number of steps of the schedule
  /// The fraction of the steps in which the rate rises.
  TAPER_ARG(double, pct_start) = 0.3;
  /// Whether the rate changes linearly. If false, it follows half cosine waves.
  TAPER_ARG(bool, linear) = false;
  /// Whether the momentum (the first beta of Adam) also changes, between base_momentum and
  /// max_momentum. The momentum falls when the rate rises.
  TAPER_ARG(bool, cycle_momentum) = true;
  TAPER_ARG(double, base_momentum) = 0.85;  ///< the smallest momentum
  TAPER_ARG(double, max_momentum) = 0.95;   ///< the largest momentum
  /// The initial rate is max_lr / div_factor.
  TAPER_ARG(double, div_factor) = 25;
  /// the last rate is the initial rate / final_div_factor
  TAPER_ARG(double, final_div_factor) = 1e4;
  /// Whether the rate falls in two phases: first to the initial rate, then to the last rate.
  TAPER_ARG(bool, three_phase) = false;
};

/// Raises the learning rate to a maximum and lowers it to almost 0, in total_steps steps (Smith and
/// Topin, "Super-convergence", 2017). Call step() once per batch. Throws ValueError for invalid
/// options, for cycle_momentum with an optimizer without momentum, and for more than total_steps
/// steps.
class OneCycleLR : public LRScheduler {
 public:
  /// Sets the first learning rate of all groups, and the first momentum if cycle_momentum is true.
  OneCycleLR(Optimizer& optimizer, OneCycleLROptions options);

 private:
  struct Phase {
    double end, lr0, lr1, momentum0, momentum1;
  };
  std::vector<double> get_lrs() override;
  std::vector<double> rates(unsigned n);
  Optimizer& optimizer_;
  const OneCycleLROptions options_;
  std::vector<Phase> phases_;
};

/// Configures CyclicLR.
struct CyclicLROptions {
  /// Selects how the height of the cycles changes. See mode().
  enum Mode { triangular, triangular2, exp_range };
  /// Sets the smallest and the largest learning rate.
  CyclicLROptions(double base_lr, double max_lr) : base_lr_(base_lr), max_lr_(max_lr) {}
  TAPER_ARG(double, base_lr);                ///< the smallest rate
  TAPER_ARG(double, max_lr);                 ///< the largest rate
  TAPER_ARG(unsigned, step_size_up) = 2000;  ///< number of steps in which the rate rises
  /// Number of steps in which the rate falls. The default is step_size_up.
  TAPER_ARG(optional<unsigned>, step_size_down) = nullopt;
  /// With triangular, all cycles have the same height. triangular2 halves the height in each cycle.
  /// exp_range multiplies the height by gamma^n in step n.
  TAPER_ARG(Mode, mode) = triangular;
  TAPER_ARG(double, gamma) = 1;            ///< the base of exp_range
  TAPER_ARG(bool, cycle_momentum) = true;  ///< whether the momentum falls when the rate rises
  TAPER_ARG(double, base_momentum) = 0.8;  ///< the smallest momentum
  TAPER_ARG(double, max_momentum) = 0.9;   ///< the largest momentum
};

/// Raises and lowers the learning rate linearly between two values, again and again (Smith,
/// "Cyclical learning rates for training neural networks", 2015). Call step() once per batch.
/// Throws ValueError for cycle_momentum with an optimizer without momentum, and for step sizes
/// below 1.
class CyclicLR : public LRScheduler {
 public:
  /// Sets the first learning rate of all groups, and the first momentum if cycle_momentum is true.
  CyclicLR(Optimizer& optimizer, CyclicLROptions options);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> rates(unsigned n);
  Optimizer& optimizer_;
  const CyclicLROptions options_;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
