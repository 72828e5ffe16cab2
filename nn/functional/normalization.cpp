#include <taper/nn/functional/normalization.h>

#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/spatial/pool.h>

namespace torch::taper::nn::functional {

Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return taper::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                           options.eps());
}

Tensor rms_norm(const Tensor& input, const RMSNormFuncOptions& options) {
  return taper::rms_norm(input, options.normalized_shape(), options.weight(), options.eps());
}

Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options) {
  return taper::group_norm(input, options.num_groups(), options.weight(), options.bias(),
                           options.eps());
}

Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options) {
  TAPER_CHECK(input.dim() >= 3,
              "local_response_norm: Expected 3D or higher dimensionality input (got ", input.dim(),
              " dimensions)");
  if (input.numel() == 0) return input;
  const int64_t size = options.size(), n = input.size(0), channels = input.size(1);
  // The channels become the height of one plane, so the elements of a window lie in one column.
  const Tensor squares = input.square().reshape({n, 1, channels, -1});
  const Tensor padded = constant_pad_nd(squares, {0, 0, size / 2, (size - 1) / 2});
  const Tensor means = taper::avg_pool2d(padded, {size, 1}, 1).reshape(input.sizes());
  return input / (means * options.alpha() + options.k()).pow(options.beta());
}

Tensor normalize(const Tensor& input, const NormalizeFuncOptions& options) {
  const Tensor norm = input.norm(options.p(), options.dim(), /*keepdim=*/true);
  const Tensor divisor = norm.clamp_min(options.eps()).expand_as(input);
  if (!options.out()) return input / divisor;
  Tensor out = *options.out();
  return div_out(out, input, divisor);
}

}  // namespace torch::taper::nn::functional
