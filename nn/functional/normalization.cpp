#include <taper/nn/functional/normalization.h>

#include <taper/ops/binary.h>
#include <taper/ops/norm.h>

namespace taper::nn::functional {

Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return taper::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                           options.eps());
}

Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options) {
  return taper::group_norm(input, options.num_groups(), options.weight(), options.bias(),
                           options.eps());
}

Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options) {
  const Tensor norm = input.norm(options.p(), options.dim(), /*keepdim=*/true);
  const Tensor divisor = norm.clamp_min(options.eps()).expand_as(input);
  if (!options.out()) return input / divisor;
  Tensor out = *options.out();
  return div_out(out, input, divisor);
}

}  // namespace taper::nn::functional
