// torch::autograd::Node, and collect_next_edges.
#pragma once

#include <taper/extension/autograd.h>
#include <torch/torch.h>
