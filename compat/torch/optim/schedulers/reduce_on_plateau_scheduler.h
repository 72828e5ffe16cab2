// LibTorch's <torch/optim/schedulers/reduce_on_plateau_scheduler.h>: everything comes with
// <torch/torch.h>.
#pragma once

#include <torch/torch.h>
