// Options of the convolution modules and functions.
#pragma once

#include <variant>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/enum.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

namespace detail {

/// Names the source of the padding's values: zeros, the mirrored input, the border, or the other
/// end.
using conv_padding_mode_t =
    Choice<enumtype::kZeros, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;
/// The padding on both sides of every spatial dimension: D numbers, kValid, or kSame. kValid means
/// no padding. kSame pads so that the output has the sizes of the input.
template <size_t D>
using conv_padding_t = std::variant<ExpandingArray<D>, enumtype::kValid, enumtype::kSame>;

/// Holds the options of convolutions and transposed convolutions.
template <size_t D>
struct ConvNdOptions {
  using padding_mode_t = conv_padding_mode_t;  ///< kZeros, kReflect, kReplicate or kCircular
  using padding_t = conv_padding_t<D>;         ///< D numbers, kValid or kSame
  /// Sets the sizes. By default: padding 0, stride 1, one group, a bias.
  ConvNdOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TAPER_ARG(int64_t, in_channels);                       ///< channels of the input
  TAPER_ARG(int64_t, out_channels);                      ///< channels of the output
  TAPER_ARG(ExpandingArray<D>, kernel_size);             ///< size of the window
  TAPER_ARG(ExpandingArray<D>, stride) = 1;              ///< stride of the window
  TAPER_ARG(padding_t, padding) = ExpandingArray<D>(0);  ///< padding on both sides

 public:
  /// Sets the padding to D numbers, such as `{1, 2}`. Throws Error for another number of values.
  ConvNdOptions& padding(std::initializer_list<int64_t> list) {
    return padding(padding_t(ExpandingArray<D>(list)));
  }
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;  ///< spacing between elements of the window
  TAPER_ARG(bool, transposed) = false;         ///< whether the convolution is transposed
  /// Number of elements added to one side of the output of a transposed convolution.
  TAPER_ARG(ExpandingArray<D>, output_padding) = 0;
  TAPER_ARG(int64_t, groups) = 1;                    ///< number of groups of channels
  TAPER_ARG(bool, bias) = true;                      ///< whether a bias is added
  TAPER_ARG(padding_mode_t, padding_mode) = kZeros;  ///< the source of the padding's values
};

}  // namespace detail

/// Configures convolutions over D spatial dimensions.
template <size_t D>
using ConvOptions = detail::ConvNdOptions<D>;
/// Configure Conv1d, Conv2d and Conv3d.
///@{
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;
///@}

/// Configures transposed convolutions over D spatial dimensions.
template <size_t D>
struct ConvTransposeOptions {
  /// Names the padding mode. Only kZeros is supported: forward() throws Error for other modes.
  using padding_mode_t = detail::conv_padding_mode_t;
  /// Sets the sizes. By default: padding 0, stride 1, one group, a bias.
  ConvTransposeOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TAPER_ARG(int64_t, in_channels);            ///< channels of the input
  TAPER_ARG(int64_t, out_channels);           ///< channels of the output
  TAPER_ARG(ExpandingArray<D>, kernel_size);  ///< size of the window
  TAPER_ARG(ExpandingArray<D>, stride) = 1;   ///< stride of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;  ///< padding on both sides
  /// Number of elements added to the output on one side.
  TAPER_ARG(ExpandingArray<D>, output_padding) = 0;
  TAPER_ARG(int64_t, groups) = 1;                    ///< number of groups of channels
  TAPER_ARG(bool, bias) = true;                      ///< whether a bias is added
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;        ///< spacing between elements of the window
  TAPER_ARG(padding_mode_t, padding_mode) = kZeros;  ///< the source of the padding's values
};
/// Configure ConvTranspose1d, ConvTranspose2d and ConvTranspose3d.
///@{
using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using ConvTranspose3dOptions = ConvTransposeOptions<3>;
///@}

namespace functional {

/// Configures convolutions with a weight (out, in / groups, K...), for `in` input channels, `out`
/// output channels and the kernel sizes K...
template <size_t D>
struct ConvFuncOptions {
  using padding_t = nn::detail::conv_padding_t<D>;       ///< D numbers, kValid or kSame
  TAPER_ARG(Tensor, bias) = {};                          ///< one for each output channel
  TAPER_ARG(ExpandingArray<D>, stride) = 1;              ///< stride of the window
  TAPER_ARG(padding_t, padding) = ExpandingArray<D>(0);  ///< padding on both sides

 public:
  /// Sets the padding to D numbers, such as `{1, 2}`. Throws Error for another number of values.
  ConvFuncOptions& padding(std::initializer_list<int64_t> list) {
    return padding(padding_t(ExpandingArray<D>(list)));
  }
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;  ///< spacing between elements of the window
  TAPER_ARG(int64_t, groups) = 1;              ///< number of groups of channels
};
/// Configure conv1d, conv2d and conv3d.
///@{
using Conv1dFuncOptions = ConvFuncOptions<1>;
using Conv2dFuncOptions = ConvFuncOptions<2>;
using Conv3dFuncOptions = ConvFuncOptions<3>;
///@}

/// Configures transposed convolutions with a weight (in, out / groups, K...), for `in` input
/// channels, `out` output channels and the kernel sizes K...
template <size_t D>
struct ConvTransposeFuncOptions {
  TAPER_ARG(Tensor, bias) = {};               ///< one for each output channel
  TAPER_ARG(ExpandingArray<D>, stride) = 1;   ///< stride of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;  ///< padding on both sides
  /// Number of elements added to the output on one side.
  TAPER_ARG(ExpandingArray<D>, output_padding) = 0;
  TAPER_ARG(int64_t, groups) = 1;              ///< number of groups of channels
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;  ///< spacing between elements of the window
};
/// Configure conv_transpose1d, conv_transpose2d and conv_transpose3d.
///@{
using ConvTranspose1dFuncOptions = ConvTransposeFuncOptions<1>;
using ConvTranspose2dFuncOptions = ConvTransposeFuncOptions<2>;
using ConvTranspose3dFuncOptions = ConvTransposeFuncOptions<3>;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
