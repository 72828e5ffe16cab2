#include <taper/ops/shared/autocast.h>

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
