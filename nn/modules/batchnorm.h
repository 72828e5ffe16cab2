// BatchNorm1d to BatchNorm3d, InstanceNorm1d to InstanceNorm3d.
#pragma once

#include <functional>

#include <taper/nn/modules/common.h>
#include <taper/nn/options/batchnorm.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {
/// Replaces functional::batch_norm in training, and gets its arguments.
using TrainingNorm =
    std::function<Tensor(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         const functional::BatchNormFuncOptions& options)>;
}  // namespace detail

/// Holds the parameters and running statistics of batch and instance norms. They normalize each of
/// the num_features channels. Channels are dimension 1, or dimension 0 for an instance norm of one
/// sample. In training, the statistics come from the input. In evaluation, they are the running
/// statistics, if these are tracked.
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
  /// Buffer (num_features), starts at 0. The three buffers are undefined unless running statistics
  /// are tracked.
  Tensor running_mean;
  Tensor running_var;  ///< buffer (num_features), starts at 1
  /// int64 buffer without dimensions. Batch norms increment it in training. Instance norms do not
  Tensor num_batches_tracked;

 protected:
  /// Returns true in training, and if no statistics are tracked.
  bool uses_input_stats() const { return this->is_training() || !options.track_running_stats(); }
};

/// Applies batch normalization to (N, C, L) or (N, C): (x - mean) / sqrt(var + eps) * weight + bias
/// for each channel. In training, mean and var come from the batch. In evaluation, they are the
/// running statistics.
class BatchNorm1dImpl : public NormImplBase<BatchNorm1dImpl, BatchNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, affine, running statistics tracked.
  explicit BatchNorm1dImpl(const BatchNormOptions& options_);
  /// Normalizes `input`, and updates the running statistics in training. Throws Error for an input
  /// other than (N, C, L) or (N, C). Throws Error if the statistics of the batch are used and a
  /// channel has only one value.
  Tensor forward(const Tensor& input);
  /// The function that replaces functional::batch_norm in training, unless it is empty.
  /// nn::convert_sync_batchnorm sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 1;  ///< of the input
};
extern template class NormImplBase<BatchNorm1dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm1d);

/// Applies batch normalization to (N, C, H, W): (x - mean) / sqrt(var + eps) * weight + bias for
/// each channel. In training, mean and var come from the batch. In evaluation, they are the running
/// statistics.
class BatchNorm2dImpl : public NormImplBase<BatchNorm2dImpl, BatchNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, affine, running statistics tracked.
  explicit BatchNorm2dImpl(const BatchNormOptions& options_);
  /// Normalizes `input`, and updates the running statistics in training. Throws Error for an input
  /// other than (N, C, H, W). Throws Error if the statistics of the batch are used and a channel
  /// has only one value.
  Tensor forward(const Tensor& input);
  /// The function that replaces functional::batch_norm in training, unless it is empty.
  /// nn::convert_sync_batchnorm sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 2;  ///< of the input
};
extern template class NormImplBase<BatchNorm2dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm2d);

/// Applies batch normalization to (N, C, D, H, W): (x - mean) / sqrt(var + eps) * weight + bias for
/// each channel. In training, mean and var come from the batch. In evaluation, they are the running
/// statistics.
class BatchNorm3dImpl : public NormImplBase<BatchNorm3dImpl, BatchNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, affine, running statistics tracked.
  explicit BatchNorm3dImpl(const BatchNormOptions& options_);
  /// Normalizes `input`, and updates the running statistics in training. Throws Error for an input
  /// other than (N, C, D, H, W). Throws Error if the statistics of the batch are used and a channel
  /// has only one value.
  Tensor forward(const Tensor& input);
  /// The function that replaces functional::batch_norm in training, unless it is empty.
  /// nn::convert_sync_batchnorm sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 3;  ///< of the input
};
extern template class NormImplBase<BatchNorm3dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm3d);

/// Applies instance normalization to (N, C, L), or to one sample without N. Mean and var are
/// computed for each channel of each sample.
class InstanceNorm1dImpl : public NormImplBase<InstanceNorm1dImpl, InstanceNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, not affine, running statistics not
  /// tracked.
  explicit InstanceNorm1dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);        ///< throws Error unless (N, C, L) or (C, L)
  static constexpr int64_t kSpatialDims = 1;  ///< of the input
};
extern template class NormImplBase<InstanceNorm1dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm1d);

/// Applies instance normalization to (N, C, H, W), or to one sample without N. Mean and var are
/// computed for each channel of each sample.
class InstanceNorm2dImpl : public NormImplBase<InstanceNorm2dImpl, InstanceNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, not affine, running statistics not
  /// tracked.
  explicit InstanceNorm2dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);        ///< throws Error unless (N, C, H, W) or (C, H, W)
  static constexpr int64_t kSpatialDims = 2;  ///< of the input
};
extern template class NormImplBase<InstanceNorm2dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm2d);

/// Applies instance normalization to (N, C, D, H, W), or to one sample without N. Mean and var are
/// computed for each channel of each sample.
class InstanceNorm3dImpl : public NormImplBase<InstanceNorm3dImpl, InstanceNormOptions> {
 public:
  /// Sets the options. Defaults: eps 1e-5, momentum 0.1, not affine, running statistics not
  /// tracked.
  explicit InstanceNorm3dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);  ///< throws Error unless (N, C, D, H, W) or (C, D, H, W)
  static constexpr int64_t kSpatialDims = 3;  ///< of the input
};
extern template class NormImplBase<InstanceNorm3dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm3d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
