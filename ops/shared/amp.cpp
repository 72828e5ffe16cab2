#include <taper/ops/shared/amp.h>

#include <taper/framework/autograd/record.h>
#include <taper/framework/core/shape.h>
#include <taper/ops/shared/autocast.h>
#include <taper/ops/shared/foreach_kernels.h>

// ---------------------------------------------------------------------- amp
namespace torch::taper {

namespace {

constexpr const char* kUnscale = "_amp_foreach_non_finite_check_and_unscale_";

void check_number(const char* op, const Tensor& t, const char* name, ScalarType dtype,
                  Device device) {
  check_defined(op, t, name);
  TAPER_CHECK(t.numel() == 1, op, ": ", name, " must be a 1-element tensor.");
  TAPER_CHECK(t.scalar_type() == dtype, op, ": ", name, " must be ",
              dtype == kInt ? "an int" : "a float", " tensor.");
  TAPER_CHECK(t.device() == device, op, ": expected ", name, " on ", device, ", got it on ",
              t.device());
}

void check_gradient(const Tensor& g, Device device) {
  check_defined(kUnscale, g, "tensors");
  TAPER_CHECK(g.device() == device, kUnscale,
              ": scaled_grads must be on the same device as found_inf: expected ", device, ", got ",
              g.device());
  if (!g.is_floating_point()) detail::unsupported_dtype(kUnscale, g.scalar_type());
  autograd::check_no_internal_overlap(kUnscale, g);
}

}  // namespace

void _amp_foreach_non_finite_check_and_unscale_(TensorList self, Tensor& found_inf,
                                                const Tensor& inv_scale) {
  check_defined(kUnscale, found_inf, "found_inf");
  const Device device = found_inf.device();
  check_number(kUnscale, inv_scale, "inv_scale", kFloat, device);
  check_number(kUnscale, found_inf, "found_inf", kFloat, device);
  for (const Tensor& g : self) check_gradient(g, device);
  const auto launch = [&](const Tensor& where, const TensorLists& lists, NoNumbers) {
    TAPER_ON_DEVICE(where, foreach_unscale, lists, found_inf, inv_scale);
  };
  const NoGradGuard values_only;
  GatheredLaunches<NoNumbers, decltype(launch)> gathered(0, launch);
  std::vector<Tensor> dense;  // lives until everything is launched
  for (const Tensor& g : self) dense.push_back(g.contiguous());
  for (const Tensor& g : dense) gathered.add({}, {&g});
  gathered.launch();
  for (size_t i = 0; i < dense.size(); ++i)
    if (dense[i].is_same(self[i]))
      autograd::mark_changed(self[i]);
    else
      self[i].copy_(dense[i]);
  autograd::mark_changed(found_inf);
}

Tensor& _amp_update_scale_(Tensor& self, Tensor& growth_tracker, const Tensor& found_inf,
                           double scale_growth_factor, double scale_backoff_factor,
                           int64_t growth_interval) {
  constexpr const char* op = "_amp_update_scale_";
  check_defined(op, self, "current_scale");
  const Device device = self.device();
  check_number(op, growth_tracker, "growth_tracker", kInt, device);
  check_number(op, self, "current_scale", kFloat, device);
  check_number(op, found_inf, "found_inf", kFloat, device);
  TAPER_ON_DEVICE(self, amp_update_scale, self, growth_tracker, found_inf, scale_growth_factor,
                  scale_backoff_factor, growth_interval);
  autograd::mark_changed(self);
  autograd::mark_changed(growth_tracker);
  return self;
}

}  // namespace torch::taper

// ---------------------------------------------------------------------- autocast
namespace torch::taper::detail {

// As in PyTorch's dispatcher, CUDA comes first if tensors are on both.
Casts Casts::find(const RuleOf& rule, uint8_t devices) {
  devices &= autocast_state.enabled;
  Casts casts;
  if (devices == 0) return casts;
  const bool cuda = devices & kOnCuda;
  casts.to = cuda ? rule.cuda : rule.cpu;
  casts.kind = cuda ? kOnCuda : kOnCpu;
  TAPER_CHECK(
      casts.to != CastTo::kForbidden,
      "binary_cross_entropy: torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are "
      "unsafe "
      "to autocast.\nMany models use a sigmoid layer right before the binary cross entropy "
      "layer.\nIn "
      "this case, combine the two layers using "
      "torch.nn.functional.binary_cross_entropy_with_logits\nor torch.nn.BCEWithLogitsLoss.  "
      "binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast.");
  casts.lower = casts.widest = autocast_state.dtypes[cuda];
  return casts;
}

void Casts::widen(const Tensor& x) {
  if (!takes(x)) return;
  TAPER_CHECK(x.scalar_type() == kFloat || x.scalar_type() == lower,
              "autocast: expected operands of dtype float or ", lower, ", got ", x.scalar_type(),
              " (Unexpected floating ScalarType in at::autocast::prioritize)");
  if (x.scalar_type() == kFloat) widest = kFloat;
}

Tensor Casts::operator()(const Tensor& x) const {
  if (!takes(x) || to == CastTo::kSumFloat || to == CastTo::kAsIs) return x;
  return cached_cast(to == CastTo::kLower ? lower : to == CastTo::kWidest ? widest : kFloat, x);
}

}  // namespace torch::taper::detail
