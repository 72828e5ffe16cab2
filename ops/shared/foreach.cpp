#include <taper/ops/shared/foreach.h>

#include <cmath>

#include <taper/framework/autograd/record.h>
#include <taper/ops/shared/foreach_kernels.h>
#include <taper/ops/tensor/cat.h>

namespace taper::detail {
namespace {

/// launch(where, lists) for lists of the tensors of devices, and one(tensor) for those of the CPU,
/// where a launch is a call, and those with gaps. All have changed then.
template <class Launch, class One>
void change_all(const std::vector<Tensor>& tensors, const Launch& launch, const One& one) {
  const auto launch_lists = [&](const Tensor& where, const TensorLists& lists, NoNumbers) {
    launch(where, lists);
  };
  GatheredLaunches<NoNumbers, decltype(launch_lists)> gathered(0, launch_lists);
  for (const Tensor& t : tensors) {
    if (t.device().is_cpu() || !t.is_contiguous()) {
      one(t);
      continue;
    }
    gathered.add({}, {&t});
    autograd::mark_changed(t);
  }
  gathered.launch();
}

/// All parts of a device.
Tensor join(const std::vector<Tensor>& parts, bool largest) {
  const Tensor all = parts.size() == 1 ? parts[0] : stack(parts);
  return largest ? all.max() : all.sum();
}

}  // namespace

void foreach_zero_(const std::vector<Tensor>& tensors) {
  change_all(
      tensors,
      [](const Tensor& where, const TensorLists& lists) {
        TAPER_ON_DEVICE(where, foreach_zero, lists);
      },
      [](const Tensor& t) { t.zero_(); });
}

void foreach_mul_(const std::vector<Tensor>& tensors, const Tensor& factor) {
  std::vector<Tensor> copies;  // one for each device
  const auto factor_on = [&](Device device) {
    for (const Tensor& f : copies)
      if (f.device() == device) return f;
    return copies.emplace_back(factor.to(device));
  };
  change_all(
      tensors,
      [&](const Tensor& where, const TensorLists& lists) {
        TAPER_ON_DEVICE(where, foreach_mul, lists, factor_on(where.device()));
      },
      [&](const Tensor& t) { t.mul_(factor_on(t.device())); });
}

void foreach_clamp_(const std::vector<Tensor>& tensors, double low, double high) {
  change_all(
      tensors,
      [=](const Tensor& where, const TensorLists& lists) {
        TAPER_ON_DEVICE(where, foreach_clamp, lists, low, high);
      },
      [=](const Tensor& t) { t.clamp_(low, high); });
}

Tensor foreach_norm(const std::vector<Tensor>& tensors, double order) {
  const bool largest = std::isinf(order);
  std::vector<Tensor> norms;
  const auto launch = [&](const Tensor& where, const TensorLists& lists, NoNumbers) {
    const Tensor parts = make_tensor({lists.chunks()}, kDouble, where.device());
    TAPER_ON_DEVICE(where, foreach_norm_parts, parts, lists, order);
    norms.push_back(join({parts}, largest).to(tensors[0].device()));
  };
  std::vector<Tensor> dense;  // lives until all is launched
  GatheredLaunches<NoNumbers, decltype(launch)> gathered(1, launch);
  for (const Tensor& t : tensors) dense.push_back(t.contiguous());
  for (const Tensor& t : dense) gathered.add({}, {&t});
  gathered.launch();
  if (norms.empty()) return make_tensor({}, kDouble, tensors[0].device()).zero_();
  const Tensor all = join(norms, largest);
  return order == 2 ? all.sqrt() : all;
}

}  // namespace taper::detail
