// Conv1d to Conv3d, ConvTranspose1d to ConvTranspose3d. ops/spatial/conv/conv.h describes the
// shapes.
#pragma once

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/conv.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Holds the parameters of convolutions. The weight is (out_channels, in_channels / groups,
/// kernel...), or (in_channels, out_channels / groups, kernel...) if transposed. The bias is
/// (out_channels). Both start uniform in [-b, b] with b = 1 / sqrt(weight.size(1) * number of
/// elements of the kernel).
template <size_t D, class Derived>
class ConvNdImpl : public Cloneable<Derived> {
 public:
  /// Throws Error unless groups divides in_channels and out_channels. Throws Error for kSame with a
  /// stride.
  explicit ConvNdImpl(const detail::ConvNdOptions<D>& options_);

  /// Registers the parameters. The options determine their sizes. Throws Error like the
  /// constructor.
  void reset() override;
  /// Draws new values, first for the weight, then for the bias.
  void reset_parameters();
  /// Prints the sizes and the options that differ from the defaults.
  void pretty_print(std::ostream& stream) const override;

  detail::ConvNdOptions<D> options;  ///< read by reset() and every forward()
  Tensor weight;                     ///< the weight. See the class for its sizes
  Tensor bias;                       ///< (out_channels), undefined without bias

 protected:
  /// Returns the input, padded if the padding mode is not kZeros.
  Tensor with_border(const Tensor& input) const;
  /// Returns whether padding_mode is kZeros.
  bool pads_with_zeros() const { return options.padding_mode().index() == 0; }
  /// Returns the output_padding with which a transposed convolution has the output size
  /// `output_size`. `output_size` may begin with the batch size and the channels. Throws Error if
  /// the stride does not allow the size.
  ExpandingArray<D> output_padding_for(const Tensor& input,
                                       const optional<IntArrayRef>& output_size) const;
};

/// Applies a 1-dimensional convolution (cross-correlation). (N, in_channels, L) gives (N,
/// out_channels, L'). An output size is (size + 2 * padding - dilation * (kernel - 1) - 1) / stride
/// + 1, rounded down.
class Conv1dImpl : public ConvNdImpl<1, Conv1dImpl> {
 public:
  /// Sets the channels of input and output, and the kernel size. Defaults: stride 1, padding 0,
  /// dilation 1, groups 1, bias true.
  ///@{
  Conv1dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<1> kernel_size)
      : Conv1dImpl(Conv1dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv1dImpl(const Conv1dOptions& options_);
  ///@}
  Tensor forward(const Tensor& input);  ///< (N, C, L) or (C, L)
};
extern template class ConvNdImpl<1, Conv1dImpl>;
TAPER_LIBRARY_MODULE(Conv1d);

/// Applies a 1-dimensional transposed convolution. (N, in_channels, L) gives (N, out_channels, L').
/// An output size is (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding +
/// 1.
class ConvTranspose1dImpl : public ConvNdImpl<1, ConvTranspose1dImpl> {
 public:
  /// Sets the channels of input and output, and the kernel size. Defaults: stride 1, padding 0,
  /// dilation 1, groups 1, bias true.
  ///@{
  ConvTranspose1dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<1> kernel_size)
      : ConvTranspose1dImpl(ConvTranspose1dOptions(in_channels, out_channels, kernel_size)) {}
  explicit ConvTranspose1dImpl(const ConvTranspose1dOptions& options_);
  ///@}
  /// Applies the transposed convolution to (N, C, L) or (C, L). If `output_size` is given, it
  /// replaces output_padding. It lists the spatial sizes of the output, optionally after N and C.
  /// Throws Error for sizes that are impossible with this stride, and for padding modes other than
  /// kZeros.
  Tensor forward(const Tensor& input, const optional<IntArrayRef>& output_size = nullopt);

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
extern template class ConvNdImpl<1, ConvTranspose1dImpl>;
TAPER_LIBRARY_MODULE(ConvTranspose1d);

/// Applies a 2-dimensional convolution (cross-correlation). (N, in_channels, H, W) gives (N,
/// out_channels, H', W'). An output size is (size + 2 * padding - dilation * (kernel - 1) - 1) /
/// stride + 1, rounded down.
///
///     Conv2d conv(Conv2dOptions(3, 16, 3).padding(1));
///     Tensor y = conv(x);  // (N, 3, H, W) to (N, 16, H, W)
class Conv2dImpl : public ConvNdImpl<2, Conv2dImpl> {
 public:
  /// Sets the channels of input and output, and the kernel size. Defaults: stride 1, padding 0,
  /// dilation 1, groups 1, bias true.
  ///@{
  Conv2dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<2> kernel_size)
      : Conv2dImpl(Conv2dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv2dImpl(const Conv2dOptions& options_);
  ///@}
  Tensor forward(const Tensor& input);  ///< (N, C, H, W) or (C, H, W)
};
extern template class ConvNdImpl<2, Conv2dImpl>;
TAPER_LIBRARY_MODULE(Conv2d);

/// Applies a 2-dimensional transposed convolution. (N, in_channels, H, W) gives (N, out_channels,
/// H', W'). An output size is (size - 1) * stride - 2 * padding + dilation * (kernel - 1) +
/// output_padding + 1.
class ConvTranspose2dImpl : public ConvNdImpl<2, ConvTranspose2dImpl> {
 public:
  /// Sets the channels of input and output, and the kernel size. Defaults: stride 1, padding 0,
  /// dilation 1, groups 1, bias true.
  ///@{
  ConvTranspose2dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<2> kernel_size)
      : ConvTranspose2dImpl(ConvTranspose2dOptions(in_channels, out_channels, kernel_size)) {}
  explicit ConvTranspose2dImpl(const ConvTranspose2dOptions& options_);
  ///@}
  /// Applies the transposed convolution to (N, C, H, W) or (C, H, W). If `output_size` is given, it
  /// replaces output_padding. It lists the spatial sizes of the output, optionally after N and C.
  /// Throws Error for sizes that are impossible with this stride, and for padding modes other than
  /// kZeros.
  Tensor forward(const Tensor& input, const optional<IntArrayRef>& output_size = nullopt);

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
extern template class ConvNdImpl<2, ConvTranspose2dImpl>;
TAPER_LIBRARY_MODULE(ConvTranspose2d);

/// Applies a 3-dimensional convolution (cross-correlation). (N, in_channels, D, H, W) gives (N,
/// out_channels, D', H', W'). An output size is (size + 2 * padding - dilation * (kernel - 1) - 1)
/// / stride + 1, rounded down.
class Conv3dImpl : public ConvNdImpl<3, Conv3dImpl> {
 public:
  /// Sets the channels of input and output, and the kernel size. Defaults: stride 1, padding 0,
  /// dilation 1, groups 1, bias true.
  ///@{
  Conv3dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<3> kernel_size)
      : Conv3dImpl(Conv3dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv3dImpl(const Conv3dOptions& options_);
  ///@}
  Tensor forward(const Tensor& input);  ///< (N, C, D, H, W) or (C, D, H, W)
};
extern template class ConvNdImpl<3, Conv3dImpl>;
TAPER_LIBRARY_MODULE(Conv3d);

/// Applies a 3-dimensional transposed convolution. (N, in_channels, D, H, W) gives (N,
/// out_channels, D', H', W'). An output size is (size - 1) * stride - 2 * padding + dilation *
/// (kernel - 1) + output_padding + 1.
class ConvTranspose3dImpl : public ConvNdImpl<3, ConvTranspose3dImpl> {
 public:
  /// Sets the channels of input and output, and the kernel size. Defaults: stride 1, padding 0,
  /// dilation 1, groups 1, bias true.
  ///@{
  ConvTranspose3dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<3> kernel_size)
      : ConvTranspose3dImpl(ConvTranspose3dOptions(in_channels, out_channels, kernel_size)) {}
  explicit ConvTranspose3dImpl(const ConvTranspose3dOptions& options_);
  ///@}
  /// Applies the transposed convolution to (N, C, D, H, W) or (C, D, H, W). If `output_size` is
  /// given, it replaces output_padding. It lists the spatial sizes of the output, optionally after
  /// N and C. Throws Error for sizes that are impossible with this stride, and for padding modes
  /// other than kZeros.
  Tensor forward(const Tensor& input, const optional<IntArrayRef>& output_size = nullopt);

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
extern template class ConvNdImpl<3, ConvTranspose3dImpl>;
TAPER_LIBRARY_MODULE(ConvTranspose3d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
