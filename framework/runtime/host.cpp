// The host runtime: work runs at once, on the calling thread.
#include <cstring>

#include <taper/framework/runtime/runtime.h>
#include <taper/framework/storage.h>

namespace taper {
namespace {

class HostRuntime final : public Runtime {
 public:
  void* allocate(size_t nbytes, Device) override { return detail::pool_allocate(nbytes); }
  void release(void* p, size_t nbytes, Device) noexcept override {
    detail::pool_release(p, nbytes);
  }
  void copy(void* to, Device, const void* from, Device, size_t nbytes) override {
    std::memmove(to, from, nbytes);
  }
  void launch(const char*, std::function<void()> work) override { work(); }
  void synchronize(Device) override {}
};

}  // namespace

Runtime& runtime(Device device) {
  static HostRuntime host;
  if (device.is_cpu()) return host;
  throw Error("device " + device.str() +
              ": expected a device of this machine, got a CUDA device and none is available; "
              "use cuda::is_available() to choose, or run on the CPU");
}

namespace cuda {

DeviceIndex device_count() { return 0; }
bool cudnn_is_available() { return false; }
void synchronize(int64_t device_index) {
  TAPER_CHECK(is_available(), "cuda::synchronize: expected a CUDA device, got index ", device_index,
              " and none is available");
}
void manual_seed(uint64_t) {}
void manual_seed_all(uint64_t) {}

}  // namespace cuda
}  // namespace taper
