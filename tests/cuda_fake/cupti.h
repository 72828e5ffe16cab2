// CUPTI's activity records, as far as timelines ask for them. Kernels do not run here: a test says
// which have, and for how long, and the records come out of a flush. To be included once in a
// program.
#pragma once

#include <taper/framework/cuda/gpu/cupti_records.h>

#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cuda_fake/state.h"

namespace fake_cupti {

struct State {
  std::mutex mutex;
  uint32_t version = CUPTI_API_VERSION;
  CUpti_ActivityKind refused = CUPTI_ACTIVITY_KIND_INVALID;  ///< that cannot be enabled
  size_t dropped = 0;                                        ///< records, since nobody asked
  CUpti_TimestampCallbackFunc clock = nullptr;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::set<CUpti_ActivityKind> enabled;
  std::vector<std::string> records;  // the bytes of each
  uint32_t calls = 0;
  int buffers = 0;  // that were filled
};
inline State& state() {
  static auto& s = *new State;
  return s;
}
/// What the calling thread's calls belong to, the outermost first.
inline std::vector<uint64_t>& external_ids() {
  thread_local std::vector<uint64_t> ids;
  return ids;
}

using Kernel = taper::detail::KernelActivity;
using Copy = taper::detail::CopyActivity;

inline size_t size_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(Kernel);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(Copy);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default:
      return sizeof(CUpti_ActivityAPI);
  }
}
template <class Record>
void add(Record record, CUpti_ActivityKind kind) {
  record.kind = kind;
  if (state().enabled.count(kind))
    state().records.emplace_back(reinterpret_cast<const char*>(&record), sizeof record);
}

/// A call of this thread has started something that takes so long. The name is not copied.
template <class Record, class Set>
void ran(CUpti_ActivityKind kind, uint32_t device, uint64_t ns, const Set& set) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  const uint32_t call = ++state().calls;
  if (!external_ids().empty() && state().enabled.count(CUPTI_ACTIVITY_KIND_RUNTIME)) {
    CUpti_ActivityExternalCorrelation pair{};
    pair.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
    pair.externalId = external_ids().back();
    pair.correlationId = call;
    add(pair, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  }
  CUpti_ActivityAPI api{};
  api.correlationId = call;
  add(api, CUPTI_ACTIVITY_KIND_RUNTIME);
  Record record{};
  record.start = state().clock ? state().clock() : 0;
  record.end = ns ? record.start + ns : 0;
  record.deviceId = device;
  record.correlationId = call;
  set(record);
  add(record, kind);
}
inline void kernel(const char* name, uint32_t device, uint64_t ns) {
  ran<Kernel>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, device, ns, [&](Kernel& k) { k.name = name; });
}
inline void copy(uint32_t device, uint64_t ns) {
  ran<Copy>(CUPTI_ACTIVITY_KIND_MEMCPY, device, ns, [](Copy&) {});
}

/// Hands over what fits into a buffer of the client's, from the i-th record on; the next one.
inline size_t fill_buffer(const std::vector<std::string>& records, size_t i) {
  uint8_t* buffer = nullptr;
  size_t nbytes = 0, most = 0, used = 0;
  state().request(&buffer, &nbytes, &most);
  if (!buffer || reinterpret_cast<uintptr_t>(buffer) % 8)
    fake_cuda::violation("CUPTI got no buffer of whole words", cudaErrorInvalidValue);
  if (!buffer) return records.size();
  for (; i < records.size() && used + records[i].size() <= nbytes; ++i) {
    std::memcpy(buffer + used, records[i].data(), records[i].size());
    used += records[i].size();
  }
  ++state().buffers;
  state().complete(nullptr, 0, buffer, nbytes, used);
  return i;
}

}  // namespace fake_cupti

// ---------------------------------------------------------------------- CUPTI's names
#pragma GCC visibility push(default)
extern "C" {

using fake_cupti::state;

CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = state().version;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  if (!state().enabled.empty())
    fake_cuda::violation("a clock for CUPTI while it records", cudaErrorInvalidValue);
  state().clock = clock;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  if (state().request) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  state().request = request;
  state().complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  if (kind == state().refused) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  if (!state().clock || !state().request)
    fake_cuda::violation("CUPTI records before it has a clock", cudaErrorInvalidValue);
  const std::lock_guard<std::mutex> lock(state().mutex);
  state().enabled.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  const std::lock_guard<std::mutex> lock(state().mutex);
  state().enabled.erase(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(uint32_t) {
  std::vector<std::string> records;
  {
    const std::lock_guard<std::mutex> lock(state().mutex);
    records.swap(state().records);
  }
  for (size_t i = 0; i < records.size();) i = fake_cupti::fill_buffer(records, i);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t nbytes, CUpti_Activity** record) {
  uint8_t* const next =
      *record ? reinterpret_cast<uint8_t*>(*record) + fake_cupti::size_of((*record)->kind) : buffer;
  if (next >= buffer + nbytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = std::exchange(state().dropped, 0);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind, uint64_t id) {
  fake_cupti::external_ids().push_back(id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind, uint64_t* last) {
  auto& ids = fake_cupti::external_ids();
  if (ids.empty()) {
    fake_cuda::violation("CUPTI's external region ends, and none has begun", cudaErrorInvalidValue);
    return CUPTI_ERROR_QUEUE_EMPTY;
  }
  *last = ids.back();
  ids.pop_back();
  return CUPTI_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
