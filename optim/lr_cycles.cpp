// Schedules that move the momentum with the learning rate.
#include <taper/optim/adam.h>
#include <taper/optim/adamw.h>
#include <taper/optim/lr_schedules.h>
#include <taper/optim/nadam.h>
#include <taper/optim/radam.h>
#include <taper/optim/rmsprop.h>
#include <taper/optim/sgd.h>

#include <algorithm>
#include <cmath>

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
