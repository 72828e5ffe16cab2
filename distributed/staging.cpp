#include <taper/distributed/staging.h>

#include <utility>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/runtime/devices.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::distributed::detail {

Tensor Staging::add(const Tensor& t, bool reads, bool writes) {
  if (!t.is_cuda()) return t.detach();
  const NoGradGuard off;
  const cuda::DeviceGuard on(t.device());
  Copy copy{t.detach(), empty(t.sizes(), TensorOptions(t.scalar_type()).pinned_memory(true)),
            writes, cuda::Event()};
  if (reads) {
    copy.host.copy_(copy.given, /*non_blocking=*/true);
    copy.read.record(cuda::current_stream(t.device().index()));
  }
  copies_.push_back(std::move(copy));
  return copies_.back().host;
}

Staging::Pair Staging::of(const Operation& o) {
  if (o.kind == OpKind::kAllreduce || o.kind == OpKind::kReduce) {
    const Tensor host = in_and_out(o.in);
    return {host, host};
  }
  return {o.in.defined() ? input(o.in) : Tensor(), o.out.defined() ? output(o.out) : Tensor()};
}

void Staging::wait_for_inputs() {
  for (Copy& copy : copies_) copy.read.synchronize();
}

void Staging::bring_back() {
  const NoGradGuard off;
  for (Copy& copy : copies_) {
    if (!copy.comes_back) continue;
    const cuda::DeviceGuard on(copy.given.device());
    copy.given.copy_(copy.host, /*non_blocking=*/true);
  }
}

}  // namespace torch::taper::distributed::detail
