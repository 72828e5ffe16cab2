// LibTorch's torch::cuda::{broadcast, broadcast_coalesced, scatter, gather}.
#pragma once

#include <taper/nn/parallel/comm.h>
#include <torch/names.h>
