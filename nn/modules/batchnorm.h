// BatchNorm1d to BatchNorm3d, InstanceNorm1d to InstanceNorm3d.
#pragma once

#include <taper/nn/modules/common.h>
#include <taper/nn/options/batchnorm.h>

#pragma GCC visibility push(default)

namespace taper::nn {

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

#define TAPER_NORM_BY_CHANNEL(Name, Options, D)                 \
  class Name##Impl : public NormImplBase<Name##Impl, Options> { \
   public:                                                      \
    explicit Name##Impl(const Options& options_);               \
    Tensor forward(const Tensor& input);                        \
    static constexpr int64_t kSpatialDims = D;                  \
  };                                                            \
  extern template class NormImplBase<Name##Impl, Options>;      \
  TAPER_LIBRARY_MODULE(Name)

/// functional::batch_norm of (N, C) or (N, C, L); of (N, C, H, W); of (N, C, D, H, W).
TAPER_NORM_BY_CHANNEL(BatchNorm1d, BatchNormOptions, 1);
TAPER_NORM_BY_CHANNEL(BatchNorm2d, BatchNormOptions, 2);
TAPER_NORM_BY_CHANNEL(BatchNorm3d, BatchNormOptions, 3);

/// functional::instance_norm of the same, or without a batch: (C, L), (C, H, W), (C, D, H, W).
TAPER_NORM_BY_CHANNEL(InstanceNorm1d, InstanceNormOptions, 1);
TAPER_NORM_BY_CHANNEL(InstanceNorm2d, InstanceNormOptions, 2);
TAPER_NORM_BY_CHANNEL(InstanceNorm3d, InstanceNormOptions, 3);

#undef TAPER_NORM_BY_CHANNEL

}  // namespace taper::nn

#pragma GCC visibility pop
