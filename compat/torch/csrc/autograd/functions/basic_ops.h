// LibTorch's UndefinedGrad and DelayedError.
#pragma once

#include <taper/framework/autograd/basic_ops.h>
#include <torch/names.h>
