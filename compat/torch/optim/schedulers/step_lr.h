// LibTorch's <torch/optim/schedulers/step_lr.h>: everything comes with <torch/torch.h>.
#pragma once

#include <torch/torch.h>
