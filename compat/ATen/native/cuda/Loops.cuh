// at::native::gpu_kernel: applies a function of numbers to each element of a TensorIterator's
// operands on a CUDA device. In a .cu file, the function runs in a kernel on a GPU. On simulated
// devices, the function runs on the host, in the order of the current stream. The race detector
// checks these accesses.
#pragma once

#include <type_traits>
#include <utility>

#include <ATen/OpMathType.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <taper/extension/cpu_kernel.h>
#include <taper/framework/debug/simulated.h>
#include <taper/framework/runtime/launch_host.h>
#include <torch/names.h>

#ifndef GPU_LAMBDA
#if defined(__CUDACC__)
#define GPU_LAMBDA __host__ __device__
#else
#define GPU_LAMBDA
#endif
#endif

namespace at::native {
namespace taper_detail {

/// The sizes of the index space, and the address and the strides in bytes of each operand. A kernel
/// gets this struct by value.
template <int N>
struct Places {
  char* data[N];
  int ndim;
  int64_t sizes[12];
  int64_t strides[12][N];
};
template <int N>
Places<N> places_of(const taper::TensorIterator& iter) {
  Places<N> p{};
  p.ndim = iter.ndim();
  for (int d = 0; d < p.ndim; ++d) p.sizes[d] = iter.shape()[static_cast<size_t>(d)];
  for (int k = 0; k < N; ++k) {
    p.data[k] = static_cast<char*>(iter.data_ptr(k));
    for (int d = 0; d < p.ndim; ++d) p.strides[d][k] = iter.strides(k)[static_cast<size_t>(d)];
  }
  return p;
}

#if defined(__CUDACC__)
template <class F, class Args, size_t... I>
__device__ auto call_at(const F& f, char* const* in, std::index_sequence<I...>) {
  return f(*reinterpret_cast<const std::tuple_element_t<I, Args>*>(in[I])...);
}
template <class F, int N>
__global__ void elementwise(int64_t n, Places<N> places, F f) {
  using S = detail::Signature<F>;
  using Index = std::make_index_sequence<static_cast<size_t>(S::count)>;
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    char* at[N];
    for (int k = 0; k < N; ++k) at[k] = places.data[k];
    int64_t rest = i;
    for (int d = 0; d < places.ndim; ++d) {
      const int64_t here = rest % places.sizes[d];
      rest /= places.sizes[d];
      for (int k = 0; k < N; ++k) at[k] += here * places.strides[d][k];
    }
    *reinterpret_cast<typename S::Result*>(at[0]) =
        call_at<F, typename S::Args>(f, at + 1, Index());
  }
}
template <int N, class F>
void launch(const taper::TensorIterator& iter, const F& f) {
  constexpr int64_t threads = 256, most_blocks = 1 << 20;
  const int64_t blocks = (iter.numel() + threads - 1) / threads;
  elementwise<F, N><<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), threads,
                      0, c10::cuda::getCurrentCUDAStream()>>>(iter.numel(), places_of<N>(iter), f);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}
#endif

/// Queues `f` for all elements on the current stream. The host runs `f`.
template <class F>
void queue(const taper::TensorIterator& iter, const F& f) {
  std::vector<Tensor> inputs;
  for (int i = 1; i < iter.ntensors(); ++i) inputs.push_back(iter.tensor(i));
  taper::cuda::launch_host(
      "gpu_kernel",
      [iter, f] {
        const auto n = static_cast<size_t>(iter.ntensors());
        iter.serial_for_each(
            [&](char** data, const int64_t* steps, int64_t size0, int64_t size1) {
              for (int64_t r = 0; r < size1; ++r) {
                detail::run_row(f, data, steps, size0);
                for (size_t k = 0; k < n; ++k) data[k] += steps[n + k];
              }
            },
            0, iter.numel());
      },
      inputs, {iter.tensor(0)});
}

}  // namespace taper_detail

/// Writes f(inputs...) to the output for every element. Throws Error unless f takes and returns the
/// C++ types of the operands' dtypes. On a GPU, also throws Error if a .cpp file calls this
/// function, because only a .cu file can contain kernels.
template <class F>
void gpu_kernel(taper::TensorIterator& iter, const F& f) {
  using S = detail::Signature<F>;
  TORCH_CHECK(iter.noutputs() == 1 && iter.ninputs() == S::count,
              "gpu_kernel: expected an iterator of 1 output and ", S::count,
              " inputs, as the function has, got ", iter.noutputs(), " and ", iter.ninputs());
  TORCH_CHECK(iter.device().is_cuda(), "gpu_kernel: expected operands on a CUDA device, got ",
              iter.device(), "; cpu_kernel is the CPU's");
  detail::check_types(iter, 1, static_cast<typename S::Args*>(nullptr),
                      std::make_index_sequence<static_cast<size_t>(S::count)>());
  detail::check_type<typename S::Result>(iter, 0);
  if (iter.numel() == 0) return;
#if defined(__CUDACC__)
  if (!taper::cuda::is_simulated())
    taper_detail::launch<S::count + 1>(iter, f);
  else
#endif
    taper_detail::queue(iter, f);
  iter.cast_outputs();
}
/// Calls gpu_kernel(). There is no special case for operands with a single element.
template <class F>
void gpu_kernel_with_scalars(taper::TensorIterator& iter, const F& f) {
  gpu_kernel(iter, f);
}

}  // namespace at::native
