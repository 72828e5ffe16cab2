#include <taper/optim/lr_schedules.h>

#include <algorithm>
#include <cmath>

#include <taper/optim/adam.h>
#include <taper/optim/adamw.h>
#include <taper/optim/nadam.h>
#include <taper/optim/radam.h>
#include <taper/optim/rmsprop.h>
#include <taper/optim/sgd.h>

namespace torch::taper::optim {
namespace {

/// Returns the value of half a cosine from `from` (part 0) to `to` (part 1).
double along_cosine(double from, double to, double part) {
  return to + (from - to) / 2 * (1 + std::cos(M_PI * part));
}

void check_rising(const std::vector<unsigned>& milestones, size_t formulas) {
  TAPER_CHECK_VALUE(formulas == milestones.size() + 1,
                    "Sequential Schedulers expects number of schedulers provided to be one more "
                    "than the number of milestone points, but got number of schedulers ",
                    formulas, " and the number of milestones to be equal to ", milestones.size());
  TAPER_CHECK_VALUE(std::is_sorted(milestones.begin(), milestones.end()),
                    "SequentialLR: expected milestones that rise");
}

schedule::Formula sequence(std::vector<schedule::Formula> formulas,
                           std::vector<unsigned> milestones) {
  check_rising(milestones, formulas.size());
  return [formulas, milestones](double base, unsigned n) {
    const auto after = std::upper_bound(milestones.begin(), milestones.end(), n);
    const auto i = static_cast<size_t>(after - milestones.begin());
    return formulas[i](base, i == 0 ? n : n - milestones[i - 1]);
  };
}

}  // namespace

namespace schedule {

Formula multi_step(std::vector<unsigned> milestones, double gamma) {
  return [milestones, gamma](double base, unsigned n) {
    const auto reached =
        std::count_if(milestones.begin(), milestones.end(), [n](unsigned m) { return m <= n; });
    return base * std::pow(gamma, static_cast<double>(reached));
  };
}

Formula step(unsigned step_size, double gamma) {
  TAPER_CHECK_VALUE(step_size > 0, "StepLR: expected a step_size of at least 1, got ", step_size);
  return [=](double base, unsigned n) { return base * std::pow(gamma, n / step_size); };
}

Formula exponential(double gamma) {
  return [=](double base, unsigned n) { return base * std::pow(gamma, n); };
}

Formula constant(double factor, unsigned total_iters) {
  TAPER_CHECK_VALUE(factor >= 0 && factor <= 1,
                    "Constant multiplicative factor expected to be between 0 and 1.");
  return [=](double base, unsigned n) { return n < total_iters ? base * factor : base; };
}

Formula linear(double start_factor, double end_factor, unsigned total_iters) {
  TAPER_CHECK_VALUE(start_factor > 0 && start_factor <= 1,
                    "Starting multiplicative factor expected to be greater than 0 and less or "
                    "equal to 1.");
  TAPER_CHECK_VALUE(end_factor >= 0 && end_factor <= 1,
                    "Ending multiplicative factor expected to be between 0 and 1.");
  return [=](double base, unsigned n) {
    const double part = total_iters == 0 ? 1 : std::min(n, total_iters) / double(total_iters);
    return base * (start_factor + (end_factor - start_factor) * part);
  };
}

Formula polynomial(unsigned total_iters, double power) {
  TAPER_CHECK_VALUE(total_iters > 0, "PolynomialLR: expected total_iters of at least 1, got 0");
  return [=](double base, unsigned n) {
    return base * std::pow(1 - std::min(n, total_iters) / double(total_iters), power);
  };
}

Formula cosine(unsigned T_max, double eta_min) {
  TAPER_CHECK_VALUE(T_max > 0, "CosineAnnealingLR: expected a T_max of at least 1, got 0");
  return [=](double base, unsigned n) { return along_cosine(base, eta_min, n / double(T_max)); };
}

Formula cosine_with_restarts(unsigned T_0, unsigned T_mult, double eta_min) {
  TAPER_CHECK_VALUE(T_0 > 0, "Expected positive integer T_0, but got ", T_0);
  TAPER_CHECK_VALUE(T_mult >= 1, "Expected integer T_mult >= 1, but got ", T_mult);
  return [=](double base, unsigned n) {
    uint64_t at = n, length = T_0;
    if (T_mult == 1) at %= length;
    for (; at >= length; length *= T_mult) at -= length;
    return along_cosine(base, eta_min, static_cast<double>(at) / static_cast<double>(length));
  };
}

}  // namespace schedule

FormulaLR::FormulaLR(Optimizer& optimizer, schedule::Formula formula)
    : LRScheduler(optimizer), base_lrs_(get_current_lrs()), formula_(std::move(formula)) {
  for (size_t i = 0; i < base_lrs_.size(); ++i)
    optimizer.param_groups()[i].options().set_lr(formula_(base_lrs_[i], 0));
}

std::vector<double> FormulaLR::get_lrs() {
  std::vector<double> lrs = base_lrs_;
  for (double& lr : lrs) lr = formula_(lr, step_count_ + 1);
  return lrs;
}

ConstantLR::ConstantLR(Optimizer& optimizer, double factor, unsigned total_iters)
    : FormulaLR(optimizer, schedule::constant(factor, total_iters)) {}

LinearLR::LinearLR(Optimizer& optimizer, double start_factor, double end_factor,
                   unsigned total_iters)
    : FormulaLR(optimizer, schedule::linear(start_factor, end_factor, total_iters)) {}

PolynomialLR::PolynomialLR(Optimizer& optimizer, unsigned total_iters, double power)
    : FormulaLR(optimizer, schedule::polynomial(total_iters, power)) {}

CosineAnnealingWarmRestarts::CosineAnnealingWarmRestarts(Optimizer& optimizer, unsigned T_0,
                                                         unsigned T_mult, double eta_min)
    : FormulaLR(optimizer, schedule::cosine_with_restarts(T_0, T_mult, eta_min)) {}

SequentialLR::SequentialLR(Optimizer& optimizer, std::vector<schedule::Formula> formulas,
                           std::vector<unsigned> milestones)
    : FormulaLR(optimizer, sequence(std::move(formulas), std::move(milestones))) {}

MultiplicativeLR::MultiplicativeLR(Optimizer& optimizer, Factor factor)
    : LRScheduler(optimizer), factor_(std::move(factor)) {}

std::vector<double> MultiplicativeLR::get_lrs() {
  std::vector<double> lrs = get_current_lrs();
  for (double& lr : lrs) lr *= factor_(step_count_ + 1);
  return lrs;
}

}  // namespace torch::taper::optim

// Schedules that move the momentum with the learning rate.

namespace torch::taper::optim {
namespace {

template <class Options>
bool set_momentum_of(OptimizerOptions& options, double value) {
  auto* o = dynamic_cast<Options*>(&options);
  if (o) o->momentum(value);
  return o != nullptr;
}
template <class Options>
bool set_beta_of(OptimizerOptions& options, double value) {
  auto* o = dynamic_cast<Options*>(&options);
  if (o) std::get<0>(o->betas()) = value;
  return o != nullptr;
}

/// Sets the momentum, or the first beta. Returns false for options without one.
bool set_momentum(OptimizerOptions& o, double value) {
  return set_momentum_of<SGDOptions>(o, value) || set_momentum_of<RMSpropOptions>(o, value) ||
         set_beta_of<AdamOptions>(o, value) || set_beta_of<AdamWOptions>(o, value) ||
         set_beta_of<NAdamOptions>(o, value) || set_beta_of<RAdamOptions>(o, value);
}

void set_all_momenta(Optimizer& optimizer, double value) {
  for (OptimizerParamGroup& group : optimizer.param_groups())
    TAPER_CHECK_VALUE(set_momentum(group.options(), value),
                      "optimizer must support momentum with `cycle_momentum` option enabled");
}

void set_all_rates(Optimizer& optimizer, const std::vector<double>& rates) {
  for (size_t i = 0; i < rates.size(); ++i) optimizer.param_groups()[i].options().set_lr(rates[i]);
}

}  // namespace

OneCycleLR::OneCycleLR(Optimizer& optimizer, OneCycleLROptions o)
    : LRScheduler(optimizer), optimizer_(optimizer), options_(o) {
  TAPER_CHECK_VALUE(o.total_steps() > 0, "Expected positive integer total_steps, but got ",
                    o.total_steps());
  TAPER_CHECK_VALUE(o.pct_start() >= 0 && o.pct_start() <= 1,
                    "Expected float between 0 and 1 pct_start, but got ", o.pct_start());
  const double first = o.max_lr() / o.div_factor(), last = first / o.final_div_factor();
  const double low = o.base_momentum(), high = o.max_momentum();
  const double rise = o.pct_start() * o.total_steps(), end = o.total_steps() - 1.0;
  phases_.push_back({rise - 1, first, o.max_lr(), high, low});
  if (o.three_phase()) {
    phases_.push_back({2 * rise - 2, o.max_lr(), first, low, high});
    phases_.push_back({end, first, last, high, high});
  } else {
    phases_.push_back({end, o.max_lr(), last, low, high});
  }
  set_all_rates(optimizer, rates(0));
}

std::vector<double> OneCycleLR::rates(unsigned n) {
  TAPER_CHECK_VALUE(n <= options_.total_steps(), "Tried to step ", n,
                    " times. The specified number of total steps is ", options_.total_steps());
  size_t i = 0;
  while (i + 1 < phases_.size() && n > phases_[i].end) ++i;
  const Phase& phase = phases_[i];
  const double start = i == 0 ? 0 : phases_[i - 1].end;
  const double part = (n - start) / (phase.end - start);
  const auto between = [&](double from, double to) {
    return options_.linear() ? (to - from) * part + from
                             : to + (from - to) / 2 * (1 + std::cos(M_PI * part));
  };
  if (options_.cycle_momentum())
    set_all_momenta(optimizer_, between(phase.momentum0, phase.momentum1));
  return std::vector<double>(optimizer_.param_groups().size(), between(phase.lr0, phase.lr1));
}

std::vector<double> OneCycleLR::get_lrs() { return rates(step_count_ + 1); }

CyclicLR::CyclicLR(Optimizer& optimizer, CyclicLROptions options)
    : LRScheduler(optimizer), optimizer_(optimizer), options_(options) {
  TAPER_CHECK_VALUE(options.step_size_up() > 0 && options.step_size_down().value_or(1) > 0,
                    "CyclicLR: expected step sizes of at least 1");
  set_all_rates(optimizer, rates(0));
}

std::vector<double> CyclicLR::rates(unsigned n) {
  const double up = options_.step_size_up();
  const double total = up + options_.step_size_down().value_or(options_.step_size_up());
  const double cycle = std::floor(1 + n / total), x = 1 + n / total - cycle, ratio = up / total;
  double height = x <= ratio ? x / ratio : (x - 1) / (ratio - 1);
  if (options_.mode() == CyclicLROptions::triangular2) height /= std::pow(2, cycle - 1);
  if (options_.mode() == CyclicLROptions::exp_range) height *= std::pow(options_.gamma(), n);
  const double lr = options_.base_lr() + (options_.max_lr() - options_.base_lr()) * height;
  if (options_.cycle_momentum())
    set_all_momenta(optimizer_, options_.max_momentum() -
                                    (options_.max_momentum() - options_.base_momentum()) * height);
  return std::vector<double>(optimizer_.param_groups().size(), lr);
}

std::vector<double> CyclicLR::get_lrs() { return rates(step_count_ + 1); }

}  // namespace torch::taper::optim
