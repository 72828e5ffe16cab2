// Ops on many tensors that change in place, in as few launches as they fit in. The tensors may have
// different sizes, dtypes and devices; they are gradients and the like, and nothing is recorded.
// Not installed.
#pragma once

#include <vector>

#include <taper/framework/tensor.h>

namespace taper::detail {

void foreach_zero_(const std::vector<Tensor>& tensors);
/// Multiplies all tensors by `factor`, a double without dimensions, which is copied to the others'
/// devices.
void foreach_mul_(const std::vector<Tensor>& tensors, const Tensor& factor);
/// Cuts all elements to [low, high]; NaN stays.
void foreach_clamp_(const std::vector<Tensor>& tensors, double low, double high);
/// The norm of all tensors as one vector, a double without dimensions on the first one's device;
/// the order is 1, 2 or infinity. The sums are made in double, in an order that depends on the
/// sizes only. The tensors are floating and at least one.
Tensor foreach_norm(const std::vector<Tensor>& tensors, double order);

}  // namespace taper::detail
