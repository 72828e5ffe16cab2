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

/// What lies outside of the input.
using conv_padding_mode_t =
    Choice<enumtype::kZeros, enumtype::kReflect, enumtype::kReplicate, enumtype::kCircular>;
/// How much is added on both sides of every spatial dimension: numbers, nothing (kValid), or as
/// much as keeps the input's sizes (kSame).
template <size_t D>
using conv_padding_t = std::variant<ExpandingArray<D>, enumtype::kValid, enumtype::kSame>;

/// What both kinds of convolution modules keep.
template <size_t D>
struct ConvNdOptions {
  using padding_mode_t = conv_padding_mode_t;  ///< kZeros, kReflect, kReplicate or kCircular
  using padding_t = conv_padding_t<D>;         ///< D numbers, kValid or kSame
  /// No padding, steps of 1, one group, a bias.
  ConvNdOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TAPER_ARG(int64_t, in_channels);                       ///< channels of the input
  TAPER_ARG(int64_t, out_channels);                      ///< channels of the output
  TAPER_ARG(ExpandingArray<D>, kernel_size);             ///< size of a window
  TAPER_ARG(ExpandingArray<D>, stride) = 1;              ///< steps of the window
  TAPER_ARG(padding_t, padding) = ExpandingArray<D>(0);  ///< elements added on both sides

 public:
  /// `{1, 2}` as D numbers. Throws Error for another count.
  ConvNdOptions& padding(std::initializer_list<int64_t> list) {
    return padding(padding_t(ExpandingArray<D>(list)));
  }
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;  ///< steps within a window
  TAPER_ARG(bool, transposed) = false;         ///< of a transposed convolution
  /// Transposed convolutions: added to one side of the output.
  TAPER_ARG(ExpandingArray<D>, output_padding) = 0;
  TAPER_ARG(int64_t, groups) = 1;  ///< groups of channels that see only each other
  TAPER_ARG(bool, bias) = true;    ///< whether a bias is added
  TAPER_ARG(padding_mode_t, padding_mode) = kZeros;  ///< what stands in the padding
};

}  // namespace detail

/// Options of convolutions over D spatial dimensions.
template <size_t D>
using ConvOptions = detail::ConvNdOptions<D>;
/// The same for one, two and three spatial dimensions.
///@{
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;
///@}

/// Only zeros can be padded here.
template <size_t D>
struct ConvTransposeOptions {
  /// forward() throws Error for all but kZeros.
  using padding_mode_t = detail::conv_padding_mode_t;
  /// No padding, steps of 1, one group, a bias.
  ConvTransposeOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TAPER_ARG(int64_t, in_channels);                   ///< channels of the input
  TAPER_ARG(int64_t, out_channels);                  ///< channels of the output
  TAPER_ARG(ExpandingArray<D>, kernel_size);         ///< size of a window
  TAPER_ARG(ExpandingArray<D>, stride) = 1;          ///< steps of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;         ///< elements added on both sides
  TAPER_ARG(ExpandingArray<D>, output_padding) = 0;  ///< added to the result on one side
  TAPER_ARG(int64_t, groups) = 1;              ///< groups of channels that see only each other
  TAPER_ARG(bool, bias) = true;                ///< whether a bias is added
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;  ///< steps within a window
  TAPER_ARG(padding_mode_t, padding_mode) = kZeros;  ///< what stands in the padding
};
/// The same for one, two and three spatial dimensions.
///@{
using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using ConvTranspose3dOptions = ConvTransposeOptions<3>;
///@}

namespace functional {

/// Of convolutions with a weight (out, in / groups, K...): the kernel's size is the weight's.
template <size_t D>
struct ConvFuncOptions {
  using padding_t = nn::detail::conv_padding_t<D>;       ///< D numbers, kValid or kSame
  TAPER_ARG(Tensor, bias) = {};                          ///< one for each output channel
  TAPER_ARG(ExpandingArray<D>, stride) = 1;              ///< steps of the window
  TAPER_ARG(padding_t, padding) = ExpandingArray<D>(0);  ///< elements added on both sides

 public:
  /// `{1, 2}` as D numbers. Throws Error for another count.
  ConvFuncOptions& padding(std::initializer_list<int64_t> list) {
    return padding(padding_t(ExpandingArray<D>(list)));
  }
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;  ///< steps within a window
  TAPER_ARG(int64_t, groups) = 1;              ///< groups of channels that see only each other
};
/// The same for one, two and three spatial dimensions.
///@{
using Conv1dFuncOptions = ConvFuncOptions<1>;
using Conv2dFuncOptions = ConvFuncOptions<2>;
using Conv3dFuncOptions = ConvFuncOptions<3>;
///@}

/// Of transposed convolutions with a weight (in, out / groups, K...).
template <size_t D>
struct ConvTransposeFuncOptions {
  TAPER_ARG(Tensor, bias) = {};                      ///< one for each output channel
  TAPER_ARG(ExpandingArray<D>, stride) = 1;          ///< steps of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;         ///< elements added on both sides
  TAPER_ARG(ExpandingArray<D>, output_padding) = 0;  ///< added to the result on one side
  TAPER_ARG(int64_t, groups) = 1;              ///< groups of channels that see only each other
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;  ///< steps within a window
};
/// The same for one, two and three spatial dimensions.
///@{
using ConvTranspose1dFuncOptions = ConvTransposeFuncOptions<1>;
using ConvTranspose2dFuncOptions = ConvTransposeFuncOptions<2>;
using ConvTranspose3dFuncOptions = ConvTransposeFuncOptions<3>;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
