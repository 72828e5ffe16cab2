// at::PhiloxCudaState, and at::cuda::philox::unpack, with which a kernel reads the state.
#pragma once

#include <tuple>

#include <taper/extension/cuda_interop.h>
#include <torch/names.h>

namespace at {
using taper::cuda::PhiloxCudaState;
namespace cuda::philox {
/// Returns {seed, offset} for curand_init.
TAPER_HD inline std::tuple<uint64_t, uint64_t> unpack(const PhiloxCudaState& state) {
  return {state.captured_ ? *state.seed_.ptr : state.seed_.val, state.offset_.val};
}
}  // namespace cuda::philox
}  // namespace at
