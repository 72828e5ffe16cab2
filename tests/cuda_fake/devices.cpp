// The fake runtime's devices and errors, and what tests ask of it.
#include <cstring>
#include <utility>

#include "cuda_fake/state.h"

namespace fake_cuda {

State& state() {
  static State& s = *new State;  // used before main begins, and after it has ended
  return s;
}
ThreadState& here() {
  thread_local ThreadState t;
  return t;
}

cudaError_t note(cudaError_t status) {
  if (status != cudaSuccess) here().last_error = status;
  return status;
}

cudaError_t begin(const char* function) {
  State& s = state();
  const uint64_t number = ++s.calls[function];
  if (s.is_unloaded) return cudaErrorCudartUnloading;
  const auto planned = s.failures.find(function);
  return planned != s.failures.end() && planned->second.first == number ? planned->second.second
                                                                        : cudaSuccess;
}

cudaError_t violation(const std::string& what, cudaError_t status) {
  state().violations.push_back(what + ": " + cudaGetErrorName(status));
  return status;
}

cudaError_t use(int device) {
  State& s = state();
  if (s.machine.count_status != cudaSuccess) return s.machine.count_status;
  if (device < 0 || device >= s.machine.devices) return cudaErrorInvalidDevice;
  if (device == s.machine.unusable) return cudaErrorDevicesUnavailable;
  s.devices[device].has_context = true;
  return s.devices[device].sticky;
}

// ---------------------------------------------------------------------- what tests ask
Machine& machine() { return state().machine; }
void set_kernel_architecture(int architecture) { state().kernel_architecture = architecture; }

uint64_t calls(const std::string& function) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  return state().calls[function];
}
void fail(const std::string& function, int n, cudaError_t status) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  state().failures[function] = {state().calls[function] + static_cast<uint64_t>(n), status};
}
void break_device(int device, cudaError_t status) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  state().devices[device].sticky = status;
}
void unload() { state().is_unloaded = true; }

Live live() {
  State& s = state();
  const std::lock_guard<std::recursive_mutex> lock(s.mutex);
  Live n{static_cast<int64_t>(s.events.size()),
         static_cast<int64_t>(s.graphs.size()),
         static_cast<int64_t>(s.execs.size()),
         0,
         0,
         live_objects("handle of")};
  for (const auto& block : s.blocks)
    ++(block.second.device < 0 ? n.pinned_blocks : n.device_blocks);
  return n;
}
int64_t live_objects(const std::string& kind) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  int64_t n = 0;
  for (const auto& object : state().objects)
    n += object.second.kind.find(kind) != std::string::npos;
  return n;
}
bool has_context(int device) { return state().devices[device].has_context; }
bool has_peer_access(int device, int peer) { return state().devices[device].peers.count(peer) > 0; }
std::vector<std::string> violations() { return state().violations; }
std::vector<std::string> take_violations() { return std::exchange(state().violations, {}); }

Lazy::Lazy() { state().is_lazy = true; }
Lazy::~Lazy() {
  state().is_lazy = false;
  run_all();
}

}  // namespace fake_cuda

using namespace fake_cuda;

namespace {

cudaError_t pending_error() {
  const cudaError_t sticky = state().devices[here().device].sticky;
  return sticky != cudaSuccess ? sticky : here().last_error;
}

int primary_context_state(int device, unsigned* flags, int* active) {
  *flags = 0;
  *active = state().devices[device].has_context;
  return 0;  // CUDA_SUCCESS
}

}  // namespace

extern "C" {

// ---------------------------------------------------------------------- devices
cudaError_t cudaGetDeviceCount(int* count) {
  return entry("cudaGetDeviceCount", [&] {
    *count = state().machine.count_status == cudaSuccess ? state().machine.devices : 0;
    return state().machine.count_status;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return entry("cudaGetDevice", [&] {
    *device = here().device;
    return cudaSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return entry("cudaSetDevice", [&] {
    const cudaError_t status = use(device);
    if (status != cudaErrorInvalidDevice) here().device = device;
    return status;
  });
}
cudaError_t cudaDeviceSynchronize() {
  return entry("cudaDeviceSynchronize", [] {
    for (Capture* c : state().captures)
      if (c->origin->device == here().device) {
        c->is_valid = false;
        return violation("cudaDeviceSynchronize in a capture", cudaErrorStreamCaptureUnsupported);
      }
    if (const cudaError_t status = use(here().device); status != cudaSuccess) return status;
    run_device(here().device);
    return cudaSuccess;
  });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  return entry("cudaGetDeviceProperties", [&] {
    *p = cudaDeviceProp{};
    std::strcpy(p->name, "Fake GPU");
    p->totalGlobalMem = state().machine.memory;
    p->major = 9;
    p->multiProcessorCount = 132;
    return device < state().machine.devices ? cudaSuccess : cudaErrorInvalidDevice;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  return entry("cudaDeviceGetAttribute", [&] {
    switch (attribute) {
      case cudaDevAttrComputeCapabilityMajor:
        return *value = 9, cudaSuccess;
      case cudaDevAttrComputeCapabilityMinor:
        return *value = 0, cudaSuccess;
      case cudaDevAttrMultiProcessorCount:
        return *value = 132, cudaSuccess;
      case cudaDevAttrMaxThreadsPerMultiProcessor:
        return *value = 2048, cudaSuccess;
      case cudaDevAttrMaxSharedMemoryPerBlock:
        return *value = 48 << 10, cudaSuccess;
      case cudaDevAttrMaxGridDimX:
        return *value = INT32_MAX, cudaSuccess;
      case cudaDevAttrWarpSize:
        return *value = 32, cudaSuccess;
      default:
        return violation("an attribute that the fake runtime does not have", cudaErrorInvalidValue);
    }
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return entry("cudaDeviceCanAccessPeer", [&] {
    *can = device != peer;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return entry("cudaDeviceEnablePeerAccess", [&] {
    const int device = here().device;
    if (const cudaError_t status = use(device); status != cudaSuccess) return status;
    if (const cudaError_t status = use(peer); status != cudaSuccess) return status;
    if (const cudaError_t status = check_safe("cudaDeviceEnablePeerAccess"); status != cudaSuccess)
      return status;
    const bool is_new = state().devices[device].peers.insert(peer).second;
    return is_new ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}
cudaError_t cudaDriverGetVersion(int* version) {
  return entry("cudaDriverGetVersion", [&] {
    *version = state().machine.driver_version;
    return cudaSuccess;
  });
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  return entry("cudaRuntimeGetVersion", [&] {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  return entry("cudaGetDriverEntryPointByVersion", [&] {
    const bool known = !std::strcmp(name, "cuDevicePrimaryCtxGetState");
    *function = known ? reinterpret_cast<void*>(&primary_context_state) : nullptr;
    if (result) *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

// ---------------------------------------------------------------------- errors
cudaError_t cudaGetLastError() {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  const cudaError_t status = pending_error();
  here().last_error = cudaSuccess;
  return status;
}
cudaError_t cudaPeekAtLastError() {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  return pending_error();
}
const char* cudaGetErrorName(cudaError_t status) {
  static thread_local std::string text;
  text = "error " + std::to_string(static_cast<int>(status));
  return text.c_str();
}
const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
      return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    case cudaErrorDevicesUnavailable:
      return "CUDA-capable device(s) is/are busy or unavailable";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    default:
      return cudaGetErrorName(status);
  }
}

// ---------------------------------------------------------------------- kernels
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, const void*) {
  return entry("cudaFuncGetAttributes", [&] {
    *a = cudaFuncAttributes{};
    a->binaryVersion = 90;
    a->ptxVersion = state().kernel_architecture;
    a->maxThreadsPerBlock = 1024;
    return use(here().device);
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int,
                                                                   size_t, unsigned) {
  return entry("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", [&] {
    *blocks = 4;
    return use(here().device);
  });
}
cudaError_t cudaLaunchKernel(const void*, dim3 grid, dim3 block, void**, size_t,
                             cudaStream_t stream) {
  return entry("cudaLaunchKernel", [&] {
    CUstream_st* const s = stream_of(stream);
    if (!s || s->device != here().device)
      return violation("a launch on another device's stream", cudaErrorInvalidResourceHandle);
    if (grid.x == 0 || block.x == 0 || block.x > 1024) return cudaErrorInvalidConfiguration;
    if (const cudaError_t status = use(s->device); status != cudaSuccess) return status;
    enqueue(s, {[] {}, nullptr, nullptr, 0, nullptr, true});
    return cudaSuccess;
  });
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* f, void** arguments) {
  return cudaLaunchKernel(f, c->gridDim, c->blockDim, arguments, c->dynamicSmemBytes, c->stream);
}

// ---------------------------------------------------------------------- what nvcc's code calls
struct CallConfiguration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
static thread_local CallConfiguration configuration;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
  configuration = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  *grid = configuration.grid, *block = configuration.block, *shared = configuration.shared;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

}  // extern "C"
