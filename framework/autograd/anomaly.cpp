#include <taper/framework/autograd/anomaly.h>

#include <taper/framework/autograd/engine.h>
#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/warning.h>
#include <taper/framework/debug/backtrace.h>

namespace torch::taper::autograd {
namespace {

std::string forward_call(const Node& node) {
  return node.extra_ ? taper::detail::describe_stack(node.extra_->forward_stack)
                     : "\n  before anomaly mode was enabled";
}

}  // namespace

DetectAnomalyGuard::DetectAnomalyGuard(bool check_nan)
    : before_(AnomalyMode::is_enabled()), check_before_(AnomalyMode::should_check_nan()) {
  taper::detail::warn_once([] {
    return "This mode should be enabled only for debugging as the different tests will slow down "
           "your "
           "program execution.";
  });
  AnomalyMode::set_enabled(true, check_nan);
}

void check_anomaly(const Node& node, const GradList& made) {
  if (!AnomalyMode::should_check_nan()) return;
  const NoGradGuard no_grad;
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i].defined() || !made[i].isnan().any().item<bool>()) continue;
    throw Error(taper::detail::concat("Function '", node.name(), "' returned nan values in its ", i,
                                      "th output. The forward op was called:", forward_call(node)));
  }
}

void warn_of_anomaly(const Node& node) {
  taper::detail::warn_user(taper::detail::concat(
      "Error detected in ", node.name(),
      ". Traceback of forward call that caused the error:", forward_call(node)));
  for (const Node* n = &node; n->extra_ && n->extra_->induced_by;) {
    n = n->extra_->induced_by.get();
    taper::detail::warn_user(taper::detail::concat(
        "\n\nPrevious calculation was induced by ", n->name(),
        ". Traceback of forward call that induced the previous calculation:", forward_call(*n)));
  }
}

}  // namespace torch::taper::autograd
