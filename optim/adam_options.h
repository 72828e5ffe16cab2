// Checks of the options of Adam and its variants. Not installed.
#pragma once

#include <taper/framework/core/check.h>

namespace torch::taper::optim {

/// Throws Error for a negative lr, eps or weight_decay, and for a beta outside [0, 1). The message
/// begins with `name`, the name of the optimizer.
template <class Options>
void check_adam_options(const char* name, const Options& o) {
  TAPER_CHECK(o.lr() >= 0, name, ": Invalid learning rate: ", o.lr());
  TAPER_CHECK(o.eps() >= 0, name, ": Invalid epsilon value: ", o.eps());
  const auto [beta1, beta2] = o.betas();
  TAPER_CHECK(0 <= beta1 && beta1 < 1, name, ": Invalid beta parameter at index 0: ", beta1);
  TAPER_CHECK(0 <= beta2 && beta2 < 1, name, ": Invalid beta parameter at index 1: ", beta2);
  TAPER_CHECK(o.weight_decay() >= 0, name, ": Invalid weight_decay value: ", o.weight_decay());
}

}  // namespace torch::taper::optim
