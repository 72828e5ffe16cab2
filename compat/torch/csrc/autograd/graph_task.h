// LibTorch's <torch/csrc/autograd/graph_task.h>: what of it programs use comes with
// <torch/csrc/autograd/engine.h>.
#pragma once

#include <torch/csrc/autograd/engine.h>
