// Pooling modules; shapes and errors are in functional/pooling.h.
#pragma once

#include <tuple>

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/pooling.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Means over windows of (N, C, L).
class AvgPool1dImpl : public Cloneable<AvgPool1dImpl> {
 public:
  /// A window of `size`, which is the stride, too; or all options.
  ///@{
  AvgPool1dImpl(ExpandingArray<1> size) : AvgPool1dImpl(AvgPool1dOptions(size)) {}
  explicit AvgPool1dImpl(const AvgPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::avg_pool1d of (N, C, L) or (C, L); the result has as many dimensions.
  Tensor forward(const Tensor& input);

  AvgPool1dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(AvgPool1d);

/// Means over windows of (N, C, H, W).
class AvgPool2dImpl : public Cloneable<AvgPool2dImpl> {
 public:
  /// A window of `size`, which is the stride, too; or all options.
  ///@{
  AvgPool2dImpl(ExpandingArray<2> size) : AvgPool2dImpl(AvgPool2dOptions(size)) {}
  explicit AvgPool2dImpl(const AvgPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::avg_pool2d of (N, C, H, W) or (C, H, W); the result has as many dimensions.
  Tensor forward(const Tensor& input);

  AvgPool2dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(AvgPool2d);

/// Means over windows of (N, C, D, H, W).
class AvgPool3dImpl : public Cloneable<AvgPool3dImpl> {
 public:
  /// A window of `size`, which is the stride, too; or all options.
  ///@{
  AvgPool3dImpl(ExpandingArray<3> size) : AvgPool3dImpl(AvgPool3dOptions(size)) {}
  explicit AvgPool3dImpl(const AvgPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::avg_pool3d of (N, C, D, H, W) or (C, D, H, W); the result has as many dimensions.
  Tensor forward(const Tensor& input);

  AvgPool3dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(AvgPool3d);

/// Maxima over windows of (N, C, L); forward_with_indices() tells their places, too.
class MaxPool1dImpl : public Cloneable<MaxPool1dImpl> {
 public:
  /// A window of `size`, which is the stride, too; or all options.
  ///@{
  MaxPool1dImpl(ExpandingArray<1> size) : MaxPool1dImpl(MaxPool1dOptions(size)) {}
  explicit MaxPool1dImpl(const MaxPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::max_pool1d of (N, C, L) or (C, L); the result has as many dimensions.
  Tensor forward(const Tensor& input);
  /// The maxima, and the place of each in its channel, counted row-major: kLong, of the same sizes.
  /// MaxUnpool1d takes both.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  MaxPool1dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(MaxPool1d);

/// Maxima over windows of (N, C, H, W); forward_with_indices() tells their places, too.
class MaxPool2dImpl : public Cloneable<MaxPool2dImpl> {
 public:
  /// A window of `size`, which is the stride, too; or all options.
  ///@{
  MaxPool2dImpl(ExpandingArray<2> size) : MaxPool2dImpl(MaxPool2dOptions(size)) {}
  explicit MaxPool2dImpl(const MaxPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::max_pool2d of (N, C, H, W) or (C, H, W); the result has as many dimensions.
  Tensor forward(const Tensor& input);
  /// The maxima, and the place of each in its channel, counted row-major: kLong, of the same sizes.
  /// MaxUnpool2d takes both.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  MaxPool2dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(MaxPool2d);

/// Maxima over windows of (N, C, D, H, W); forward_with_indices() tells their places, too.
class MaxPool3dImpl : public Cloneable<MaxPool3dImpl> {
 public:
  /// A window of `size`, which is the stride, too; or all options.
  ///@{
  MaxPool3dImpl(ExpandingArray<3> size) : MaxPool3dImpl(MaxPool3dOptions(size)) {}
  explicit MaxPool3dImpl(const MaxPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::max_pool3d of (N, C, D, H, W) or (C, D, H, W); the result has as many dimensions.
  Tensor forward(const Tensor& input);
  /// The maxima, and the place of each in its channel, counted row-major: kLong, of the same sizes.
  /// MaxUnpool3d takes both.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  MaxPool3dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(MaxPool3d);

/// Means over windows that give (N, C, L) a spatial size.
class AdaptiveAvgPool1dImpl : public Cloneable<AdaptiveAvgPool1dImpl> {
 public:
  /// `size` is the spatial size of the result.
  ///@{
  AdaptiveAvgPool1dImpl(ExpandingArray<1> size)
      : AdaptiveAvgPool1dImpl(AdaptiveAvgPool1dOptions(size)) {}
  explicit AdaptiveAvgPool1dImpl(const AdaptiveAvgPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::adaptive_avg_pool1d of (N, C, L) or (C, L); the result has as many dimensions.
  Tensor forward(const Tensor& input);

  AdaptiveAvgPool1dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(AdaptiveAvgPool1d);

/// Means over windows that give (N, C, H, W) a spatial size.
class AdaptiveAvgPool2dImpl : public Cloneable<AdaptiveAvgPool2dImpl> {
 public:
  /// `size` is the spatial size of the result (nullopt keeps that of the input).
  ///@{
  AdaptiveAvgPool2dImpl(ExpandingArrayWithOptionalElem<2> size)
      : AdaptiveAvgPool2dImpl(AdaptiveAvgPool2dOptions(size)) {}
  explicit AdaptiveAvgPool2dImpl(const AdaptiveAvgPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::adaptive_avg_pool2d of (N, C, H, W) or (C, H, W); the result has as many
  /// dimensions.
  Tensor forward(const Tensor& input);

  AdaptiveAvgPool2dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(AdaptiveAvgPool2d);

/// Means over windows that give (N, C, D, H, W) a spatial size.
class AdaptiveAvgPool3dImpl : public Cloneable<AdaptiveAvgPool3dImpl> {
 public:
  /// `size` is the spatial size of the result (nullopt keeps that of the input).
  ///@{
  AdaptiveAvgPool3dImpl(ExpandingArrayWithOptionalElem<3> size)
      : AdaptiveAvgPool3dImpl(AdaptiveAvgPool3dOptions(size)) {}
  explicit AdaptiveAvgPool3dImpl(const AdaptiveAvgPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::adaptive_avg_pool3d of (N, C, D, H, W) or (C, D, H, W); the result has as many
  /// dimensions.
  Tensor forward(const Tensor& input);

  AdaptiveAvgPool3dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(AdaptiveAvgPool3d);

/// Maxima over windows that give (N, C, L) a spatial size.
class AdaptiveMaxPool1dImpl : public Cloneable<AdaptiveMaxPool1dImpl> {
 public:
  /// `size` is the spatial size of the result.
  ///@{
  AdaptiveMaxPool1dImpl(ExpandingArray<1> size)
      : AdaptiveMaxPool1dImpl(AdaptiveMaxPool1dOptions(size)) {}
  explicit AdaptiveMaxPool1dImpl(const AdaptiveMaxPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::adaptive_max_pool1d of (N, C, L) or (C, L); the result has as many dimensions.
  Tensor forward(const Tensor& input);
  /// The maxima, and the place of each in its channel, counted row-major: kLong, of the same sizes.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  AdaptiveMaxPool1dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(AdaptiveMaxPool1d);

/// Maxima over windows that give (N, C, H, W) a spatial size.
class AdaptiveMaxPool2dImpl : public Cloneable<AdaptiveMaxPool2dImpl> {
 public:
  /// `size` is the spatial size of the result (nullopt keeps that of the input).
  ///@{
  AdaptiveMaxPool2dImpl(ExpandingArrayWithOptionalElem<2> size)
      : AdaptiveMaxPool2dImpl(AdaptiveMaxPool2dOptions(size)) {}
  explicit AdaptiveMaxPool2dImpl(const AdaptiveMaxPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::adaptive_max_pool2d of (N, C, H, W) or (C, H, W); the result has as many
  /// dimensions.
  Tensor forward(const Tensor& input);
  /// The maxima, and the place of each in its channel, counted row-major: kLong, of the same sizes.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  AdaptiveMaxPool2dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(AdaptiveMaxPool2d);

/// Maxima over windows that give (N, C, D, H, W) a spatial size.
class AdaptiveMaxPool3dImpl : public Cloneable<AdaptiveMaxPool3dImpl> {
 public:
  /// `size` is the spatial size of the result (nullopt keeps that of the input).
  ///@{
  AdaptiveMaxPool3dImpl(ExpandingArrayWithOptionalElem<3> size)
      : AdaptiveMaxPool3dImpl(AdaptiveMaxPool3dOptions(size)) {}
  explicit AdaptiveMaxPool3dImpl(const AdaptiveMaxPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::adaptive_max_pool3d of (N, C, D, H, W) or (C, D, H, W); the result has as many
  /// dimensions.
  Tensor forward(const Tensor& input);
  /// The maxima, and the place of each in its channel, counted row-major: kLong, of the same sizes.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  AdaptiveMaxPool3dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(AdaptiveMaxPool3d);

/// Maxima of windows at places that `_random_samples` (a buffer where the options give it, else
/// drawn in every call) choose. Throws Error unless one of output_size and output_ratio is given,
/// and where a ratio is not between 0 and 1.
class FractionalMaxPool2dImpl : public Cloneable<FractionalMaxPool2dImpl> {
 public:
  /// A kernel size alone leaves the result's size open: that form always throws Error.
  ///@{
  FractionalMaxPool2dImpl(ExpandingArray<2> size)
      : FractionalMaxPool2dImpl(FractionalMaxPool2dOptions(size)) {}
  explicit FractionalMaxPool2dImpl(const FractionalMaxPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::fractional_max_pool2d of (N, C, H, W) or (C, H, W); the result has as many
  /// dimensions.
  Tensor forward(const Tensor& input);
  /// The maxima, and the place of each in its channel, counted row-major: kLong, of the same sizes.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  FractionalMaxPool2dOptions options;  ///< read by each forward(), but for the samples
  /// Numbers in [0, 1) that place the windows, (N, C, 2): a buffer with the storage of the options'
  /// tensor; undefined: drawn in every call.
  Tensor _random_samples;
};
TAPER_LIBRARY_MODULE(FractionalMaxPool2d);

/// FractionalMaxPool2d of three spatial dimensions.
class FractionalMaxPool3dImpl : public Cloneable<FractionalMaxPool3dImpl> {
 public:
  /// A kernel size alone leaves the result's size open: that form always throws Error.
  ///@{
  FractionalMaxPool3dImpl(ExpandingArray<3> size)
      : FractionalMaxPool3dImpl(FractionalMaxPool3dOptions(size)) {}
  explicit FractionalMaxPool3dImpl(const FractionalMaxPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::fractional_max_pool3d of (N, C, D, H, W) or (C, D, H, W); the result has as many
  /// dimensions.
  Tensor forward(const Tensor& input);
  /// The maxima, and the place of each in its channel, counted row-major: kLong, of the same sizes.
  std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input);
  FractionalMaxPool3dOptions options;  ///< read by each forward(), but for the samples
  /// Numbers in [0, 1) that place the windows, (N, C, 3): a buffer with the storage of the options'
  /// tensor; undefined: drawn in every call.
  Tensor _random_samples;
};
TAPER_LIBRARY_MODULE(FractionalMaxPool3d);

/// The p-norm over windows of (N, C, L).
class LPPool1dImpl : public Cloneable<LPPool1dImpl> {
 public:
  /// p is `norm_type`; a window of `size`, which is the stride, too; or all options.
  ///@{
  LPPool1dImpl(double norm_type, ExpandingArray<1> size)
      : LPPool1dImpl(LPPool1dOptions(norm_type, size)) {}
  explicit LPPool1dImpl(const LPPool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::lp_pool1d of (N, C, L) or (C, L); the result has as many dimensions.
  Tensor forward(const Tensor& input);
  LPPool1dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(LPPool1d);

/// The p-norm over windows of (N, C, H, W).
class LPPool2dImpl : public Cloneable<LPPool2dImpl> {
 public:
  /// p is `norm_type`; a window of `size`, which is the stride, too; or all options.
  ///@{
  LPPool2dImpl(double norm_type, ExpandingArray<2> size)
      : LPPool2dImpl(LPPool2dOptions(norm_type, size)) {}
  explicit LPPool2dImpl(const LPPool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::lp_pool2d of (N, C, H, W) or (C, H, W); the result has as many dimensions.
  Tensor forward(const Tensor& input);
  LPPool2dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(LPPool2d);

/// The p-norm over windows of (N, C, D, H, W).
class LPPool3dImpl : public Cloneable<LPPool3dImpl> {
 public:
  /// p is `norm_type`; a window of `size`, which is the stride, too; or all options.
  ///@{
  LPPool3dImpl(double norm_type, ExpandingArray<3> size)
      : LPPool3dImpl(LPPool3dOptions(norm_type, size)) {}
  explicit LPPool3dImpl(const LPPool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// functional::lp_pool3d of (N, C, D, H, W) or (C, D, H, W); the result has as many dimensions.
  Tensor forward(const Tensor& input);
  LPPool3dOptions options;  ///< read by each forward()
};
TAPER_LIBRARY_MODULE(LPPool3d);

/// The inverse of MaxPool1d: takes maxima and their places, and the size to unpool to.
class MaxUnpool1dImpl : public Cloneable<MaxUnpool1dImpl> {
 public:
  /// The options of the pooling to undo; a kernel size alone is the stride, too.
  ///@{
  MaxUnpool1dImpl(ExpandingArray<1> kernel_size)
      : MaxUnpool1dImpl(MaxUnpool1dOptions(kernel_size)) {}
  explicit MaxUnpool1dImpl(const MaxUnpool1dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Maxima (N, C, L) or (C, L) at the places `indices` (of the same sizes, kLong), zeros
  /// elsewhere. `output_size` (spatial, or with N and C) is that of the pooling's input; without it
  /// a size is (size - 1) * stride + kernel_size - 2 * padding. Throws Error for one that is
  /// further than a stride from this.
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const optional<std::vector<int64_t>>& output_size = nullopt);
  MaxUnpool1dOptions options;  ///< read by each forward()

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MaxUnpool1d);

/// The inverse of MaxPool2d: takes maxima and their places, and the size to unpool to.
class MaxUnpool2dImpl : public Cloneable<MaxUnpool2dImpl> {
 public:
  /// The options of the pooling to undo; a kernel size alone is the stride, too.
  ///@{
  MaxUnpool2dImpl(ExpandingArray<2> kernel_size)
      : MaxUnpool2dImpl(MaxUnpool2dOptions(kernel_size)) {}
  explicit MaxUnpool2dImpl(const MaxUnpool2dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Maxima (N, C, H, W) or (C, H, W) at the places `indices` (of the same sizes, kLong), zeros
  /// elsewhere. `output_size` (spatial, or with N and C) is that of the pooling's input; without it
  /// a size is (size - 1) * stride + kernel_size - 2 * padding. Throws Error for one that is
  /// further than a stride from this.
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const optional<std::vector<int64_t>>& output_size = nullopt);
  MaxUnpool2dOptions options;  ///< read by each forward()

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MaxUnpool2d);

/// The inverse of MaxPool3d: takes maxima and their places, and the size to unpool to.
class MaxUnpool3dImpl : public Cloneable<MaxUnpool3dImpl> {
 public:
  /// The options of the pooling to undo; a kernel size alone is the stride, too.
  ///@{
  MaxUnpool3dImpl(ExpandingArray<3> kernel_size)
      : MaxUnpool3dImpl(MaxUnpool3dOptions(kernel_size)) {}
  explicit MaxUnpool3dImpl(const MaxUnpool3dOptions& options_);
  ///@}
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Maxima (N, C, D, H, W) or (C, D, H, W) at the places `indices` (of the same sizes, kLong),
  /// zeros elsewhere. `output_size` (spatial, or with N and C) is that of the pooling's input;
  /// without it a size is (size - 1) * stride + kernel_size - 2 * padding. Throws Error for one
  /// that is further than a stride from this.
  Tensor forward(const Tensor& input, const Tensor& indices,
                 const optional<std::vector<int64_t>>& output_size = nullopt);
  MaxUnpool3dOptions options;  ///< read by each forward()

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
TAPER_LIBRARY_MODULE(MaxUnpool3d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
