// LibTorch's <torch/optim/schedulers/lr_scheduler.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
