// torch::autograd::SavedVariableHooks.
#pragma once

#include <taper/framework/autograd/saved_hooks.h>
#include <torch/names.h>
