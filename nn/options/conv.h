// Options of the convolution modules and functions.
#pragma once

#include <variant>

#include <taper/framework/arg.h>
#include <taper/framework/tensor.h>
#include <taper/nn/enum.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace taper::nn {

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
  using padding_mode_t = conv_padding_mode_t;
  using padding_t = conv_padding_t<D>;
  ConvNdOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TAPER_ARG(int64_t, in_channels);
  TAPER_ARG(int64_t, out_channels);
  TAPER_ARG(ExpandingArray<D>, kernel_size);
  TAPER_ARG(ExpandingArray<D>, stride) = 1;
  TAPER_ARG(padding_t, padding) = ExpandingArray<D>(0);

 public:
  ConvNdOptions& padding(std::initializer_list<int64_t> list) {
    return padding(padding_t(ExpandingArray<D>(list)));
  }
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;
  TAPER_ARG(bool, transposed) = false;
  /// Transposed convolutions: added to one side of the output.
  TAPER_ARG(ExpandingArray<D>, output_padding) = 0;
  TAPER_ARG(int64_t, groups) = 1;
  TAPER_ARG(bool, bias) = true;
  TAPER_ARG(padding_mode_t, padding_mode) = kZeros;
};

}  // namespace detail

template <size_t D>
using ConvOptions = detail::ConvNdOptions<D>;
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

/// Only zeros can be padded here.
template <size_t D>
struct ConvTransposeOptions {
  using padding_mode_t = detail::conv_padding_mode_t;
  ConvTransposeOptions(int64_t in_channels, int64_t out_channels, ExpandingArray<D> kernel_size)
      : in_channels_(in_channels), out_channels_(out_channels), kernel_size_(kernel_size) {}
  TAPER_ARG(int64_t, in_channels);
  TAPER_ARG(int64_t, out_channels);
  TAPER_ARG(ExpandingArray<D>, kernel_size);
  TAPER_ARG(ExpandingArray<D>, stride) = 1;
  TAPER_ARG(ExpandingArray<D>, padding) = 0;
  TAPER_ARG(ExpandingArray<D>, output_padding) = 0;
  TAPER_ARG(int64_t, groups) = 1;
  TAPER_ARG(bool, bias) = true;
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;
  TAPER_ARG(padding_mode_t, padding_mode) = kZeros;
};
using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using ConvTranspose3dOptions = ConvTransposeOptions<3>;

namespace functional {

template <size_t D>
struct ConvFuncOptions {
  using padding_t = nn::detail::conv_padding_t<D>;
  TAPER_ARG(Tensor, bias) = {};
  TAPER_ARG(ExpandingArray<D>, stride) = 1;
  TAPER_ARG(padding_t, padding) = ExpandingArray<D>(0);

 public:
  ConvFuncOptions& padding(std::initializer_list<int64_t> list) {
    return padding(padding_t(ExpandingArray<D>(list)));
  }
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;
  TAPER_ARG(int64_t, groups) = 1;
};
using Conv1dFuncOptions = ConvFuncOptions<1>;
using Conv2dFuncOptions = ConvFuncOptions<2>;
using Conv3dFuncOptions = ConvFuncOptions<3>;

template <size_t D>
struct ConvTransposeFuncOptions {
  TAPER_ARG(Tensor, bias) = {};
  TAPER_ARG(ExpandingArray<D>, stride) = 1;
  TAPER_ARG(ExpandingArray<D>, padding) = 0;
  TAPER_ARG(ExpandingArray<D>, output_padding) = 0;
  TAPER_ARG(int64_t, groups) = 1;
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;
};
using ConvTranspose1dFuncOptions = ConvTransposeFuncOptions<1>;
using ConvTranspose2dFuncOptions = ConvTransposeFuncOptions<2>;
using ConvTranspose3dFuncOptions = ConvTransposeFuncOptions<3>;

}  // namespace functional
}  // namespace taper::nn

#pragma GCC visibility pop
