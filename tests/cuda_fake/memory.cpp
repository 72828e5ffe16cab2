// The fake runtime's memory and copies, and what calls of its libraries are checked for.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "cuda_fake/state.h"

using namespace fake_cuda;

namespace {

constexpr size_t kAlign = 512;

char* take(size_t nbytes, int device) {
  const size_t rounded = (nbytes + kAlign - 1) / kAlign * kAlign;
  char* const p = static_cast<char*>(std::aligned_alloc(kAlign, rounded));
  state().blocks[p] = {nbytes, device};
  return p;
}

cudaError_t give_back(void* p, bool is_host, const char* function) {
  if (!p) return cudaSuccess;
  const auto it = state().blocks.find(static_cast<char*>(p));
  if (it == state().blocks.end() || (it->second.device < 0) != is_host)
    return violation(std::string(function) + " of what is no block", cudaErrorInvalidValue);
  if (!is_host) {
    run_device(it->second.device);  // it waits for the device
    state().devices[it->second.device].used -= it->second.nbytes;
  }
  state().blocks.erase(it);
  std::free(p);
  return cudaSuccess;
}

/// Memory of the host that is not page-locked has no block.
const std::pair<char* const, Block>* block_of(const void* p) {
  auto& blocks = state().blocks;
  auto it = blocks.upper_bound(static_cast<char*>(const_cast<void*>(p)));
  if (it == blocks.begin()) return nullptr;
  --it;
  return p < it->first + it->second.nbytes ? &*it : nullptr;
}
bool is_inside(const void* p, size_t nbytes) {
  const auto* const b = block_of(p);
  return !b || static_cast<const char*>(p) + nbytes <= b->first + b->second.nbytes;
}

cudaError_t copy(void* to, const void* from, size_t nbytes, CUstream_st* s) {
  if (!is_inside(to, nbytes) || !is_inside(from, nbytes))
    return violation("a copy beyond the end of a block", cudaErrorInvalidValue);
  const bool to_pageable = !block_of(to), from_pageable = !block_of(from);
  if (s->capture && (to_pageable || from_pageable)) {
    s->capture->is_valid = false;
    return violation("a copy with pageable memory in a capture", cudaErrorStreamCaptureUnsupported);
  }
  if (from_pageable) {  // its bytes are taken at once
    const std::string bytes(static_cast<const char*>(from), nbytes);
    enqueue(s, {[=] { std::memcpy(to, bytes.data(), nbytes); }, nullptr, nullptr, 0, nullptr});
  } else {
    enqueue(s, {[=] { std::memcpy(to, from, nbytes); }, nullptr, nullptr, 0, nullptr});
  }
  if (to_pageable) run(s);
  return cudaSuccess;
}

}  // namespace

namespace fake_cuda {

void check_no_group(const char* function) {
  const std::thread::id other = state().in_group;
  if (other != std::thread::id() && other != std::this_thread::get_id())
    violation(std::string(function) + " beside another thread's group of NCCL",
              cudaErrorLaunchFailure);
}

std::string fault_of(const void* p, size_t nbytes, int device) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  if (nbytes == 0) return "";
  const auto* const b = block_of(p);
  if (!b) return "no memory of a device";
  if (b->second.device < 0) return "memory of the host";
  if (b->second.device != device) return "memory of device " + std::to_string(b->second.device);
  return is_inside(p, nbytes) ? ""
                              : "a block that ends before " + std::to_string(nbytes) + " bytes";
}

void spoil(void* p, size_t nbytes) {
  constexpr size_t kMost = 1 << 12;  // of each end: working memory may be large
  std::memset(p, 0xff, std::min(nbytes, kMost));
  if (nbytes > kMost) std::memset(static_cast<char*>(p) + nbytes - kMost, 0xff, kMost);
}

// ---------------------------------------------------------------------- calls of libraries
LibraryCall::LibraryCall(const char* function) : function_(function), device_(here().device) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  const cudaError_t refused = begin(function);
  is_refused_ = refused != cudaSuccess;
  if (refused == cudaErrorCudartUnloading) violation(function_ + " without a driver", refused);
}
void LibraryCall::demand(bool holds, const std::string& what) {
  if (!*this || holds) return;
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  violation(function_ + ": " + what, cudaErrorInvalidValue);
  is_wrong_ = true;
}
void LibraryCall::object(const void* p, const std::string& kind) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  const auto it = state().objects.find(p);
  demand(it != state().objects.end() && it->second.kind == kind, "what is no " + kind);
  if (*this)
    demand(it->second.device < 0 || it->second.device == device_,
           "a " + kind + " of another device");
}
void LibraryCall::stream(cudaStream_t handle) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  const int before = std::exchange(here().device, device_);
  stream_ = stream_of(handle);
  here().device = before;
  demand(stream_ && stream_->device == device_, "a stream that is gone, or another device's");
}
void LibraryCall::memory(const std::string& name, const void* p, size_t nbytes, size_t align) {
  if (!*this || nbytes == 0) return;
  const std::string fault = fault_of(p, nbytes, device_);
  demand(fault.empty(), name + " is " + fault);
  demand(reinterpret_cast<uintptr_t>(p) % align == 0,
         name + " is not aligned to " + std::to_string(align) + " bytes");
  if (!*this || !state().machine.given_out) return;
  const size_t room = state().machine.given_out(device_, p);  // locks what waits for this runtime
  demand(room > 0, name + " is memory that was given back");
  demand(room >= nbytes,
         name + " has " + std::to_string(room) + " bytes, and needs " + std::to_string(nbytes));
}
void LibraryCall::allocates() {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  if (*this) is_wrong_ = check_safe(function_.c_str()) != cudaSuccess;
  if (*this) is_refused_ = use(device_) != cudaSuccess;
}
void LibraryCall::waits() {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  if (!*this || !stream_->capture) return;
  stream_->capture->is_valid = false;
  demand(false, "it waits for its stream, which is captured");
}
void LibraryCall::make_object(const void* p, const std::string& kind, int device) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  state().objects[p] = {kind, device};
}
bool LibraryCall::end_object(const void* p, const std::string& kind) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  const auto it = state().objects.find(p);
  const bool is_one = it != state().objects.end() && it->second.kind == kind;
  demand(is_one, "the end of what is no " + kind);
  if (*this) state().objects.erase(it);
  return static_cast<bool>(*this);
}
void LibraryCall::run(std::function<void()> work) {
  const std::lock_guard<std::recursive_mutex> lock(state().mutex);
  if (*this) is_refused_ = use(device_) != cudaSuccess;
  if (*this) enqueue(stream_, {std::move(work), nullptr, nullptr, 0, nullptr});
}

}  // namespace fake_cuda

extern "C" {

cudaError_t cudaMalloc(void** p, size_t nbytes) {
  return entry("cudaMalloc", [&] {
    check_no_group("cudaMalloc");
    *p = nullptr;
    const int device = here().device;
    if (const cudaError_t status = use(device); status != cudaSuccess) return status;
    if (const cudaError_t status = check_safe("cudaMalloc"); status != cudaSuccess) return status;
    Device& d = state().devices[device];
    if (d.used + nbytes > state().machine.memory) return cudaErrorMemoryAllocation;
    d.used += nbytes;
    *p = take(nbytes, device);
    return cudaSuccess;
  });
}
cudaError_t cudaFree(void* p) {
  return entry("cudaFree", [&] {
    check_no_group("cudaFree");
    (void)use(here().device);
    if (const cudaError_t status = check_safe("cudaFree"); status != cudaSuccess) return status;
    return give_back(p, false, "cudaFree");
  });
}
cudaError_t cudaHostAlloc(void** p, size_t nbytes, unsigned) {
  return entry("cudaHostAlloc", [&] {
    check_no_group("cudaHostAlloc");
    *p = nullptr;
    if (const cudaError_t status = use(here().device); status != cudaSuccess) return status;
    if (const cudaError_t status = check_safe("cudaHostAlloc"); status != cudaSuccess)
      return status;
    *p = take(nbytes, -1);
    return cudaSuccess;
  });
}
cudaError_t cudaFreeHost(void* p) {
  return entry("cudaFreeHost", [&] {
    check_no_group("cudaFreeHost");
    (void)use(here().device);
    if (const cudaError_t status = check_safe("cudaFreeHost"); status != cudaSuccess) return status;
    return give_back(p, true, "cudaFreeHost");
  });
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return entry("cudaMemGetInfo", [&] {
    *total = state().machine.memory;
    *free = *total - state().devices[here().device].used;
    return use(here().device);
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t nbytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return entry("cudaMemcpyAsync", [&] {
    CUstream_st* const s = stream_of(stream);
    if (!s) return violation("a copy on no stream", cudaErrorInvalidResourceHandle);
    if (const cudaError_t status = use(s->device); status != cudaSuccess) return status;
    return copy(to, from, nbytes, s);
  });
}
cudaError_t cudaMemsetAsync(void* p, int value, size_t nbytes, cudaStream_t stream) {
  return entry("cudaMemsetAsync", [&] {
    CUstream_st* const s = stream_of(stream);
    if (!s || !block_of(p) || !is_inside(p, nbytes))
      return violation("cudaMemsetAsync of what is no block", cudaErrorInvalidValue);
    enqueue(s, {[=] { std::memset(p, value, nbytes); }, nullptr, nullptr, 0, nullptr});
    return use(s->device);
  });
}

}  // extern "C"
