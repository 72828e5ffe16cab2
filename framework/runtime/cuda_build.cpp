// Tells which CUDA parts this build has. Only this source is compiled with TAPER_CUDA_KERNELS, so
// all others are equal in every build. The values are:
//   0  no CUDA kernels: simulated devices run the CPU's
//   1  kernels compiled by nvcc, for GPUs
//   2  kernels compiled by the host's compiler, for simulated devices
#include <taper/framework/cuda/block.h>
#include <taper/framework/debug/kernel_records.h>
#include <taper/framework/fusion/fused_kernels.h>
#include <taper/framework/runtime/collectives.h>
#include <taper/framework/runtime/runtime.h>

namespace torch::taper::detail {

CudaKernels cuda_kernels() { return static_cast<CudaKernels>(TAPER_CUDA_KERNELS); }

bool runs_cuda_kernels() {
  return cuda_kernels() == CudaKernels::kOnHost ||
         (cuda_kernels() == CudaKernels::kForGpus && on_gpu());
}

#if TAPER_CUDA_KERNELS != 1
Runtime* gpu_runtime() { return nullptr; }
std::string why_no_gpus() {
  return "this build of Taper has no kernels for GPUs; configure one with -DTAPER_CUDA=ON";
}
bool broadcast_parts(const std::vector<CollectivePart>&, size_t) { return false; }
bool reduce_parts(const std::vector<CollectivePart>&, void*, int64_t, ScalarType) { return false; }
bool start_kernel_records() { return false; }
void begin_launch_record(uint64_t) noexcept {}
void end_launch_record() noexcept {}
std::vector<KernelRecord> stop_kernel_records() { return {}; }
#endif

}  // namespace torch::taper::detail

#if TAPER_CUDA_KERNELS != 1
bool taper::cuda::fuses_pointwise() { return false; }
void taper::cuda::set_fuses_pointwise(bool) {}
std::string taper::cuda::why_not_fused() { return detail::why_no_gpus(); }
uint64_t taper::cuda::fused_kernels() { return 0; }
#endif

taper::cuda::BlockRunner* taper::cuda::block_runner = nullptr;
