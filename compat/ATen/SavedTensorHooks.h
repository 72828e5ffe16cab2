// at::SavedTensorDefaultHooks.
#pragma once

#include <taper/framework/autograd/saved_hooks.h>
#include <torch/names.h>
