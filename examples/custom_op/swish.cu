// mine::swish and its gradient on CUDA devices.
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>
#include <torch/torch.h>

#include <algorithm>

namespace {

using torch::Tensor;

template <class T>
__global__ void swish_kernel(const T* x, T* y, int64_t n, T beta) {
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    y[i] = x[i] / (1 + exp(-beta * x[i]));
}
template <class T>
__global__ void swish_backward_kernel(const T* grad, const T* x, T* y, int64_t n, T beta) {
  const int64_t stride = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const T s = 1 / (1 + exp(-beta * x[i]));
    y[i] = grad[i] * (s + beta * x[i] * s * (1 - s));
  }
}
constexpr int kThreads = 256;
int blocks(int64_t n) {
  return static_cast<int>(std::min<int64_t>((n + kThreads - 1) / kThreads, 4096));
}

Tensor swish_cuda(const Tensor& x, double beta) {
  const c10::cuda::CUDAGuard guard(x.device());
  const Tensor in = x.contiguous();
  Tensor y = torch::empty_like(in);
  if (y.numel() == 0) return y;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "swish", [&] {
    swish_kernel<<<blocks(y.numel()), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        in.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), y.numel(),
        static_cast<scalar_t>(beta));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return y;
}
Tensor swish_backward_cuda(const Tensor& grad, const Tensor& x, double beta) {
  TORCH_CHECK(grad.sizes() == x.sizes() && grad.scalar_type() == x.scalar_type(),
              "swish_backward: expected a gradient like x, got sizes ", grad.sizes(), " for ",
              x.sizes());
  const c10::cuda::CUDAGuard guard(x.device());
  const Tensor g = grad.contiguous(), in = x.contiguous();
  Tensor y = torch::empty_like(in);
  if (y.numel() == 0) return y;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "swish_backward", [&] {
    swish_backward_kernel<<<blocks(y.numel()), kThreads, 0, at::cuda::getCurrentCUDAStream()>>>(
        g.const_data_ptr<scalar_t>(), in.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(),
        y.numel(), static_cast<scalar_t>(beta));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return y;
}

}  // namespace

TORCH_LIBRARY_IMPL(mine, CUDA, m) {
  m.impl("swish", swish_cuda);
  m.impl("swish_backward", swish_backward_cuda);
}
