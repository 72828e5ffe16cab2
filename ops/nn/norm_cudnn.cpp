#include <taper/ops/nn/norm_cudnn.h>

#include <tuple>

#include <taper/framework/cuda/gpu/cudnn.h>
#include <taper/framework/cuda/gpu/current.h>
#include <taper/framework/cuda/scratch.h>

namespace torch::taper::cuda {
namespace {

/// x as (N, C, pixels, 1), and the vectors of its channels.
struct BatchNormPlan {
  TensorDescription x, channels;
  cudnnBatchNormMode_t mode;

  BatchNormPlan(int batch, int count, int pixels, ScalarType dtype)
      : mode(pixels == 1 ? CUDNN_BATCHNORM_PER_ACTIVATION : CUDNN_BATCHNORM_SPATIAL) {
    describe(x, dtype, {batch, count, pixels, 1});
    TAPER_LIBRARY_CALL(cudnn, cudnnDeriveBNTensorDescriptor, channels.get(), x.get(), mode);
  }
};

BatchNormPlan& plan_for(const In& x) {
  const int batch = static_cast<int>(x.sizes[0]), channels = static_cast<int>(x.sizes[1]);
  const int pixels = static_cast<int>(x.numel / (x.sizes[0] * x.sizes[1]));
  return plan_of<BatchNormPlan>(std::tuple(x.dtype, batch, channels, pixels), [&] {
    return std::make_unique<BatchNormPlan>(batch, channels, pixels, x.dtype);
  });
}

/// Memory for a result that cuDNN always writes, even if it is not wanted.
class Wanted {
 public:
  Wanted(const Out& y, int64_t numel, ScalarType dtype)
      : spare_(y.defined() ? 0 : numel * static_cast<int64_t>(elementSize(dtype))),
        data_(y.defined() ? y.data : spare_.get()) {}
  void* get() const { return data_; }

 private:
  Scratch<char> spare_;
  void* data_;
};

}  // namespace

bool cudnn_batch_norm_training(const Out& y, const Out& mean, const Out& scale,
                               const InOut& running_mean, const InOut& running_var, const In& x,
                               const In& weight, const In& bias, double momentum, double eps) {
  BatchNormPlan& p = plan_for(x);
  const Factor one(1, x.dtype), zero(0, x.dtype);
  return TAPER_CUDNN_SUPPORTS(cudnnBatchNormalizationForwardTraining, cudnn_handle(), p.mode,
                              one.get(), zero.get(), p.x.get(), x.data, p.x.get(), y.data,
                              p.channels.get(), weight.data, bias.data, momentum, running_mean.data,
                              running_var.data, eps, mean.data, scale.data);
}

bool cudnn_batch_norm_inference(const Out& y, const In& running_mean, const In& running_var,
                                const In& x, const In& weight, const In& bias, double eps) {
  BatchNormPlan& p = plan_for(x);
  const Factor one(1, x.dtype), zero(0, x.dtype);
  return TAPER_CUDNN_SUPPORTS(cudnnBatchNormalizationForwardInference, cudnn_handle(), p.mode,
                              one.get(), zero.get(), p.x.get(), x.data, p.x.get(), y.data,
                              p.channels.get(), weight.data, bias.data, running_mean.data,
                              running_var.data, eps);
}

bool cudnn_batch_norm_gradient(const Out& gx, const Out& gw, const Out& gb, const In& gy,
                               const In& x, const In& mean, const In& scale, const In& weight,
                               double eps) {
  BatchNormPlan& p = plan_for(x);
  const Factor one(1, x.dtype), zero(0, x.dtype);
  const Wanted to_x(gx, x.numel, x.dtype), to_w(gw, weight.numel, weight.dtype),
      to_b(gb, weight.numel, weight.dtype);
  return TAPER_CUDNN_SUPPORTS(cudnnBatchNormalizationBackward, cudnn_handle(), p.mode, one.get(),
                              zero.get(), one.get(), zero.get(), p.x.get(), x.data, p.x.get(),
                              gy.data, p.x.get(), to_x.get(), p.channels.get(), weight.data,
                              to_w.get(), to_b.get(), eps, mean.data, scale.data);
}

}  // namespace torch::taper::cuda
