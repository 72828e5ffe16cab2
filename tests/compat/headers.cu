// Programs with CUDA kernels of their own include the framework in .cu files: nvcc must accept it,
// and what they use below the front end on both sides of a launch.
#include <torch/extension.h>

#include <ATen/AccumulateType.h>
#include <ATen/TensorIterator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/detail/KernelUtils.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <ATen/native/cuda/Loops.cuh>

template <class T>
__device__ T row_sum(const torch::TensorAccessor<T, 1, torch::RestrictPtrTraits, int32_t> row) {
  at::acc_type<T, true> sum = 0;
  for (int32_t i = 0; i < row.size(0); ++i) sum += row[i];
  return static_cast<T>(sum);
}

template <class T>
__global__ void sums(torch::PackedTensorAccessor32<T, 2, torch::RestrictPtrTraits> x,
                     torch::PackedTensorAccessor32<T, 1, torch::RestrictPtrTraits> y,
                     at::PhiloxCudaState random) {
  const auto [seed, offset] = at::cuda::philox::unpack(random);
  CUDA_KERNEL_LOOP(i, x.size(0)) {
    const T sum = row_sum<T>(x[i]);
    y[i] = seed + offset == 0 ? sum : std::exp(sum * sum / T(2)) - T(1);
  }
}

__global__ void halves(c10::Half* x) {
  const __half raw = x[threadIdx.x];
  x[threadIdx.x] += c10::Half(raw) * 2;
}

torch::Tensor launch(const torch::Tensor& x) {
  const at::cuda::OptionalCUDAGuard guard(at::device_of(x));
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  torch::Tensor y = torch::empty({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "sums", [&] {
    sums<scalar_t><<<at::cuda::detail::GET_BLOCKS(x.size(0)), 256, 0, stream>>>(
        x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
        y.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>(), at::PhiloxCudaState());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  halves<<<1, 32, 0, stream>>>(x.data_ptr<at::Half>());
  AT_CUDA_CHECK(cudaStreamSynchronize(stream));
  TORCH_CHECK(at::cuda::getCurrentDeviceProperties()->warpSize == at::cuda::warp_size());
  TORCH_CUDABLAS_CHECK(cublasSetStream(at::cuda::getCurrentCUDABlasHandle(), stream));
  cusparseHandle_t sparse = at::cuda::getCurrentCUDASparseHandle();
  return sparse ? y : x;
}

// A kernel made of a function of numbers: what it captures, it has by value.
torch::Tensor scaled(const torch::Tensor& x, double factor) {
  torch::Tensor y;
  auto iter = at::TensorIteratorConfig().add_output(y).add_input(x).build();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "scaled", [&] {
    const auto f = static_cast<at::opmath_type<scalar_t>>(factor);
    at::native::gpu_kernel(iter, [f] GPU_LAMBDA(scalar_t v) -> scalar_t { return v * f; });
  });
  return iter.output();
}
