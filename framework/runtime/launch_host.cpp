#include <taper/framework/runtime/launch_host.h>

#include <taper/framework/kernel/dispatch.h>

namespace torch::taper::cuda {
namespace {

Device device_of(const char* name, TensorList reads, TensorList writes) {
  const Tensor* first = nullptr;
  for (TensorList list : {writes, reads})
    for (const Tensor& t : list)
      if (t.defined()) {
        if (!first) first = &t;
        TAPER_CHECK(t.device() == first->device(), name,
                    ": expected all tensors to be on the same device, got ", first->device(),
                    " and ", t.device());
      }
  TAPER_CHECK(first, name, ": expected at least one tensor that it reads or writes, got none");
  return first->device();
}

}  // namespace

void launch_host(const char* name, std::function<void()> work, TensorList reads,
                 TensorList writes) {
  const Device device = device_of(name, reads, writes);
  TAPER_CHECK(device.is_cpu() || !detail::on_gpu(), name, ": expected a simulated device, got ",
              device, ", a GPU, whose memory the host cannot reach; launch the CUDA kernel there");
  if (detail::observes_launches()) {
    std::vector<detail::Access> accesses;
    for (const Tensor& t : reads) detail::add_accesses(accesses, In(t));
    for (const Tensor& t : writes) detail::add_accesses(accesses, InOut(t));
    detail::watch_kernel(name, device, accesses);
  }
  if (device.is_cuda()) return detail::launch_on(device.index(), name, std::move(work));
  if (detail::captures_host()) return detail::record_on_host(name, std::move(work));
  work();
}

}  // namespace torch::taper::cuda
