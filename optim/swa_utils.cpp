#include <taper/optim/swa_utils.h>

#include <algorithm>
#include <cmath>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/nn/modules/batchnorm.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::optim::swa_utils {

// ---------------------------------------------------------------------- the average
AverageFunction get_ema_avg_fn(double decay) {
  TAPER_CHECK_VALUE(decay >= 0 && decay <= 1, "Invalid decay value ", decay,
                    " provided. Please provide a value in [0,1] range.");
  return [decay](const Tensor& averaged, const Tensor& value, int64_t) {
    return decay * averaged + (1 - decay) * value;
  };
}

namespace {

Tensor equal_average(const Tensor& averaged, const Tensor& value, int64_t num_averaged) {
  return averaged + (value - averaged) / static_cast<double>(num_averaged + 1);
}

std::vector<Tensor> state_of(const nn::Module& module, bool with_buffers) {
  std::vector<Tensor> state = module.parameters();
  if (!with_buffers) return state;
  for (const Tensor& buffer : module.buffers()) state.push_back(buffer);
  return state;
}

}  // namespace

AveragedModelBase::AveragedModelBase(const std::shared_ptr<nn::Module>& copy,
                                     AverageFunction avg_fn, bool use_buffers)
    : copy_(copy),
      avg_fn_(avg_fn ? std::move(avg_fn) : AverageFunction(&equal_average)),
      use_buffers_(use_buffers) {
  n_averaged = register_buffer("n_averaged", zeros({}, kLong));
  register_module("module", copy_);
}

void AveragedModelBase::update_parameters(const nn::Module& model) {
  NoGradGuard no_grad;
  const std::vector<Tensor> mine = state_of(*copy_, use_buffers_);
  const std::vector<Tensor> given = state_of(model, use_buffers_);
  bool fits = mine.size() == given.size();
  for (size_t i = 0; fits && i < mine.size(); ++i) fits = mine[i].sizes() == given[i].sizes();
  TAPER_CHECK(fits,
              "update_parameters: expected a model like the one that is averaged, got other "
              "parameters");
  const int64_t count = n_averaged.item<int64_t>();
  for (size_t i = 0; i < mine.size(); ++i) {
    const Tensor averaged = mine[i].detach(), value = given[i].detach().to(averaged.device());
    averaged.copy_(count == 0 ? value : avg_fn_(averaged, value, count));
  }
  n_averaged.add_(1);
}

// ---------------------------------------------------------------------- the rate
SWALR::SWALR(Optimizer& optimizer, std::vector<double> swa_lrs, unsigned anneal_epochs,
             const std::string& anneal_strategy)
    : LRScheduler(optimizer),
      swa_lrs_(std::move(swa_lrs)),
      anneal_epochs_(anneal_epochs),
      cosine_(anneal_strategy == "cos") {
  const size_t groups = optimizer.param_groups().size();
  TAPER_CHECK_VALUE(swa_lrs_.size() == groups,
                    "swa_lr must have the same length as optimizer.param_groups: swa_lr has ",
                    swa_lrs_.size(), ", optimizer.param_groups has ", groups);
  TAPER_CHECK_VALUE(cosine_ || anneal_strategy == "linear",
                    "anneal_strategy must by one of 'cos' or 'linear', instead got ",
                    anneal_strategy);
  if (anneal_epochs_ == 0)
    for (size_t i = 0; i < groups; ++i) optimizer.param_groups()[i].options().set_lr(swa_lrs_[i]);
}

SWALR::SWALR(Optimizer& optimizer, double swa_lr, unsigned anneal_epochs,
             const std::string& anneal_strategy)
    : SWALR(optimizer, std::vector<double>(optimizer.param_groups().size(), swa_lr), anneal_epochs,
            anneal_strategy) {}

double SWALR::share(int64_t n) const {
  const double t = std::clamp(
      static_cast<double>(n) / static_cast<double>(std::max<int64_t>(1, anneal_epochs_)), 0.0, 1.0);
  return cosine_ ? (1 - std::cos(3.14159265358979323846 * t)) / 2 : t;
}

// Computes the initial rate from the current rate, which another schedule may have changed.
std::vector<double> SWALR::get_lrs() {
  const auto n = static_cast<int64_t>(step_count_) + 1;
  const double before = share(n - 1), now = share(n);
  std::vector<double> lrs = get_current_lrs();
  for (size_t i = 0; i < lrs.size(); ++i) {
    const double target = swa_lrs_[i];
    const double start = before == 1 ? target : (lrs[i] - before * target) / (1 - before);
    lrs[i] = target * now + start * (1 - now);
  }
  return lrs;
}

// ---------------------------------------------------------------------- batch normalisations
namespace detail {
namespace {

/// Returns false if the module is not a Norm.
template <class Norm>
bool start_pass(nn::Module& module, std::vector<std::function<void()>>& restore) {
  auto* norm = module.as<Norm>();
  if (!norm) return false;
  if (norm->running_mean.defined()) norm->reset_running_stats();
  restore.emplace_back(
      [norm, momentum = norm->options.momentum()] { norm->options.momentum(momentum); });
  norm->options.momentum(nullopt);
  return true;
}

}  // namespace

BatchNormPass::BatchNormPass(nn::Module& model)
    : model_(model), was_training_(model.is_training()) {
  model.apply([this](nn::Module& m) {
    start_pass<nn::BatchNorm1d>(m, restore_) || start_pass<nn::BatchNorm2d>(m, restore_) ||
        start_pass<nn::BatchNorm3d>(m, restore_);
  });
  if (!restore_.empty()) model_.train();
}

BatchNormPass::~BatchNormPass() {
  for (const auto& f : restore_) f();
  if (!restore_.empty()) model_.train(was_training_);
}

}  // namespace detail
}  // namespace torch::taper::optim::swa_utils
