// Reads the kernels' own times from CUPTI's activity records. CUPTI is loaded when a timeline first
// needs it.
#include <taper/framework/core/check.h>
#include <taper/framework/debug/kernel_records.h>

#if __has_include(<cupti.h>)
#include <taper/framework/cuda/gpu/cupti_records.h>

#include <cxxabi.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>

namespace torch::taper::detail {
namespace {

using PeerCopyActivity = CUpti_ActivityMemcpyPtoP4;
using FillActivity = CUpti_ActivityMemset4;

// The record that links a call to its launch comes with the call's own record.
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                         CUPTI_ACTIVITY_KIND_RUNTIME,
                                         CUPTI_ACTIVITY_KIND_DRIVER,
                                         CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY,
                                         CUPTI_ACTIVITY_KIND_MEMCPY2,
                                         CUPTI_ACTIVITY_KIND_MEMSET};
constexpr CUpti_ExternalCorrelationKind kLaunch = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

/// Holds CUPTI's functions: all of them or none.
struct Cupti {
  decltype(&::cuptiGetVersion) version;
  decltype(&::cuptiActivityRegisterTimestampCallback) set_clock;
  decltype(&::cuptiActivityRegisterCallbacks) set_buffers;
  decltype(&::cuptiActivityEnable) enable;
  decltype(&::cuptiActivityDisable) disable;
  decltype(&::cuptiActivityFlushAll) flush;
  decltype(&::cuptiActivityGetNextRecord) next;
  decltype(&::cuptiActivityGetNumDroppedRecords) dropped;
  decltype(&::cuptiActivityPushExternalCorrelationId) push;
  decltype(&::cuptiActivityPopExternalCorrelationId) pop;
  bool is_there = false;

  static const Cupti& get() {
    static const Cupti found;
    return found;
  }

 private:
  Cupti() {
    const char* const asked = std::getenv("TAPER_CUPTI");
    if (asked && std::string_view(asked) == "0") return;
    const std::string file = concat("libcupti.so.", CUDA_VERSION / 1000);
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    bool all = true;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      all = all && function;
    };
    find(version, "cuptiGetVersion");
    find(set_clock, "cuptiActivityRegisterTimestampCallback");
    find(set_buffers, "cuptiActivityRegisterCallbacks");
    find(enable, "cuptiActivityEnable");
    find(disable, "cuptiActivityDisable");
    find(flush, "cuptiActivityFlushAll");
    find(next, "cuptiActivityGetNextRecord");
    find(dropped, "cuptiActivityGetNumDroppedRecords");
    find(push, "cuptiActivityPushExternalCorrelationId");
    find(pop, "cuptiActivityPopExternalCorrelationId");
    uint32_t number = 0;
    is_there = all && version(&number) == CUPTI_SUCCESS && number >= CUPTI_API_VERSION;
  }
};

/// Holds the records that CUPTI has delivered since the start.
struct Told {
  struct Ran {
    std::string name;
    uint32_t device, correlation;
    uint64_t begin, end;
  };
  std::mutex mutex;
  std::vector<Ran> ran;
  std::map<uint32_t, uint64_t> launches;  // keyed by the number of the call
  bool is_ready = false;                  // the callbacks are registered
  bool lost = false;
  static Told& get() {
    static auto& told = *new Told;
    return told;
  }
};

uint64_t now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

// Skips a kernel without times. It was not waited for, or CUPTI could not measure it.
template <class Activity>
void note(const char* name, const CUpti_Activity& record) {
  const auto& a = reinterpret_cast<const Activity&>(record);
  if (a.end) Told::get().ran.push_back({name, a.deviceId, a.correlationId, a.start, a.end});
}
void take(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& pair = reinterpret_cast<const CUpti_ActivityExternalCorrelation&>(record);
      if (pair.externalKind == kLaunch) Told::get().launches[pair.correlationId] = pair.externalId;
      return;
    }
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const char* const name = reinterpret_cast<const KernelActivity&>(record).name;
      return note<KernelActivity>(name ? name : "kernel", record);
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return note<CopyActivity>("memcpy", record);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return note<PeerCopyActivity>("memcpy", record);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return note<FillActivity>("memset", record);
    default:
      return;
  }
}

// CUPTI calls these two functions from its own threads. If it gets no buffer, it drops records.
void CUPTIAPI give_buffer(uint8_t** buffer, size_t* nbytes, size_t* most_records) {
  constexpr size_t kBytes = size_t{1} << 20, kAlign = 8;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlign, kBytes));
  *nbytes = *buffer ? kBytes : 0;
  *most_records = 0;  // as many as fit
}
void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t,
                          size_t nbytes) {
  const std::unique_ptr<uint8_t, decltype(&std::free)> owned(buffer, &std::free);
  const Cupti& cupti = Cupti::get();
  Told& told = Told::get();
  const std::lock_guard<std::mutex> lock(told.mutex);
  try {
    CUpti_Activity* record = nullptr;
    while (cupti.next(buffer, nbytes, &record) == CUPTI_SUCCESS) take(*record);
  } catch (const std::bad_alloc&) {
    told.lost = true;
  }
  size_t dropped = 0;
  if (cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS && dropped) told.lost = true;
}

// Registers the clock and the callbacks. The clock must be set before any record is made.
bool make_ready(const Cupti& cupti) {
  Told& told = Told::get();
  const std::lock_guard<std::mutex> lock(told.mutex);
  if (!told.is_ready)
    told.is_ready = cupti.set_clock(now) == CUPTI_SUCCESS &&
                    cupti.set_buffers(give_buffer, take_buffer) == CUPTI_SUCCESS;
  told.ran.clear();
  told.launches.clear();
  told.lost = false;
  return told.is_ready;
}
void disable_all(const Cupti& cupti) {
  for (const CUpti_ActivityKind kind : kKinds) (void)cupti.disable(kind);
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace

bool start_kernel_records() {
  const Cupti& cupti = Cupti::get();
  if (!cupti.is_there || !make_ready(cupti)) return false;
  for (const CUpti_ActivityKind kind : kKinds)
    if (cupti.enable(kind) != CUPTI_SUCCESS) {
      disable_all(cupti);
      return false;
    }
  return true;
}

void begin_launch_record(uint64_t launch) noexcept { (void)Cupti::get().push(kLaunch, launch); }
void end_launch_record() noexcept {
  uint64_t last = 0;
  (void)Cupti::get().pop(kLaunch, &last);
}

std::vector<KernelRecord> stop_kernel_records() {
  const Cupti& cupti = Cupti::get();
  const bool flushed = cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) == CUPTI_SUCCESS;
  disable_all(cupti);
  Told& told = Told::get();
  const std::lock_guard<std::mutex> lock(told.mutex);
  TAPER_CHECK(flushed && !told.lost,
              "Timeline: expected CUPTI's records of all kernels, and some were lost; record fewer "
              "steps, or set TAPER_CUPTI=0 to go by events");
  std::vector<KernelRecord> records;
  for (const Told::Ran& r : told.ran) {
    const auto launch = told.launches.find(r.correlation);
    records.push_back({demangled(r.name), static_cast<DeviceIndex>(r.device),
                       launch == told.launches.end() ? 0 : launch->second,
                       static_cast<int64_t>(r.begin), static_cast<int64_t>(r.end)});
  }
  return records;
}

}  // namespace torch::taper::detail

#else

namespace torch::taper::detail {
bool start_kernel_records() { return false; }
void begin_launch_record(uint64_t) noexcept {}
void end_launch_record() noexcept {}
std::vector<KernelRecord> stop_kernel_records() { return {}; }
}  // namespace torch::taper::detail

#endif
