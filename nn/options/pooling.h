// Options of the pooling modules and functions.
#pragma once

#include <vector>

#include <taper/framework/core/arg.h>
#include <taper/framework/core/tensor.h>
#include <taper/nn/expanding_array.h>

#pragma GCC visibility push(default)

namespace torch::taper::nn {

/// The stride is the kernel's size unless given.
template <size_t D>
struct AvgPoolOptions {
  /// The stride is the kernel's size, too; one number is for all dimensions.
  AvgPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);  ///< size of a window
  TAPER_ARG(ExpandingArray<D>, stride);       ///< steps of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;  ///< elements added on both sides
  /// Rounds the output's size up: windows that only begin inside count.
  TAPER_ARG(bool, ceil_mode) = false;
  /// Whether padding zeros count in the mean.
  TAPER_ARG(bool, count_include_pad) = true;
  /// Divides by this in place of the window's number of elements.
  TAPER_ARG(optional<int64_t>, divisor_override) = nullopt;
};
/// For one, two and three spatial dimensions.
///@{
using AvgPool1dOptions = AvgPoolOptions<1>;
using AvgPool2dOptions = AvgPoolOptions<2>;
using AvgPool3dOptions = AvgPoolOptions<3>;
///@}

/// The stride is the kernel's size unless given. Padding counts as minus infinity.
template <size_t D>
struct MaxPoolOptions {
  /// The stride is the kernel's size, too; one number is for all dimensions.
  MaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);   ///< size of a window
  TAPER_ARG(ExpandingArray<D>, stride);        ///< steps of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;   ///< elements added on both sides
  TAPER_ARG(ExpandingArray<D>, dilation) = 1;  ///< steps within a window
  TAPER_ARG(bool, ceil_mode) = false;          ///< whether windows may hang over the end
};
/// For one, two and three spatial dimensions.
///@{
using MaxPool1dOptions = MaxPoolOptions<1>;
using MaxPool2dOptions = MaxPoolOptions<2>;
using MaxPool3dOptions = MaxPoolOptions<3>;
///@}

/// nullopt for a dimension of the output stands for the input's size.
template <class output_size_t>
struct AdaptivePoolOptions {
  /// The result's spatial sizes; one number is for all dimensions.
  AdaptivePoolOptions(output_size_t output_size) : output_size_(output_size) {}
  TAPER_ARG(output_size_t, output_size);  ///< of the result
};
/// For one, two and three spatial dimensions. In one dimension there is no nullopt.
///@{
using AdaptiveMaxPool1dOptions = AdaptivePoolOptions<ExpandingArray<1>>;
using AdaptiveMaxPool2dOptions = AdaptivePoolOptions<ExpandingArrayWithOptionalElem<2>>;
using AdaptiveMaxPool3dOptions = AdaptivePoolOptions<ExpandingArrayWithOptionalElem<3>>;
using AdaptiveAvgPool1dOptions = AdaptiveMaxPool1dOptions;
using AdaptiveAvgPool2dOptions = AdaptiveMaxPool2dOptions;
using AdaptiveAvgPool3dOptions = AdaptiveMaxPool3dOptions;
///@}

/// Those of the MaxPool to undo. The stride is the kernel's size unless given.
template <size_t D>
struct MaxUnpoolOptions {
  /// The stride is the kernel's size, too; one number is for all dimensions.
  MaxUnpoolOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);  ///< size of a window
  TAPER_ARG(ExpandingArray<D>, stride);       ///< steps of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;  ///< elements added on both sides
};
/// For one, two and three spatial dimensions.
///@{
using MaxUnpool1dOptions = MaxUnpoolOptions<1>;
using MaxUnpool2dOptions = MaxUnpoolOptions<2>;
using MaxUnpool3dOptions = MaxUnpoolOptions<3>;
///@}

/// Either output_size or output_ratio (of the input's size) is given.
template <size_t D>
struct FractionalMaxPoolOptions {
  /// The size of the result is still to be given, by output_size or output_ratio.
  FractionalMaxPoolOptions(ExpandingArray<D> kernel_size) : kernel_size_(kernel_size) {}
  using ExpandingArrayDouble = ExpandingArray<D, double>;         ///< one number, or D
  TAPER_ARG(ExpandingArray<D>, kernel_size);                      ///< size of a window
  TAPER_ARG(optional<ExpandingArray<D>>, output_size) = nullopt;  ///< of the result
  /// Of the result's size to the input's, between 0 and 1; the size is rounded down.
  TAPER_ARG(optional<ExpandingArrayDouble>, output_ratio) = nullopt;
  /// (N, C, D) in [0, 1); drawn where it is undefined.
  TAPER_ARG(Tensor, _random_samples) = {};
};
/// For two and three spatial dimensions.
///@{
using FractionalMaxPool2dOptions = FractionalMaxPoolOptions<2>;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions<3>;
///@}

/// (sum of x^p)^(1/p) over windows, p = norm_type. The stride is the kernel's size unless given.
template <size_t D>
struct LPPoolOptions {
  /// The stride is the kernel's size, too; one number is for all dimensions.
  LPPoolOptions(double norm_type, ExpandingArray<D> kernel_size)
      : norm_type_(norm_type), kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(double, norm_type);               ///< p of the norm
  TAPER_ARG(ExpandingArray<D>, kernel_size);  ///< size of a window
  TAPER_ARG(ExpandingArray<D>, stride);       ///< steps of the window
  TAPER_ARG(bool, ceil_mode) = false;         ///< whether windows may hang over the end
};
/// For one, two and three spatial dimensions.
///@{
using LPPool1dOptions = LPPoolOptions<1>;
using LPPool2dOptions = LPPoolOptions<2>;
using LPPool3dOptions = LPPoolOptions<3>;
///@}

namespace functional {

/// Those of the max_pool to undo. The stride is the kernel's size unless given.
template <size_t D>
struct MaxUnpoolFuncOptions {
  /// The stride is the kernel's size, too; one number is for all dimensions.
  MaxUnpoolFuncOptions(ExpandingArray<D> kernel_size)
      : kernel_size_(kernel_size), stride_(kernel_size) {}
  TAPER_ARG(ExpandingArray<D>, kernel_size);  ///< size of a window
  TAPER_ARG(ExpandingArray<D>, stride);       ///< steps of the window
  TAPER_ARG(ExpandingArray<D>, padding) = 0;  ///< elements added on both sides
  /// With or without N and C; what pooling came from where several sizes give the same.
  TAPER_ARG(optional<std::vector<int64_t>>, output_size) = nullopt;
};
/// For one, two and three spatial dimensions.
///@{
using MaxUnpool1dFuncOptions = MaxUnpoolFuncOptions<1>;
using MaxUnpool2dFuncOptions = MaxUnpoolFuncOptions<2>;
using MaxUnpool3dFuncOptions = MaxUnpoolFuncOptions<3>;
///@}

/// What the functions take: the options of the modules.
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
