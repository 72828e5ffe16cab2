// at::cuda::philox::unpack.
#pragma once

#include <ATen/cuda/CUDAGeneratorImpl.h>
