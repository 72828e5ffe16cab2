#include <taper/nn/functional/batchnorm.h>

#include <taper/ops/nn/norm.h>

namespace torch::taper::nn::functional {

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
