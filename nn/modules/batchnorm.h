// BatchNorm1d to BatchNorm3d, InstanceNorm1d to InstanceNorm3d.
#pragma once

#include <functional>

#include <taper/nn/modules/common.h>
#include <taper/nn/options/batchnorm.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {
/// A batch norm in training in place of functional::batch_norm, whose arguments it gets.
using TrainingNorm =
    std::function<Tensor(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         const functional::BatchNormFuncOptions& options)>;
}  // namespace detail

/// What the normalisations by channel (dimension 1, of num_features) share. In training the
/// statistics are the input's; in evaluation the running ones, if they are tracked.
template <class Derived, class Options>
class NormImplBase : public Cloneable<Derived> {
 public:
  explicit NormImplBase(const Options& options_);  ///< makes the parameters and buffers

  void reset() override;  ///< makes and registers them
  /// Running mean 0, variance 1, no batches seen.
  void reset_running_stats();
  /// The same, and weight 1, bias 0.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;  ///< all options

  Options options;  ///< reset() and every forward() read them
  /// (num_features), undefined unless affine.
  Tensor weight;
  Tensor bias;  ///< as weight
  /// Buffers: (num_features), and the 0-dim number of batches (int64); undefined unless tracked.
  Tensor running_mean;
  Tensor running_var;          ///< (num_features), starts at 1
  Tensor num_batches_tracked;  ///< counted by batch norms in training, not by instance norms

 protected:
  /// True in training, and where no statistics are tracked.
  bool uses_input_stats() const { return this->is_training() || !options.track_running_stats(); }
};

/// functional::batch_norm of (N, C, L) or (N, C).
class BatchNorm1dImpl : public NormImplBase<BatchNorm1dImpl, BatchNormOptions> {
 public:
  /// Defaults: eps 1e-5, momentum 0.1, affine, tracked.
  explicit BatchNorm1dImpl(const BatchNormOptions& options_);
  /// Throws Error for an input that is not (N, C, L) or (N, C), and for one value per channel where
  /// the input's own statistics are used. In training it moves the running ones.
  Tensor forward(const Tensor& input);
  /// What forward() calls in training; empty: functional::batch_norm. nn::convert_sync_batchnorm
  /// sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 1;  ///< of the input
};
extern template class NormImplBase<BatchNorm1dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm1d);

/// functional::batch_norm of (N, C, H, W).
class BatchNorm2dImpl : public NormImplBase<BatchNorm2dImpl, BatchNormOptions> {
 public:
  /// Defaults: eps 1e-5, momentum 0.1, affine, tracked.
  explicit BatchNorm2dImpl(const BatchNormOptions& options_);
  /// Throws Error for an input that is not (N, C, H, W), and for one value per channel where the
  /// input's own statistics are used. In training it moves the running ones.
  Tensor forward(const Tensor& input);
  /// What forward() calls in training; empty: functional::batch_norm. nn::convert_sync_batchnorm
  /// sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 2;  ///< of the input
};
extern template class NormImplBase<BatchNorm2dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm2d);

/// functional::batch_norm of (N, C, D, H, W).
class BatchNorm3dImpl : public NormImplBase<BatchNorm3dImpl, BatchNormOptions> {
 public:
  /// Defaults: eps 1e-5, momentum 0.1, affine, tracked.
  explicit BatchNorm3dImpl(const BatchNormOptions& options_);
  /// Throws Error for an input that is not (N, C, D, H, W), and for one value per channel where the
  /// input's own statistics are used. In training it moves the running ones.
  Tensor forward(const Tensor& input);
  /// What forward() calls in training; empty: functional::batch_norm. nn::convert_sync_batchnorm
  /// sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 3;  ///< of the input
};
extern template class NormImplBase<BatchNorm3dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm3d);

/// functional::instance_norm of (N, C, L), or without a batch.
class InstanceNorm1dImpl : public NormImplBase<InstanceNorm1dImpl, InstanceNormOptions> {
 public:
  /// Defaults: eps 1e-5, momentum 0.1, not affine, not tracked.
  explicit InstanceNorm1dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);        ///< throws Error unless (N, C, L) or (C, L)
  static constexpr int64_t kSpatialDims = 1;  ///< of the input
};
extern template class NormImplBase<InstanceNorm1dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm1d);

/// functional::instance_norm of (N, C, H, W), or without a batch.
class InstanceNorm2dImpl : public NormImplBase<InstanceNorm2dImpl, InstanceNormOptions> {
 public:
  /// Defaults: eps 1e-5, momentum 0.1, not affine, not tracked.
  explicit InstanceNorm2dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);        ///< throws Error unless (N, C, H, W) or (C, H, W)
  static constexpr int64_t kSpatialDims = 2;  ///< of the input
};
extern template class NormImplBase<InstanceNorm2dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm2d);

/// functional::instance_norm of (N, C, D, H, W), or without a batch.
class InstanceNorm3dImpl : public NormImplBase<InstanceNorm3dImpl, InstanceNormOptions> {
 public:
  /// Defaults: eps 1e-5, momentum 0.1, not affine, not tracked.
  explicit InstanceNorm3dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);  ///< throws Error unless (N, C, D, H, W) or (C, D, H, W)
  static constexpr int64_t kSpatialDims = 3;  ///< of the input
};
extern template class NormImplBase<InstanceNorm3dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm3d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
