// torch::autograd::compute_requires_grad and what goes with it.
#pragma once

#include <taper/extension/autograd.h>
#include <torch/torch.h>
