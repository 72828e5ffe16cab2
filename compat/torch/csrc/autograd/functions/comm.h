// LibTorch's torch::autograd::{Scatter, Gather}.
#pragma once

#include <taper/nn/parallel/scatter_functions.h>
#include <torch/names.h>
