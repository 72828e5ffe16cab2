// LibTorch's <ATen/ATen.h>: <torch/torch.h>, and the functions that few programs call.
#pragma once

#include <taper/extension/functions.h>
#include <torch/torch.h>
