// Pooling modules. functional/pooling.h describes shapes and errors.
#pragma once

#include <tuple>

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/pooling.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Applies average pooling to (N, C, L): each output element is the mean of a window.
class AvgPool1dImpl : public Cloneable<AvgPool1dImpl> {
 public:
  /// Sets kernel_size and stride to `size`, or takes all options.
  ///@{
  AvgPool1dImpl(ExpandingArray<1> size) : AvgPool1dImpl(AvgPool1dOptions(size)) {}
  explicit AvgPool1dImpl(const AvgPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::avg_pool1d to (N, C, L) or (C, L). The result has as many dimensions as
  /// the input.
  Tensor forward(const Tensor& input);

  AvgPool1dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AvgPool1d);

/// Applies average pooling to (N, C, H, W): each output element is the mean of a window.
class AvgPool2dImpl : public Cloneable<AvgPool2dImpl> {
 public:
  /// Sets kernel_size and stride to `size`, or takes all options.
  ///@{
  AvgPool2dImpl(ExpandingArray<2> size) : AvgPool2dImpl(AvgPool2dOptions(size)) {}
  explicit AvgPool2dImpl(const AvgPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::avg_pool2d to (N, C, H, W) or (C, H, W). The result has as many dimensions
  /// as the input.
  Tensor forward(const Tensor& input);

  AvgPool2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AvgPool2d);

/// Applies average pooling to (N, C, D, H, W): each output element is the mean of a window.
class AvgPool3dImpl : public Cloneable<AvgPool3dImpl> {
 public:
  /// Sets kernel_size and stride to `size`, or takes all options.
  ///@{
  AvgPool3dImpl(ExpandingArray<3> size) : AvgPool3dImpl(AvgPool3dOptions(size)) {}
  explicit AvgPool3dImpl(const AvgPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::avg_pool3d to (N, C, D, H, W) or (C, D, H, W). The result has as many
  /// dimensions as the input.
  Tensor forward(const Tensor& input);

  AvgPool3dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AvgPool3d);

/// Applies max pooling to (N, C, L): each output element is the maximum of a window.
/// forward_with_indices() also returns the indices of the maxima.
class MaxPool1dImpl : public Cloneable<MaxPool1dImpl> {
 public:
  /// Sets kernel_size and stride to `size`, or takes all options.
  ///@{
  MaxPool1dImpl(ExpandingArray<1> size) : MaxPool1dImpl(MaxPool1dOptions(size)) {}
  explicit MaxPool1dImpl(const MaxPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::max_pool1d to (N, C, L) or (C, L). The result has as many dimensions as
  /// the input.
  Tensor forward(const Tensor& input);
  /// Returns the maxima and their indices (kLong). An index is the position in the channel of the
  /// input. MaxUnpool1d takes maxima and indices to invert the pooling.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  MaxPool1dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(MaxPool1d);

/// Applies max pooling to (N, C, H, W): each output element is the maximum of a window.
/// forward_with_indices() also returns the indices of the maxima.
class MaxPool2dImpl : public Cloneable<MaxPool2dImpl> {
 public:
  /// Sets kernel_size and stride to `size`, or takes all options.
  ///@{
  MaxPool2dImpl(ExpandingArray<2> size) : MaxPool2dImpl(MaxPool2dOptions(size)) {}
  explicit MaxPool2dImpl(const MaxPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::max_pool2d to (N, C, H, W) or (C, H, W). The result has as many dimensions
  /// as the input.
  Tensor forward(const Tensor& input);
  /// Returns the maxima and their indices (kLong). An index is the position in the channel of the
  /// input, in row-major order. MaxUnpool2d takes maxima and indices to invert the pooling.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  MaxPool2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(MaxPool2d);

/// Applies max pooling to (N, C, D, H, W): each output element is the maximum of a window.
/// forward_with_indices() also returns the indices of the maxima.
class MaxPool3dImpl : public Cloneable<MaxPool3dImpl> {
 public:
  /// Sets kernel_size and stride to `size`, or takes all options.
  ///@{
  MaxPool3dImpl(ExpandingArray<3> size) : MaxPool3dImpl(MaxPool3dOptions(size)) {}
  explicit MaxPool3dImpl(const MaxPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::max_pool3d to (N, C, D, H, W) or (C, D, H, W). The result has as many
  /// dimensions as the input.
  Tensor forward(const Tensor& input);
  /// Returns the maxima and their indices (kLong). An index is the position in the channel of the
  /// input, in row-major order. MaxUnpool3d takes maxima and indices to invert the pooling.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  MaxPool3dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(MaxPool3d);

/// Applies adaptive average pooling to (N, C, L). The windows are chosen so that the result has the
/// requested spatial size.
class AdaptiveAvgPool1dImpl : public Cloneable<AdaptiveAvgPool1dImpl> {
 public:
  /// Sets the spatial size of the result.
  ///@{
  AdaptiveAvgPool1dImpl(ExpandingArray<1> size)
      : AdaptiveAvgPool1dImpl(AdaptiveAvgPool1dOptions(size)) {}
  explicit AdaptiveAvgPool1dImpl(const AdaptiveAvgPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::adaptive_avg_pool1d to (N, C, L) or (C, L). The result has as many
  /// dimensions as the input.
  Tensor forward(const Tensor& input);

  AdaptiveAvgPool1dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AdaptiveAvgPool1d);

/// Applies adaptive average pooling to (N, C, H, W). The windows are chosen so that the result has
/// the requested spatial size.
class AdaptiveAvgPool2dImpl : public Cloneable<AdaptiveAvgPool2dImpl> {
 public:
  /// Sets the spatial size of the result. nullopt keeps the size of the input.
  ///@{
  AdaptiveAvgPool2dImpl(ExpandingArrayWithOptionalElem<2> size)
      : AdaptiveAvgPool2dImpl(AdaptiveAvgPool2dOptions(size)) {}
  explicit AdaptiveAvgPool2dImpl(const AdaptiveAvgPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::adaptive_avg_pool2d to (N, C, H, W) or (C, H, W). The result has as many
  /// dimensions as the input.
  Tensor forward(const Tensor& input);

  AdaptiveAvgPool2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AdaptiveAvgPool2d);

/// Applies adaptive average pooling to (N, C, D, H, W). The windows are chosen so that the result
/// has the requested spatial size.
class AdaptiveAvgPool3dImpl : public Cloneable<AdaptiveAvgPool3dImpl> {
 public:
  /// Sets the spatial size of the result. nullopt keeps the size of the input.
  ///@{
  AdaptiveAvgPool3dImpl(ExpandingArrayWithOptionalElem<3> size)
      : AdaptiveAvgPool3dImpl(AdaptiveAvgPool3dOptions(size)) {}
  explicit AdaptiveAvgPool3dImpl(const AdaptiveAvgPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::adaptive_avg_pool3d to (N, C, D, H, W) or (C, D, H, W). The result has as
  /// many dimensions as the input.
  Tensor forward(const Tensor& input);

  AdaptiveAvgPool3dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AdaptiveAvgPool3d);

/// Applies adaptive max pooling to (N, C, L). The windows are chosen so that the result has the
/// requested spatial size.
class AdaptiveMaxPool1dImpl : public Cloneable<AdaptiveMaxPool1dImpl> {
 public:
  /// Sets the spatial size of the result.
  ///@{
  AdaptiveMaxPool1dImpl(ExpandingArray<1> size)
      : AdaptiveMaxPool1dImpl(AdaptiveMaxPool1dOptions(size)) {}
  explicit AdaptiveMaxPool1dImpl(const AdaptiveMaxPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::adaptive_max_pool1d to (N, C, L) or (C, L). The result has as many
  /// dimensions as the input.
  Tensor forward(const Tensor& input);
  /// Returns the maxima and their indices (kLong). An index is the position in the channel of the
  /// input, in row-major order.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  AdaptiveMaxPool1dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AdaptiveMaxPool1d);

/// Applies adaptive max pooling to (N, C, H, W). The windows are chosen so that the result has the
/// requested spatial size.
class AdaptiveMaxPool2dImpl : public Cloneable<AdaptiveMaxPool2dImpl> {
 public:
  /// Sets the spatial size of the result. nullopt keeps the size of the input.
  ///@{
  AdaptiveMaxPool2dImpl(ExpandingArrayWithOptionalElem<2> size)
      : AdaptiveMaxPool2dImpl(AdaptiveMaxPool2dOptions(size)) {}
  explicit AdaptiveMaxPool2dImpl(const AdaptiveMaxPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::adaptive_max_pool2d to (N, C, H, W) or (C, H, W). The result has as many
  /// dimensions as the input.
  Tensor forward(const Tensor& input);
  /// Returns the maxima and their indices (kLong). An index is the position in the channel of the
  /// input, in row-major order.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  AdaptiveMaxPool2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AdaptiveMaxPool2d);

/// Applies adaptive max pooling to (N, C, D, H, W). The windows are chosen so that the result has
/// the requested spatial size.
class AdaptiveMaxPool3dImpl : public Cloneable<AdaptiveMaxPool3dImpl> {
 public:
  /// Sets the spatial size of the result. nullopt keeps the size of the input.
  ///@{
  AdaptiveMaxPool3dImpl(ExpandingArrayWithOptionalElem<3> size)
      : AdaptiveMaxPool3dImpl(AdaptiveMaxPool3dOptions(size)) {}
  explicit AdaptiveMaxPool3dImpl(const AdaptiveMaxPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::adaptive_max_pool3d to (N, C, D, H, W) or (C, D, H, W). The result has as
  /// many dimensions as the input.
  Tensor forward(const Tensor& input);
  /// Returns the maxima and their indices (kLong). An index is the position in the channel of the
  /// input, in row-major order.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  AdaptiveMaxPool3dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(AdaptiveMaxPool3d);

/// Applies fractional max pooling to (N, C, H, W): the maxima of windows at random positions.
/// `_random_samples` determines the positions. If it is undefined, each call draws new positions.
/// Throws Error unless exactly one of output_size and output_ratio is given. Throws Error unless
/// the ratios are between 0 and 1.
class FractionalMaxPool2dImpl : public Cloneable<FractionalMaxPool2dImpl> {
 public:
  /// Takes the options. The constructor with only a kernel size always throws Error, because the
  /// size of the result is missing.
  ///@{
  FractionalMaxPool2dImpl(ExpandingArray<2> size)
      : FractionalMaxPool2dImpl(FractionalMaxPool2dOptions(size)) {}
  explicit FractionalMaxPool2dImpl(const FractionalMaxPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::fractional_max_pool2d to (N, C, H, W) or (C, H, W). The result has as many
  /// dimensions as the input.
  Tensor forward(const Tensor& input);
  /// Returns the maxima and their indices (kLong). An index is the position in the channel of the
  /// input, in row-major order.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  /// The options, which every call reads. But calls use the member _random_samples.
  FractionalMaxPool2dOptions options;
  /// Random positions (N, C, 2) of the windows, in [0, 1). The buffer shares the memory of the
  /// tensor in the options. If it is undefined, each call draws new positions.
  Tensor _random_samples;
};
TAPER_LIBRARY_MODULE(FractionalMaxPool2d);

/// Applies fractional max pooling to (N, C, D, H, W). FractionalMaxPool2d describes positions and
/// errors.
class FractionalMaxPool3dImpl : public Cloneable<FractionalMaxPool3dImpl> {
 public:
  /// Takes the options. The constructor with only a kernel size always throws Error, because the
  /// size of the result is missing.
  ///@{
  FractionalMaxPool3dImpl(ExpandingArray<3> size)
      : FractionalMaxPool3dImpl(FractionalMaxPool3dOptions(size)) {}
  explicit FractionalMaxPool3dImpl(const FractionalMaxPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::fractional_max_pool3d to (N, C, D, H, W) or (C, D, H, W). The result has
  /// as many dimensions as the input.
  Tensor forward(const Tensor& input);
  /// Returns the maxima and their indices (kLong). An index is the position in the channel of the
  /// input, in row-major order.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  /// The options, which every call reads. But calls use the member _random_samples.
  FractionalMaxPool3dOptions options;
  /// Random positions (N, C, 3) of the windows, in [0, 1). The buffer shares the memory of the
  /// tensor in the options. If it is undefined, each call draws new positions.
  Tensor _random_samples;
};
TAPER_LIBRARY_MODULE(FractionalMaxPool3d);

/// Applies power-average pooling to (N, C, L): each output element is the p-norm of a window.
class LPPool1dImpl : public Cloneable<LPPool1dImpl> {
 public:
  /// Sets p to `norm_type`, and kernel_size and stride to `size`, or takes all options.
  ///@{
  LPPool1dImpl(double norm_type, ExpandingArray<1> size)
      : LPPool1dImpl(LPPool1dOptions(norm_type, size)) {}
  explicit LPPool1dImpl(const LPPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::lp_pool1d to (N, C, L) or (C, L). The result has as many dimensions as the
  /// input.
  Tensor forward(const Tensor& input);
  LPPool1dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(LPPool1d);

/// Applies power-average pooling to (N, C, H, W): each output element is the p-norm of a window.
class LPPool2dImpl : public Cloneable<LPPool2dImpl> {
 public:
  /// Sets p to `norm_type`, and kernel_size and stride to `size`, or takes all options.
  ///@{
  LPPool2dImpl(double norm_type, ExpandingArray<2> size)
      : LPPool2dImpl(LPPool2dOptions(norm_type, size)) {}
  explicit LPPool2dImpl(const LPPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::lp_pool2d to (N, C, H, W) or (C, H, W). The result has as many dimensions
  /// as the input.
  Tensor forward(const Tensor& input);
  LPPool2dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(LPPool2d);

/// Applies power-average pooling to (N, C, D, H, W): each output element is the p-norm of a window.
class LPPool3dImpl : public Cloneable<LPPool3dImpl> {
 public:
  /// Sets p to `norm_type`, and kernel_size and stride to `size`, or takes all options.
  ///@{
  LPPool3dImpl(double norm_type, ExpandingArray<3> size)
      : LPPool3dImpl(LPPool3dOptions(norm_type, size)) {}
  explicit LPPool3dImpl(const LPPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Applies functional::lp_pool3d to (N, C, D, H, W) or (C, D, H, W). The result has as many
  /// dimensions as the input.
  Tensor forward(const Tensor& input);
  LPPool3dOptions options;  ///< the options, which every call reads
};
TAPER_LIBRARY_MODULE(LPPool3d);

/// Inverts MaxPool1d: puts maxima back at their indices, and zeros elsewhere.
class MaxUnpool1dImpl : public Cloneable<MaxUnpool1dImpl> {
 public:
  /// Takes the options of the max pooling to invert. If only kernel_size is given, the stride
  /// equals kernel_size.
  ///@{
  MaxUnpool1dImpl(ExpandingArray<1> kernel_size)
      : MaxUnpool1dImpl(MaxUnpool1dOptions(kernel_size)) {}
  explicit MaxUnpool1dImpl(const MaxUnpool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Puts maxima (N, C, L) or (C, L) at `indices`, and zeros elsewhere. `indices` has the dtype
  /// kLong and the sizes of the maxima. `output_size` lists the spatial sizes of the pooling's
  /// input, optionally after N and C. By default, each spatial size is (size - 1) * stride +
  /// kernel_size - 2 * padding. Throws Error if `output_size` differs from this default by more
  /// than a stride.
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const optional<std::vector<int64_t>>& output_size = nullopt);
  MaxUnpool1dOptions options;  ///< the options, which every call reads

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MaxUnpool1d);

/// Inverts MaxPool2d: puts maxima back at their indices, and zeros elsewhere.
class MaxUnpool2dImpl : public Cloneable<MaxUnpool2dImpl> {
 public:
  /// Takes the options of the max pooling to invert. If only kernel_size is given, the stride
  /// equals kernel_size.
  ///@{
  MaxUnpool2dImpl(ExpandingArray<2> kernel_size)
      : MaxUnpool2dImpl(MaxUnpool2dOptions(kernel_size)) {}
  explicit MaxUnpool2dImpl(const MaxUnpool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Puts maxima (N, C, H, W) or (C, H, W) at `indices`, and zeros elsewhere. `indices` has the
  /// dtype kLong and the sizes of the maxima. `output_size` lists the spatial sizes of the
  /// pooling's input, optionally after N and C. By default, each spatial size is (size - 1) *
  /// stride + kernel_size - 2 * padding. Throws Error if `output_size` differs from this default by
  /// more than a stride.
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const optional<std::vector<int64_t>>& output_size = nullopt);
  MaxUnpool2dOptions options;  ///< the options, which every call reads

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MaxUnpool2d);

/// Inverts MaxPool3d: puts maxima back at their indices, and zeros elsewhere.
class MaxUnpool3dImpl : public Cloneable<MaxUnpool3dImpl> {
 public:
  /// Takes the options of the max pooling to invert. If only kernel_size is given, the stride
  /// equals kernel_size.
  ///@{
  MaxUnpool3dImpl(ExpandingArray<3> kernel_size)
      : MaxUnpool3dImpl(MaxUnpool3dOptions(kernel_size)) {}
  explicit MaxUnpool3dImpl(const MaxUnpool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Puts maxima (N, C, D, H, W) or (C, D, H, W) at `indices`, and zeros elsewhere. `indices` has
  /// the dtype kLong and the sizes of the maxima. `output_size` lists the spatial sizes of the
  /// pooling's input, optionally after N and C. By default, each spatial size is (size - 1) *
  /// stride + kernel_size - 2 * padding. Throws Error if `output_size` differs from this default by
  /// more than a stride.
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const optional<std::vector<int64_t>>& output_size = nullopt);
  MaxUnpool3dOptions options;  ///< the options, which every call reads

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MaxUnpool3d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
