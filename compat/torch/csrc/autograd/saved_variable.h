// torch::autograd::SavedVariable.
#pragma once

#include <taper/extension/autograd.h>
#include <torch/torch.h>
