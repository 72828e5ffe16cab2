// torch::autograd::collect_next_edges and what goes with it.
#pragma once

#include <taper/extension/autograd.h>
#include <torch/torch.h>
