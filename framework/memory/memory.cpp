#include <taper/framework/memory/memory.h>

#include <taper/framework/memory/caching_allocator.h>

#include <exception>
#include <iomanip>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

namespace torch::taper::cuda {
namespace {

detail::CachingAllocator& allocator(DeviceIndex device) {
  return detail::caching_allocator(detail::existing_index(device));
}

void row(std::ostream& out, const char* name, size_t now, size_t peak) {
  out << "| " << std::left << std::setw(12) << name << std::right << " | " << std::setw(15) << now
      << " | " << std::setw(15) << peak << " |\n";
}

using Json = nlohmann::ordered_json;

const char* text_of(MemoryBlock::State state) {
  switch (state) {
    case MemoryBlock::State::kActiveAllocated:
      return "active_allocated";
    case MemoryBlock::State::kActivePendingFree:
      return "active_pending_free";
    case MemoryBlock::State::kInactive:
      break;
  }
  return "inactive";
}

Json json_of(const MemorySegment& s) {
  size_t total = 0, allocated = 0, active = 0;
  Json blocks = Json::array();
  for (const MemoryBlock& b : s.blocks) {
    total += b.nbytes;
    if (b.state == MemoryBlock::State::kActiveAllocated) allocated += b.nbytes;
    if (b.state != MemoryBlock::State::kInactive) active += b.nbytes;
    blocks.push_back({{"size", b.nbytes}, {"state", text_of(b.state)}});
  }
  return {{"device", s.device},
          {"address", reinterpret_cast<uintptr_t>(s.address)},
          {"total_size", total},
          {"allocated_size", allocated},
          {"active_size", active},
          {"stream", s.stream},
          {"segment_type", s.small ? "small" : "large"},
          {"blocks", std::move(blocks)}};
}

}  // namespace

namespace {
/// Records the device of each block that a program has allocated itself.
struct OwnMemory {
  std::mutex mutex;
  std::map<void*, DeviceIndex> device_of;
};
OwnMemory& own_memory() {
  static auto& all = *new OwnMemory;
  return all;
}
}  // namespace

void* caching_allocator_alloc(size_t nbytes, DeviceIndex device) {
  const DeviceIndex where = detail::existing_index(device);
  if (nbytes == 0) return nullptr;
  void* const p = detail::caching_allocator(where).allocate(nbytes);
  const std::lock_guard<std::mutex> lock(own_memory().mutex);
  own_memory().device_of[p] = where;
  return p;
}
void caching_allocator_delete(void* p) {
  if (!p) return;
  DeviceIndex device = 0;
  {
    const std::lock_guard<std::mutex> lock(own_memory().mutex);
    const auto at = own_memory().device_of.find(p);
    TAPER_CHECK(at != own_memory().device_of.end(),
                "invalid device pointer: caching_allocator_delete: expected a pointer that "
                "caching_allocator_alloc gave, got ",
                p);
    device = at->second;
    own_memory().device_of.erase(at);
  }
  detail::caching_allocator(device).release(p);
}
void caching_allocator_record_stream(void* p, const Stream& stream) {
  if (p) detail::caching_allocator(stream.device_index()).record_stream(p, stream.impl());
}

size_t memory_allocated(DeviceIndex device) { return memory_stats(device).allocated; }
size_t max_memory_allocated(DeviceIndex device) { return memory_stats(device).max_allocated; }
size_t memory_reserved(DeviceIndex device) { return memory_stats(device).reserved; }
size_t max_memory_reserved(DeviceIndex device) { return memory_stats(device).max_reserved; }
void reset_peak_memory_stats(DeviceIndex device) { allocator(device).reset_peaks(); }
MemoryStats memory_stats(DeviceIndex device) { return allocator(device).stats(); }

std::string memory_summary(DeviceIndex device) {
  const DeviceIndex index = detail::existing_index(device);
  const MemoryStats s = memory_stats(index);
  std::ostringstream out;
  out << "memory of " << Device(kCUDA, index) << " (" << get_device_name(index) << "), bytes\n"
      << "|              |             now |            peak |\n"
      << "|--------------|-----------------|-----------------|\n";
  row(out, "allocated", s.allocated, s.max_allocated);
  row(out, "reserved", s.reserved, s.max_reserved);
  out << s.num_allocations << " allocations from " << s.num_segments << " segments, "
      << s.num_retries << " retries, " << s.num_out_of_memory << " times out of memory\n";
  return out.str();
}

std::string memory_snapshot() {
  Json list = Json::array();
  for (DeviceIndex i = 0; i < device_count(); ++i)
    for (const MemorySegment& s : allocator(i).snapshot()) list.push_back(json_of(s));
  return list.dump(1);
}

void empty_cache() {
  std::exception_ptr lost;  // a device was lost; the others come first
  for (DeviceIndex i = 0; i < device_count(); ++i) try {
      allocator(i).empty_cache();
    } catch (const Error&) {
      if (!lost) lost = std::current_exception();
    }
  if (lost) std::rethrow_exception(lost);
}

void set_per_process_memory_fraction(double fraction, DeviceIndex device) {
  TAPER_CHECK_VALUE(fraction >= 0 && fraction <= 1,
                    "set_per_process_memory_fraction: expected a fraction from 0 to 1, got ",
                    fraction);
  const DeviceIndex index = detail::existing_index(device);
  const double total = static_cast<double>(get_device_properties(index).total_memory);
  allocator(index).set_limit(std::max<size_t>(1, static_cast<size_t>(total * fraction)));
}

}  // namespace torch::taper::cuda
