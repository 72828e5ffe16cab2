#include <taper/nn/parallel/collective.h>

#include <algorithm>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/autograd/record.h>
#include <taper/framework/core/context.h>
#include <taper/framework/runtime/collectives.h>

namespace torch::taper::nn::parallel {
namespace {

using Parts = std::vector<taper::detail::CollectivePart>;

Parts parts_of(const std::vector<Tensor>& tensors) {
  Parts parts;
  for (const Tensor& t : tensors)
    parts.push_back({taper::detail::current_stream_of(t.get_device()), t.impl_ptr()->data});
  return parts;
}

/// Sums with a library of collectives, which adds in another order. Returns an undefined tensor if
/// the library does not support the parts.
Tensor reduce_by_library(TensorList parts, Device destination) {
  if (autograd::needs_grad(parts) || globalContext().deterministicAlgorithms()) return {};
  std::vector<Tensor> ranks(parts.begin(), parts.end());
  const auto root = std::find_if(ranks.begin(), ranks.end(),
                                 [&](const Tensor& t) { return t.device() == destination; });
  if (root == ranks.end() || !spans_devices(ranks)) return {};
  std::rotate(ranks.begin(), root, root + 1);
  const Tensor sum = taper::detail::make_like(ranks[0]);
  const bool done = taper::detail::reduce_parts(parts_of(ranks), sum.impl_ptr()->data, sum.numel(),
                                                sum.scalar_type());
  return done ? sum : Tensor();
}

}  // namespace

bool spans_devices(const std::vector<Tensor>& tensors) {
  if (tensors.size() < 2) return false;
  const Tensor& first = tensors[0];
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    if (!t.is_cuda() || !t.is_contiguous() || t.numel() == 0 || t.sizes() != first.sizes() ||
        t.scalar_type() != first.scalar_type())
      return false;
    for (size_t j = 0; j < i; ++j)
      if (tensors[j].device() == t.device()) return false;
  }
  return true;
}

void broadcast_into(const Tensor& source, TensorList targets) {
  const NoGradGuard no_grad;
  std::vector<Tensor> ranks{source};
  ranks.insert(ranks.end(), targets.begin(), targets.end());
  if (spans_devices(ranks) && taper::detail::broadcast_parts(parts_of(ranks), source.nbytes())) {
    for (const Tensor& target : targets) autograd::mark_changed(target);
    return;
  }
  for (const Tensor& target : targets) target.copy_(source, /*non_blocking=*/true);
}

Tensor reduce_to(TensorList parts, Device destination) {
  if (const Tensor sum = reduce_by_library(parts, destination); sum.defined()) return sum;
  Tensor sum = parts[0].to(destination);
  if (parts.size() == 1) return sum.is_same(parts[0]) ? sum.clone() : sum;
  sum = sum.add(parts[1].to(destination));
  for (size_t i = 2; i < parts.size(); ++i) {
    const Tensor part = parts[i].to(destination);
    sum = GradMode::is_enabled() ? sum.add(part) : sum.add_(part);
  }
  return sum;
}

}  // namespace torch::taper::nn::parallel
