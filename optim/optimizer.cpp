#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/runtime/access.h>
#include <taper/ops/shared/foreach.h>
#include <taper/optim/serialize.h>
#include <taper/optim/updates.h>

#include <unordered_set>
#include <utility>

namespace torch::taper::optim {
namespace {

[[noreturn]] void missing(const char* type, const char* what) {
  throw NotImplementedError(
      taper::detail::concat(what, " has not been implemented in derived class of ", type));
}

void warn_of_removal(const char* function) {
  taper::detail::warn_user(
      taper::detail::concat("Optimizer::", function, "() will be removed in PyTorch 1.6"));
}

}  // namespace

std::unique_ptr<OptimizerParamState> OptimizerParamState::clone() const {
  missing("OptimizerParamState; derive from OptimizerCloneableParamState<YourState>", "clone()");
}
void OptimizerParamState::serialize(serialize::InputArchive&) {
  missing("OptimizerParamState", "void serialize(InputArchive& archive)");
}
void OptimizerParamState::serialize(serialize::OutputArchive&) const {
  missing("OptimizerParamState", "void serialize(OutputArchive& archive)");
}

std::unique_ptr<OptimizerOptions> OptimizerOptions::clone() const {
  missing("OptimizerOptions; derive from OptimizerCloneableOptions<YourOptions>", "clone()");
}
void OptimizerOptions::serialize(serialize::InputArchive&) {
  missing("OptimizerOptions", "void serialize(InputArchive& archive)");
}
void OptimizerOptions::serialize(serialize::OutputArchive&) const {
  missing("OptimizerOptions", "void serialize(OutputArchive& archive)");
}
double OptimizerOptions::get_lr() const { missing("OptimizerOptions", "double get_lr()"); }
void OptimizerOptions::set_lr(double) { missing("OptimizerOptions", "void set_lr(double lr)"); }

OptimizerOptions& OptimizerParamGroup::options() {
  TAPER_CHECK(options_,
              "OptimizerParamGroup: expected a group with options, got one without; "
              "call set_options first");
  return *options_;
}
const OptimizerOptions& OptimizerParamGroup::options() const {
  return const_cast<OptimizerParamGroup*>(this)->options();
}

Optimizer::Optimizer(std::vector<OptimizerParamGroup> param_groups,
                     std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
  for (const OptimizerParamGroup& group : param_groups) add_param_group(group);
}

Optimizer::Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
  add_param_group(OptimizerParamGroup(std::move(parameters)));
}

void Optimizer::check_group(const OptimizerParamGroup& group) const {
  std::unordered_set<const TensorImpl*> known;
  for (const OptimizerParamGroup& g : param_groups_)
    for (const Tensor& p : g.params()) known.insert(p.unsafeGetTensorImpl());
  for (const Tensor& p : group.params()) {
    TAPER_CHECK(p.defined(), "Optimizer: expected defined parameters, got an undefined tensor");
    TAPER_CHECK(p.is_leaf(), "Optimizer: can't optimize a non-leaf Tensor");
    autograd::check_no_internal_overlap("Optimizer", p);
    TAPER_CHECK(!known.count(p.unsafeGetTensorImpl()),
                "Optimizer: some parameters appear in more than one parameter group");
  }
}

void Optimizer::add_param_group(const OptimizerParamGroup& group) {
  check_group(group);
  OptimizerParamGroup added(group);
  if (!added.has_options()) {
    TAPER_CHECK(defaults_,
                "Optimizer: expected options for the parameter group, since there are "
                "no defaults");
    added.set_options(defaults_->clone());
  }
  param_groups_.push_back(std::move(added));
}

void Optimizer::add_parameters(const std::vector<Tensor>& parameters) {
  check_group(OptimizerParamGroup(parameters));
  warn_of_removal("add_parameters");
  std::vector<Tensor>& first = param_groups_.at(0).params();
  first.insert(first.end(), parameters.begin(), parameters.end());
}

std::vector<Tensor>& Optimizer::parameters() {
  warn_of_removal("parameters");
  return param_groups_.at(0).params();
}
const std::vector<Tensor>& Optimizer::parameters() const {
  warn_of_removal("parameters");
  return param_groups_.at(0).params();
}

size_t Optimizer::size() const {
  warn_of_removal("size");
  return count_parameters();
}

size_t Optimizer::count_parameters() const {
  size_t count = 0;
  for (const OptimizerParamGroup& group : param_groups_) count += group.params().size();
  return count;
}

void Optimizer::zero_grad(bool set_to_none) {
  std::vector<Tensor> together;
  const bool at_once = !taper::detail::captures_host();
  for (OptimizerParamGroup& group : param_groups_) {
    for (const Tensor& p : group.params()) {
      if (!p.grad().defined()) continue;
      Tensor& grad = p.mutable_grad();
      if (set_to_none) {
        grad.reset();
        continue;
      }
      if (grad.requires_grad()) grad.detach_();
      if (at_once && grad.device().is_cpu())
        grad.zero_();
      else
        together.push_back(grad);
    }
  }
  taper::detail::foreach_zeros(together);
}

StateKey Optimizer::key(const Tensor& parameter) { return parameter.unsafeGetTensorImpl(); }

void Optimizer::warn_of_nothing() {
  if (std::exchange(warned_of_nothing_, true)) return;
  taper::detail::warn_user(
      "Optimizer: expected parameters at the first step, got none, so nothing is learned. Were the "
      "modules registered, with register_module(), before parameters() was called?");
}

Tensor Optimizer::evaluate(const LossClosure& closure) {
  if (__builtin_expect(count_parameters() == 0, 0)) warn_of_nothing();
  if (!closure) return {};
  AutoGradMode enable(true);
  return closure();
}

const float* Optimizer::found_inf_on(Device device) const {
  for (const Tensor& t : found_inf_)
    if (t.device() == device) return t.data_ptr<float>();
  return nullptr;
}

void Optimizer::find_slot(size_t index, const Tensor& parameter) {
  if (index >= slots_.size()) slots_.resize(std::max(count_parameters(), index + 1));
  slots_[index] = {parameter.unsafeGetTensorImpl(), state_.removals(), &state_[key(parameter)]};
}

void Optimizer::check_gradient(const char* name, const Tensor& parameter, const Tensor& grad) {
  const TensorImpl &p = *parameter.impl_ptr(), &g = *grad.impl_ptr();
  TAPER_CHECK(g.dtype == p.dtype, name, ": expected a gradient of dtype ", p.dtype, ", got ",
              g.dtype);
  TAPER_CHECK(g.sizes == p.sizes, name, ": expected a gradient of sizes ", p.sizes, ", got ",
              g.sizes);
  TAPER_CHECK(g.device == p.device, name, ": expected the gradient on ", p.device, ", got it on ",
              g.device);
}

void Optimizer::throw_wrong_options(const char* name) {
  throw Error(taper::detail::concat(name, ": expected parameter groups with ", name,
                                    "Options, got one with the options of another optimizer"));
}

void detail::check_may_make_state(const char* name, Device device) {
  TAPER_CHECK(!taper::detail::is_captured(device), name,
              ": the first step makes the state of a parameter, and each replay of a graph would "
              "make it anew; let the optimizer step once before the capture");
}

void detail::check_steps_alike(const char* name, Device device) {
  TAPER_CHECK(!taper::detail::is_captured(device), name,
              ": each step has numbers of its own, which replays of a graph would not get; capture "
              "SGD or RMSprop, or Adam or AdamW with capturable(true)");
}

bool Optimizer::fit_state(const char* name, const Tensor& parameter, Tensor& state) {
  if (!state.defined()) {
    detail::check_may_make_state(name, parameter.device());
    AutoGradMode no_grad(false);
    state = taper::detail::make_like(parameter);
    state.zero_();
    return true;
  }
  const TensorImpl &p = *parameter.impl_ptr(), &s = *state.impl_ptr();
  const bool same_kind = isComplexType(s.dtype) == isComplexType(p.dtype);
  TAPER_CHECK(same_kind && s.sizes == p.sizes, name, ": expected a state of dtype ", p.dtype,
              " and sizes ", p.sizes, " for the parameter, got ", s.dtype, " and ", s.sizes);
  // The state follows a parameter that a module moved to another device or dtype.
  if (s.device == p.device && s.dtype == p.dtype) return false;
  detail::check_may_make_state(name, parameter.device());
  state = state.detach().to(p.device, p.dtype);
  return false;
}

}  // namespace torch::taper::optim
