// at::AutoNonVariableTypeMode, the guard of inference before c10::InferenceMode, and the guards
// that took its place in kernels.
#pragma once

#include <c10/util/Exception.h>
#include <taper/framework/core/dispatch_key.h>
#include <torch/names.h>

namespace c10 {

/// No op in this scope records a graph. Warns, once, of what replaces it.
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
