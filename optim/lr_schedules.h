// Learning rate schedules given by a formula: PyTorch's, in Python's counting.
#pragma once

#include <taper/optim/lr_scheduler.h>

#pragma GCC visibility push(default)

namespace torch::taper::optim {

/// Schedules as formulas, to run one after the other in a SequentialLR. Each gives the rate after n
/// steps of a group whose rate was `base` at the start.
namespace schedule {

/// The rate after n steps, of the rate at the start.
using Formula = std::function<double(double base, unsigned n)>;

/// base * gamma, once for each milestone that is reached.
Formula multi_step(std::vector<unsigned> milestones, double gamma = 0.1);
/// base * gamma^(n / step_size), rounded down. Throws unless step_size is at least 1.
Formula step(unsigned step_size, double gamma = 0.1);
/// base * gamma^n
Formula exponential(double gamma);
/// base * factor during the first total_iters steps, then base. Throws unless 0 <= factor <= 1.
Formula constant(double factor = 1.0 / 3, unsigned total_iters = 5);
/// From base * start_factor in a line to base * end_factor at total_iters. Throws unless 0 <=
/// start_factor <= 1 (zero alone is refused) and 0 <= end_factor <= 1.
Formula linear(double start_factor = 1.0 / 3, double end_factor = 1, unsigned total_iters = 5);
/// base * (1 - n / total_iters)^power, then 0. Throws unless total_iters is at least 1.
Formula polynomial(unsigned total_iters = 5, double power = 1);
/// Half a cosine from base to eta_min at T_max, then up again. Throws unless T_max is at least 1.
Formula cosine(unsigned T_max, double eta_min = 0);
/// Half a cosine from base to eta_min in T_0 steps, then from base again, T_mult times as long
/// each time. Throws unless both are at least 1.
Formula cosine_with_restarts(unsigned T_0, unsigned T_mult = 1, double eta_min = 0);

}  // namespace schedule

/// Sets a formula's rates: those of n = 0 when it is made, as Python does, and the next with each
/// step().
class FormulaLR : public LRScheduler {
 public:
  /// The rates of the groups now are the formula's `base`.
  FormulaLR(Optimizer& optimizer, schedule::Formula formula);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> base_lrs_;
  schedule::Formula formula_;
};

/// schedule::constant as a scheduler.
class ConstantLR : public FormulaLR {
 public:
  /// Sets the first rates. Throws ValueError unless 0 <= factor <= 1.
  explicit ConstantLR(Optimizer& optimizer, double factor = 1.0 / 3, unsigned total_iters = 5);
};
/// schedule::linear as a scheduler.
class LinearLR : public FormulaLR {
 public:
  /// Sets the first rates. Throws ValueError for factors that schedule::linear refuses.
  explicit LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1,
                    unsigned total_iters = 5);
};
/// schedule::polynomial as a scheduler.
class PolynomialLR : public FormulaLR {
 public:
  /// Sets the first rates. Throws ValueError unless total_iters is at least 1.
  explicit PolynomialLR(Optimizer& optimizer, unsigned total_iters = 5, double power = 1);
};
/// schedule::cosine_with_restarts as a scheduler.
/// Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", 2016.
class CosineAnnealingWarmRestarts : public FormulaLR {
 public:
  /// Sets the first rates. Throws ValueError unless T_0 and T_mult are at least 1.
  CosineAnnealingWarmRestarts(Optimizer& optimizer, unsigned T_0, unsigned T_mult = 1,
                              double eta_min = 0);
};

/// One formula after the other: formula i + 1 begins, at its own n = 0, at milestone i. All start
/// from the rates that the groups had when this was made. Throws unless the milestones rise and are
/// one fewer than the formulas.
class SequentialLR : public FormulaLR {
 public:
  /// Sets the rates of the first formula. Throws ValueError for other numbers of milestones and for
  /// milestones that fall.
  SequentialLR(Optimizer& optimizer, std::vector<schedule::Formula> formulas,
               std::vector<unsigned> milestones);
};

/// Multiplies the rate, whatever it is, by factor(n) in step n.
class MultiplicativeLR : public LRScheduler {
 public:
  /// What the rate is multiplied by in that step; the first has number 1.
  using Factor = std::function<double(unsigned)>;
  /// Changes nothing before the first step().
  MultiplicativeLR(Optimizer& optimizer, Factor factor);

 private:
  std::vector<double> get_lrs() override;
  Factor factor_;
};

/// The settings of OneCycleLR.
struct OneCycleLROptions {
  /// The largest rate, and how many steps the schedule has; all else by default.
  OneCycleLROptions(double max_lr, unsigned total_steps)
      : max_lr_(max_lr), total_steps_(total_steps) {}
  TAPER_ARG(double, max_lr);         ///< the largest rate
  TAPER_ARG(unsigned, total_steps);  ///< of the schedule
  /// The part of the steps in which the rate rises.
  TAPER_ARG(double, pct_start) = 0.3;
  /// Along a line in place of a cosine.
  TAPER_ARG(bool, linear) = false;
  /// Moves the momentum (the first beta of Adam) against the rate, between these.
  TAPER_ARG(bool, cycle_momentum) = true;
  TAPER_ARG(double, base_momentum) = 0.85;  ///< the smallest momentum
  TAPER_ARG(double, max_momentum) = 0.95;   ///< the largest momentum
  /// The rate starts at max_lr / div_factor and ends at that / final_div_factor.
  TAPER_ARG(double, div_factor) = 25;
  TAPER_ARG(double, final_div_factor) = 1e4;  ///< of the first rate to the last
  /// Down to the start's rate first, then to the end's.
  TAPER_ARG(bool, three_phase) = false;
};

/// The rate up to a maximum and down to almost nothing, in total_steps steps: one step() a batch.
/// Throws ValueError for wrong options, for an optimizer without momentum while cycle_momentum
/// holds, and for a step too many.
/// Smith and Topin, "Super-convergence", 2017.
class OneCycleLR : public LRScheduler {
 public:
  /// Sets the first rate, the same for all groups, and with cycle_momentum the first momentum.
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

/// The settings of CyclicLR.
struct CyclicLROptions {
  /// How high the later cycles rise: see mode().
  enum Mode { triangular, triangular2, exp_range };
  /// The rates between which the cycles go; all else by default.
  CyclicLROptions(double base_lr, double max_lr) : base_lr_(base_lr), max_lr_(max_lr) {}
  TAPER_ARG(double, base_lr);                ///< the smallest rate
  TAPER_ARG(double, max_lr);                 ///< the largest rate
  TAPER_ARG(unsigned, step_size_up) = 2000;  ///< steps of the rise
  /// As many as up when not given.
  TAPER_ARG(optional<unsigned>, step_size_down) = nullopt;
  /// The same height in all cycles; half the height in each cycle; gamma^n times the height.
  TAPER_ARG(Mode, mode) = triangular;
  TAPER_ARG(double, gamma) = 1;            ///< of the cycles
  TAPER_ARG(bool, cycle_momentum) = true;  ///< whether momentum goes the other way
  TAPER_ARG(double, base_momentum) = 0.8;  ///< the smallest momentum
  TAPER_ARG(double, max_momentum) = 0.9;   ///< the largest momentum
};

/// The rate up and down between two values, in lines: one step() a batch.
/// Throws ValueError for an optimizer without momentum while cycle_momentum holds, and for cycles
/// of no steps.
/// Smith, "Cyclical learning rates for training neural networks", 2015.
class CyclicLR : public LRScheduler {
 public:
  /// Sets the first rate, the same for all groups, and with cycle_momentum the first momentum.
  CyclicLR(Optimizer& optimizer, CyclicLROptions options);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> rates(unsigned n);
  Optimizer& optimizer_;
  const CyclicLROptions options_;
};

}  // namespace torch::taper::optim

#pragma GCC visibility pop
