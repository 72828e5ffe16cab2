#include <taper/framework/cuda/gpu/current.h>

#include <cuda.h>

#include <atomic>

#include <taper/framework/cuda/architecture.h>
#include <taper/framework/cuda/gpu/recording.h>
#include <taper/framework/cuda/scratch.h>
#include <taper/framework/cuda/stream.h>
#include <taper/framework/memory/caching_allocator.h>

namespace torch::taper::cuda {
namespace {

thread_local DeviceIndex current_device_index = 0;
thread_local cudaStream_t current_handle = nullptr;
thread_local GpuRecording* current_recording = nullptr;

using ContextState = CUresult (*)(CUdevice, unsigned*, int*);

/// Finds the driver's function, because every runtime function would make a context.
ContextState find_context_state() {
  void* f = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const cudaError_t status = cudaGetDriverEntryPointByVersion("cuDevicePrimaryCtxGetState", &f,
                                                              7000, cudaEnableDefault, &found);
#else
  const cudaError_t status =
      cudaGetDriverEntryPoint("cuDevicePrimaryCtxGetState", &f, cudaEnableDefault, &found);
#endif
  if (status != cudaSuccess) (void)cudaGetLastError();
  const bool usable = status == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return usable ? reinterpret_cast<ContextState>(f) : nullptr;
}

}  // namespace

LaunchScope::LaunchScope(DeviceIndex device, cudaStream_t stream, GpuRecording* recording)
    : device_before_(current_device_index),
      stream_before_(current_handle),
      recording_before_(current_recording) {
  current_device_index = device;
  current_handle = stream;
  current_recording = recording;
}
LaunchScope::~LaunchScope() {
  current_device_index = device_before_;
  current_handle = stream_before_;
  current_recording = recording_before_;
}

int64_t resident_threads() {
  static std::atomic<int> of_device[64] = {};
  std::atomic<int>& known = of_device[current_device_index];
  if (const int threads = known.load(std::memory_order_relaxed)) return threads;
  int processors = 0, threads = 0;
  TAPER_CUDA_CHECK(
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, current_device_index));
  TAPER_CUDA_CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor,
                                          current_device_index));
  known.store(processors * threads, std::memory_order_relaxed);
  return int64_t{processors} * threads;
}

int compiled_architecture(const void* kernel, DeviceIndex device) {
  const OnDevice on(device);
  cudaFuncAttributes attributes;
  TAPER_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  return attributes.ptxVersion;  // binaryVersion is the driver's own
}

bool has_context(int device) {
  static std::atomic<uint64_t> known{0};  // a context never ends
  const uint64_t bit = uint64_t{1} << device;
  if (known.load(std::memory_order_relaxed) & bit) return true;
  static const ContextState context_state = find_context_state();
  unsigned flags = 0;
  int active = 0;
  if (!context_state || context_state(device, &flags, &active) != CUDA_SUCCESS || !active)
    return false;
  known |= bit;
  return true;
}

namespace {
/// Holds the device that make_current() got while it had no context, or -1.
thread_local int deferred_device = -1;
}  // namespace

void make_current(int device) noexcept {
  deferred_device = has_context(device) ? -1 : device;
  if (deferred_device < 0) restore_device(device);
}
bool was_deferred(int device) {
  if (deferred_device != device) return false;
  deferred_device = -1;
  return true;
}
void use_deferred() {
  if (deferred_device < 0) return;
  TAPER_CUDA_CHECK(cudaSetDevice(deferred_device));
  deferred_device = -1;
}
void restore_device(int device) noexcept {
  int now = device;
  if (cudaGetDevice(&now) == cudaSuccess && now != device && has_context(device))
    (void)cudaSetDevice(device);
}

std::mutex& launches_of_several_devices() {
  static auto& mutex = *new std::mutex;  // memory is freed until the process ends
  return mutex;
}

DeviceIndex kernel_device() { return current_device_index; }
cudaStream_t kernel_stream() { return current_handle; }
GpuRecording* kernel_recording() { return current_recording; }

void check_status(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  throw Error(detail::concat("CUDA error: ", cudaGetErrorString(status), " (", call, ", ", file,
                             ":", line,
                             "). Kernels run after the call that queued them: set "
                             "CUDA_LAUNCH_BLOCKING=1 to get the error from the call itself."));
}
void launch_kernel(const void* kernel, int blocks, int threads, void** arguments) {
  // Checks the returned status, because cudaGetLastError would also report earlier calls, even the
  // program's.
  TAPER_CUDA_CHECK(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                    dim3(static_cast<unsigned>(threads)), arguments, 0,
                                    kernel_stream()));
}

void* allocate_scratch(size_t nbytes) {
  return detail::caching_allocator(kernel_device()).allocate(nbytes);
}
void release_scratch(void* p) noexcept { detail::caching_allocator(kernel_device()).release(p); }

}  // namespace torch::taper::cuda
