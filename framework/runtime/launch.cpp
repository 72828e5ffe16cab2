#include <cstring>
#include <new>

#include <taper/framework/capture/capture.h>
#include <taper/framework/debug/run_observer.h>
#include <taper/framework/kernel/dispatch.h>
#include <taper/framework/runtime/launch_host.h>

// ---------------------------------------------------------------------- launch
namespace torch::taper::detail {

namespace {

/// Moves the launch to memory of its own, for a queue or a capture.
std::shared_ptr<const Launch> kept(Launch& from) {
  void* const to = ::operator new(from.kind.nbytes);
  if (from.kind.move)
    from.kind.move(to, from);
  else
    std::memcpy(to, static_cast<void*>(&from), from.kind.nbytes);
  return {static_cast<const Launch*>(to), [](const Launch* l) {
            if (l->kind.destroy) l->kind.destroy(*l);
            ::operator delete(const_cast<Launch*>(l));
          }};
}

}  // namespace

void make_launch(const char* name, Device device, Launch&& work) {
  std::vector<Access> accesses;
  if (observes_launches()) {
    work.kind.add_accesses(work, accesses);
    watch_kernel(name, device, accesses);
  }
  const RunScope recorded(observes_run() ? run_observer() : nullptr, name, device, accesses);
  if (device.is_cpu() && !captures_host()) return work.run();
  // launch_on has launched a GPU's kernel when it returns.
  if (device.is_cuda() && on_gpu()) return launch_on(device.index(), name, [&work] { work.run(); });
  if (device.is_cpu()) return record_launch(name, kept(work));
  launch_on(device.index(), name, [mine = kept(work)] { mine->run(); });
}

void check_on_device(const char* kernel, Device device, int input, const Tensor& t) {
  TAPER_CHECK(!t.defined() || t.device() == device,
              "Expected all tensors to be on the same device, but found at least two devices, ",
              device, " and ", t.device(), "! (when checking input ", input, " of '", kernel, "')");
}

void add_accesses(std::vector<Access>& all, const In& x) {
  if (x.data) all.push_back({x.data, elementSize(x.dtype), x.sizes, x.strides, false, x.dtype});
}
void add_accesses(std::vector<Access>& all, const Out& y) {
  if (y.data) all.push_back({y.data, elementSize(y.dtype), y.sizes, y.strides, true, y.dtype});
}
void add_accesses(std::vector<Access>& all, const InOut& y) {
  add_accesses(all, static_cast<const Out&>(y));
}
void add_accesses(std::vector<Access>& all, const std::vector<In>& xs) {
  for (const In& x : xs) add_accesses(all, x);
}

}  // namespace torch::taper::detail

// ---------------------------------------------------------------------- launch_host
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
