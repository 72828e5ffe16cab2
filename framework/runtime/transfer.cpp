#include <taper/framework/runtime/transfer.h>

#include <cstring>

#include <taper/framework/debug/run_observer.h>
#include <taper/framework/memory/pinned.h>
#include <taper/framework/runtime/access.h>

namespace torch::taper::detail {
namespace {

void with_host(DeviceIndex device, void* to, const void* from, const void* host, size_t nbytes,
               bool non_blocking) {
  Runtime& r = require_cuda();
  StreamImpl* stream = current_stream_of(device);
  const bool pinned = non_blocking && is_pinned(host);
  if (!pinned)
    check_not_capturing("a copy between a device and pageable host memory", Device(kCUDA, device));
  copy_on(stream, to, from, nbytes);
  if (pinned)
    record_pinned_use(host, stream);
  else
    r.synchronize(stream);
}

void within_host(void* to, const void* from, size_t nbytes) {
  if (captures_host()) {
    watch_kernel("copy", Device(),
                 {Access::bytes(to, nbytes, true), Access::bytes(from, nbytes, false)});
    record_on_host("copy", [=] { std::memmove(to, from, nbytes); });
  } else {
    std::memmove(to, from, nbytes);
  }
}

// Copies through pinned host memory, for devices without peer access.
void staged(void* to, const cuda::Stream& target, const void* from, const cuda::Stream& source,
            size_t nbytes) {
  const intrusive_ptr<StorageImpl> host = allocate_pinned_storage(nbytes);
  copy_on(source.impl(), host->data, from, nbytes);
  target.wait_stream(source);
  copy_on(target.impl(), to, host->data, nbytes);
  record_pinned_use(host->data, target.impl());
}

void between_devices(void* to, DeviceIndex to_device, const void* from, DeviceIndex from_device,
                     size_t nbytes) {
  const cuda::Stream source(current_stream_of(from_device));
  const cuda::Stream target(current_stream_of(to_device));
  if (to_device != from_device) {
    if (!require_cuda().can_access_peer(from_device, to_device))
      return staged(to, target, from, source, nbytes);
    require_cuda().enable_peer_access(from_device, to_device);
  }
  // Work that still uses the target's memory comes first.
  source.wait_stream(target);
  copy_on(source.impl(), to, from, nbytes);
  target.wait_stream(source);
}

}  // namespace

void transfer(void* to, Device to_device, const void* from, Device from_device, size_t nbytes,
              bool non_blocking) {
  if (nbytes == 0) return;
  if (!to_device.is_cpu() || !from_device.is_cpu())
    check_not_capturing("a copy from or to a device", Device());
  const RunScope recorded(RunEvent::kCopy, "memcpy");
  if (to_device.is_cpu() && from_device.is_cpu())
    within_host(to, from, nbytes);
  else if (to_device.is_cpu())
    with_host(from_device.index(), to, from, to, nbytes, non_blocking);
  else if (from_device.is_cpu())
    with_host(to_device.index(), to, from, from, nbytes, non_blocking);
  else
    between_devices(to, to_device.index(), from, from_device.index(), nbytes);
}

}  // namespace torch::taper::detail
