// BatchNorm1d to BatchNorm3d, InstanceNorm1d to InstanceNorm3d.
#pragma once

#include <functional>

#include <taper/nn/modules/common.h>
#include <taper/nn/options/batchnorm.h>

#pragma GCC visibility push(default)

namespace taper::nn {

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
  explicit NormImplBase(const Options& options_);

  void reset() override;
  /// Running mean 0, variance 1, no batches seen.
  void reset_running_stats();
  /// The same, and weight 1, bias 0.
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;

  Options options;
  /// (num_features), undefined unless affine.
  Tensor weight;
  Tensor bias;
  /// Buffers: (num_features), and the 0-dim number of batches (int64); undefined unless tracked.
  Tensor running_mean;
  Tensor running_var;
  Tensor num_batches_tracked;

 protected:
  bool uses_input_stats() const { return this->is_training() || !options.track_running_stats(); }
};

/// functional::batch_norm of (N, C, L) or (N, C).
class BatchNorm1dImpl : public NormImplBase<BatchNorm1dImpl, BatchNormOptions> {
 public:
  explicit BatchNorm1dImpl(const BatchNormOptions& options_);
  Tensor forward(const Tensor& input);
  /// What forward() calls in training; empty: functional::batch_norm. nn::convert_sync_batchnorm
  /// sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 1;
};
extern template class NormImplBase<BatchNorm1dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm1d);

/// functional::batch_norm of (N, C, H, W).
class BatchNorm2dImpl : public NormImplBase<BatchNorm2dImpl, BatchNormOptions> {
 public:
  explicit BatchNorm2dImpl(const BatchNormOptions& options_);
  Tensor forward(const Tensor& input);
  /// What forward() calls in training; empty: functional::batch_norm. nn::convert_sync_batchnorm
  /// sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 2;
};
extern template class NormImplBase<BatchNorm2dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm2d);

/// functional::batch_norm of (N, C, D, H, W).
class BatchNorm3dImpl : public NormImplBase<BatchNorm3dImpl, BatchNormOptions> {
 public:
  explicit BatchNorm3dImpl(const BatchNormOptions& options_);
  Tensor forward(const Tensor& input);
  /// What forward() calls in training; empty: functional::batch_norm. nn::convert_sync_batchnorm
  /// sets it.
  detail::TrainingNorm training_norm;
  static constexpr int64_t kSpatialDims = 3;
};
extern template class NormImplBase<BatchNorm3dImpl, BatchNormOptions>;
TAPER_LIBRARY_MODULE(BatchNorm3d);

/// functional::instance_norm of (N, C, L), or without a batch.
class InstanceNorm1dImpl : public NormImplBase<InstanceNorm1dImpl, InstanceNormOptions> {
 public:
  explicit InstanceNorm1dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);
  static constexpr int64_t kSpatialDims = 1;
};
extern template class NormImplBase<InstanceNorm1dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm1d);

/// functional::instance_norm of (N, C, H, W), or without a batch.
class InstanceNorm2dImpl : public NormImplBase<InstanceNorm2dImpl, InstanceNormOptions> {
 public:
  explicit InstanceNorm2dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);
  static constexpr int64_t kSpatialDims = 2;
};
extern template class NormImplBase<InstanceNorm2dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm2d);

/// functional::instance_norm of (N, C, D, H, W), or without a batch.
class InstanceNorm3dImpl : public NormImplBase<InstanceNorm3dImpl, InstanceNormOptions> {
 public:
  explicit InstanceNorm3dImpl(const InstanceNormOptions& options_);
  Tensor forward(const Tensor& input);
  static constexpr int64_t kSpatialDims = 3;
};
extern template class NormImplBase<InstanceNorm3dImpl, InstanceNormOptions>;
TAPER_LIBRARY_MODULE(InstanceNorm3d);

}  // namespace taper::nn

#pragma GCC visibility pop
