// Derivatives of functions: torch::func, which corresponds to Python's torch.func, and
// torch::autograd::functional.
#pragma once

#include <taper/func/forward_ad.h>
#include <taper/func/func.h>
#include <taper/func/functional.h>
#include <torch/torch.h>
