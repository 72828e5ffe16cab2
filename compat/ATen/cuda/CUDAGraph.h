// at::cuda::CUDAGraph: captures a step and replays it.
#pragma once

#include <ATen/cuda/CUDAContext.h>
#include <taper/framework/capture/graph.h>

namespace at::cuda {
using taper::MempoolId_t;
using taper::cuda::CUDAGraph;
using taper::cuda::graph_pool_handle;
}  // namespace at::cuda
