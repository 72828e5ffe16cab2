#include <taper/nn/functional/normalization.h>

#include <taper/nn/functional/batchnorm.h>
#include <taper/ops/elementwise/binary.h>
#include <taper/ops/elementwise/unary.h>
#include <taper/ops/nn/norm.h>
#include <taper/ops/spatial/pad.h>
#include <taper/ops/spatial/pool.h>

namespace torch::taper::nn::functional {

// ---------------------------------------------------------------------- normalization
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

// ---------------------------------------------------------------------- batchnorm
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options) {
  TAPER_CHECK(input.dim() >= 2, "batch_norm: expected an input of at least 2 dimensions, got ",
              input.sizes());
  int64_t values = input.size(0);  // of one channel
  for (int64_t d = 2; d < input.dim(); ++d) values *= input.size(d);
  TAPER_CHECK(!options.training() || values != 1,
              "batch_norm: Expected more than 1 value per channel when training, got input size ",
              input.sizes());
  return taper::batch_norm(input, options.weight(), options.bias(), running_mean, running_var,
                           options.training(), options.momentum().value_or(0.0), options.eps());
}

Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options) {
  return taper::instance_norm(input, options.weight(), options.bias(), options.running_mean(),
                              options.running_var(), options.use_input_stats(), options.momentum(),
                              options.eps());
}

}  // namespace torch::taper::nn::functional
