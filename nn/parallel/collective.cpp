#include <taper/nn/parallel/collective.h>

#include <taper/framework/grad_mode.h>

namespace taper::nn::parallel {

void broadcast_into(const Tensor& source, TensorList targets) {
  const NoGradGuard no_grad;
  for (const Tensor& target : targets) target.copy_(source, /*non_blocking=*/true);
}

Tensor reduce_to(TensorList parts, Device destination) {
  Tensor sum = parts[0].to(destination);
  if (parts.size() == 1) return sum.is_same(parts[0]) ? sum.clone() : sum;
  sum = sum.add(parts[1].to(destination));
  for (size_t i = 2; i < parts.size(); ++i) {
    const Tensor part = parts[i].to(destination);
    sum = GradMode::is_enabled() ? sum.add(part) : sum.add_(part);
  }
  return sum;
}

}  // namespace taper::nn::parallel
