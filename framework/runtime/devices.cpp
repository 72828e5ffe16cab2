#include <taper/framework/runtime/devices.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <taper/framework/debug/simulated.h>
#include <taper/framework/runtime/access.h>
#include <taper/framework/runtime/stream.h>

namespace torch::taper {
namespace {

thread_local DeviceIndex current_index = 0;

/// Makes an existing device the current one.
void make_current(DeviceIndex device) noexcept {
  current_index = device;
  cuda_runtime()->make_current(device);
}

/// Explains why there is no device. A runtime without devices is a simulated one, because the
/// runtime of GPUs exists only with a GPU.
std::string why_none() {
  if (!cuda_runtime()) return detail::why_no_gpus();
  return "CUDA_VISIBLE_DEVICES hides all simulated devices; unset it, or list device numbers, "
         "before "
         "the first use of a device";
}

}  // namespace

namespace detail {

Runtime& require_cuda() {
  Runtime* r = cuda_runtime();
  TAPER_CHECK(r && r->device_count() > 0, "expected a CUDA device, and none is available (",
              why_none(),
              "); use cuda::is_available() to choose, run on the CPU, or set "
              "TAPER_SIMULATED_CUDA_DEVICES to simulate some");
  return *r;
}

DeviceIndex existing_index(int64_t index) {
  const DeviceIndex count = require_cuda().device_count();
  if (index == -1) return current_index;
  TAPER_CHECK(index >= 0 && index < count, "CUDA error: invalid device ordinal: expected 0 to ",
              count - 1, ", got ", index);
  return static_cast<DeviceIndex>(index);
}

Device existing_device(Device device) {
  if (device.is_cpu()) return Device();  // the host has no index
  return Device(kCUDA, existing_index(device.index()));
}

std::vector<DeviceIndex> visible_devices(const char* text, int count) {
  std::vector<DeviceIndex> visible;
  if (!text) {
    visible.resize(count);
    std::iota(visible.begin(), visible.end(), DeviceIndex(0));
    return visible;
  }
  for (const char* p = text;;) {
    while (*p == ' ') ++p;
    char* end = nullptr;
    const long i = std::strtol(p, &end, 10);
    if (end == p || i < 0 || i >= count) return visible;
    // CUDA sees no device at all if the list names one twice.
    if (std::count(visible.begin(), visible.end(), i)) return {};
    visible.push_back(static_cast<DeviceIndex>(i));
    while (*end == ' ') ++end;
    if (*end != ',') return visible;
    p = end + 1;
  }
}

}  // namespace detail

namespace cuda {

DeviceIndex device_count() {
  Runtime* r = cuda_runtime();
  return r ? r->device_count() : 0;
}
std::string why_unavailable() { return is_available() ? "" : why_none(); }
bool cudnn_is_available() { return is_available() && detail::on_gpu(); }

DeviceIndex current_device() { return detail::existing_index(-1); }
void set_device(DeviceIndex index) { make_current(detail::existing_index(index)); }

std::string get_device_name(DeviceIndex index) { return get_device_properties(index).name; }
DeviceProperties get_device_properties(DeviceIndex index) {
  return detail::require_cuda().properties(detail::existing_index(index));
}
std::pair<int, int> get_device_capability(DeviceIndex index) {
  const DeviceProperties p = get_device_properties(index);
  return {p.major, p.minor};
}
bool can_device_access_peer(DeviceIndex device, DeviceIndex peer) {
  return detail::require_cuda().can_access_peer(detail::existing_index(device),
                                                detail::existing_index(peer));
}
std::pair<size_t, size_t> mem_get_info(DeviceIndex index) {
  Runtime& r = detail::require_cuda();
  const DeviceIndex i = detail::existing_index(index);
  return {r.free_memory(i), r.properties(i).total_memory};
}

namespace {

struct FreeMemory {
  size_t nbytes;
  DeviceIndex number;  ///< before CUDA_VISIBLE_DEVICES
};

std::vector<FreeMemory> free_memory_of_machine() {
  std::vector<FreeMemory> all;
  for (size_t nbytes : detail::simulated_free_memory())
    all.push_back({nbytes, static_cast<DeviceIndex>(all.size())});
  if (!all.empty()) return all;
  const std::vector<DeviceIndex> numbers =
      detail::visible_devices(std::getenv("CUDA_VISIBLE_DEVICES"), 127);
  for (DeviceIndex i = 0; i < device_count(); ++i)
    all.push_back({mem_get_info(i).first, size_t(i) < numbers.size() ? numbers[i] : i});
  return all;
}

}  // namespace

std::vector<DeviceIndex> devices_by_free_memory() {
  std::vector<FreeMemory> all = free_memory_of_machine();
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.nbytes > b.nbytes; });
  std::vector<DeviceIndex> order;
  for (const FreeMemory& f : all) order.push_back(f.number);
  return order;
}

void synchronize(int64_t device_index) {
  detail::check_may_wait("synchronize");
  detail::require_cuda().synchronize_device(detail::existing_index(device_index));
}

// ---------------------------------------------------------------------- guards
DeviceGuard::DeviceGuard(DeviceIndex index) : before_(cuda::current_device()) {
  cuda::set_device(index);
}
DeviceGuard::DeviceGuard(Device device) : before_(cuda::current_device()) { set_device(device); }
DeviceGuard::~DeviceGuard() { make_current(before_); }
void DeviceGuard::set_device(Device device) {
  TAPER_CHECK(device.is_cuda(), "DeviceGuard: expected a CUDA device, got ", device);
  cuda::set_device(device.index());
}

OptionalDeviceGuard::OptionalDeviceGuard(optional<Device> device) {
  if (!device || device->is_cpu()) return;
  before_ = cuda::current_device();
  cuda::set_device(device->index());
}
OptionalDeviceGuard::~OptionalDeviceGuard() {
  if (before_ >= 0) make_current(before_);
}

}  // namespace cuda
}  // namespace torch::taper
