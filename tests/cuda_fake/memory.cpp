// The fake runtime's memory and copies.
#include <cstdlib>
#include <cstring>

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

extern "C" {

cudaError_t cudaMalloc(void** p, size_t nbytes) {
  return entry("cudaMalloc", [&] {
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
    if (const cudaError_t status = check_safe("cudaFree"); status != cudaSuccess) return status;
    return give_back(p, false, "cudaFree");
  });
}
cudaError_t cudaHostAlloc(void** p, size_t nbytes, unsigned) {
  return entry("cudaHostAlloc", [&] {
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
