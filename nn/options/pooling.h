// Options of the pooling modules and functions.
#pragma once

#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// Configures average pooling. By default, the stride is the size of the kernel.
template <size_t D>
struct AvgPoolOptions {
  /// Sets kernel_size and stride. One number is for all dimensions.
  AvgPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);  ///< size of the window
  TAPER_ARG(ExpandingArray<D>, stride);       ///< stride of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;  ///< padding on both sides
  /// Whether to round output sizes up. The output then includes windows that begin inside the input
  /// and end outside.
  TAPER_ARG(bool, ceil_mode) = false;
  /// Whether the mean includes the zeros of the padding.
  TAPER_ARG(bool, count_include_pad) = true;
  /// If given, the divisor of a window's sum, instead of its number of elements.
  TAPER_ARG(optional<int64_t>, divisor_override) = nullopt;
};
/// Configure AvgPool1d, AvgPool2d and AvgPool3d.
///@{
using AvgPool1dOptions = AvgPoolOptions<1>;
using AvgPool2dOptions = AvgPoolOptions<2>;
using AvgPool3dOptions = AvgPoolOptions<3>;
///@}

/// Configures max pooling. By default, the stride is the size of the kernel. Elements of the
/// padding are minus infinity.
template <size_t D>
struct MaxPoolOptions {
  /// Sets kernel_size and stride. One number is for all dimensions.
  MaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);   ///< size of the window
  TAPER_ARG(ExpandingArray<D>, stride);        ///< stride of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;   ///< padding on both sides
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;  ///< spacing between elements of the window
  TAPER_ARG(bool, ceil_mode) = false;          ///< whether to round output sizes up
};
/// Configure MaxPool1d, MaxPool2d and MaxPool3d.
///@{
using MaxPool1dOptions = MaxPoolOptions<1>;
using MaxPool2dOptions = MaxPoolOptions<2>;
using MaxPool3dOptions = MaxPoolOptions<3>;
///@}

/// Configures adaptive pooling. If an output size is nullopt, it equals the size of the input.
template <class output_size_t>
struct AdaptivePoolOptions {
  /// Sets the spatial sizes of the result. One number is for all dimensions.
  AdaptivePoolOptions(output_size_t output_size) : output_size_(output_size) {}
  TAPER_ARG(output_size_t, output_size);  ///< spatial sizes of the result
};
/// Configure the adaptive pooling modules. In one dimension, nullopt is not allowed.
///@{
using AdaptiveMaxPool1dOptions = AdaptivePoolOptions<ExpandingArray<1>>;
using AdaptiveMaxPool2dOptions = AdaptivePoolOptions<ExpandingArrayWithOptionalElem<2>>;
using AdaptiveMaxPool3dOptions = AdaptivePoolOptions<ExpandingArrayWithOptionalElem<3>>;
using AdaptiveAvgPool1dOptions = AdaptiveMaxPool1dOptions;
using AdaptiveAvgPool2dOptions = AdaptiveMaxPool2dOptions;
using AdaptiveAvgPool3dOptions = AdaptiveMaxPool3dOptions;
///@}

/// Configures max unpooling. Use the options of the max pooling to invert. By default, the stride
/// is the size of the kernel.
template <size_t D>
struct MaxUnpoolOptions {
  /// Sets kernel_size and stride. One number is for all dimensions.
  MaxUnpoolOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);  ///< size of the window
  TAPER_ARG(ExpandingArray<D>, stride);       ///< stride of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;  ///< padding on both sides
};
/// Configure MaxUnpool1d, MaxUnpool2d and MaxUnpool3d.
///@{
using MaxUnpool1dOptions = MaxUnpoolOptions<1>;
using MaxUnpool2dOptions = MaxUnpoolOptions<2>;
using MaxUnpool3dOptions = MaxUnpoolOptions<3>;
///@}

/// Configures fractional max pooling. You must set output_size or output_ratio.
template <size_t D>
struct FractionalMaxPoolOptions {
  /// Sets kernel_size. You must also set output_size or output_ratio.
  FractionalMaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size) {}
  using ExpandingArrayDouble = ExpandingArray<D, double>;         ///< one number, or D numbers
  TAPER_ARG(ExpandingArray<D>, kernel_size);                      ///< size of the window
  TAPER_ARG(optional<ExpandingArray<D>>, output_size) = nullopt;  ///< spatial sizes of the result
  /// The ratio of each output size to the input size, between 0 and 1. Output sizes are rounded
  /// down.
  TAPER_ARG(optional<ExpandingArrayDouble>, output_ratio) = nullopt;
  /// Random positions (N, C, D) in [0, 1). If undefined, each call draws new positions.
  TAPER_ARG(Tensor, _random_samples) = {};
};
/// Configure FractionalMaxPool2d and FractionalMaxPool3d.
///@{
using FractionalMaxPool2dOptions = FractionalMaxPoolOptions<2>;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions<3>;
///@}

/// Configures power-average pooling: (sum of x^p)^(1/p) over windows, with p = norm_type. By
/// default, the stride is the size of the kernel.
template <size_t D>
struct LPPoolOptions {
  /// Sets norm_type, kernel_size and stride. One number is for all dimensions.
  LPPoolOptions(double norm_type, ExpandingArray<D> kernel_size)
      : norm_type_(norm_type), kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(double, norm_type);               ///< order of the norm
  TAPER_ARG(ExpandingArray<D>, kernel_size);  ///< size of the window
  TAPER_ARG(ExpandingArray<D>, stride);       ///< stride of the window
  TAPER_ARG(bool, ceil_mode) = false;         ///< whether to round output sizes up
};
/// Configure LPPool1d, LPPool2d and LPPool3d.
///@{
using LPPool1dOptions = LPPoolOptions<1>;
using LPPool2dOptions = LPPoolOptions<2>;
using LPPool3dOptions = LPPoolOptions<3>;
///@}

namespace functional {

/// Configures functional::max_unpool1d to max_unpool3d. Use the options of the max pooling to
/// invert. By default, the stride is the size of the kernel.
template <size_t D>
struct MaxUnpoolFuncOptions {
  /// Sets kernel_size and stride. One number is for all dimensions.
  MaxUnpoolFuncOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);  ///< size of the window
  TAPER_ARG(ExpandingArray<D>, stride);       ///< stride of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;  ///< padding on both sides
  /// Spatial sizes of the result, optionally after N and C. Several input sizes of a max pooling
  /// give the same output size. `output_size` selects one of these input sizes.
  TAPER_ARG(optional<std::vector<int64_t>>, output_size) = nullopt;
};
/// Configure max_unpool1d, max_unpool2d and max_unpool3d.
///@{
using MaxUnpool1dFuncOptions = MaxUnpoolFuncOptions<1>;
using MaxUnpool2dFuncOptions = MaxUnpoolFuncOptions<2>;
using MaxUnpool3dFuncOptions = MaxUnpoolFuncOptions<3>;
///@}

/// The options of the functions, which are equal to the options of the modules.
///@{
using FractionalMaxPool2dFuncOptions = FractionalMaxPool2dOptions;
using FractionalMaxPool3dFuncOptions = FractionalMaxPool3dOptions;
using LPPool1dFuncOptions = LPPool1dOptions;
using LPPool2dFuncOptions = LPPool2dOptions;
using LPPool3dFuncOptions = LPPool3dOptions;
using AvgPool1dFuncOptions = AvgPool1dOptions;
using AvgPool2dFuncOptions = AvgPool2dOptions;
using AvgPool3dFuncOptions = AvgPool3dOptions;
using MaxPool1dFuncOptions = MaxPool1dOptions;
using MaxPool2dFuncOptions = MaxPool2dOptions;
using MaxPool3dFuncOptions = MaxPool3dOptions;
using AdaptiveMaxPool1dFuncOptions = AdaptiveMaxPool1dOptions;
using AdaptiveMaxPool2dFuncOptions = AdaptiveMaxPool2dOptions;
using AdaptiveMaxPool3dFuncOptions = AdaptiveMaxPool3dOptions;
using AdaptiveAvgPool1dFuncOptions = AdaptiveAvgPool1dOptions;
using AdaptiveAvgPool2dFuncOptions = AdaptiveAvgPool2dOptions;
using AdaptiveAvgPool3dFuncOptions = AdaptiveAvgPool3dOptions;
///@}

}  // namespace functional
}  // namespace torch::taper::nn

#pragma GCC visibility pop
