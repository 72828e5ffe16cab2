// BatchNorm1d to BatchNorm3d, InstanceNorm1d to InstanceNorm3d.
#pragma once

#include <functional>

#include <taper/nn/modules/common.h>
#include <taper/nn/options/batchnorm.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {
/// A function with the parameters of functional::batch_norm, which replaces it in training.
using TrainingNorm =
    std::function<Tensor(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         const functional::BatchNormFuncOptions& options)>;
}  // namespace detail

/// Holds the parameters and running statistics of a batch or instance norm, which normalizes each
/// of num_features channels. Channels are dimension 1, or dimension 0 for an instance norm of one
/// sample. In training, mean and variance come from the input. In evaluation, they are the running
/// statistics, if the module tracks them.
template <class Derived, class Options>
class NormImplBase : public Cloneable<Derived> {
 public:
  explicit NormImplBase(const Options& options_);  ///< registers the parameters and buffers

  void reset() override;  ///< makes and registers the tensors
  /// Sets the running mean to 0, the running variance to 1 and the batch count to 0.
  void reset_running_stats();
  /// Resets the running statistics, and sets weight to 1 and bias to 0.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;  ///< all options

  Options options;  ///< read by reset() and every forward()
  /// (num_features), undefined unless affine.
  Tensor weight;
  Tensor bias;  ///< (num_features), undefined unless affine
  /// A buffer (num_features), which starts at 0. This buffer and the next two are undefined unless
  /// track_running_stats is true.
  Tensor running_mean;
  Tensor running_var;  ///< buffer (num_features), starts at 1
  /// An int64 buffer without dimensions. Batch norms increment it in training. Instance norms do
  /// not
  Tensor num_batches_tracked;

 protected:
  /// Returns whether the statistics of the input are used: in training, or if running statistics
  /// are not tracked.
  bool uses_input_stats() const { return this->is_training() || !options.track_running_stats(); }
};

/// Applies batch normalization to (N, C, L) or (N, C): (x - mean) / sqrt(var + eps) * weight + bias
/// for each channel. In training, mean and var come from the batch. In evaluation, they are the
/// running statistics.
class BatchNorm1dImpl : public NormImplBase<BatchNorm1dImpl, BatchNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, affine true, track_running_stats true.
  explicit BatchNorm1dImpl(const BatchNormOptions& options_);
  /// Normalizes `input`, and updates the running statistics in training. Throws Error for an input
  /// other than (N, C, L) or (N, C). Throws Error if the statistics of the batch are used and a
  /// channel has only one value.
  Tensor forward(const Tensor& input);
  /// If not empty, this function replaces functional::batch_norm in training.
  /// nn::convert_sync_batchnorm sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 1;  ///< number of spatial dimensions of the input
};
extern template class NormImplBase<BatchNorm1dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm1d);

/// Applies batch normalization to (N, C, H, W): (x - mean) / sqrt(var + eps) * weight + bias for
/// each channel. In training, mean and var come from the batch. In evaluation, they are the running
/// statistics.
class BatchNorm2dImpl : public NormImplBase<BatchNorm2dImpl, BatchNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, affine true, track_running_stats true.
  explicit BatchNorm2dImpl(const BatchNormOptions& options_);
  /// Normalizes `input`, and updates the running statistics in training. Throws Error for an input
  /// other than (N, C, H, W). Throws Error if the statistics of the batch are used and a channel
  /// has only one value.
  Tensor forward(const Tensor& input);
  /// If not empty, this function replaces functional::batch_norm in training.
  /// nn::convert_sync_batchnorm sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 2;  ///< number of spatial dimensions of the input
};
extern template class NormImplBase<BatchNorm2dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm2d);

/// Applies batch normalization to (N, C, D, H, W): (x - mean) / sqrt(var + eps) * weight + bias for
/// each channel. In training, mean and var come from the batch. In evaluation, they are the running
/// statistics.
class BatchNorm3dImpl : public NormImplBase<BatchNorm3dImpl, BatchNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, affine true, track_running_stats true.
  explicit BatchNorm3dImpl(const BatchNormOptions& options_);
  /// Normalizes `input`, and updates the running statistics in training. Throws Error for an input
  /// other than (N, C, D, H, W). Throws Error if the statistics of the batch are used and a channel
  /// has only one value.
  Tensor forward(const Tensor& input);
  /// If not empty, this function replaces functional::batch_norm in training.
  /// nn::convert_sync_batchnorm sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 3;  ///< number of spatial dimensions of the input
};
extern template class NormImplBase<BatchNorm3dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm3d);

/// Applies instance normalization to (N, C, L), or to one sample (C, L). Mean and var are computed
/// for each channel of each sample.
class InstanceNorm1dImpl : public NormImplBase<InstanceNorm1dImpl, InstanceNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, affine false, track_running_stats false.
  explicit InstanceNorm1dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);        ///< throws Error unless (N, C, L) or (C, L)
  static constexpr int64_t kSpatialDims = 1;  ///< number of spatial dimensions of the input
};
extern template class NormImplBase<InstanceNorm1dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm1d);

/// Applies instance normalization to (N, C, H, W), or to one sample (C, H, W). Mean and var are
/// computed for each channel of each sample.
class InstanceNorm2dImpl : public NormImplBase<InstanceNorm2dImpl, InstanceNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, affine false, track_running_stats false.
  explicit InstanceNorm2dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);        ///< throws Error unless (N, C, H, W) or (C, H, W)
  static constexpr int64_t kSpatialDims = 2;  ///< number of spatial dimensions of the input
};
extern template class NormImplBase<InstanceNorm2dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm2d);

/// Applies instance normalization to (N, C, D, H, W), or to one sample (C, D, H, W). Mean and var
/// are computed for each channel of each sample.
class InstanceNorm3dImpl : public NormImplBase<InstanceNorm3dImpl, InstanceNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, affine false, track_running_stats false.
  explicit InstanceNorm3dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);  ///< throws Error unless (N, C, D, H, W) or (C, D, H, W)
  static constexpr int64_t kSpatialDims = 3;  ///< number of spatial dimensions of the input
};
extern template class NormImplBase<InstanceNorm3dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm3d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
