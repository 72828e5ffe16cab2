// Clipping of gradients, and parameters as one vector.
#include <algorithm>
#include <cmath>
#include <limits>

#include <taper/framework/autograd/grad_mode.h>
#include <taper/framework/core/shape.h>
#include <taper/nn/utils/clip_grad.h>
#include <taper/nn/utils/convert_parameters.h>
#include <taper/ops/shared/foreach.h>
#include <taper/ops/shared/foreach_norm.h>
#include <taper/ops/tensor/cat.h>
#include <taper/ops/tensor/factory.h>

namespace torch::taper::nn::utils {

// ---------------------------------------------------------------------- clip_grad
namespace {

std::vector<Tensor> gradients(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> r;
  r.reserve(parameters.size());
  for (const Tensor& p : parameters)
    if (p.grad().defined()) r.push_back(p.grad());
  return r;
}

/// Returns whether gradients on devices are handled together, so that nothing waits.
bool together(const std::vector<Tensor>& grads, double order) {
  return (order == 1 || order == 2 || order == std::numeric_limits<double>::infinity()) &&
         std::any_of(grads.begin(), grads.end(), [](const Tensor& g) { return g.is_cuda(); });
}

/// Returns the norm of all tensors as one vector, 0-dim. There is at least one tensor.
Tensor norm_of(const std::vector<Tensor>& grads, double order) {
  if (order == 0) return full({}, static_cast<double>(grads.size()), kDouble);
  if (together(grads, order)) return taper::detail::norm_of_all(grads, order);
  std::vector<Tensor> norms;
  norms.reserve(grads.size());
  for (const Tensor& grad : grads)
    if (grad.numel() > 0) norms.push_back(grad.norm(order));
  if (norms.empty()) return zeros({}, kDouble);
  return norms.size() == 1 ? norms[0] : stack(norms).norm(order);
}

void check_finite(double norm, double order) {
  TAPER_CHECK(std::isfinite(norm), "The total norm of order ", order,
              " for gradients from `parameters` is non-finite, so it cannot be clipped. To disable "
              "this error and scale the gradients with the non-finite norm anyway, set "
              "`error_if_nonfinite=false`");
}

/// Scales gradients, which may be on several devices, by a number in a tensor.
void scale(std::vector<Tensor> grads, const Tensor& factor) {
  while (!grads.empty()) {
    const Device device = grads.front().device();
    const auto others = std::stable_partition(
        grads.begin(), grads.end(), [&](const Tensor& g) { return g.device() == device; });
    const Tensor number = factor.to(device);
    const TensorList of_device(grads.data(), static_cast<size_t>(others - grads.begin()));
    taper::detail::foreach_change("mul", of_device, {.number_tensor = &number});
    grads.erase(grads.begin(), others);
  }
}

/// Scales the gradients by a factor that stays on its device.
void scale_to(const std::vector<Tensor>& grads, double max_norm, const Tensor& norm) {
  scale(grads, norm.to(kDouble).add(1e-6).reciprocal().mul(max_norm).clamp_max(1));
}

}  // namespace

Tensor get_total_norm(const std::vector<Tensor>& tensors, double norm_type,
                      bool error_if_nonfinite) {
  for (const Tensor& t : tensors) check_defined("get_total_norm", t, "tensors");
  NoGradGuard no_grad;
  if (tensors.empty()) return zeros({});
  const Tensor norm = norm_of(tensors, norm_type);
  if (error_if_nonfinite) check_finite(norm.item().toDouble(), norm_type);
  return norm;
}

void clip_grads_with_norm_(const std::vector<Tensor>& parameters, double max_norm,
                           const Tensor& total_norm) {
  check_defined("clip_grads_with_norm_", total_norm, "total_norm");
  TAPER_CHECK_VALUE(total_norm.numel() == 1,
                    "clip_grads_with_norm_: expected a total_norm of one element, got sizes ",
                    total_norm.sizes());
  NoGradGuard no_grad;
  scale_to(gradients(parameters), max_norm, total_norm.reshape({}));
}

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  NoGradGuard no_grad;
  const std::vector<Tensor> grads = gradients(parameters);
  if (grads.empty()) return 0;
  const Tensor total = norm_of(grads, norm_type);
  const bool waits_last = !error_if_nonfinite && together(grads, norm_type);
  if (waits_last) scale_to(grads, max_norm, total);
  const double norm = total.item().toDouble();
  if (waits_last) return norm;
  if (error_if_nonfinite) check_finite(norm, norm_type);
  const double factor = max_norm / (norm + 1e-6);
  if (!(factor >= 1))
    for (const Tensor& grad : grads) grad.mul_(factor);
  return norm;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
  NoGradGuard no_grad;
  taper::detail::foreach_clamp(gradients(parameters), -clip_value, clip_value);
}

// ---------------------------------------------------------------------- convert_parameters
namespace {

void check_devices(const std::vector<Tensor>& parameters) {
  for (const Tensor& p : parameters)
    TAPER_CHECK(p.device() == parameters[0].device(),
                "Found two parameters on different devices, this is currently not supported.");
}

}  // namespace

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
  check_devices(parameters);
  std::vector<Tensor> flat;
  flat.reserve(parameters.size());
  for (const Tensor& p : parameters) flat.push_back(p.reshape({-1}));
  return cat(flat);
}

void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters) {
  check_devices(parameters);
  int64_t total = 0;
  for (const Tensor& p : parameters) total += p.numel();
  TAPER_CHECK(vec.dim() == 1 && vec.numel() == total, "vector_to_parameters: expected a vector of ",
              total, " elements, got sizes ", vec.sizes());
  int64_t start = 0;
  for (const Tensor& p : parameters) {
    p.set_data(vec.slice(0, start, start + p.numel()).view_as(p).data());
    start += p.numel();
  }
}

}  // namespace torch::taper::nn::utils
