// CUDA interop on simulated devices, without the toolkit's headers.
#include <torch/extension.h>
#include <ATen/native/cuda/Loops.cuh>

#include <ATen/DeviceGuard.h>
#include <ATen/TensorIterator.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/detail/KernelUtils.h>
#include <taper/framework/runtime/launch_host.h>

#include "expect.h"

namespace {

torch::Tensor on(int device) { return torch::ones({8}, torch::Device(torch::kCUDA, device)); }

void guards() {
  const torch::Tensor x = on(1), none, host = torch::ones({1});
  {
    const at::cuda::OptionalCUDAGuard guard(at::device_of(x));
    EXPECT(torch::cuda::current_device() == 1 && guard.original_device()->index() == 0);
  }
  EXPECT(torch::cuda::current_device() == 0);
  {
    const at::cuda::OptionalCUDAGuard nothing(at::device_of(none));
    const at::DeviceGuard of_host(host.device());
    EXPECT(torch::cuda::current_device() == 0 && !nothing.original_device());
    c10::cuda::CUDAGuard guard(x.device());
    EXPECT(guard.original_device().index() == 0 && guard.current_device().index() == 1);
    guard.set_index(0);
    EXPECT(torch::cuda::current_device() == 0);
    guard.set_index(1);
  }
  EXPECT(torch::cuda::current_device() == 0);
  EXPECT(has(thrown<c10::Error>([&] { c10::cuda::CUDAGuard guard(host.device()); }),
             "expected a CUDA device"));
  EXPECT(has(thrown<c10::Error>([] { c10::cuda::CUDAGuard guard(9); }), "invalid device ordinal"));
}

void streams() {
  const cudaStream_t raw = at::cuda::getCurrentCUDAStream();
  EXPECT(raw == nullptr && c10::cuda::getDefaultCUDAStream().stream() == nullptr);
  const at::cuda::CUDAStream stream = at::cuda::getStreamFromPool(/*isHighPriority=*/true, 1);
  {
    const at::cuda::CUDAStreamGuard guard(stream);
    EXPECT(at::cuda::getCurrentCUDAStream() == stream && torch::cuda::current_device() == 1);
    EXPECT(guard.original_stream().device_index() == 0);
    at::cuda::CUDAEvent event;
    EXPECT(!event.isCreated());
    event.record(stream);
    event.block(at::cuda::getDefaultCUDAStream(1));
    event.synchronize();
    EXPECT(event.query() && event.isCreated() && event.event() == nullptr);
  }
  EXPECT(torch::cuda::current_device() == 0);
  c10::cuda::setCurrentCUDAStream(stream);
  EXPECT(torch::cuda::current_device() == 0 && at::cuda::getCurrentCUDAStream(1) == stream);
  c10::cuda::setCurrentCUDAStream(c10::cuda::getDefaultCUDAStream(1));
  EXPECT(has(thrown<c10::Error>(
                 [] { c10::cuda::getStreamFromExternal(reinterpret_cast<cudaStream_t>(16), 0); }),
             "expected a GPU, got a simulated device"));
}

void memory() {
  namespace caching = c10::cuda::CUDACachingAllocator;
  const auto before = caching::getDeviceStats(0).allocated_bytes[0].current;
  {
    const c10::DataPtr p = caching::get()->allocate(1000);
    EXPECT(p.device() == torch::Device(torch::kCUDA, 0));
    EXPECT(caching::getDeviceStats(0).allocated_bytes[0].current == before + 1024);
    caching::recordStream(p, at::cuda::getCurrentCUDAStream());
  }
  void* const raw = caching::raw_alloc(512);
  EXPECT(raw && caching::getDeviceStats(0).allocated_bytes[0].current == before + 512);
  caching::raw_delete(raw);
  EXPECT(caching::getDeviceStats(0).allocated_bytes[0].current == before);
  int n = 0;
  EXPECT(has(thrown<c10::Error>([&] { caching::raw_delete(&n); }), "invalid device pointer"));
}

/// y += x by a kernel of the program's own, in its version for the host.
void add_to(const torch::Tensor& y, const torch::Tensor& x) {
  float* const to = y.data_ptr<float>();
  const float* const from = x.data_ptr<float>();
  taper::cuda::launch_host("add_to",
                           [to, from, n = y.numel()] {
                             for (int64_t i = 0; i < n; ++i) to[i] += from[i];
                           },
                           {x}, {y});
}

void own_kernels() {
  const torch::Tensor x = on(0), y = on(0);
  add_to(y, x);
  EXPECT(y.sum().item<float>() == 16);
  const torch::Tensor host = torch::ones({8});
  add_to(host, host);
  EXPECT(host.sum().item<float>() == 16);
  EXPECT(
      has(thrown<c10::Error>([&] { add_to(host, x); }), "expected all tensors to be on the same"));
  // Two streams, and nothing between them: the race detector sees what the kernel writes.
  const std::string race = thrown<c10::Error>([&] {
    add_to(y, x);
    const at::cuda::CUDAStreamGuard guard(at::cuda::getStreamFromPool(false, 0));
    add_to(y, x);
  });
  EXPECT(has(race, "Race") && has(race, "add_to"));
  EXPECT(has(
      thrown<c10::Error>([] { taper::cuda::throw_cuda_error("no device", "f<<<>>>", "f.cu", 1); }),
      "a program's own CUDA kernel needs a GPU; give a version for the host by"));
  EXPECT(has(thrown<c10::Error>([] {
               taper::detail::require_cuda().library_handle(
                   taper::Runtime::Library::kBlas, at::cuda::getCurrentCUDAStream().impl());
             }),
             "expected a GPU, got a simulated device"));
}

/// gpu_kernel runs the same function on the host where devices are simulated.
void kernels_of_functions() {
  const torch::Tensor a = torch::arange(6, torch::kFloat).view({3, 2}).t().cuda();
  const torch::Tensor b = torch::tensor({10, 20, 30}).cuda();
  auto iter = at::TensorIteratorConfig()
                  .promote_inputs_to_common_dtype(true)
                  .add_output(at::Tensor())
                  .add_input(a)
                  .add_input(b)
                  .build();
  at::native::gpu_kernel(iter, [] GPU_LAMBDA(float x, float y) -> float { return x * y + 1; });
  EXPECT(iter.output().is_cuda() && torch::equal(iter.output(), a * b + 1));
  const torch::Tensor wide = torch::empty({2, 3}, b.options().dtype(torch::kDouble));
  auto wider = at::TensorIterator::unary_op(wide, a);
  at::native::gpu_kernel(wider, [] GPU_LAMBDA(float x) -> float { return -x; });
  EXPECT(torch::equal(wide, a.neg().to(torch::kDouble)));
  const std::string race = thrown<c10::Error>([&] {
    at::native::gpu_kernel(iter, [] GPU_LAMBDA(float x, float y) -> float { return x + y; });
    const at::cuda::CUDAStreamGuard guard(at::cuda::getStreamFromPool(false, 0));
    iter.output().add_(1);
  });
  EXPECT(has(race, "Race") && has(race, "gpu_kernel"));
  torch::cuda::synchronize();
  EXPECT(has(thrown<c10::Error>([&] {
               at::native::gpu_kernel(wider, [] GPU_LAMBDA(double x) -> double { return x; });
             }),
             "expected Double for operand 1, got Float"));
  EXPECT(has(thrown<c10::Error>([&] {
               auto host = at::TensorIterator::unary_op(at::Tensor(), torch::ones({2}));
               at::native::gpu_kernel(host, [] GPU_LAMBDA(float x) -> float { return x; });
             }),
             "expected operands on a CUDA device, got cpu"));
}

void random_numbers() {
  auto* gen = at::get_generator_or_default<at::CUDAGeneratorImpl>(
      c10::nullopt, at::cuda::detail::getDefaultCUDAGenerator());
  const std::lock_guard<std::mutex> lock(gen->mutex_);
  gen->set_current_seed(3);
  const auto first = at::cuda::philox::unpack(gen->philox_cuda_state(4));
  EXPECT(first != at::cuda::philox::unpack(gen->philox_cuda_state(4)));
  gen->set_current_seed(3);
  EXPECT(first == at::cuda::philox::unpack(gen->philox_cuda_state(4)));
  EXPECT(at::cuda::detail::GET_BLOCKS(1025) == 2 && at::cuda::warp_size() == 32);
}

}  // namespace

int main() {
  guards();
  streams();
  memory();
  own_kernels();
  kernels_of_functions();
  random_numbers();
}
