#include <taper/optim/lr_schedules.h>

#include <algorithm>
#include <cmath>

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
