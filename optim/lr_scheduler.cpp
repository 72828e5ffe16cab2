#include <taper/optim/lr_scheduler.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace torch::taper::optim {

void LRScheduler::step() {
  set_optimizer_lrs(get_lrs());
  ++step_count_;
}

std::vector<double> LRScheduler::get_current_lrs() const {
  std::vector<double> lrs;
  for (const OptimizerParamGroup& group : optimizer_.param_groups())
    lrs.push_back(group.options().get_lr());
  return lrs;
}

void LRScheduler::set_optimizer_lrs(const std::vector<double>& lrs) {
  auto& groups = optimizer_.param_groups();
  TAPER_CHECK(lrs.size() == groups.size(),
              "Number of learning rates not equal to the number of param groups. Expected ",
              groups.size(), ", got ", lrs.size());
  for (size_t i = 0; i < lrs.size(); ++i) groups[i].options().set_lr(lrs[i]);
}

StepLR::StepLR(Optimizer& optimizer, unsigned step_size, double gamma)
    : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {
  TAPER_CHECK(step_size > 0, "StepLR: expected a step_size of at least 1, got ", step_size);
}

std::vector<double> StepLR::get_lrs() {
  std::vector<double> lrs = get_current_lrs();
  if (step_count_ != 0 && step_count_ % step_size_ == 0)
    for (double& lr : lrs) lr *= gamma_;
  return lrs;
}

LambdaLR::LambdaLR(Optimizer& optimizer, Factor factor)
    : LRScheduler(optimizer), base_lrs_(get_current_lrs()), factor_(std::move(factor)) {}

std::vector<double> LambdaLR::get_lrs() {
  std::vector<double> lrs = base_lrs_;
  for (double& lr : lrs) lr *= factor_(step_count_ + 1);
  return lrs;
}

MultiStepLR::MultiStepLR(Optimizer& optimizer, std::vector<unsigned> milestones, double gamma)
    : LambdaLR(optimizer, [milestones, gamma](unsigned step) {
        const auto reached = std::count_if(milestones.begin(), milestones.end(),
                                           [step](unsigned m) { return m <= step; });
        return std::pow(gamma, static_cast<double>(reached));
      }) {}

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma)
    : LambdaLR(optimizer, [gamma](unsigned step) { return std::pow(gamma, step); }) {}

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, unsigned T_max, double eta_min)
    : LRScheduler(optimizer), base_lrs_(get_current_lrs()), t_max_(T_max), eta_min_(eta_min) {
  TAPER_CHECK(T_max > 0, "CosineAnnealingLR: expected a T_max of at least 1, got ", T_max);
}

std::vector<double> CosineAnnealingLR::get_lrs() {
  const double position = M_PI * (step_count_ + 1) / t_max_;
  std::vector<double> lrs = base_lrs_;
  for (double& lr : lrs) lr = eta_min_ + (lr - eta_min_) * (1 + std::cos(position)) / 2;
  return lrs;
}

ReduceLROnPlateauScheduler::ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode,
                                                       float factor, int patience, double threshold,
                                                       ThresholdMode threshold_mode, int cooldown,
                                                       const std::vector<float>& min_lrs,
                                                       double eps, bool verbose)
    : optimizer_(optimizer),
      mode_(mode),
      threshold_mode_(threshold_mode),
      factor_(factor),
      threshold_(threshold),
      eps_(eps),
      best_(mode == min ? std::numeric_limits<double>::infinity()
                        : -std::numeric_limits<double>::infinity()),
      patience_(patience),
      cooldown_(cooldown),
      min_lrs_(min_lrs),
      verbose_(verbose) {
  const size_t groups = optimizer.param_groups().size();
  TAPER_CHECK(factor < 1, "Factor should be < 1.0.");
  TAPER_CHECK(min_lrs.empty() || min_lrs.size() == groups,
              "Number of learning rates not equal to the number of param groups. Expected ", groups,
              ", got ", min_lrs.size());
  if (min_lrs_.empty()) min_lrs_.assign(groups, 0.0f);
}

bool ReduceLROnPlateauScheduler::is_better(double value) const {
  const double margin = threshold_mode_ == rel ? threshold_ * std::fabs(best_) : threshold_;
  if (!std::isfinite(best_)) return mode_ == min ? value < best_ : value > best_;
  return mode_ == min ? value < best_ - margin : value > best_ + margin;
}

void ReduceLROnPlateauScheduler::step(float metric) {
  if (is_better(metric)) {
    best_ = metric;
    bad_steps_ = 0;
  } else {
    ++bad_steps_;
  }
  if (cooldown_left_ > 0) {
    --cooldown_left_;
    bad_steps_ = 0;
  }
  if (bad_steps_ <= patience_) return;
  reduce();
  cooldown_left_ = cooldown_;
  bad_steps_ = 0;
}

void ReduceLROnPlateauScheduler::reduce() {
  auto& groups = optimizer_.param_groups();
  for (size_t i = 0; i < groups.size(); ++i) {
    const double old_lr = groups[i].options().get_lr();
    const double least = i < min_lrs_.size() ? min_lrs_[i] : 0;
    const double new_lr = std::max(old_lr * factor_, least);
    if (old_lr - new_lr <= eps_) continue;
    groups[i].options().set_lr(new_lr);
    if (verbose_) std::printf("reducing the learning rate of group %zu to %.4e\n", i, new_lr);
  }
}

}  // namespace torch::taper::optim
