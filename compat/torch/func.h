// Derivatives of functions: torch::autograd::functional, as Python's torch.autograd.functional.
#pragma once

#include <taper/func/functional.h>
#include <torch/torch.h>
