// Convolutions: Conv1d to Conv3d, ConvTranspose1d to ConvTranspose3d. Shapes are in
// ops/spatial/conv/conv.h.
#pragma once

#include <taper/nn/any_module.h>
#include <taper/nn/modules/common.h>
#include <taper/nn/options/conv.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// What the convolutions share. The weight is (out_channels, in_channels / groups, kernel...),
/// transposed (in_channels, out_channels / groups, kernel...), the bias (out_channels). Both start
/// uniform in +-1/sqrt(weight.size(1) * kernel elements).
template <size_t D, class Derived>
class ConvNdImpl : public Cloneable<Derived> {
 public:
  /// Throws unless in_channels and out_channels are divisible by groups, and for kSame with a
  /// stride.
  explicit ConvNdImpl(const detail::ConvNdOptions<D>& options_);

  /// Makes the parameters from the options. Throws Error for options as the constructor does.
  void reset() override;
  /// Draws new values: first the weight's, then the bias's.
  void reset_parameters();
  /// Sizes and what differs from the defaults.
  void pretty_print(std::ostream& stream) const override;

  detail::ConvNdOptions<D> options;  ///< reset() and every forward() read them
  Tensor weight;                     ///< sizes: see the class
  Tensor bias;                       ///< (out_channels), undefined without bias

 protected:
  /// The input with a border of its own values, for the padding modes other than zeros.
  Tensor with_border(const Tensor& input) const;
  /// Whether padding_mode is kZeros.
  bool pads_with_zeros() const { return options.padding_mode().index() == 0; }
  /// The output padding that makes a transposed convolution's output of the given size, which may
  /// have the dimensions of batch and channels in front. Throws when the stride does not allow it.
  ExpandingArray<D> output_padding_for(const Tensor& input,
                                       const optional<IntArrayRef>& output_size) const;
};

/// Convolution of (N, C, L).
class Conv1dImpl : public ConvNdImpl<1, Conv1dImpl> {
 public:
  /// Channels of the input and the output, and the length of a window; stride 1, no padding by
  /// default.
  ///@{
  Conv1dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<1> kernel_size)
      : Conv1dImpl(Conv1dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv1dImpl(const Conv1dOptions& options_);
  ///@}
  Tensor forward(const Tensor& input);  ///< (N, C, L) or (C, L)
};
extern template class ConvNdImpl<1, Conv1dImpl>;
TAPER_LIBRARY_MODULE(Conv1d);

/// Transposed convolution of (N, C, L).
class ConvTranspose1dImpl : public ConvNdImpl<1, ConvTranspose1dImpl> {
 public:
  /// Channels of the input and the output, and the length of a window; stride 1, no padding by
  /// default.
  ///@{
  ConvTranspose1dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<1> kernel_size)
      : ConvTranspose1dImpl(ConvTranspose1dOptions(in_channels, out_channels, kernel_size)) {}
  explicit ConvTranspose1dImpl(const ConvTranspose1dOptions& options_);
  ///@}
  /// (N, C, L) or (C, L); output_size, the spatial sizes with or without N and C before them, takes
  /// the place of output_padding. Throws Error for sizes that the stride does not give, and for
  /// other padding modes than kZeros.
  Tensor forward(const Tensor& input, const optional<IntArrayRef>& output_size = nullopt);

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
extern template class ConvNdImpl<1, ConvTranspose1dImpl>;
TAPER_LIBRARY_MODULE(ConvTranspose1d);

/// Convolution of (N, C, H, W).
class Conv2dImpl : public ConvNdImpl<2, Conv2dImpl> {
 public:
  /// Channels of the input and the output, and the sizes of a window; stride 1, no padding by
  /// default.
  ///@{
  Conv2dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<2> kernel_size)
      : Conv2dImpl(Conv2dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv2dImpl(const Conv2dOptions& options_);
  ///@}
  Tensor forward(const Tensor& input);  ///< (N, C, H, W) or (C, H, W)
};
extern template class ConvNdImpl<2, Conv2dImpl>;
TAPER_LIBRARY_MODULE(Conv2d);

/// Transposed convolution of (N, C, H, W).
class ConvTranspose2dImpl : public ConvNdImpl<2, ConvTranspose2dImpl> {
 public:
  /// Channels of the input and the output, and the sizes of a window; stride 1, no padding by
  /// default.
  ///@{
  ConvTranspose2dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<2> kernel_size)
      : ConvTranspose2dImpl(ConvTranspose2dOptions(in_channels, out_channels, kernel_size)) {}
  explicit ConvTranspose2dImpl(const ConvTranspose2dOptions& options_);
  ///@}
  /// (N, C, H, W) or (C, H, W); output_size, the spatial sizes with or without N and C before them,
  /// takes the place of output_padding. Throws Error for sizes that the stride does not give, and
  /// for other padding modes than kZeros.
  Tensor forward(const Tensor& input, const optional<IntArrayRef>& output_size = nullopt);

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
extern template class ConvNdImpl<2, ConvTranspose2dImpl>;
TAPER_LIBRARY_MODULE(ConvTranspose2d);

/// Convolution of (N, C, D, H, W).
class Conv3dImpl : public ConvNdImpl<3, Conv3dImpl> {
 public:
  /// Channels of the input and the output, and the sizes of a window; stride 1, no padding by
  /// default.
  ///@{
  Conv3dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<3> kernel_size)
      : Conv3dImpl(Conv3dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv3dImpl(const Conv3dOptions& options_);
  ///@}
  Tensor forward(const Tensor& input);  ///< (N, C, D, H, W) or (C, D, H, W)
};
extern template class ConvNdImpl<3, Conv3dImpl>;
TAPER_LIBRARY_MODULE(Conv3d);

/// Transposed convolution of (N, C, D, H, W).
class ConvTranspose3dImpl : public ConvNdImpl<3, ConvTranspose3dImpl> {
 public:
  /// Channels of the input and the output, and the sizes of a window; stride 1, no padding by
  /// default.
  ///@{
  ConvTranspose3dImpl(int64_t in_channels, int64_t out_channels, ExpandingArray<3> kernel_size)
      : ConvTranspose3dImpl(ConvTranspose3dOptions(in_channels, out_channels, kernel_size)) {}
  explicit ConvTranspose3dImpl(const ConvTranspose3dOptions& options_);
  ///@}
  /// (N, C, D, H, W) or (C, D, H, W); output_size, the spatial sizes with or without N and C before
  /// them, takes the place of output_padding. Throws Error for sizes that the stride does not give,
  /// and for other padding modes than kZeros.
  Tensor forward(const Tensor& input, const optional<IntArrayRef>& output_size = nullopt);

 protected:
  TAPER_LIBRARY_DEFAULT_ARGS();
};
extern template class ConvNdImpl<3, ConvTranspose3dImpl>;
TAPER_LIBRARY_MODULE(ConvTranspose3d);

}  // namespace torch::taper::nn

#pragma GCC visibility pop
