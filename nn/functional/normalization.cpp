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
  return input / norm.clamp_min(options.eps()).expand_as(input);
}

}  // namespace taper::nn::functional
