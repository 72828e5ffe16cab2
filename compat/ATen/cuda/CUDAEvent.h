// at::cuda::CUDAEvent.
#pragma once

#include <c10/cuda/CUDAGuard.h>

namespace at::cuda {
using CUDAEvent = taper::cuda::Event;
}
