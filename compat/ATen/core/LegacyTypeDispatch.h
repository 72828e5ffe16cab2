// at::AutoNonVariableTypeMode, a guard that programs used before c10::InferenceMode existed. Also
// the guards that replaced it in kernels.
#pragma once

#include <c10/util/Exception.h>
#include <taper/framework/core/dispatch_key.h>
#include <torch/names.h>

namespace c10 {

/// Turns gradient mode off until the guard is destroyed, so that no op records a graph. The first
/// use warns, and the warning names the replacements.
struct AutoNonVariableTypeMode {
  explicit AutoNonVariableTypeMode(bool enabled = true)
      : mode_(enabled ? false : taper::GradMode::is_enabled()) {
    TORCH_WARN_ONCE(
        "AutoNonVariableTypeMode is deprecated and will be removed in 1.10 release. For kernel "
        "implementations please use AutoDispatchBelowADInplaceOrView instead, If you are looking "
        "for a user facing API to enable running your inference-only workload, please use "
        "c10::InferenceMode. Using AutoDispatchBelowADInplaceOrView in user code is under risk of "
        "producing silent wrong result in some edge cases. See Note [AutoDispatchBelowAutograd] "
        "for "
        "more details.");
  }

 private:
  taper::AutoGradMode mode_;
};

}  // namespace c10
